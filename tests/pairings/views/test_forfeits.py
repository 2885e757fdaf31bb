"""Two who are paired again after a forfeit, on the pages of the draft and of the round."""

import pytest

from pairings.draft.services import draft_next_round
from tests.factories import enter_results
from tests.pairings.proof.test_why_not import why
from tests.pairings.views.test_draft_edits import address, at_table, post, text
from tests.tournament.views.desk import running
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.results import record_result
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db

NO_MEETING = "They were paired in round 1, but it was a forfeit, which is no meeting under this ruleset."


def after_a_forfeit(client, players, ruleset="fide"):
    """The draft of round 2, after a no-show at table 1 in round 1."""
    tournament = running(client, players, ruleset=ruleset)
    record_result(tournament, 1, 1, Slip("forfeit", winner="a"))
    enter_results(tournament, 1)
    draft_next_round(tournament)
    return tournament


def test_the_draft_says_that_they_are_no_rematch_and_why(client):
    tournament = after_a_forfeit(client, 2)
    html = text(client.get(address(tournament)))
    checks = html.split('id="before"')[1].split("</ul>")[0]
    assert "No rematches." in checks
    assert "Paired again after a forfeit, which is no meeting under this ruleset: table 1." in checks
    assert NO_MEETING in html and "Rematch" not in html


def test_so_does_everyones_page_of_the_round_also_once_it_was_played_after_all(client):
    tournament = after_a_forfeit(client, 2)
    publish_round(tournament, 2)
    page = f"/t/{tournament.slug}/rounds/2/proof/"
    html = text(client.get(page))
    assert NO_MEETING in html and "No rematches; " in html
    correct_result(tournament, 1, 1, Slip("played", 1, 0), reason="they played at noon")
    html = text(client.get(page))
    assert NO_MEETING not in html and "waived: as it was played" in html
    assert "No rematches; 1 pair-down" in html, "what the certificate said then"


def test_a_question_why_they_are_not_paired_is_answered_so_too(client):
    tournament = after_a_forfeit(client, 4)
    a, b = at_table(tournament, 1, 1)
    reasons = why(client, tournament, a.name, b.name)
    assert NO_MEETING in reasons and "have not played" not in reasons


def seated(tournament):
    return [entry.code for table in (1, 2) for entry in at_table(tournament, table)]


@pytest.mark.parametrize("ruleset", ["fide", "mtr"])
def test_by_hand_they_are_paired_again_with_a_waiver_only_where_forfeits_are_meetings(client, ruleset):
    tournament = after_a_forfeit(client, 4, ruleset)
    a, b = at_table(tournament, 1, 1)
    opponent = next(
        entry
        for pair in (at_table(tournament, 1), at_table(tournament, 2))
        if a in pair
        for entry in pair
        if entry != a
    )
    before = seated(tournament)
    page = text(client.get(address(tournament, "swap/"), {"a": opponent.code, "b": b.code}))
    waived = f"{a.name} and {b.name} were already paired, and a forfeit is a meeting under this ruleset"
    other_way = f"{b.name} and {a.name} were already paired, and a forfeit is a meeting under this ruleset"
    assert (waived in page or other_way in page) == (ruleset == "mtr")
    refused = post(client, tournament, "swap/", a=opponent.code, b=b.code, reason="")
    assert "Enter a reason. It is shown with the round." in text(refused) and seated(tournament) == before
    post(client, tournament, "swap/", a=opponent.code, b=b.code, reason="they came for each other")
    match = tournament.seats.get(round__number=2, entry=a).match
    assert match.waived_reason == ("they came for each other" if ruleset == "mtr" else "")


def test_a_ruleset_without_rematches_refuses_it_in_one_line(client):
    tournament = running(client, 4, overrides={"pairing": {"repeats": "never"}})
    record_result(tournament, 1, 1, Slip("forfeit", winner="a"))
    enter_results(tournament, 1)
    draft_next_round(tournament)
    a, b = at_table(tournament, 1, 1)
    opponent = tournament.seats.get(round__number=2, entry=a).opponent
    before = seated(tournament)
    page = text(post(client, tournament, "swap/", a=opponent.code, b=b.code, reason="they asked"))
    assert "have already played, and this ruleset does not allow rematches." in page
    assert seated(tournament) == before
