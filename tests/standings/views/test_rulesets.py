import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import RulesetFactory, TournamentFactory, UserFactory
from tests.pages import Page, page
from tournament.models import Ruleset, RulesetVersion, Tournament
from tournament.rulesets import presets, resolve
from tournament.rulesets.schema import IGNORED, set_value
from tournament.services.rulesets import find_newest_version, publish_draft, save_draft


@pytest.fixture
def ada(client):
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def address(ruleset, part="") -> str:
    return f"/rulesets/{ruleset.key}/{part}"


def publish(ruleset, note="Next.", **changed):
    save_draft(ruleset, {**find_newest_version(ruleset).profile, **changed})
    return publish_draft(ruleset, seen=ruleset.revision, note=note)


def queries(client, path: str) -> int:
    with CaptureQueriesContext(connection) as found:
        assert client.get(path).status_code == 200
    return len(found)


# --- the list and a version ------------------------------------------------------------------------------


def test_everybody_sees_and_searches_all_rulesets_with_how_sure_they_are(client):
    shown = page(client, "/rulesets/")
    sure, unsure = (shown.all(f'[aria-labelledby="{part}"] li') for part in ("verified", "unverified"))
    assert len(sure) + len(unsure) == RulesetVersion.objects.count()
    memory = "from memory: check before you rely on it"
    assert not any(memory in row for row in sure) and sum(memory in row for row in unsure) == 3
    assert any(row.startswith("Altered") for row in unsure)
    RulesetFactory(name="Own rules", published="First version.")
    assert "Own rules" in page(client, "/rulesets/", q="custom own")
    found = page(client, "/rulesets/", q="buchholz fide")
    assert "FIDE Swiss" in found and "Lorcana" not in found
    assert "No ruleset matches" in page(client, "/rulesets/", q="zzz")


@pytest.mark.parametrize("key", ["dci1999", "twixt", "fide", "scrabble", "mstr_pods"])
def test_a_shipped_ruleset_is_told_field_by_field_with_its_examples(client, key):
    shown = page(client, f"/rulesets/{key}/")
    assert "built in" in shown and "All fields" in shown and "Worked examples" in shown
    assert shown.link("Make your own copy") == f"/rulesets/{key}/copy/" and "Edit" not in shown.all("a")
    answer = client.get(shown.link("Download (JSON)"))
    assert json.loads(answer.content) == resolve(key) and f"{key}-1.json" in answer["Content-Disposition"]
    assert [client.get(f"/rulesets/{key}/versions/{n}/").status_code for n in (1, 2)] == [200, 404]


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("twixt", "because pairing by halves or by neighbors leaves that player unpaired"),
        (
            "fide",
            "In round 1 it goes to the last player by seed, later to a random player in the lowest score group.",
        ),
        ("uscf", "Other byes in these rounds, if requested before the pairing of round: 3."),
        ("mtr", "It goes to a random player in the lowest score group."),
    ],
)
def test_a_ruleset_says_in_words_what_is_done_where_its_document_is_silent(client, key, told):
    shown = page(client, f"/rulesets/{key}/")
    assert told in shown
    for word in ("replay_colours", "lowest_score_group", "min_minutes", "First moves in round 1: not set"):
        assert word not in shown
    assert ("A forfeit does not count as a meeting" in shown) == (key in ("fide", "uscf"))


def test_no_page_shows_a_field_that_nothing_reads(client):
    profile = resolve("mtr", overrides={"open_fields": sorted(IGNORED)})
    for path in IGNORED:
        set_value(profile, path, "moonshine")
    tournament = TournamentFactory(entries=4)
    Tournament.objects.filter(pk=tournament.pk).update(profile=profile)
    RulesetVersion.objects.create(
        ruleset=tournament.ruleset.ruleset, key="mtr", version=2, name="MTR", profile=profile
    )
    for path in ("/rulesets/mtr/", "/rulesets/words/?ruleset=mtr", f"/t/{tournament.slug}/rules/"):
        text = client.get(path).content.decode()
        assert "Win 3, draw 1" in text and "moonshine" not in text
        assert not [field for field in IGNORED if field != "compare" and field in text]


def test_lists_and_pages_cost_the_same_with_few_and_with_many(client, ada):
    before = queries(client, "/rulesets/")
    profile = resolve("mtr")
    rulesets = Ruleset.objects.bulk_create(
        Ruleset(key=f"rules-{n}", name=f"Rules {n}", owner=ada) for n in range(272)
    )
    RulesetVersion.objects.bulk_create(
        RulesetVersion(ruleset=one, key=one.key, version=1, name=one.name, profile=profile)
        for one in rulesets
    )
    assert queries(client, "/rulesets/") == before <= 6
    ruleset = RulesetFactory(owner=ada, published="First version.")
    TournamentFactory(entries=0, ruleset=ruleset.key, owner=ada)
    before = queries(client, address(ruleset))
    for win in ("4", "5", "6"):
        publish(ruleset, match_points={"win": win, "draw": "1", "loss": "0"})
        TournamentFactory(entries=0, ruleset=ruleset.key, owner=ada)
    assert queries(client, address(ruleset)) == before <= 10


