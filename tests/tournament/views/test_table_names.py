import json
import re

import pytest

from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.pages import Page, page
from tests.tournament.views.desk import signed_in
from tournament.actionlog import integrity
from tournament.archive import ArchiveError
from tournament.archive import parse_event as archive_event_of
from tournament.archive.load import dump_event, load_event
from tournament.errors import WrongState
from tournament.models import Match, Seat
from tournament.services.entries import change_entry
from tournament.services.event_settings import change_settings
from tournament.services.judging import give_penalty, start_deck_check
from tournament.services.results import extend_table
from tournament.services.self_service import send_message
from tournament.services.undo import undo_action


@pytest.fixture
def event(client):
    """Round 1 of eight players at the tables A1, A2, B1 (number 3) and B2, of whom one has a fixed table."""
    tournament = signed_in(client, entries=8, rounds=1, published=True, table_plan="A 1-2, B 1-2, Feature 1")
    return tournament


def text_of(client, tournament, path):
    return page(client, f"/t/{tournament.slug}/{path}").words


@pytest.mark.parametrize("plan", [None, "Red 1-2, Blue 1-40"])
def test_every_page_and_sheet_says_b1_and_none_says_table_3_or_the_name_of_a_later_plan(client, event, plan):
    code = Match.objects.get(round__tournament=event, round__number=2, table=3).seats.first().entry.code
    extend_table(event, 2, 3, 5)
    give_penalty(event, code, "warning", "Slow play")
    send_message(event, code, "I won", number=2)
    start_deck_check(event, 2, 3, Seat.objects.get(round__number=2, entry__code=code).side)
    if plan:
        change_settings(event, table_plan=plan)
    for path in (
        "desk/rounds/2/",
        "desk/rounds/2/clock/",
        "desk/rounds/2/print/slips/",
        "desk/rounds/2/print/pairings-by-name/",
        "desk/rounds/2/print/master-result-sheet/",
        "desk/print/penalty-report/",
        "desk/rounds/1/tables/3/correct/",
        f"desk/players/{code}/correct/",
        "desk/flags/",
        "desk/penalties/",
        f"desk/penalties/new/?player={code}",
        "desk/log/",
        "desk/judge/",
        "desk/deck-checks/",
        "desk/rounds/2/tables/3/judge/",
        "rounds/2/",
        "rounds/2/?by=table",
        "screen/pairings/",
        "screen/tables/",
        "screen/clock/",
        f"players/{code}/",
        "desk/exports/round-2.csv",
    ):
        shown = page(client, f"/t/{event.slug}/{path}")
        text = shown.words
        assert "B1" in str(shown.soup), path
        if path != "desk/log/":  # which numbers its actions
            assert not re.search(r"[Tt]able\s+3\b", text), path
            assert not re.search(r"<(td|b)[^>]*>3</\1>", shown.answer.content.decode()), path
            assert not re.search(r"(Red|Blue) \d\b(?!-)", text), path  # the plan is the last change
    for path in ("desk/print/seatings/", "desk/print/place-cards/"):  # of no round
        assert ("Blue 1" if plan else "B1") in text_of(client, event, path), path


def test_the_box_takes_the_name_and_the_bare_number_and_the_log_says_the_name(client, event):
    box = f"/t/{event.slug}/desk/rounds/2/box/"
    for key, line in enumerate(("b1 20", "B 2 20", "1 20", "+5 a2")):
        assert client.post(box, {"text": line, "key": f"k{key}"}).status_code == 303, line
    nobody = client.post(box, {"text": "feature 1 20", "key": "k9"})
    assert nobody.status_code == 404 and "There is no table Feature 1 in round 2." in Page(nobody)
    results = Match.objects.filter(round__tournament=event, round__number=2).order_by("table")
    assert [match.result for match in results] == ["played", None, "played", "played"]
    log = text_of(client, event, "desk/log/")
    assert all(
        words in log for words in ("Table B1, round 2:", "Table A1, round 2:", "Table A2, round 2: 5-minute")
    )
    assert "Type A2 x1" in Page(client.post(box, {"text": "a2 x", "key": "x"}))


