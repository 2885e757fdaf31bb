"""The correction of a result: its effect before it is saved, and what is saved."""

import re

import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result, record_repeat_game
from standings.event.swiss import standings_of
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tournament.actionlog import integrity
from tournament.actionlog.change import digest_of
from tournament.errors import Conflict, WrongState
from tournament.event.read import event_of
from tournament.models import Match, Staff
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.events import finish_tournament
from tournament.services.results import record_result
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db

REASON = {"save": "on", "reason": "The slip was read the wrong way round.", "ruled_by": "Ana"}


@pytest.fixture
def event(client):
    """Eight players after three complete rounds; their organizer is signed in."""
    owner = UserFactory()
    client.force_login(owner)
    return TournamentFactory(entries=8, rounds=3, owner=owner)


def match_at(event, number, table):
    return Match.objects.get(round__tournament=event, round__number=number, table=table)


def address(event, number=1, table=1):
    return f"/t/{event.slug}/desk/rounds/{number}/tables/{table}/correct/"


def turned(match):
    """The games of the match the other way round."""
    a, b = match.seats.order_by("side").values_list("games", flat=True)
    return {"a": b, "b": a} if a != b else {"a": 2, "b": 0}


def post(client, event, number=1, table=1, **fields):
    match = match_at(event, number, table)
    sent = {"version": match.version, **turned(match), **fields}
    return client.post(address(event, number, table), sent)


def digest_in(answer):
    return re.search(r'name="digest" value="([0-9a-f]+)"', answer.content.decode())[1]


def what_was_shown(answer):
    """What the form holds of the effect that its page shows."""
    return {
        "digest": digest_in(answer),
        "shown": re.search(r'name="shown" value="([^"]+)"', answer.content.decode())[1],
    }


def correct(client, event, number=1, table=1, **fields):
    """Look at the effect, then save it."""
    shown = what_was_shown(post(client, event, number, table, **fields))
    return post(client, event, number, table, **{**shown, **REASON, **fields})


def ranks(event):
    event.refresh_from_db()
    return {row.entry: row.rank for row in standings_of(event_of(event))}


def shown_ranks(html):
    """{name: (before, after)} of the page's last table, which has them all."""
    html = html[max(html.rfind("<table"), 0) :]
    rows = re.findall(
        r'<th scope="row">(.*?)(?: <span.*?)?</th>\s*<td class="num">(.*?)</td>\s*<td class="num">(.*?)</td>',
        html,
    )
    return {name: (int(before), int(after)) for name, before, after in rows}


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("table", [1, 2, 3, 4])
def test_the_ranks_shown_before_are_the_ranks_afterwards(client, event, number, table):
    before = ranks(event)
    page = post(client, event, number, table)
    assert page.status_code == 200
    assert ranks(event) == before, "looking changes nothing"
    assert correct(client, event, number, table).status_code == 303
    after = ranks(event)
    names = dict(event.entries.values_list("code", "name"))
    changed = {names[code]: (before[code], after[code]) for code in before if before[code] != after[code]}
    assert shown_ranks(page.content.decode()) == changed
    assert integrity.check(event) == []


def test_a_correction_is_one_action_with_its_reason_and_one_undo(client, event):
    before, count = ranks(event), event.actions.count()
    correct(client, event, 2, 1)
    action = event.actions.order_by("-number").first()
    assert event.actions.count() == count + 1
    assert action.kind == "correction" and action.reason == f"{REASON['reason']} (ruled by Ana)"
    undo_action(event, action.number)
    assert ranks(event) == before and integrity.check(event) == []


def test_a_finished_event_is_corrected_and_the_correction_undone(client, event):
    finish_tournament(event)
    before = ranks(event)
    assert correct(client, event, 1, 1).status_code == 303
    event.refresh_from_db()
    assert event.state == "finished" and ranks(event) != before
    undo_action(event, event.actions.order_by("-number").first().number)
    assert ranks(event) == before


