"""The correction of a result: its effect before it is saved, and what is saved."""

import re

import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from standings.event.swiss import standings_of
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.actionlog import integrity
from tournament.event.read import event_of
from tournament.models import Match, Staff
from tournament.services.events import finish_tournament
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


def correct(client, event, number=1, table=1, **fields):
    """Look at the effect, then save it."""
    digest = digest_in(post(client, event, number, table, **fields))
    return post(client, event, number, table, digest=digest, **{**REASON, **fields})


def ranks(event):
    event.refresh_from_db()
    return {row.entry: row.rank for row in standings_of(event_of(event))}


def shown_ranks(html):
    """{name: (before, after)} of the page's table."""
    rows = re.findall(
        r'<th scope="row">(.*?)</th>\s*<td class="num">(.*?)</td>\s*<td class="num">(.*?)</td>', html
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
    answer = correct(client, event, 3, 1)
    assert answer["Location"] == f"/t/{event.slug}/desk/rounds/4/repair/"
    assert client.get(answer["Location"]).status_code == 200
    now = list(event.seats.filter(round__number=4).order_by("pk").values_list("entry__code", "match__table"))
    assert now == seats


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
    assert answer.status_code == 200 and "That is the result already" in answer.content.decode()
    assert post(client, event, a=3, b=0).status_code == 422
    assert post(client, event, slip="clear").status_code == 422
    assert client.get(address(event, 1, 77)).status_code == 404
    assert client.get(address(event, 9, 1)).status_code == 404
    digest = digest_in(post(client, event))
    answer = post(client, event, digest=digest, save="on")
    assert answer.status_code == 422 and "Say why the result is corrected." in answer.content.decode()
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
    answer = correct(client, event, 3, 1)
    assert answer.status_code == 409
    assert "Round 4 has draft pairings" in answer.content.decode()


def test_a_correction_sent_twice_is_done_once(client, event):
    fields = {"key": "a" * 32, **turned(match_at(event, 1, 1))}
    digest = digest_in(post(client, event, **fields))
    sent = {"version": match_at(event, 1, 1).version, **fields, **REASON, "digest": digest}
    assert client.post(address(event), sent).status_code == 303
    count = event.actions.count()
    client.post(address(event), sent)
    assert event.actions.count() == count


def test_judges_correct_nothing(client, event):
    judge = UserFactory()
    Staff.objects.create(tournament=event, user=judge, role="judge")
    client.force_login(judge)
    assert client.get(address(event)).status_code == 403
    assert "correct/" not in client.get(f"/t/{event.slug}/desk/rounds/1/").content.decode()


def test_every_complete_round_leads_there(client, event):
    html = client.get(f"/t/{event.slug}/desk/rounds/1/").content.decode()
    assert html.count("/correct/") == 4