# --- whose it is -----------------------------------------------------------------------------------------


def test_others_see_no_draft_and_nobody_edits_what_ships(client):
    ruleset = RulesetFactory()
    pages, posts = (
        ["", "draft/", "publish/", "copy/"],
        ["draft/", "draft/order/", "draft/preview/", "draft/upload/"],
    )

    def statuses(key: str) -> list[int]:
        return [client.get(f"/rulesets/{key}/{part}").status_code for part in pages]

    assert client.get(address(ruleset)).status_code == 404
    assert client.get(address(ruleset, "draft/"))["Location"].startswith("/login/")
    for user in (UserFactory(), UserFactory(is_superuser=True)):
        client.force_login(user)
        assert statuses("mtr") == [200, 404, 404, 200] and statuses(ruleset.key)[1] == 404
        for key in (ruleset.key, "mtr"):
            assert {client.post(f"/rulesets/{key}/{part}").status_code for part in (*posts, "publish/")} == {
                404
            }
    client.force_login(UserFactory())
    assert statuses(ruleset.key) == [404] * 4
    client.force_login(ruleset.owner)
    assert statuses(ruleset.key) == [303, 200, 200, 404]


def test_the_events_that_use_a_version_are_counted_and_never_named(client, ada):
    ruleset = RulesetFactory(owner=ada, published="First version.")
    TournamentFactory(entries=0, ruleset=ruleset.key, owner=ada, name="My own event")
    mine = page(client, address(ruleset))
    assert "used by 1 event" in mine and "your ruleset" in mine and "My own event" not in mine
    client.logout()
    public = page(client, address(ruleset))
    assert "My own event" not in public and "used by 1 event" in public and "by an organizer" in public


# --- copies, files, publishing ---------------------------------------------------------------------------


def test_anybody_copies_a_ruleset_and_another_ones_published_version_and_owns_the_copy(client, ada):
    assert "Name of your ruleset" in page(client, "/rulesets/dci1999/copy/")
    assert client.post("/rulesets/dci1999/copy/", {"name": ""}).status_code == 422
    answer = client.post("/rulesets/dci1999/copy/", {"name": "Chess & Cards"})
    assert (answer.status_code, answer["Location"]) == (303, "/rulesets/chess-cards/draft/")
    other = RulesetFactory(published="First version.")
    answer = client.post(address(other, "copy/"), {"name": "Second"})
    assert answer["Location"] == "/rulesets/second-rules/draft/"
    copies = list(ada.rulesets.values_list("key", "copied_from__key"))
    assert copies == [("chess-cards", "dci1999"), ("second-rules", other.key)]


def take_in(client, content: bytes):
    file = SimpleUploadedFile("rules.json", content)
    return client.post("/rulesets/import/", {"file": file, "name": "Taken in"})


def test_a_file_that_was_given_out_is_taken_in_once_and_says_what_it_changed_of_which(client, ada):
    ruleset = RulesetFactory(published="First version.")
    profile = find_newest_version(ruleset).profile
    points, shares = profile["match_points"] | {"win": "2"}, profile["percentages"] | {"match_floor": "1/3"}
    publish(ruleset, match_points=points, percentages=shares)
    content = client.get(address(ruleset, "versions/2/json/")).content
    first, second = take_in(client, content), take_in(client, content)
    taken = Ruleset.objects.get(name="Taken in")
    assert first["Location"] == second["Location"] == address(taken, "draft/")
    assert take_in(client, client.get("/rulesets/mtr/versions/1/json/").content).status_code in (400, 422)
    version = publish_draft(taken, seen=taken.revision, note="As the North plays.")
    apart = dict.fromkeys(("key", "name", "version"))
    assert version.profile | apart == json.loads(content) | apart
    tournament = TournamentFactory(entries=4, ruleset=ruleset.key, owner=ada)
    desk, shown = f"/t/{tournament.slug}/", {"/rulesets/words/": {"ruleset": ruleset.key}}
    for path, query in {f"{desk}rules/": {}, f"{desk}desk/rules/": {}, **shown}.items():
        told = page(client, path, **query)
        assert "Changed from Magic DCI 1999" in told and "Match points for a win: 2 (was 3)" in told, path
    source = page(client, address(taken)).all('[aria-labelledby="source"]')[0]
    assert source.startswith("Changed from Magic DCI 1999") and "Match points for a win" in source
    plain = TournamentFactory(entries=4, ruleset="dci1999", owner=ada)
    assert "Changed from" not in page(client, f"/t/{plain.slug}/rules/")


