"""Players who have not checked in: named before round 1 is paired, and left out in one step that goes on to pairing."""

import re

import pytest

from pairings.draft.services import add_house_opponent, draft_next_round
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.services.test_waitlist import enrol
from tests.tournament.views.desk import key
from tournament.progress.next_step import progress_of
from tournament.services.check_in import check_in_entry
from tournament.services.event_settings import change_registration
from tournament.services.stages import add_stage
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


def hall(client, players=8, here=5, **fields):
    """An event in whose hall the first `here` players are; its owner is signed in."""
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=players, owner=owner, **fields)
    for number in range(1, here + 1):
        check_in_entry(tournament, f"P{number:04d}")
    return tournament


def page(client, tournament, part="pair/"):
    return client.get(f"/t/{tournament.slug}/desk/{part}").content.decode()


def send(client, tournament, part="pair/", **fields):
    return client.post(f"/t/{tournament.slug}/desk/{part}", {"key": key(), **fields}, follow=True)


def hidden(html, name):
    return re.findall(rf'name="{name}" value="([^"]*)"', html)[0]


def names(html, players=8):
    return [f"Player 0{n}" for n in range(1, players + 1) if f">Player 0{n}<" in html]


def seated(tournament):
    return sorted(tournament.rounds.get().seats.values_list("entry__code", flat=True))


def withdrawn(tournament):
    return sorted(tournament.entries.filter(status="dropped").values_list("code", flat=True))


def test_the_next_step_counts_who_is_missing_and_leads_to_their_names(client):
    tournament = hall(client)
    html = page(client, tournament, "")
    assert "8 players. 3 players have not checked in." in html
    assert f'href="/t/{tournament.slug}/desk/pair/">Pair round 1</a>' in html
    html = page(client, tournament)
    assert names(html) == ["Player 06", "Player 07", "Player 08"] and "<details" in html
    assert "Withdraw 3 no-shows and pair" in html and "Pair everyone" in html


def test_an_event_that_checks_no_one_in_pairs_at_once(client):
    tournament = hall(client, here=0)
    assert progress_of(tournament).next.post
    assert "Pair everyone" not in page(client, tournament)
    send(client, tournament)
    assert len(seated(tournament)) == 8


def test_pairing_twice_leads_to_the_draft_both_times(client):
    tournament = hall(client, here=0)
    for _press in range(2):
        answer = send(client, tournament)
        assert answer.redirect_chain[-1][0].endswith("/rounds/1/draft/")
    assert tournament.rounds.count() == 1


def test_once_everyone_is_here_or_the_round_is_paired_nothing_is_asked(client):
    tournament = hall(client, here=8)
    assert progress_of(tournament).next.post and "Pair everyone" not in page(client, tournament)
    tournament = hall(client)
    RoundFactory(tournament=tournament, results=True)
    assert progress_of(tournament).next.post and "have not checked in" not in page(client, tournament)
    send(client, tournament)
    assert tournament.rounds.count() == 2


def test_one_step_leaves_them_out_and_pairs_and_one_undo_lets_them_in(client):
    tournament = hall(client)
    codes = hidden(page(client, tournament), "codes")
    sent = {"absent": "out", "codes": codes, "key": key()}
    answer = send(client, tournament, **sent)
    assert answer.redirect_chain[-1][0] == f"/t/{tournament.slug}/desk/rounds/1/draft/"
    assert "3 no-shows withdrawn." in answer.content.decode()
    assert withdrawn(tournament) == ["P0006", "P0007", "P0008"]
    assert seated(tournament) == ["P0001", "P0002", "P0003", "P0004", "P0005"]
    assert send(client, tournament, **sent).redirect_chain[-1][0].endswith("/rounds/1/draft/")
    assert tournament.rounds.count() == 1
    kinds = list(tournament.actions.order_by("-number").values_list("kind", "number")[:2])
    assert [kind for kind, _number in kinds] == ["draft", "no-shows"]
    undo_action(tournament, kinds[0][1])
    undo_action(tournament, kinds[1][1])
    assert withdrawn(tournament) == [] and progress_of(tournament).facts.absent == 3


def test_everyone_is_paired_where_that_is_chosen(client):
    tournament = hall(client)
    codes = hidden(page(client, tournament), "codes")
    html = send(client, tournament, absent="in", codes=codes).content.decode()
    assert withdrawn(tournament) == [] and len(seated(tournament)) == 8
    assert "3 players have not checked in: Player 06, Player 07, Player 08." in html


def test_a_page_that_did_not_name_them_pairs_no_one(client):
    tournament = hall(client)
    html = send(client, tournament).content.decode()  # opened before anybody checked in
    assert "Withdraw 3 no-shows and pair" in html and not tournament.rounds.exists()
    codes = hidden(html, "codes")
    check_in_entry(tournament, "P0001", False)
    for absent in ("in", "out"):
        answer = send(client, tournament, absent=absent, codes=codes)
        assert answer.status_code == 409 and "More players are not checked in" in answer.content.decode()
        assert hidden(answer.content.decode(), "codes").split()[0] == "P0001"
    assert not tournament.rounds.exists() and withdrawn(tournament) == []