def test_a_round_that_is_being_played_is_repaired_after_a_correction(client, event):
    RoundFactory(tournament=event)
    seats = list(
        event.seats.filter(round__number=4).order_by("pk").values_list("entry__code", "match__table")
    )
    page = post(client, event, 3, 1)
    assert "Round 4 stays as it was paired" in page.content.decode()
    assert "you choose whether to repair round 4" in page.content.decode()
    answer = correct(client, event, 3, 1)
    assert answer["Location"] == f"/t/{event.slug}/desk/rounds/4/repair/"
    assert client.get(answer["Location"]).status_code == 200
    now = list(event.seats.filter(round__number=4).order_by("pk").values_list("entry__code", "match__table"))
    assert now == seats


def test_a_round_whose_tables_have_all_finished_is_not_offered_for_repair(client, event):
    RoundFactory(tournament=event)
    enter_results(event, 4)
    assert "repair" not in post(client, event, 3, 1).content.decode()
    assert "/repair/" not in correct(client, event, 3, 1)["Location"]


def test_the_reason_is_marked_as_needed_and_missed_only_when_it_is_saved(client, event):
    page = post(client, event).content.decode()
    assert re.search(r"Reason\s*<span class=\"asteriskField\">\*</span>", page)
    assert "Enter a reason" not in page


@pytest.mark.long
def test_after_the_cut_the_bracket_stays_and_the_page_says_who_would_be_in(client, event):
    make_cut(event, 4)
    seeds = list(event.entries.filter(stage_entries__seed__isnull=False).values_list("code", flat=True))
    pages = [
        post(client, event, number, table).content.decode() for number in (1, 2, 3) for table in (1, 2, 3, 4)
    ]
    assert all("The bracket stays as it was set." in page for page in pages)
    assert any("would be in it instead of" in page for page in pages)
    correct(client, event, 3, 1)
    assert (
        list(event.entries.filter(stage_entries__seed__isnull=False).values_list("code", flat=True)) == seeds
    )
    assert integrity.check(event) == []


def test_what_cannot_be_corrected_is_refused_in_one_line_and_nothing_is_written(client, event):
    count = event.actions.count()
    same = match_at(event, 1, 1)
    a, b = same.seats.order_by("side").values_list("games", flat=True)
    answer = post(client, event, a=a, b=b)
    assert answer.status_code == 200 and "That is saved already" in answer.content.decode()
    assert post(client, event, a=3, b=0).status_code == 422
    assert post(client, event, slip="clear").status_code == 422
    assert client.get(address(event, 1, 77)).status_code == 404
    assert client.get(address(event, 9, 1)).status_code == 404
    digest = digest_in(post(client, event))
    answer = post(client, event, digest=digest, save="on")
    assert answer.status_code == 422 and "Say why it is corrected." in answer.content.decode()
    answer = post(client, event, digest="0" * 32, **REASON)
    assert answer.status_code == 409 and "not what you were shown before" in answer.content.decode()
    assert event.actions.count() == count


def test_a_stale_page_shows_what_is_saved_now(client, event):
    stale = match_at(event, 1, 1).version
    fields = turned(match_at(event, 1, 1))
    correct(client, event, 1, 1, a=1, b=1)
    digest = digest_in(post(client, event, **fields))
    answer = post(client, event, **{**fields, **REASON, "digest": digest, "version": stale})
    assert answer.status_code == 409
    html = answer.content.decode()
    assert "1–1" in html and "while you were working" in html
    version = re.search(r'name="version" value="(\d+)"', html)[1]
    assert int(version) == match_at(event, 1, 1).version


def test_a_round_in_draft_comes_first(client, event):
    draft_next_round(event)
    answer = post(client, event, 3, 1)
    assert answer.status_code == 409
    assert "Round 4 has draft pairings" in answer.content.decode()


def test_a_correction_sent_twice_is_done_once(client, event):
    fields = {"key": "a" * 32, **turned(match_at(event, 1, 1))}
    digest = digest_in(post(client, event, **fields))
    sent = {"version": match_at(event, 1, 1).version, **fields, **REASON, "digest": digest}
    assert client.post(address(event), sent).status_code == 303
    count = event.actions.count()
    assert client.post(address(event), sent).status_code == 303
    assert event.actions.count() == count


