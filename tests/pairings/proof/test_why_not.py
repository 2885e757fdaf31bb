"""Why not the bye, and names that are nearly right."""

import pytest

from pairings.draft.edits import lock_table
from pairings.draft.services import add_house_opponent, draft_next_round
from tests.factories import TournamentFactory, UserFactory, enter_results
from tests.pairings.views.test_draft_edits import drafting, text
from tests.tournament.views.desk import running
from tournament.services.entries import add_entries

pytestmark = pytest.mark.django_db


def why(client, tournament, a, b, status=200):
    page = client.get(f"/t/{tournament.slug}/desk/rounds/2/why/part/", {"a": a, "b": b})
    assert page.status_code == status
    return text(page)


def with_bye(tournament, number=2):
    return tournament.rounds.get(number=number).seats.get(match__result="bye").entry


@pytest.mark.parametrize("turned", [False, True])
def test_why_not_the_bye_says_what_it_would_cost_and_who_had_one(client, turned):
    tournament = drafting(client, 9)
    had = with_bye(tournament, 1)
    reasons = why(client, tournament, *(("Bye", had.name) if turned else (had.name, "bye")))
    assert (
        f"A bye for {had.name} would cost: 1 second bye" in reasons and "Earlier bye in round 1." in reasons
    )
    winner = next(seat.entry for seat in tournament.rounds.get(number=2).seats.filter(match__table=1))
    reasons = why(client, tournament, winner.name, "bye")
    assert f"A bye for {winner.name} would cost: " in reasons or "Earlier bye" in reasons


def test_who_has_the_bye_and_where_there_is_none(client):
    tournament = drafting(client, 9)
    lone, other = with_bye(tournament), with_bye(tournament, 1)
    assert f"{lone.name} has the bye." in why(client, tournament, lone.name, "bye")
    lock_table(tournament, 2, lone.code, seen=tournament.rounds.get(number=2).revision)
    reasons = why(client, tournament, other.name, "bye")
    assert f"{lone.name}&#x27;s bye is locked by the organizer." in reasons
    assert "Choose two different players." in why(client, tournament, "bye", "bye", 422)
    assert "No one has a bye this round." in why(client, drafting(client, 8), "P0001", "bye")


def test_a_house_opponent_plays_and_nobody_has_the_bye(client):
    tournament = running(client, 7, ruleset="twixt")
    enter_results(tournament, 1)
    add_house_opponent(tournament, "Jorge")
    draft_next_round(tournament, house=tournament.entries.get(house=True).code)
    assert "No one has a bye this round." in why(client, tournament, "P0001", "bye")


def test_the_page_says_that_one_may_ask_for_the_bye(client):
    tournament = drafting(client, 9)
    assert "“bye”" in text(client.get(f"/t/{tournament.slug}/desk/rounds/2/why/"))
    assert "“bye”" in text(client.get(f"/t/{tournament.slug}/desk/rounds/2/draft/"))


def test_a_misspelt_name_is_answered_with_the_nearest_ones(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=0, owner=owner)
    add_entries(tournament, ["Ada Lovelace", "Bo Müller", "Cy Möller", "Di Keller", "Ed Möller"])
    draft_next_round(tournament)

    def swap(name):
        fields = {"a": name, "b": "Di"}
        return text(client.get(f"/t/{tournament.slug}/desk/rounds/1/draft/swap/part/", fields))

    assert "No player here matches “Adda Lovlace”. Did you mean: Ada Lovelace?" in swap("Adda Lovlace")
    assert "Did you mean: Ada Lovelace?" in swap("Lovlace")
    near = swap("Moeller").split("Did you mean: ")[1].split("?")[0].split(", ")
    assert len(near) == 3 and {"Cy Möller", "Ed Möller"} < set(near)
    assert "No player here matches “Zzz”.</p>" in swap("Zzz").replace(" </p>", "</p>")
