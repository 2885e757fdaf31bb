import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import RulesetFactory, UserFactory
from tests.pages import Page, page
from tournament.models import Ruleset
from tournament.rulesets import differences
from tournament.rulesets.schema import value_at
from tournament.services.rulesets import publish_draft, save_draft

CRITERIA = "pairing.criteria"
TWIXT = ["repeats", "score_difference", "not_same_side_all_rounds", "fold", "alternate_sides"]


@pytest.fixture
def ada(client):
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


@pytest.fixture
def ruleset(ada) -> Ruleset:
    return RulesetFactory(owner=ada)


@pytest.fixture
def twixt(ada) -> Ruleset:
    return RulesetFactory(owner=ada, copied="twixt", name="Twixt rules")


def address(ruleset, part="draft/") -> str:
    return f"/rulesets/{ruleset.key}/{part}"


def sent(client, ruleset, **changed) -> dict:
    fields = page(client, address(ruleset)).form("Save the draft").fields
    return {**fields, **{name.replace("__", "."): value for name, value in changed.items()}}


def save(client, ruleset, fields) -> Page:
    answer = Page(client.post(address(ruleset), fields))
    ruleset.refresh_from_db()
    return answer


def order_in(part: Page) -> list[str]:
    return [tag["name"].split("-")[1] for tag in part.soup.select('#order [name$="-ORDER"]')]


def words_in(part: Page, path=CRITERIA) -> list[str]:
    """The lines of a list of words, from the top: the word that each has, "" for a new one."""
    return [option["value"] for option in part.soup.select(f'[name^="{path}-"][name$="-word"] [selected]')]


# --- values ----------------------------------------------------------------------------------------------


def test_the_editor_saves_nothing_else_than_what_was_changed(client, ruleset):
    before = ruleset.draft
    answer = save(client, ruleset, sent(client, ruleset, match_points__win="2"))
    assert (answer.status, answer.answer["Location"]) == (303, address(ruleset))
    changes = differences(before, ruleset.draft)
    assert changes == [{"path": "match_points.win", "before": "3", "after": "2"}]


@pytest.mark.parametrize(
    ("typed", "stored"),
    [("1/3", "1/3"), ("0.33", "0.33"), ("33/100", "33/100"), ("25 %", "0.25"), ("33.3%", "0.333"), ("+50 %", "0.5"),
     ("0%", "0"), ("100 %", "1"), ("0.0000000000001%", "0.000000000000001")],
)  # fmt: skip
def test_a_minimum_is_kept_as_typed_and_a_percentage_as_the_exact_decimal_it_means(
    client, ada, typed, stored
):
    ruleset = RulesetFactory(owner=ada, copied="yugioh")  # no minimum and no maximum
    save(client, ruleset, sent(client, ruleset, percentages__match_floor=typed))
    assert ruleset.draft["percentages"]["match_floor"] == stored
    assert page(client, address(ruleset)).one('[name="percentages.match_floor"]')["value"] == stored


def test_every_number_may_be_a_percentage_and_no_minimum_is_another_thing_than_the_usual_one(client, ruleset):
    typed = {"steps-1-floor": "1/3", "steps-3-floor": "20 %", "percentages.bye_as_opponent": "3 x 20 %"}
    data = sent(
        client, ruleset, match_points__draw="50%", match_points__bye="150 %", percentages__match_floor=""
    )
    assert save(client, ruleset, {**data, **typed}).status == 303
    assert (ruleset.draft["match_points"]["draw"], ruleset.draft["match_points"]["bye"]) == ("0.5", "1.5")
    params = [step.get("params") for step in ruleset.draft["tiebreaks"]]
    assert params[1::2] == [{"floor": "1/3"}, {"floor": "0.2"}]
    assert ruleset.draft["percentages"]["bye_as_opponent"] == {"value": "0.2", "count": 3}
    assert ruleset.draft["percentages"]["match_floor"] is None
    version = publish_draft(ruleset, seen=ruleset.revision, note="No minimum.")
    assert version.profile["percentages"]["match_floor"] is None


@pytest.mark.parametrize(
    ("typed", "kept", "shown"),
    [
        ("100, 100, 150", ["100", "100", "150"], "100, 100, 150"),
        ("100 150", ["100", "150"], "100, 150"),
        ("300", "300", "300"),
    ],
)
def test_a_maximum_spread_is_one_number_or_one_for_each_round(client, ada, typed, kept, shown):
    ruleset = RulesetFactory(owner=ada, copied="scrabble")
    assert save(client, ruleset, sent(client, ruleset) | {"steps-1-cap": typed}).status == 303
    assert ruleset.draft["tiebreaks"][1]["params"]["cap"] == kept
    fields = sent(client, ruleset)
    assert fields["steps-1-cap"] == [shown] and save(client, ruleset, fields).status == 303
    refused = save(client, ruleset, fields | {"steps-1-cap": "100, much"})
    assert refused.status == 422 and "is not a valid value" in refused