def test_no_one_is_withdrawn_where_too_few_would_be_left(client):
    tournament = hall(client, here=1)
    html = page(client, tournament)
    assert "Withdraw" not in html and "Pair everyone" in html
    answer = send(client, tournament, absent="out", codes=hidden(html, "codes"))
    assert answer.status_code == 409 and "at least 2 players" in answer.content.decode()
    assert withdrawn(tournament) == []


def test_whoever_moves_up_from_the_waitlist_is_named_and_asked_about_too(client):
    tournament = hall(client, players=6, here=4)
    change_registration(tournament, self_registration=True, capacity=6)
    enrol(tournament, "Wanda West", "Xenia Xu")
    codes = hidden(page(client, tournament), "codes")
    html = send(client, tournament, absent="out", codes=codes).content.decode()
    assert "2 players moved up from the waitlist: Wanda West, Xenia Xu." in html
    assert "Withdraw 2 no-shows and pair" in html and not tournament.rounds.exists()
    send(client, tournament, absent="in", codes=hidden(html, "codes"))
    assert len(seated(tournament)) == 6


def test_the_house_opponent_is_asked_for_once_it_is_known_who_plays(client):
    tournament = hall(client, ruleset="twixt")
    html = send(
        client, tournament, absent="out", codes=hidden(page(client, tournament), "codes")
    ).content.decode()
    assert "Odd number of players" in html and "3 no-shows withdrawn." in html
    send(client, tournament, house="new", name="Hal")
    assert len(seated(tournament)) == 6


def test_the_list_before_publishing_names_them_and_pairs_again_without_them(client):
    tournament = hall(client, here=6)
    RoundFactory(tournament=tournament, drafted=True)
    html = page(client, tournament, "rounds/1/draft/")
    assert "2 players have not checked in: Player 07, Player 08." in html
    fields = {"codes": hidden(html, "codes"), "seen": 999}
    assert send(client, tournament, "rounds/1/again/", **fields).status_code == 409
    assert withdrawn(tournament) == []
    fields["seen"] = tournament.rounds.get().revision
    html = send(client, tournament, "rounds/1/again/", **fields).content.decode()
    assert withdrawn(tournament) == ["P0007", "P0008"] and len(seated(tournament)) == 6
    assert "2 no-shows withdrawn." in html and "not checked in" not in html
    assert "All 6 players are seated, each once." in html


def test_pairing_again_without_no_shows_pressed_twice_is_answered_as_the_first(client):
    tournament = hall(client, players=7, here=6, ruleset="twixt")
    add_house_opponent(tournament, "Hal")
    draft_next_round(tournament, house="H01")
    drafted = tournament.revision
    fields = {"key": key(), "codes": "P0007", "seen": tournament.rounds.get().revision}
    for _ in range(2):
        response = client.post(f"/t/{tournament.slug}/desk/rounds/1/again/", fields)
        address = response.headers.get("Location")
        assert (response.status_code, address) == (303, f"/t/{tournament.slug}/desk/rounds/1/draft/")
    kinds = list(tournament.actions.filter(number__gt=drafted).values_list("kind", flat=True))
    assert sorted(kinds) == ["draft", "no-shows"] and len(seated(tournament)) == 6


def test_of_sessions_side_by_side_each_asks_for_its_own(client):
    tournament = hall(client, players=4, here=3)
    add_stage(tournament)
    for name in ("Ann", "Ben", "Cem"):
        client.post(f"/t/{tournament.slug}/desk/players/", {"names": name, "session": 2, "key": key()})
    assert [each.flight.absent for each in progress_of(tournament).flights] == [1, 0]
    check_in_entry(tournament, tournament.entries.get(name="Ann").code)
    check_in_entry(tournament, tournament.entries.get(name="Ben").code)
    html = page(client, tournament, "pair/?session=2")
    assert ">Cem<" in html and ">Player 04<" not in html
    assert f'href="/t/{tournament.slug}/desk/pair/?session=2"' in page(client, tournament, "")
    send(client, tournament, absent="out", session=2, codes=hidden(html, "codes"))
    assert len(seated(tournament)) == 2 and progress_of(tournament).flights[0].flight.absent == 1


@pytest.mark.long
def test_a_long_list_is_folded_and_costs_no_more_queries(client, django_assert_max_num_queries):
    few = hall(client, players=6, here=2)
    assert "<details" in page(client, few) and " open>" in page(client, few)
    tournament = hall(client, players=2000, here=2)
    with django_assert_max_num_queries(16):
        html = page(client, tournament)
    assert html.count("/players/P") == 1998 and "<details" in html and " open>" not in html
