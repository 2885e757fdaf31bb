import pytest

from pairings.draft.services import add_house_opponent, draft_next_round
from tests.factories import RoundFactory
from tests.pages import Page, page
from tests.tournament.services.test_waitlist import enrol
from tests.tournament.views.desk import key, signed_in
from tournament.progress.next_step import build_progress
from tournament.services.drops import check_in_entry
from tournament.services.event_settings import change_registration
from tournament.services.stages import add_stage
from tournament.services.undo import undo_action

OUT, EVERYONE = "Withdraw 3 no-shows and pair", "Pair everyone"


def hall(client, players=8, here=5, **fields):
    """An event in whose hall the first `here` players are; its owner is signed in."""
    tournament = signed_in(client, entries=players, **fields)
    for number in range(1, here + 1):
        check_in_entry(tournament, f"P{number:04d}")
    return tournament


def desk(tournament, part="pair/"):
    return f"/t/{tournament.slug}/desk/{part}"


def pair(client, tournament, shown=None, button="Pair", part="pair/", **fields):
    form = (shown or page(client, desk(tournament))).form(button)
    return Page(client.post(desk(tournament, part), {**form.fields, **fields}, follow=True))


def seated(tournament):
    return sorted(tournament.rounds.get().seats.values_list("entry__code", flat=True))


def withdrawn(tournament):
    return sorted(tournament.entries.filter(status="dropped").values_list("code", flat=True))


def test_the_next_step_counts_who_is_missing_and_everyone_is_paired_where_that_is_chosen(client):
    tournament = hall(client)
    home = page(client, desk(tournament, ""))
    assert "8 players. 3 players have not checked in." in home and home.link("Pair round 1") == desk(
        tournament
    )
    shown = page(client, desk(tournament))
    assert [f"Player 0{n}" for n in range(1, 9) if f"Player 0{n}" in shown.all("details")[0]] == [
        "Player 06", "Player 07", "Player 08",
    ]  # fmt: skip
    assert OUT in shown.all("button")
    shown = pair(client, tournament, button=EVERYONE)
    assert withdrawn(tournament) == [] and len(seated(tournament)) == 8
    assert "3 players have not checked in: Player 06, Player 07, Player 08." in shown


@pytest.mark.parametrize("here", [0, 8])
def test_where_no_one_or_everyone_is_checked_in_nothing_is_asked_and_two_presses_lead_to_one_draft(
    client, here
):
    tournament = hall(client, here=here)
    assert build_progress(tournament).next.post and EVERYONE not in page(client, desk(tournament)).all(
        "button"
    )
    for _press in range(2):
        shown = Page(client.post(desk(tournament), {"key": key()}, follow=True))
        assert shown.answer.redirect_chain[-1][0] == desk(tournament, "rounds/1/draft/")
    assert tournament.rounds.count() == 1 and len(seated(tournament)) == 8


def test_after_round_1_nothing_is_asked(client):
    tournament = hall(client)
    RoundFactory(tournament=tournament, results=True)
    assert build_progress(tournament).next.post
    assert "have not checked in" not in page(client, desk(tournament))
    pair(client, tournament)
    assert tournament.rounds.count() == 2


def test_one_step_leaves_them_out_and_pairs_and_one_undo_lets_them_in(client):
    tournament = hall(client)
    asked, once = page(client, desk(tournament)), key()
    shown = pair(client, tournament, asked, OUT, key=once)
    assert shown.answer.redirect_chain[-1][0] == desk(tournament, "rounds/1/draft/")
    assert "3 no-shows withdrawn." in shown
    assert withdrawn(tournament) == ["P0006", "P0007", "P0008"] and len(seated(tournament)) == 5
    shown = pair(client, tournament, asked, OUT, key=once)
    assert shown.answer.redirect_chain[-1][0].endswith("/rounds/1/draft/") and tournament.rounds.count() == 1
    kinds = list(tournament.actions.order_by("-number").values_list("kind", "number")[:2])
    assert [kind for kind, _number in kinds] == ["draft", "no-shows"]
    for _kind, number in kinds:
        undo_action(tournament, number)
    assert withdrawn(tournament) == [] and build_progress(tournament).facts.absent == 3


def test_a_page_that_did_not_name_them_pairs_no_one(client):
    tournament = hall(client)
    shown = Page(
        client.post(desk(tournament), {"key": key()}, follow=True)
    )  # opened before anybody checked in
    assert OUT in shown.all("button") and not tournament.rounds.exists()
    check_in_entry(tournament, "P0001", False)
    for button in (EVERYONE, OUT):
        refused = pair(client, tournament, shown, button)
        assert refused.status == 409 and "More players are not checked in" in refused
        assert refused.form(EVERYONE)["codes"].split()[0] == "P0001"
    assert not tournament.rounds.exists() and withdrawn(tournament) == []