def test_a_round_keeps_the_names_it_was_published_with_through_plans_their_undo_and_a_file(client):
    event = signed_in(client, entries=8, rounds=1, published=True)

    def plans():
        return list(event.rounds.values_list("table_plan", flat=True).order_by("number"))

    change_settings(event, table_plan="5-8, 1-4")  # renames none
    assert plans() == [None, None]
    change_settings(event, table_plan="A 1-2")
    assert plans() == ["5-8, 1-4", "5-8, 1-4"]
    enter_results(event, 2)
    RoundFactory(tournament=event)
    renamed = change_settings(event, table_plan="Red 1-9")
    assert plans() == ["5-8, 1-4", "5-8, 1-4", "A 1-2"]
    enter_results(event, 3)
    RoundFactory(tournament=event)  # under the plan that goes now
    undo_action(event, renamed.number)
    event.refresh_from_db()
    assert (event.table_plan, plans()) == ("A 1-2", ["5-8, 1-4", "5-8, 1-4", None, "Red 1-9"])
    assert "Red 3" in text_of(client, event, "rounds/4/?by=table")
    assert integrity.check(event) == []
    enter_results(event, 4)
    make_cut(event, 2)
    change_settings(event, table_plan="Blue 1-9")
    for path in ("bracket/", "bracket.csv", "desk/bracket/", "rounds/5/"):
        words = text_of(client, event, path)
        assert "A1" in words and not re.search(r"Blue \d\b(?!-)", words), path
    copy = load_event(archive_event_of(json.loads(dump_event(event))), slug="copy")
    assert list(copy.rounds.order_by("number").values_list("table_plan", flat=True)) == plans()


def test_a_round_that_is_unpublished_is_paired_and_named_by_the_plan_of_now(event):
    change_settings(event, table_plan="Red 1-9")
    unpublished = undo_action(event, event.actions.filter(kind="publish").latest("number").number)
    round_ = event.rounds.get(number=2)
    assert (round_.state, round_.table_plan) == ("draft", None)
    undo_action(event, unpublished.number)
    round_.refresh_from_db()
    assert (round_.state, round_.table_plan) == ("published", "A 1-2, B 1-2, Feature 1")
    assert integrity.check(event) == []


def test_an_event_without_a_plan_keeps_its_numbers_in_a_file_too():
    event = TournamentFactory(entries=4, rounds=1)
    change_settings(event, table_plan="A 1-2")
    data = json.loads(dump_event(event))
    assert [round_["table_plan"] for round_ in data["rounds"]] == [""]
    assert load_event(archive_event_of(data), slug="copy").rounds.get().table_plan == ""
    data["rounds"][0]["table_plan"] = "A 4-1"
    with pytest.raises(ArchiveError, match=r"rounds\[0\]\.table_plan: “A 4-1” is not a block of tables"):
        archive_event_of(data)


def test_a_fixed_table_is_called_by_its_name(client, event):
    change_entry(event, "P0005", fixed_table=4)
    assert "fixed table B2" in text_of(client, event, "desk/players/")
    form = {"key": "k", "awarded_byes": 0, "fixed_table": "b 1"}
    assert client.post(f"/t/{event.slug}/desk/players/P0005/pairing/", form).status_code == 303
    assert page(client, f"/t/{event.slug}/desk/players/P0005/").all('[name=fixed_table][value="B1"]')
    address = f"/t/{event.slug}/desk/players/P0005/pairing/"
    answer = client.post(address, {**form, "key": "l", "fixed_table": "C1"})
    assert answer.status_code == 422 and "by its number or its name" in Page(answer)
    change_entry(event, "P0005", fixed_table=4)
    with pytest.raises(WrongState, match="Table B2 is the fixed table"):
        change_entry(event, "P0006", fixed_table=4)


def test_the_name_of_a_table_is_text_in_the_help_of_a_field_too(client):
    tournament = signed_in(client, entries=8, published=True, table_plan="A<b>bold</b> 1-4")
    shown = page(client, f"/t/{tournament.slug}/desk/penalties/new/?player=P0001")
    assert "match at table A<b>bold</b>" in shown
