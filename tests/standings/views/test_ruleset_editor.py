"""The publisher's editor without JavaScript: saving, faults at fields, moving steps, two editors, files."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import RulebookFactory, UserFactory
from tests.standings.rulesets.editor import order_in, page, reordered, sent
from tournament.rulesets import resolve
from tournament.services.rulebooks import publish_draft, save_draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client):
    """Signed in, with a publisher of their own."""
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def test_the_editor_saves_nothing_else_than_what_was_changed(client, ada):
    book = RulebookFactory(owner=ada)
    answer = client.post(f"/rulesets/{book.key}/draft/", sent(book, match_points__win="2"))
    assert (answer.status_code, answer["Location"]) == (303, f"/rulesets/{book.key}/draft/")
    assert book.actions.last().changes == [{"path": "match_points.win", "before": "3", "after": "2"}]


@pytest.mark.parametrize("typed", ["1/3", "0.33", "33/100"])
def test_a_minimum_is_kept_as_it_was_typed(client, ada, typed):
    book = RulebookFactory(owner=ada, copied="swu")
    client.post(f"/rulesets/{book.key}/draft/", sent(book, percentages__match_floor=typed))
    book.refresh_from_db()
    assert book.draft["percentages"]["match_floor"] == typed
    assert f'value="{typed}"' in page(client.get(f"/rulesets/{book.key}/draft/"))


@pytest.mark.parametrize(
    ("typed", "stored"),
    [("25 %", "0.25"), ("25%", "0.25"), ("33.3%", "0.333"), ("+50 %", "0.5"), ("0%", "0"), ("100 %", "1"),
     ("0.0000000000001%", "0.000000000000001")],
)  # fmt: skip
def test_a_percentage_is_kept_as_the_exact_decimal_it_means(client, ada, typed, stored):
    book = RulebookFactory(owner=ada, copied="yugioh")  # no minimum and no maximum
    client.post(f"/rulesets/{book.key}/draft/", sent(book, percentages__match_floor=typed))
    book.refresh_from_db()
    assert book.draft["percentages"]["match_floor"] == stored
    assert f'value="{stored}"' in page(client.get(f"/rulesets/{book.key}/draft/"))


def test_every_number_may_be_a_percentage(client, ada):
    book = RulebookFactory(owner=ada)
    typed = {"steps-1-floor": "1/3", "steps-3-floor": "20 %", "percentages.bye_as_opponent": "3 x 20 %"}
    data = {**sent(book, match_points__draw="50%", match_points__bye="150 %"), **typed}
    assert client.post(f"/rulesets/{book.key}/draft/", data).status_code == 303
    book.refresh_from_db()
    assert (book.draft["match_points"]["draw"], book.draft["match_points"]["bye"]) == ("0.5", "1.5")
    assert [step.get("params") for step in book.draft["tiebreaks"]][1::2] == [
        {"floor": "1/3"},
        {"floor": "0.2"},
    ]
    assert book.draft["percentages"]["bye_as_opponent"] == {"value": "0.2", "count": 3}


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("100, 100, 150", ["100", "100", "150"]), ("100 150", ["100", "150"]), ("300", "300")],
)
def test_a_maximum_spread_is_one_number_or_one_for_each_round(client, ada, typed, kept):
    book = RulebookFactory(owner=ada, copied="scrabble")
    address = f"/rulesets/{book.key}/draft/"
    assert client.post(address, sent(book) | {"steps-1-cap": typed}).status_code == 303
    book.refresh_from_db()
    assert book.draft["tiebreaks"][1]["params"]["cap"] == kept
    shown = ", ".join(kept) if isinstance(kept, list) else kept
    assert f'name="steps-1-cap" value="{shown}"' in page(client.get(address))
    assert client.post(address, sent(book)).status_code == 303
    refused = client.post(address, sent(book) | {"steps-1-cap": "100, much"})
    assert refused.status_code == 422 and "is not a valid value" in page(refused)


def test_no_minimum_is_another_thing_than_the_usual_one(client, ada):
    book = RulebookFactory(owner=ada)
    client.post(f"/rulesets/{book.key}/draft/", sent(book, percentages__match_floor=""))
    book.refresh_from_db()
    assert book.draft["percentages"]["match_floor"] is None
    version = publish_draft(book, seen=book.draft_revision, note="No minimum.", actor=ada)
    assert version.profile["percentages"]["match_floor"] is None


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("match_points.win", "three", "is not an exact number"),
        ("match_points.draw", "1,5", "is not an exact number"),
        ("match_points.win", "0", "must be worth more than 0"),
        ("percentages.match_cap", "1/5", "the maximum (cap) is below the minimum (floor)"),
        ("percentages.game_floor", "1.5", "exact share from 0 to 1"),
        ("percentages.game_floor", "101 %", "exact share from 0 to 1"),
        ("percentages.game_floor", "-5 %", "exact share from 0 to 1"),
        ("percentages.game_floor", "25 %%", "exact share from 0 to 1"),
        ("percentages.game_floor", "%", "exact share from 0 to 1"),
        ("percentages.game_floor", "1/4 %", "exact share from 0 to 1"),
        ("percentages.game_floor", "12,5 %", "exact share from 0 to 1"),
        ("percentages.game_floor", "1e999999999%", "exact share from 0 to 1"),
        ("percentages.game_floor", "9" * 58 + " %", "exact share from 0 to 1"),
        ("percentages.game_floor", "٢٥ %", "exact share from 0 to 1"),
        ("match_points.win", "0 %", "must be worth more than 0"),
        ("bye_games", "2-0", "Enter games won, lost and drawn"),
        ("display.percent_places", "many", "whole number"),
        ("display.percent_places", "10", "whole number from 0 to 9"),
        ("percentages.bye_as_opponent", "often", "exclude, zero"),
        ("steps-0-metric", "opp_match_win_pct", "the order must start with points"),
        (
            "steps-4-metric",
            "buchholz",
            "the order must end with a random tiebreaker (random) or a manual order (manual)",
        ),
        ("steps-1-floor", "1/0", "is not a valid value"),
        ("steps-1-round_each", "two", "whole number"),
        ("rows-1-min", "6", "rows must follow without gap or overlap"),
        ("rows-0-rounds", "", "This field is required"),
        ("name", "", "This field is required"),
        ("confidence", "sworn", "not one of the available choices"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_what_was_typed_stays(client, ada, field, typed, words):
    book = RulebookFactory(owner=ada)
    answer = client.post(f"/rulesets/{book.key}/draft/", {**sent(book), field: typed})
    html = page(answer)
    assert answer.status_code == 422
    assert "Not saved: 1 thing to fix" in html
    at = html.index(f'id="error_1_id_{field}"')
    assert words in html[at : at + 400]
    assert f'data-fault="id_{field}"' in html
    book.refresh_from_db()
    assert book.draft_revision == 1


@pytest.mark.long
def test_the_order_is_moved_extended_and_cut_without_javascript_and_without_saving(client, ada):
    book = RulebookFactory(owner=ada)
    address = f"/rulesets/{book.key}/draft/"

    def order_after(do, **changed):
        html = page(client.post(address, {**sent(book, name="Typed, not saved"), **changed, "do": do}))
        assert "Typed, not saved" in html
        return order_in(html), html

    assert order_after("up-3")[0] == ["0", "1", "3", "2", "4"]
    assert order_after("down-1")[0] == ["0", "2", "1", "3", "4"]
    assert order_after("up-0")[0] == order_after("nonsense-9")[0] == ["0", "1", "2", "3", "4"]
    assert order_after("remove-2")[0] == ["0", "1", "3", "4"]
    numbers, html = order_after("add")
    assert numbers == ["0", "1", "2", "3", "4", "5"] and "choose one" in html
    order = order_after("show", **{"steps-2-metric": "buchholz"})[1]
    assert 'name="steps-2-cut_low"' in order and 'name="steps-1-cut_low"' not in order
    book.refresh_from_db()
    assert book.draft_revision == 1


def test_a_moved_order_with_own_names_and_settings_is_saved(client, ada):
    book = RulebookFactory(owner=ada)
    data = reordered(sent(book), [0, 2, 5, 4])
    data |= {
        "steps-2-label": "Games",
        "steps-5-metric": "buchholz",
        "steps-5-cut_low": "1",
        "steps-5-rule": "uscf",
        "steps-5-order": "",
        "steps-5-label": "",
    }
    assert client.post(f"/rulesets/{book.key}/draft/", data).status_code == 303
    book.refresh_from_db()
    assert book.draft["tiebreaks"] == [
        {"metric": "match_points"},
        {"metric": "game_win_pct", "label": "Games"},
        {"metric": "buchholz", "params": {"rule": "uscf", "cut_low": 1}},
        {"metric": "random"},
    ]


def test_a_part_of_the_page_answers_without_saving(client, ada):
    book = RulebookFactory(owner=ada)
    part = page(client.post(f"/rulesets/{book.key}/draft/order/", {**sent(book), "do": "add"}))
    assert len(order_in(part)) == 6 and "<html" not in part
    rows = page(client.post(f"/rulesets/{book.key}/draft/order/", {**sent(book), "do": "add-row"}))
    assert rows.count('class="table-row"') == len(book.draft["rounds_table"]) + 1
    fine = page(
        client.post(f"/rulesets/{book.key}/draft/preview/", sent(book, percentages__match_floor="1/3"))
    )
    assert "Minimum match-win %" in fine and "Worked examples" in fine and "0.6168" in fine
    wrong = page(client.post(f"/rulesets/{book.key}/draft/preview/", sent(book, match_points__win="x")))
    assert "1 thing to fix" in wrong and "Worked examples" not in wrong
    assert "to fix" in page(client.post(f"/rulesets/{book.key}/draft/preview/", {}))
    book.refresh_from_db()
    assert book.draft_revision == 1


def test_two_editors_at_once_see_both_values_and_choose(client, ada):
    book = RulebookFactory(owner=ada)
    old = sent(book, match_points__win="4")
    save_draft(book, {**book.draft, "source": "Theirs"}, seen=1, actor="bo")
    answer = client.post(f"/rulesets/{book.key}/draft/", old)
    html = page(answer)
    assert answer.status_code == 409
    assert "Someone else changed this draft while you were working" in html and "Theirs" in html
    assert 'name="match_points.win" value="4"' in html and 'name="seen" value="2"' in html
    assert client.post(f"/rulesets/{book.key}/draft/", {**old, "seen": "2"}).status_code == 303
    book.refresh_from_db()
    assert book.draft["match_points"]["win"] == "4" and book.draft["source"] != "Theirs"


def uploaded(client, book, content: bytes, seen=1):
    file = SimpleUploadedFile("rules.json", content, "application/json")
    return client.post(f"/rulesets/{book.key}/draft/upload/", {"file": file, "seen": seen})


def test_a_downloaded_file_becomes_a_draft(client, ada):
    book = RulebookFactory(owner=ada)
    file = client.get("/rulesets/twixt/versions/1/json/").content
    assert uploaded(client, book, file).status_code == 303
    book.refresh_from_db()
    assert book.draft["name"] == "ClineCON Twixt" and book.draft["match_points"]["draw"] == "1/2"
    assert book.draft["based_on"] == "dci1999"  # whose examples count is not for a file to say


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "file is empty"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[]", "a single JSON object"),
        (b"3", "a single JSON object"),
        (b'{"name": "A", "name": "B"}', "twice"),
        (b'{"name": "x\\u0000"}', "cannot be stored"),
        (b'{"name": "\\ud800"}', "cannot be stored"),
        (b'{"name": 7}', "up to 120 characters"),
        (b'{"name": "A", "match_points": {"win": 1.5}}', "exact fractions as text"),
        (b'{"name": "A", "match_points": {"win": 1e999}}', "exact fractions as text"),
        (b'{"name": "A", "match_points": {"win": NaN}}', "exact fractions as text"),
        (b'{"name": "A", "match_points": []}', "match_points"),
        (b'{"name": "A", "rounds_table": "nobody\'s"}', "Unknown rounds table"),
        (b'{"name": "A", "best_of_swiss": {}}', "best_of_swiss"),
        (b'{"name": "A", "tiebreaks": [[]]}', "tiebreaks[0]"),
        (b'{"name": "A", "tiebreaks": [{"metric": "__class__"}]}', "there is no metric"),
        (b'{"name": "A", "display": {"percent_places": "x"}}', "display.percent_places"),
        (b'{"name": "A", "draws_allowed": {"match": "yes"}}', "draws_allowed.match"),
        (b'{"name": "A", "percentages": "none"}', "percentages"),
        (b'{"name": "A", "open_fields": [{}]}', "open_fields"),
        (b'{"name": "A", "cut": {"min_points": {}}}', "cut.min_points"),
        (b'{"name": "A", "evil": "<script>"}', "evil"),
        (b'{"name": "' + b"x" * 300_000 + b'"}', "Check that it is the right file."),
    ],
)
def test_a_hostile_file_is_refused_in_words_and_changes_nothing(client, ada, content, words):
    book = RulebookFactory(owner=ada)
    answer = uploaded(client, book, content)
    assert answer.status_code == 422
    assert words in page(answer).replace("&#x27;", "'") and "<script>" not in page(answer).split("<main")[1]
    book.refresh_from_db()
    assert book.draft_revision == 1


def test_an_upload_from_an_old_page_overwrites_nothing(client, ada):
    book = RulebookFactory(owner=ada)
    save_draft(book, {**book.draft, "source": "Theirs"}, seen=1, actor="bo")
    answer = uploaded(client, book, json.dumps(resolve("fide")).encode())
    assert answer.status_code == 422 and "Someone else changed" in page(answer)


def test_a_draft_can_be_thrown_away_once_something_is_published(client, ada):
    book = RulebookFactory(owner=ada, published="First version.")
    client.post(f"/rulesets/{book.key}/draft/", sent(book, match_points__win="2"))
    book.refresh_from_db()
    assert client.post(f"/rulesets/{book.key}/draft/discard/", {"seen": 1}).status_code == 409
    assert client.post(f"/rulesets/{book.key}/draft/discard/", {}).status_code == 400
    answer = client.post(f"/rulesets/{book.key}/draft/discard/", {"seen": book.draft_revision})
    assert answer.status_code == 303
    book.refresh_from_db()
    assert book.draft is None


def test_which_fields_organizers_may_change_is_marked_in_the_editor(client, ada):
    book = RulebookFactory(owner=ada)
    data = sent(book, opens="some", open=["match_points.draw", "tiebreaks"])
    client.post(f"/rulesets/{book.key}/draft/", data)
    book.refresh_from_db()
    assert book.draft["open_fields"] == ["match_points.draw", "tiebreaks"]
    html = page(client.get(f"/rulesets/{book.key}/draft/"))
    checked = re.findall(r'name="open" value="([^"]+)"[^>]* checked', html)
    assert checked == ["match_points.draw", "tiebreaks"]
    client.post(f"/rulesets/{book.key}/draft/", sent(book, opens="all"))
    book.refresh_from_db()
    assert "open_fields" not in book.draft
    forged = client.post(f"/rulesets/{book.key}/draft/", sent(book, opens="some", open=["name"]))
    assert forged.status_code == 422