# Of rulesets.test_schema, which says what each kind of field refuses: how it reaches its field on the page.
@pytest.mark.parametrize(
    ("copied", "field", "typed", "words"),
    [
        ("dci1999", "match_points.win", "three", "is not an exact number"),
        ("dci1999", "match_points.win", "0 %", "must be worth more than 0"),
        ("dci1999", "percentages.match_cap", "1/5", "the maximum (cap) is below the minimum (floor)"),
        ("dci1999", "percentages.game_floor", "101 %", "exact share from 0 to 1"),
        ("dci1999", "bye_games", "2-0", "Enter games won, lost and drawn"),
        ("dci1999", "display.percent_places", "many", "whole number"),
        ("dci1999", "percentages.bye_as_opponent", "often", "exclude, zero"),
        ("dci1999", "steps-0-metric", "opp_match_win_pct", "the order must start with points"),
        ("dci1999", "steps-4-metric", "buchholz", "the order must end with a random tiebreaker"),
        ("dci1999", "steps-1-floor", "1/0", "is not a valid value"),
        ("dci1999", "rows-1-min", "6", "rows must follow without gap or overlap"),
        ("dci1999", "rows-0-rounds", "", "This field is required"),
        ("dci1999", "confidence", "sworn", "not one of the available choices"),
        ("twixt", f"{CRITERIA}-4-word", "fold", "'fold' is in the list already"),
        ("twixt", f"{CRITERIA}-4-word", "moon", "not one of the available choices"),
        ("twixt", "elimination.replay.delay_s_per_move", "-1", "Enter a whole number"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_saved(client, ada, copied, field, typed, words):
    ruleset = RulesetFactory(owner=ada, copied=copied)
    answer = save(client, ruleset, {**sent(client, ruleset), field: typed})
    assert answer.status == 422 and "Not saved: 1 thing to fix" in answer
    assert words in answer.one(f'[id="id_{field}_error"]').text
    assert answer.one(f'[data-fault="id_{field}"]') and ruleset.revision == 1


# --- the standings order and lists of words --------------------------------------------------------------


@pytest.mark.long
def test_lines_are_moved_added_and_removed_without_javascript_and_without_saving(client, ruleset, twixt):
    data = sent(client, ruleset, name="Typed, not saved")

    def after(do: str, **changed) -> Page:
        answer = save(client, ruleset, {**data, **changed, "do": do})
        assert answer.one('[name="name"]')["value"] == "Typed, not saved"
        return answer

    assert order_in(after("up-3")) == ["0", "1", "3", "2", "4"]
    assert order_in(after("down-1")) == ["0", "2", "1", "3", "4"]
    assert order_in(after("up-0")) == order_in(after("nonsense-9")) == ["0", "1", "2", "3", "4"]
    assert order_in(after("remove-2")) == ["0", "1", "3", "4"]
    added = after("add")
    assert order_in(added) == ["0", "1", "2", "3", "4", "5"] and "choose one" in added
    settings = after("show", **{"steps-2-metric": "buchholz"})
    assert settings.one('[name="steps-2-cut_low"]') and not settings.soup.select('[name="steps-1-cut_low"]')
    lists = sent(client, twixt)
    up = save(client, twixt, {**lists, "do": f"up-{CRITERIA}-3"})
    assert words_in(up) == [TWIXT[n] for n in (0, 1, 3, 2, 4)]
    assert words_in(save(client, twixt, {**lists, "do": f"remove-{CRITERIA}-0"})) == TWIXT[1:]
    assert len(save(client, twixt, {**lists, "do": f"add-{CRITERIA}-"}).all("#pairing-criteria .step")) == 6
    far = save(client, twixt, {**lists, f"{CRITERIA}-0-ORDER": "9" * 5000, "do": f"up-{CRITERIA}-3"})
    assert words_in(far)[-1] == TWIXT[0]
    assert save(client, twixt, {**lists, "do": f"up-{CRITERIA}-x"}).status == 200
    for count in ("100000", "x"):
        assert save(client, twixt, {**lists, f"{CRITERIA}-TOTAL_FORMS": count}).status == 422
    assert ruleset.revision == twixt.revision == 1


def test_a_moved_order_with_own_names_and_settings_is_saved(client, ruleset):
    kept = [0, 2, 5, 4]  # lines of the page by their index, best first; 5 is new
    data = sent(client, ruleset) | {"steps-TOTAL_FORMS": "6"}
    data |= {f"steps-{index}-ORDER": str(place) for place, index in enumerate(kept, start=1)}
    data |= {f"steps-{index}-DELETE": "on" for index in (1, 3)}
    data |= {
        "steps-2-label": "Games",
        "steps-5-metric": "buchholz",
        "steps-5-cut_low": "1",
        "steps-5-rule": "uscf",
    }
    assert save(client, ruleset, data).status == 303
    assert ruleset.draft["tiebreaks"] == [
        {"metric": "match_points"},
        {"metric": "game_win_pct", "label": "Games"},
        {"metric": "buchholz", "params": {"rule": "uscf", "cut_low": 1}},
        {"metric": "random"},
    ]


def test_a_list_is_saved_in_the_order_in_which_it_stands_and_an_emptied_one_is_none(client, twixt):
    data, before = sent(client, twixt), twixt.draft
    more = {f"{CRITERIA}-TOTAL_FORMS": "6", f"{CRITERIA}-5-word": "labels_apart", f"{CRITERIA}-5-ORDER": "1"}
    moved = {f"{CRITERIA}-{index}-ORDER": str(index + 2) for index in range(5)}
    assert save(client, twixt, {**data, **more, **moved}).status == 303
    assert twixt.draft["pairing"]["criteria"] == ["labels_apart", *TWIXT]
    assert [one["path"] for one in differences(before, twixt.draft)] == [CRITERIA]
    told = "players who share a label kept apart → no rematches → small score differences"
    assert told in page(client, address(twixt))
    removed = {f"{CRITERIA}-{index}-DELETE": "on" for index in range(6)}
    assert save(client, twixt, {**sent(client, twixt), **removed}).status == 303
    assert "criteria" not in twixt.draft["pairing"]
    assert "If empty: rematches, byes, score differences, repeat pair-downs." in page(client, address(twixt))


def test_a_page_from_before_the_lists_changes_nothing_of_them(client, twixt):
    data = {name: value for name, value in sent(client, twixt, match_points__draw="0.4").items()
            if not name.startswith((f"{CRITERIA}-", "elimination.colours-"))}  # fmt: skip
    assert save(client, twixt, data).status == 303
    assert twixt.draft["match_points"]["draw"] == "0.4"
    assert (twixt.draft["pairing"]["criteria"], len(twixt.draft["elimination"]["colours"])) == (TWIXT, 3)


def test_choices_time_limits_and_alternates_are_saved_and_shown_in_words(client, twixt):
    replay = "elimination.replay."
    data = sent(client, twixt, drop__walkover="highest_ranked_remaining_gets_bye",
                bye__to="lowest_score_group_random", pairing__objective="protect_top")  # fmt: skip
    del data["cut.alternates"]
    limits = {f"{replay}min_minutes_per_player": "", f"{replay}delay_s_per_move": "0"}
    assert save(client, twixt, {**data, **limits}).status == 303
    values = {
        "cut.alternates": False,
        "pairing.objective": "protect_top",
        "elimination.replay": {"delay_s_per_move": 0, "min_remaining_minutes_for_later_rounds": 50},
    }
    assert {path: value_at(twixt.draft, path) for path in values} == values
    told = page(client, address(twixt))
    assert "Alternates are not used." in told
    assert "minimum minutes for each player 20; seconds of delay per move 0;" in told
    save(client, twixt, sent(client, twixt, elimination__draw_rule="higher_seed"))
    told = page(client, address(twixt))
    assert "After a drawn bracket match the better seed advances." in told
    summary = " ".join(told.all("#meaning + dl dd"))
    assert "After a drawn bracket match" in summary and "Time limits" not in summary  # no game is repeated


@pytest.mark.parametrize("stated", [None, "balance"])
def test_what_holds_anyway_is_offered_once_and_stays_as_it_is_stated(client, twixt, stated):
    if stated:
        pairing = {**twixt.draft["pairing"], "objective": stated}
        Ruleset.objects.filter(pk=twixt.pk).update(draft={**twixt.draft, "pairing": pairing})
    options = page(client, address(twixt)).soup.select('[name="pairing.objective"] option')
    assert len(options) == 2
    assert [option["value"] for option in options if option.has_attr("selected")] == [stated or ""]
    assert save(client, twixt, sent(client, twixt, match_points__draw="0.4")).status == 303
    assert twixt.draft["pairing"].get("objective") == stated


def test_a_part_of_the_page_answers_without_saving(client, ruleset, twixt):
    data = sent(client, ruleset)

    def part(where: str, **more) -> Page:
        answer = Page(client.post(address(ruleset, f"draft/{where}/"), {**data, **more}))
        assert answer.status == 200 and not answer.all("html")
        return answer

    assert len(order_in(part("order", do="add"))) == 6
    assert len(part("order", do="add-row").all(".table-row")) == len(ruleset.draft["rounds_table"]) + 1
    fine = part("preview", **{"percentages.match_floor": "1/3"})
    assert "Minimum match-win %" in fine and "Worked examples" in fine and "0.6168" in fine
    wrong = part("preview", **{"match_points.win": "x"})
    assert "1 thing to fix" in wrong and "Worked examples" not in wrong
    assert "to fix" in Page(client.post(address(ruleset, "draft/preview/"), {}))
    lists = sent(client, twixt)
    for do in (f"up-{CRITERIA}-1", f"add-{CRITERIA}-", "remove-elimination.colours-0"):
        answer = Page(client.post(address(twixt, "draft/order/"), {**lists, "do": do}))
        assert len(answer.all(".word-list")) == 1 and not answer.soup.select("#order"), do
    for one in (ruleset, twixt):
        one.refresh_from_db()
        assert one.revision == 1


def test_which_fields_organizers_may_change_is_marked_in_the_editor(client, ruleset):
    paths = ["match_points.draw", "tiebreaks"]
    save(client, ruleset, sent(client, ruleset, opens="some", open=paths))
    assert ruleset.draft["open_fields"] == paths
    assert sent(client, ruleset)["open"] == paths
    save(client, ruleset, sent(client, ruleset, opens="all"))
    assert "open_fields" not in ruleset.draft
    assert save(client, ruleset, sent(client, ruleset, opens="some", open=["name"])).status == 422


# --- two windows, and files ------------------------------------------------------------------------------


def test_of_two_windows_the_last_save_wins(client, ruleset):
    old = sent(client, ruleset, match_points__win="4")
    save_draft(ruleset, {**ruleset.draft, "source": "Theirs"})
    assert save(client, ruleset, old).status == 303
    assert ruleset.draft["match_points"]["win"] == "4" and ruleset.draft["source"] != "Theirs"


def uploaded(client, ruleset, content: bytes) -> Page:
    file = SimpleUploadedFile("rules.json", content, "application/json")
    answer = Page(client.post(address(ruleset, "draft/upload/"), {"file": file}))
    ruleset.refresh_from_db()
    return answer


def test_a_downloaded_file_becomes_a_draft_and_that_of_the_newest_version_takes_it_back(client, ada):
    ruleset = RulesetFactory(owner=ada, published="First version.")
    file = client.get("/rulesets/twixt/versions/1/json/").content
    assert uploaded(client, ruleset, file).status == 303
    assert ruleset.draft["name"] == "ClineCON Twixt" and ruleset.draft["match_points"]["draw"] == "1/2"
    assert ruleset.draft["based_on"] == "dci1999"  # whose examples count is not for a file to say
    file = client.get(address(ruleset, "versions/1/json/")).content
    assert uploaded(client, ruleset, file).status == 303
    assert ruleset.draft is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "file is empty"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"name": "A", "name": "B"}', "twice"),
        (b'{"name": "x\\u0000"}', "cannot be stored"),
        (b'{"name": 7}', "up to 120 characters"),
        (b'{"name": "A", "match_points": {"win": 1.5}}', "exact fractions as text"),
        (b'{"name": "A", "match_points": {"win": NaN}}', "exact fractions as text"),
        (b'{"name": "A", "rounds_table": "nobody\'s"}', "Unknown rounds table"),
        (b'{"name": "A", "tiebreaks": [[]]}', "tiebreaks[0]"),
        (b'{"name": "A", "tiebreaks": [{"metric": "__class__"}]}', "there is no metric"),
        (b'{"name": "A", "evil": "<script>"}', "evil"),
        (b'{"name": "' + b"x" * 300_000 + b'"}', "Check that it is the right file."),
    ],
)
def test_a_hostile_file_is_refused_in_words_and_changes_nothing(client, ruleset, content, words):
    answer = uploaded(client, ruleset, content)
    assert answer.status == 422 and words in answer and not answer.soup.select("main script:not([src])")
    assert ruleset.revision == 1