def test_no_one_is_withdrawn_where_too_few_would_be_left(client):
    tournament = hall(client, here=1)
    shown = page(client, desk(tournament))
    assert [b for b in shown.all("button") if "air" in b] == [EVERYONE]
    refused = pair(client, tournament, shown, EVERYONE, absent="out")
    assert refused.status == 409 and "at least 2 players" in refused and withdrawn(tournament) == []


def test_whoever_moves_up_from_the_waitlist_is_named_and_asked_about_too(client):
    tournament = hall(client, players=6, here=4)
    change_registration(tournament, self_registration=True, capacity=6)
    enrol(tournament, "Wanda West", "Xenia Xu")
    shown = pair(client, tournament, button="Withdraw 2 no-shows and pair")
    assert "2 players moved up from the waitlist: Wanda West, Xenia Xu." in shown
    assert "Withdraw 2 no-shows and pair" in shown.all("button") and not tournament.rounds.exists()
    pair(client, tournament, shown, EVERYONE)
    assert len(seated(tournament)) == 6


def test_the_house_opponent_is_asked_for_once_it_is_known_who_plays(client):
    tournament = hall(client, ruleset="twixt")
    shown = pair(client, tournament, button=OUT)
    assert "Odd number of players" in shown and "3 no-shows withdrawn." in shown
    pair(client, tournament, shown, house="new", name="Hal")
    assert len(seated(tournament)) == 6


def test_the_list_before_publishing_names_them_and_pairs_again_without_them(client):
    tournament = hall(client, here=6)
    RoundFactory(tournament=tournament, drafted=True)
    draft, again = page(client, desk(tournament, "rounds/1/draft/")), "rounds/1/again/"
    assert "2 players have not checked in: Player 07, Player 08." in draft
    button = "Withdraw no-shows and pair again"
    assert pair(client, tournament, draft, button, again, seen=0).status == 409 and not withdrawn(tournament)
    shown = pair(client, tournament, draft, button, again)
    assert withdrawn(tournament) == ["P0007", "P0008"] and len(seated(tournament)) == 6
    assert "2 no-shows withdrawn." in shown and "not checked in" not in shown
    assert "All 6 players are seated, each once." in shown


def test_pairing_again_without_no_shows_pressed_twice_is_answered_as_the_first(client):
    tournament = hall(client, players=7, here=6, ruleset="twixt")
    add_house_opponent(tournament, "Hal")
    draft_next_round(tournament, house="H01")
    drafted = tournament.revision
    fields = {"key": key(), "codes": "P0007", "seen": tournament.rounds.get().revision}
    for _ in range(2):
        answer = client.post(desk(tournament, "rounds/1/again/"), fields)
        assert (answer.status_code, answer["Location"]) == (303, desk(tournament, "rounds/1/draft/"))
    kinds = list(tournament.actions.filter(number__gt=drafted).values_list("kind", flat=True))
    assert sorted(kinds) == ["draft", "no-shows"] and len(seated(tournament)) == 6


def test_of_sessions_side_by_side_each_asks_for_its_own(client):
    tournament = hall(client, players=4, here=3)
    add_stage(tournament)
    for name in ("Ann", "Ben", "Cem"):
        client.post(desk(tournament, "players/"), {"names": name, "session": 2, "key": key()})
    assert [each.flight.absent for each in build_progress(tournament).flights] == [1, 0]
    for name in ("Ann", "Ben"):
        check_in_entry(tournament, tournament.entries.get(name=name).code)
    second = desk(tournament, "pair/?session=2")
    assert page(client, desk(tournament, "")).soup.select(f'[href="{second}"]')
    shown = page(client, second)
    assert "Cem" in shown.all("details")[0] and "Player 04" not in shown
    pair(client, tournament, shown, "Withdraw 1 no-show and pair")
    assert len(seated(tournament)) == 2 and build_progress(tournament).flights[0].flight.absent == 1


@pytest.mark.long
def test_a_long_list_is_folded_and_costs_no_more_queries(client, django_assert_max_num_queries):
    few = hall(client, players=6, here=2)
    assert page(client, desk(few)).all("details[open]")
    tournament = hall(client, players=2000, here=2)
    with django_assert_max_num_queries(17):
        shown = page(client, desk(tournament))
    assert len(shown.all('a[href*="/players/P"]')) == 1998 and not shown.all("details[open]")