def test_a_page_gone_back_to_saves_another_correction_once_it_was_refused(client, event):
    old = {"key": "a" * 32, **turned(match_at(event, 1, 1))}
    correct(client, event, **old)
    new = {"key": "a" * 32, "a": 1, "b": 1, "drawn": 1}
    refused = post(client, event, **new, **REASON)
    assert refused.status_code == 409 and "was already sent" in refused.content.decode()
    key = re.search(r'name="key" value="(\w+)"', refused.content.decode())[1]
    assert correct(client, event, **{**new, "key": key}).status_code == 303


@pytest.mark.parametrize(
    "ruling", [{"reason": "x" * 10_000}, {"reason": "Slip\x00"}, {"ruled_by": "x" * 500}]
)
def test_a_reason_that_cannot_be_stored_is_said_beside_the_effect(client, event, ruling):
    count, shown = event.actions.count(), what_was_shown(post(client, event))
    answer = post(client, event, **{**shown, **REASON, **ruling})
    page = answer.content.decode()
    assert answer.status_code == 422 and event.actions.count() == count
    assert page.count("invalid-feedback") == 1 and "What changes" in page
    assert post(client, event, **{**what_was_shown(answer), **REASON}).status_code == 303


def test_only_what_was_shown_is_saved(event):
    """Between the last look and the lock another result may come in: then nothing is written."""

    def correct_it(**more):
        return correct_result(event, 1, 1, Slip("double_loss"), reason="both left", **more)

    count, shown = event.actions.count(), correct_it(preview=True)
    assert event.actions.count() == count and shown.number == event.revision + 1
    with pytest.raises(Conflict, match="no longer what you were shown"):
        correct_it(expects=digest_of([*shown.changes, {"fact": "rounds/1/tables/2"}]))
    assert event.actions.count() == count
    assert correct_it(expects=digest_of(shown.changes)).changes == shown.changes


def test_the_effect_is_not_worked_out_again_where_nothing_else_was_written(client, event, monkeypatch):
    shown = what_was_shown(post(client, event))
    monkeypatch.setattr("pairings.views.corrections.flow.effect_of_correction", None)
    assert post(client, event, **shown, **REASON).status_code == 303
    assert event.actions.last().kind == "correction"


def test_another_action_since_the_page_was_shown_lets_the_effect_be_looked_at_again(client, event):
    RoundFactory(tournament=event)
    shown = what_was_shown(post(client, event))
    record_result(event, 4, 1, Slip("played", 2, 0))  # it changes no rank yet
    assert post(client, event, **shown, **REASON).status_code == 303
    shown = what_was_shown(post(client, event))
    correct_result(event, 1, 2, Slip("double_loss"), reason="both left")
    count = event.actions.count()
    assert post(client, event, **shown, **REASON).status_code == 409
    assert event.actions.count() == count
    assert post(client, event, **{**shown, "shown": "x:y"}, **REASON).status_code == 409


def test_later_rounds_say_which_tables_would_have_been_others(client, event):
    tables = re.findall(
        r"(\d) tables? of round (\d) would be paired differently: tables? ([\d, ]+)",
        "".join(post(client, event, 1, table).content.decode() for table in (1, 2, 3, 4)),
    )
    assert tables and all(int(count) == len(named.split(",")) for count, _round, named in tables)
    assert "differently" not in post(client, event, 3, 1).content.decode()


@pytest.fixture
def bracket(event):
    """The same event with a bracket of four, played to its end."""
    make_cut(event, 4)
    for number, table in [(4, 1), (4, 2), (5, 1)]:
        record_bracket_result(event, number, table, Slip("played", 2, 0))
    return event


def test_a_wrong_semifinal_clears_the_final_and_the_event_goes_on(client, bracket):
    finish_tournament(bracket)
    final = match_at(bracket, 5, 1)
    stays = final.seats.get(entry__in=match_at(bracket, 4, 2).seats.values("entry")).entry
    page = post(client, bracket, 4, 1).content.decode()
    assert (
        "Final, " in page
        and "Correct the result: Semifinal 1" in page
        and "this match is cleared" in page
        and "The event goes on" in page
    )
    assert match_at(bracket, 5, 1) == final
    assert correct(client, bracket, 4, 1)["Location"].endswith("/desk/bracket/")
    again = match_at(bracket, 5, 1)
    assert again.result is None and again.seats.filter(entry=stays).exists()
    assert again.seats.filter(entry=match_at(bracket, 4, 1).seats.get(side="b").entry).exists()
    bracket.refresh_from_db()
    assert bracket.state == "running" and integrity.check(bracket) == []
    undo_action(bracket, bracket.actions.order_by("-number").first().number)
    bracket.refresh_from_db()
    assert bracket.state == "finished" and match_at(bracket, 5, 1).result == "played"


