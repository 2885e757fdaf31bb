"""Pages of rulesets: the list, a version, copies, publishing, members, the set-up form."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import PublisherFactory, RulebookFactory, TournamentFactory, UserFactory
from tests.standings.rulesets.editor import page, sent
from tournament.models import Publisher, Rulebook, Ruleset
from tournament.rulebooks.library import newest_of
from tournament.rulesets import presets, resolve
from tournament.services.publishers import set_member
from tournament.services.rulebooks import publish_draft, save_draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client):
    """Signed in, with a publisher of their own."""
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def test_everybody_sees_all_rulesets_with_how_sure_they_are(client):
    html = page(client.get("/rulesets/"))
    assert all(name in html for name in Ruleset.objects.values_list("name", flat=True) if "&" not in name)
    sure, unsure = html.split("Unverified: check before you rely on them")
    assert "from memory: check before you rely on it" not in sure
    assert unsure.count("from memory: check before you rely on it") == 3
    assert "Altered" in unsure and "Altered" not in sure


def test_a_search_looks_at_names_publishers_and_tiebreaks(client):
    RulebookFactory(name="Own rules", published="First version.")
    assert "Own rules" in page(client.get("/rulesets/?q=north+league"))
    html = page(client.get("/rulesets/?q=buchholz+fide"))
    assert "FIDE Swiss" in html and "Lorcana" not in html
    assert "No ruleset matches" in page(client.get("/rulesets/?q=zzz"))


@pytest.mark.parametrize("key", ["dci1999", "twixt", "fide", "scrabble", "mstr_pods"])
def test_a_shipped_ruleset_is_told_field_by_field_with_its_examples(client, key):
    html = page(client.get(f"/rulesets/{key}/"))
    assert "built in" in html and "All fields" in html and "Worked examples" in html
    assert f"/rulesets/{key}/copy/" in html and f"/rulesets/{key}/draft/" not in html
    assert client.get(f"/rulesets/{key}/versions/1/").status_code == 200
    assert client.get(f"/rulesets/{key}/versions/2/").status_code == 404


def test_a_version_can_be_downloaded_whole(client):
    answer = client.get("/rulesets/twixt/versions/1/json/")
    assert json.loads(answer.content) == resolve("twixt")
    assert "twixt-1.json" in answer["Content-Disposition"]


def test_others_see_no_draft_and_nobody_edits_what_ships(client):
    book = RulebookFactory()
    pages = ["", "draft/", "publish/", "copy/"]
    assert client.get(f"/rulesets/{book.key}/").status_code == 404
    assert client.get(f"/rulesets/{book.key}/draft/")["Location"].startswith("/login/")
    client.force_login(UserFactory())
    assert [client.get(f"/rulesets/{book.key}/{part}").status_code for part in pages] == [404] * 4
    assert [client.get(f"/rulesets/mtr/{part}").status_code for part in pages] == [200, 404, 404, 200]
    posts = ["draft/", "draft/order/", "draft/preview/", "draft/upload/", "draft/discard/", "publish/"]
    assert [client.post(f"/rulesets/{book.key}/{part}").status_code for part in posts] == [404] * 6
    assert [client.post(f"/rulesets/mtr/{part}").status_code for part in posts] == [404] * 6
    client.force_login(UserFactory(is_superuser=True))
    assert [client.get(f"/rulesets/{book.key}/{part}").status_code for part in pages] == [
        302 + 1,
        200,
        200,
        404,
    ]
    assert client.get("/rulesets/mtr/draft/").status_code == 404  # shipped ones stay as they are


def test_an_editor_edits_and_is_out_on_the_click_after_being_removed(client, ada):
    book = RulebookFactory()
    set_member(book.publisher, "ada", "editor", actor="x")
    assert client.get(f"/rulesets/{book.key}/draft/").status_code == 200
    assert (
        client.post(f"/rulesets/publishers/{book.publisher.slug}/members/", {"username": "x"}).status_code
        == 403
    )
    book.publisher.members.filter(user=ada).delete()
    assert client.post(f"/rulesets/{book.key}/draft/", sent(book, name="Mine")).status_code == 404


def test_anybody_copies_a_ruleset_and_becomes_its_publisher(client, ada):
    form = client.get("/rulesets/dci1999/copy/")
    assert "Name of the new publisher" in page(form)
    assert client.post("/rulesets/dci1999/copy/", {"name": "Mine"}).status_code == 422
    answer = client.post("/rulesets/dci1999/copy/", {"name": "Mine", "publisher_name": "Chess & Cards"})
    assert (answer.status_code, answer["Location"]) == (303, "/rulesets/chess-cards-mine/draft/")
    assert Publisher.objects.get().members.get().user == ada
    again = client.post("/rulesets/mtr/copy/", {"name": "Second", "publisher": Publisher.objects.get().pk})
    assert again["Location"] == "/rulesets/chess-cards-second/draft/"
    others = PublisherFactory(name="Others")
    foreign = client.post("/rulesets/mtr/copy/", {"name": "Third", "publisher": others.pk})
    assert foreign.status_code == 422 and not others.rulebooks.exists()


def test_publishing_shows_what_changes_and_whom_and_needs_a_note(client, ada):
    book = RulebookFactory(owner=ada, published="First version.")
    TournamentFactory(entries=0, ruleset=book.key)
    client.post(f"/rulesets/{book.key}/draft/", sent(book, match_points__win="2"))
    html = page(client.get(f"/rulesets/{book.key}/publish/"))
    assert "Match points for a win" in html and "1 event uses an earlier version and keeps it" in html
    assert "Publish version 2" in html
    assert client.post(f"/rulesets/{book.key}/publish/", {"seen": 2, "note": ""}).status_code == 422
    assert client.post(f"/rulesets/{book.key}/publish/", {"seen": 1, "note": "Blind."}).status_code == 409
    book.refresh_from_db()
    answer = client.post(f"/rulesets/{book.key}/publish/", {"seen": book.draft_revision, "note": "Two."})
    assert answer["Location"] == f"/rulesets/{book.key}/"
    body = page(client.get(f"/rulesets/{book.key}/"))
    assert "Version 2 is published" in body and "Two." in body and "Changed from Magic DCI 1999" in body
    assert "not used by any event" in body and "1 event<" in body
    assert "There is no draft" in page(client.get(f"/rulesets/{book.key}/publish/"))


@pytest.mark.parametrize(("button", "versions"), [("publish/", 2), ("draft/discard/", 1)])
def test_a_button_about_the_draft_pressed_twice_is_answered_as_pressed_once(client, ada, button, versions):
    book = RulebookFactory(owner=ada, published="First version.")
    save_draft(book, {**book.versions.get().profile, "name": "Other"}, seen=book.draft_revision, actor=ada)
    for _ in range(2):
        answer = client.post(f"/rulesets/{book.key}/{button}", {"seen": book.draft_revision, "note": "Name."})
        assert (answer.status_code, answer.headers.get("Location")) == (303, f"/rulesets/{book.key}/")
    assert (book.versions.count(), book.actions.count()) == (versions, book.draft_revision + 1)


def test_own_events_are_named_and_the_log_is_for_members(client, ada):
    book = RulebookFactory(owner=ada, published="First version.")
    TournamentFactory(entries=0, ruleset=book.key, owner=ada, name="My own event")
    mine = page(client.get(f"/rulesets/{book.key}/"))
    assert "My own event" in mine and "Change log" in mine
    client.logout()
    public = page(client.get(f"/rulesets/{book.key}/"))
    assert "My own event" not in public and "1 event" in public and "Who changed what" not in public


def test_members_are_taken_in_and_out_by_an_owner(client, ada):
    book, bo = RulebookFactory(owner=ada, published="First version."), UserFactory(username="bo")
    address = f"/rulesets/publishers/{book.publisher.slug}/"
    assert client.post(f"{address}members/", {"username": "bo", "role": "editor"}).status_code == 303
    assert client.post(f"{address}members/", {"username": "nobody", "role": "editor"}).status_code == 404
    assert client.post(f"{address}members/", {"username": "bo", "role": "king"}).status_code == 422
    assert client.post(f"{address}members/", {"remove": "ada"}).status_code == 400
    html = page(client.get(address))
    assert "bo" in html and "Add member" in html
    client.force_login(bo)
    assert "Add member" not in page(client.get(address))
    client.logout()
    public = page(client.get(address))
    assert "League rules" in public and "Members" not in public
    assert client.post(f"{address}members/", {"remove": "bo"}).status_code == 302


def test_the_set_up_form_offers_every_newest_ruleset_and_unverified_ones_apart(client, ada):
    book = RulebookFactory(owner=ada, published="First version.")
    save_draft(book, {**newest_of(book).profile, "name": "League rules 2"}, seen=2, actor=ada)
    publish_draft(book, seen=book.draft_revision, note="Name.", actor=ada)
    RulebookFactory(owner=ada, name="Only a draft", publisher=book.publisher)
    html = page(client.get("/new/"))
    groups = html.split("<optgroup")[1:]
    assert 'label="Built in"' in groups[0] and groups[0].count("<option") == len(presets()) - 3
    assert (
        'label="North League"' in groups[1]
        and "League rules 2 · custom rules: their publisher answers for them" in groups[1]
    )
    assert 'label="Unverified: check before you rely on them"' in groups[-1]
    assert groups[-1].count("from memory: check before you rely on it") == 3
    assert "Only a draft" not in html
    assert f'value="{book.key}" selected' in page(client.get(f"/new/?ruleset={book.key}"))
    assert client.get("/new/?ruleset=nobody-s").status_code == 200
    answer = client.post("/new/", {"name": "Cup", "ruleset": book.key, "key": "k"})
    assert answer.status_code == 303


def test_a_list_of_300_rulesets_costs_as_many_queries_as_one_of_28(client, ada):
    def queries():
        with CaptureQueriesContext(connection) as found:
            assert client.get("/rulesets/").status_code == 200
        return len(found)

    before = queries()
    of = PublisherFactory(owner=ada)
    profile = resolve("mtr")
    books = Rulebook.objects.bulk_create(
        Rulebook(key=f"{of.slug}-{n}", name=f"Rules {n}", publisher=of) for n in range(272)
    )
    Ruleset.objects.bulk_create(
        Ruleset(rulebook=book, key=book.key, version=1, name=book.name, profile=profile) for book in books
    )
    assert queries() == before <= 6
    assert page(client.get("/rulesets/")).count("Rules 271") == 2


def test_a_rulesets_page_costs_the_same_with_one_version_and_with_many(client, ada):
    book = RulebookFactory(owner=ada, published="First version.")

    def queries():
        with CaptureQueriesContext(connection) as found:
            assert client.get(f"/rulesets/{book.key}/").status_code == 200
        return len(found)

    TournamentFactory(entries=0, ruleset=book.key, owner=ada)
    before = queries()
    for win in ("4", "5", "6"):
        save_draft(
            book, {**newest_of(book).profile, "match_points": {"win": win, "draw": "1", "loss": "0"}},
            seen=book.draft_revision, actor=ada,
        )  # fmt: skip
        publish_draft(book, seen=book.draft_revision, note=win, actor=ada)
        TournamentFactory(entries=0, ruleset=book.key, owner=ada)
    assert queries() == before <= 10
