import pytest

from tests.pages import page
from tests.pairings.drafting import at_table, draft_address, drafting, edit, seated
from tests.pairings.proof.test_why_not import why
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db

NO_MEETING = "They were paired in round 1, but it was a forfeit, which is no meeting under this ruleset."
NO_SHOW = Slip("forfeit", winner="a")


def test_draft_and_round_say_that_they_are_no_rematch_until_it_was_played_after_all(client):
    tournament = drafting(client, 2, NO_SHOW, ruleset="fide")
    shown = page(client, draft_address(tournament))
    checks = " ".join(shown.all("[aria-labelledby=before] li"))
    assert "No rematches." in checks
    assert "Paired again after a forfeit, which is no meeting under this ruleset: table 1." in checks
    assert NO_MEETING in shown and "Rematch" not in shown
    publish_round(tournament, 2)
    proof = f"/t/{tournament.slug}/rounds/2/proof/"
    shown = page(client, proof)
    assert NO_MEETING in shown and "No rematches; " in shown
    correct_result(tournament, 1, 1, Slip("played", 1, 0), reason="they played at noon")
    shown = page(client, proof)
    assert NO_MEETING not in shown and "waived: as it was played" in shown
    assert "No rematches; 1 pair-down" in shown, "what the certificate said then"
    tournament = drafting(client, 4, NO_SHOW, overrides={"pairing": {"repeats": "never"}})
    a, b = at_table(tournament, 1, 1)
    opponent, before = tournament.seats.get(round__number=2, entry=a).opponent, seated(tournament, 2)
    shown = edit(client, tournament, "swap/", a=opponent.code, b=b.code, reason="they asked")
    assert "have already played, and this ruleset does not allow rematches." in shown
    assert seated(tournament, 2) == before


@pytest.mark.parametrize("ruleset", ["fide", "mtr"])
def test_by_hand_they_are_paired_again_with_a_waiver_only_where_forfeits_are_meetings(client, ruleset):
    tournament = drafting(client, 4, NO_SHOW, ruleset=ruleset)
    a, b = at_table(tournament, 1, 1)
    answer = why(client, tournament, a.name, b.name)
    assert (NO_MEETING in answer) == (ruleset == "fide") and "have not played" not in answer
    opponent = tournament.seats.get(round__number=2, entry=a).opponent
    shown = page(client, draft_address(tournament, "swap/"), a=opponent.code, b=b.code)
    waived = "were already paired, and a forfeit is a meeting under this ruleset"
    assert (waived in shown) == (ruleset == "mtr")
    edit(client, tournament, "swap/", a=opponent.code, b=b.code, reason="they came for each other")
    match = tournament.seats.get(round__number=2, entry=a).match
    assert match.waived_reason == ("they came for each other" if ruleset == "mtr" else "")
