"""Who plays: pasting, joining late, and what is done with one entry."""

import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.steps import complete_round
from tests.tournament.views.desk import key, running
from tournament.models import Tournament
from tournament.services.entries import remove_entry
from tournament.views.entry import SERVICES

pytestmark = pytest.mark.django_db


def opened(client, players=4, **fields):
    owner = UserFactory()
    client.force_login(owner)
    return TournamentFactory(entries=players, owner=owner, **fields)


def change(client, tournament, code, what, **fields):
    return client.post(
        f"/t/{tournament.slug}/desk/players/{code}/{what}/", {"key": key(), **fields}, follow=True
    )


def test_a_pasted_list_is_registered_once(client):
    tournament = opened(client, 0)
    fields = {"names": "Ada Ruiz\n\n  Bo   Lind \r\nRuiz, Cy", "key": key()}
    for _ in range(2):
        answer = client.post(f"/t/{tournament.slug}/desk/players/", fields, follow=True)
        assert answer.status_code == 200 and "3 players added." in answer.content.decode()
    assert list(tournament.entries.values_list("name", flat=True)) == ["Ada Ruiz", "Bo Lind", "Ruiz, Cy"]


@pytest.mark.parametrize("names", ["", "   \n ", "x" * 81, "\x00"])
def test_a_list_that_is_none_is_refused_and_kept(client, names):
    tournament = opened(client, 0)
    answer = client.post(f"/t/{tournament.slug}/desk/players/", {"names": names, "key": key()})
    assert answer.status_code == 422
    assert not tournament.entries.exists()


def test_a_late_player_loses_the_rounds_missed(client):
    tournament = running(client, 4)
    enter_results(tournament, 1)
    page = client.get(f"/t/{tournament.slug}/desk/players/").content.decode()
    assert "counts as a loss" in page
    client.post(f"/t/{tournament.slug}/desk/players/", {"names": "Late Lou", "key": key()})
    late = tournament.entries.get(name="Late Lou")
    assert late.late and late.joined_round == 2
    assert late.seats.get().match.result == "missed"


def test_what_a_missed_round_counts_as_is_the_ruleset_s_word(client):
    tournament = opened(client, 4, overrides={"late_entry": {"missed": "half"}})
    RoundFactory(tournament=tournament)
    for page in ("players", "add-player"):
        html = client.get(f"/t/{tournament.slug}/desk/{page}/").content.decode()
        assert "published and counts as a half-point bye" in html
    client.post(f"/t/{tournament.slug}/desk/players/", {"names": "Late", "key": key()})
    assert tournament.entries.get(name="Late").seats.get().match.result == "half_bye"


def test_where_the_ruleset_lets_nobody_join_a_reason_is_asked_for(client):
    tournament = opened(client, 4, overrides={"late_entry": {"allowed_until_round": 1}})
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    address = f"/t/{tournament.slug}/desk/players/"
    answer = client.post(address, {"names": "Late", "key": key()})
    assert answer.status_code == 409
    html = answer.content.decode()
    assert "Enter a reason" in html and "Late</textarea>" in html
    assert client.post(address, {"names": "Late", "key": key(), "reason": "judge's word"}).status_code == 303


def test_an_entry_is_renamed_dropped_reinstated_and_disqualified(client):
    tournament = opened(client)
    answer = change(client, tournament, "P0001", "name", name="Żółć")
    assert answer.status_code == 200 and "The player is now called Żółć." in answer.content.decode()
    entry = tournament.entries.get(code="P0001")
    assert entry.name == "Żółć"
    change(client, tournament, "P0001", "drop")
    entry.refresh_from_db()
    assert entry.status == "dropped"
    assert "Reinstate" in change(client, tournament, "P0001", "drop").content.decode()
    change(client, tournament, "P0001", "reinstate")
    entry.refresh_from_db()
    assert entry.status == "playing"
    assert change(client, tournament, "P0001", "disqualify", why="").status_code == 422
    change(client, tournament, "P0001", "disqualify", why="fixed a match")
    entry.refresh_from_db()
    assert entry.status == "disqualified"


def test_a_list_for_a_finished_event_is_refused_in_words(client):
    tournament = opened(client)
    Tournament.objects.filter(pk=tournament.pk).update(state="finished")
    answer = client.post(f"/t/{tournament.slug}/desk/players/", {"names": "Late", "key": key()})
    assert answer.status_code == 409 and "The event is finished" in answer.content.decode()


def test_nothing_is_owed_or_lost_by_who_leaves_before_round_1(client):
    tournament = opened(client)
    out, back = (change(client, tournament, "P0001", what).content.decode() for what in ("drop", "reinstate"))
    assert "withdrawn before round 1" in out and "still has to be played" not in out
    assert "is playing." in back and "Missed rounds count as losses" not in back
    RoundFactory(tournament=tournament)
    out, back = (change(client, tournament, "P0001", what).content.decode() for what in ("drop", "reinstate"))
    assert "still has to be played" in out and "Missed rounds count as losses" in back