def test_a_match_without_a_result_is_cleared_without_one(client, event):
    make_cut(event, 4)
    for table in (1, 2):
        record_bracket_result(event, 4, table, Slip("played", 2, 0))
    page = post(client, event, 4, 1).content.decode()
    assert "this match is cleared. The winner of the corrected match plays instead." in page


def test_a_semifinal_that_was_drawn_is_played_on_also_in_a_finished_event(client, event):
    drawn = TournamentFactory(
        ruleset="twixt", entries=8, rounds=2, with_cut=4, owner=event.staff.get(role="owner").user
    )
    for number, table in [(3, 1), (3, 2), (4, 1)]:
        record_bracket_result(drawn, number, table, Slip("played", 1, 0))
    finish_tournament(drawn)
    fields = {"a": 0, "b": 0, "drawn": 1}
    assert "The event goes on" in post(client, drawn, 3, 1, **fields).content.decode()
    assert correct(client, drawn, 3, 1, **fields).status_code == 303
    drawn.refresh_from_db()
    assert drawn.state == "running" and not drawn.rounds.filter(number=4).exists()
    with pytest.raises(WrongState, match="Outstanding tables: 1"):
        finish_tournament(drawn)
    record_repeat_game(drawn, 3, 1, Slip("played", 1, 0))
    assert drawn.rounds.get(number=4).matches.get().result is None
    assert integrity.check(drawn) == []


def podium(client, event):
    """The names of the first two final places, as a program reads them."""
    places = client.get(f"/t/{event.slug}/bracket.json").json()["places"]
    return [place["name"] for place in places[:2]]


def test_a_wrong_final_says_who_wins_the_event(client, bracket):
    finish_tournament(bracket)
    first, second = match_at(bracket, 5, 1).seats.order_by("side").values_list("entry__name", flat=True)
    page = post(client, bracket, 5, 1).content.decode()
    assert f"Final places: {second} 1st (was 2nd), {first} 2nd (was 1st)." in page
    correct(client, bracket, 5, 1)
    assert podium(client, bracket) == [second, first]


def test_a_wrong_semifinal_says_who_is_still_in_the_bracket(client, bracket):
    first, second = match_at(bracket, 4, 1).seats.order_by("side").values_list("entry__name", flat=True)
    page = post(client, bracket, 4, 1).content.decode()
    assert f"{second} still in (was " in page and f"{first} 3rd–4th (was " in page


def test_only_an_organizer_corrects_what_lets_a_finished_event_go_on(client, bracket):
    finish_tournament(bracket)
    scorekeeper = UserFactory()
    Staff.objects.create(tournament=bracket, user=scorekeeper, role="scorekeeper")
    client.force_login(scorekeeper)
    count = bracket.actions.count()
    answer = post(client, bracket, 4, 1)
    assert answer.status_code == 403
    assert "Only an organizer can correct that." in answer.content.decode()
    assert bracket.actions.count() == count
    assert correct(client, bracket, 4, 1, a=2, b=1).status_code == 303


def test_a_wrong_score_of_the_right_winner_clears_nothing(client, bracket):
    page = post(client, bracket, 4, 1, a=2, b=1).content.decode()
    assert "this match is cleared" not in page and "The bracket stays as it was set." in page
    assert correct(client, bracket, 4, 1, a=2, b=1).status_code == 303
    assert match_at(bracket, 5, 1).result == "played"


def test_judges_correct_nothing(client, event):
    judge = UserFactory()
    Staff.objects.create(tournament=event, user=judge, role="judge")
    client.force_login(judge)
    assert client.get(address(event)).status_code == 403
    assert "correct/" not in client.get(f"/t/{event.slug}/desk/rounds/1/").content.decode()


def test_every_complete_round_leads_there(client, event):
    html = client.get(f"/t/{event.slug}/desk/rounds/1/").content.decode()
    assert all(address(event, 1, table) in html for table in range(1, 5))