def test_fields_that_nothing_reads_are_named_once_and_not_taken_in(client, ada):
    rules = resolve("dci1999") | {"compare": "exact"}
    rules["bye"]["first_round"] = "random"
    answer = take_in(client, json.dumps(rules).encode())
    assert answer.status_code == 303
    words = "Ignored, because this version has nothing like it: bye.first_round, compare"
    assert page(client, answer["Location"]).words.count(words) == 1
    taken = Ruleset.objects.get(name="Taken in")
    assert "compare" not in taken.draft and "first_round" not in taken.draft["bye"]
    assert "Ignored" not in page(client, answer["Location"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n", "rules.json"),
        (b"[1]", "a single JSON object"),
        (b"{}", "is not a ruleset"),
        (b'{"match_points": {"win": "many", "draw": "1", "loss": "0"}}', "Nothing was imported"),
        (b"[" * 300_000, "bytes"),
    ],
)
def test_a_file_nobody_could_play_by_is_refused_whole(client, ada, content, words):
    answer = Page(take_in(client, content))
    assert answer.status == 422 and words in answer
    assert not Ruleset.objects.exclude(owner=None).exists()


def test_publishing_shows_what_changes_and_whom_and_needs_a_note(client, ada):
    ruleset = RulesetFactory(owner=ada, published="First version.")
    TournamentFactory(entries=0, ruleset=ruleset.key)
    points = find_newest_version(ruleset).profile["match_points"] | {"win": "2"}
    save_draft(ruleset, {**find_newest_version(ruleset).profile, "match_points": points})
    publishing = address(ruleset, "publish/")
    shown = page(client, publishing)
    assert "Match points for a win" in shown and "1 event uses an earlier version and keeps it" in shown
    form = shown.form("Publish version 2")
    assert client.post(publishing, {**form.fields, "note": ""}).status_code == 422
    blind = Page(client.post(publishing, {"seen": ruleset.revision - 1, "note": "Blind."}))
    assert blind.status == 409  # its form has the changes that it shows
    assert blind.form("Publish version 2")["seen"] == str(ruleset.revision)
    for _ in range(2):  # pressed twice
        answer = client.post(publishing, {**form.fields, "note": "Two."})
        assert (answer.status_code, answer["Location"]) == (303, address(ruleset))
    assert ruleset.versions.count() == 2
    done = page(client, address(ruleset))
    assert "Version 2 is published" in done and "Changed from Magic DCI 1999" in done
    two, one = done.all(".versions > li")
    assert "Two." in two and "not used by any event" in two and "1 event" in one
    assert "There are no unpublished changes" in page(client, publishing)


# --- the set-up form -------------------------------------------------------------------------------------


def offered(client, **query) -> dict[str, str]:
    options = page(client, "/new/", **query).soup.select('[name="ruleset"] option')
    return {str(option["value"]): option.text.strip() for option in options}


def test_the_set_up_form_offers_every_newest_ruleset_and_unverified_ones_apart(client, ada):
    ruleset = RulesetFactory(owner=ada, published="First version.")
    publish(ruleset, name="League rules 2")
    RulesetFactory(owner=ada, name="Only a draft")
    groups = page(client, "/new/").soup.select("optgroup")
    titles = [group["label"] for group in groups]
    assert titles == ["Built in", "Custom", "Unverified: check before you rely on them"]
    assert len(groups[0].select("option")) == len(presets()) - 3 - 2  # unverified, and for tables of 4
    assert "League rules 2 · custom rules, published by an organizer" in groups[1].text
    assert groups[2].text.count("from memory: check before you rely on it") == 3
    assert "Only a draft" not in offered(client).values()
    assert page(client, "/new/", ruleset=ruleset.key).form("Create the event")["ruleset"] == ruleset.key
    assert client.get("/new/?ruleset=nobody-s").status_code == 200
    assert client.post("/new/", {"name": "Cup", "ruleset": ruleset.key, "key": "k"}).status_code == 303


@pytest.mark.parametrize("key", ["mstr_pods", "loose_topdeck_bye"])
def test_no_event_is_offered_a_game_that_is_not_played_1_against_1(client, ada, key):
    assert key not in offered(client, ruleset=key)
    answer = client.post("/new/", {"name": "Cup", "ruleset": key, "key": "k"})
    assert answer.status_code == 422 and not Tournament.objects.exists()
    assert "Use it for a new event" not in page(client, f"/rulesets/{key}/")
    assert RulesetFactory(owner=ada, copied=key, published="Ours.").key not in offered(
        client
    )  # nor a copy of it
    for ruleset in ("mtr", key):
        tournament = TournamentFactory(entries=0, owner=ada, ruleset=ruleset)
        rules = page(client, f"/t/{tournament.slug}/desk/rules/")
        assert bool(rules.soup.select(f'option[value="{key}:1"]')) == (ruleset == key)


@pytest.mark.parametrize(
    ("key", "note"),
    [
        ("go_mcmahon", "ranked by McMahon score; paired by match points here"),
        ("curling", "round robin; paired as Swiss rounds here"),
        ("bridge_swiss_teams", "ranked by victory points; paired by match points here"),
        ("mtr", ""),
    ],
)
def test_a_game_that_is_paired_in_another_way_here_says_so_beside_the_choice(client, ada, key, note):
    option = offered(client)[key]
    assert note in option and ("here" in option) == bool(note)
    notices = page(client, "/rulesets/words/", ruleset=key).all(".notice")
    assert [words.casefold() for words in notices] == ([f"{note}.".casefold()] if note else [])