def test_awarded_byes_and_seed_rank_are_set_before_round_1_only(client):
    tournament = opened(client)
    change(client, tournament, "P0001", "pairing", awarded_byes=2, seed_rank=1, rating="")
    entry = tournament.entries.get(code="P0001")
    assert (entry.awarded_byes, entry.seed_rank, entry.rating) == (2, 1, None)
    RoundFactory(tournament=tournament)
    answer = change(client, tournament, "P0002", "pairing", awarded_byes=1, seed_rank="", rating="")
    assert answer.status_code == 409
    assert "already seated in a round" in answer.content.decode()


def test_who_never_sat_can_be_taken_out_and_who_did_can_not(client):
    tournament = opened(client)
    assert change(client, tournament, "P0004", "remove").status_code == 200
    assert not tournament.entries.filter(code="P0004").exists()
    RoundFactory(tournament=tournament)
    answer = change(client, tournament, "P0001", "remove")
    assert answer.status_code == 409
    assert "Drop the player instead" in answer.content.decode()


def test_a_player_removed_by_a_double_press_is_no_error_page(client):
    tournament = opened(client)
    fields, count = {"key": key()}, tournament.actions.count()
    for _ in range(2):
        answer = client.post(f"/t/{tournament.slug}/desk/players/P0004/remove/", fields)
        address = answer.headers.get("Location")
        assert (answer.status_code, address) == (303, f"/t/{tournament.slug}/desk/players/")
    assert tournament.actions.count() == count + 1
    assert change(client, tournament, "P0004", "remove").status_code == 404


def test_a_player_removed_by_two_scorekeepers_at_once_is_not_found_by_the_second(client, monkeypatch):
    tournament = opened(client)

    def remove_late(*args, **fields):
        remove_entry(tournament, "P0004")
        return remove_entry(*args, **fields)

    monkeypatch.setitem(SERVICES, "remove", remove_late)
    answer = change(client, tournament, "P0004", "remove")
    assert answer.status_code == 404
    assert "There is no player P0004 in this event." in answer.content.decode()


def test_a_search_finds_by_three_letters(client):
    tournament = opened(client, 30)
    page = client.get(f"/t/{tournament.slug}/desk/players/", {"q": "player 07"}).content.decode()
    assert "Player 07" in page and "Player 08" not in page


@pytest.mark.slow
def test_a_thousand_players_stay_usable(client):
    tournament = opened(client, 0)
    names = "\n".join(f"Somebody {number:04d}" for number in range(1000))
    client.post(f"/t/{tournament.slug}/desk/players/", {"names": names, "key": key()})
    page = client.get(f"/t/{tournament.slug}/desk/players/")
    assert "1000 players" in page.content.decode()
    assert len(page.content) < 120_000  # in pages of 200


def test_an_unknown_player_or_deed_is_not_found(client):
    tournament = opened(client)
    for what in ("name", "pairing", "disqualify", "drop", "remove", "nothing"):
        answer = change(client, tournament, "P9999", what, name="x", why="x", awarded_byes=0)
        assert answer.status_code == 404, what
    assert change(client, tournament, "P0001", "explode").status_code == 404


def test_nonsense_about_a_player_gets_a_4xx(client):
    tournament = opened(client)
    for name in ("awarded_byes", "seed_rank", "rating"):
        for value in ("99999999999999999999", "\x00", "x", "1.5"):
            fields = {"awarded_byes": 0, "seed_rank": "", "rating": "", name: value}
            answer = change(client, tournament, "P0001", "pairing", **fields)
            assert answer.status_code == 422, (name, value)


def test_labels_are_written_one_a_line_and_standings_are_read_by_them(client):
    tournament = opened(client, 4)
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    fields = {"awarded_byes": 0, "seed_rank": "", "rating": ""}
    change(client, tournament, "P0001", "pairing", labels=" Junior\r\nClub, North \n\nJunior\u202e", **fields)
    assert tournament.entries.get(code="P0001").labels == ["Junior", "Club, North"]
    complete_round(tournament, 1)
    assert ">Club, North</option>" in client.get(f"/t/{tournament.slug}/standings/").content.decode()
    assert "Junior, Club, North" in client.get(f"/t/{tournament.slug}/desk/log/").content.decode()
    assert "Junior\nClub, North</textarea>" in page_of(client, tournament, "P0001")
    change(client, tournament, "P0001", "pairing", labels="", **fields)
    assert tournament.entries.get(code="P0001").labels == []


@pytest.mark.parametrize("labels", ["x" * 61, "\n".join(map(str, range(21)))])
def test_labels_too_long_or_too_many_are_refused_at_their_field(client, labels):
    tournament = opened(client, 2)
    fields = {"awarded_byes": 0, "seed_rank": "", "rating": "", "labels": labels}
    answer = change(client, tournament, "P0001", "pairing", **fields)
    assert answer.status_code == 422
    assert "Enter at most 20 labels of up to 60 characters each." in answer.content.decode()
    assert tournament.entries.get(code="P0001").labels == []


def page_of(client, tournament, code) -> str:
    return client.get(f"/t/{tournament.slug}/desk/players/{code}/").content.decode()
