import pytest

from pairings.audit.check import verify_event
from pairings.draft.services import draft_next_round
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.steps import is_sound
from tests.tournament.views.desk import key
from tests.tournament.views.phones import known
from tournament import archive
from tournament.archive.load import load_event
from tournament.event.read import load_event_values
from tournament.services.drops import check_in_entry
from tournament.services.requested_byes import request_bye
from tournament.services.rounds import publish_round


def chess(client=None, players=6, **fields):
    owner = UserFactory()
    if client:
        client.force_login(owner)
    return TournamentFactory(entries=players, ruleset="fide", rounds_planned=5, owner=owner, **fields)


def send(client, tournament, number, kind="", code="P0001"):
    address = f"/t/{tournament.slug}/desk/players/{code}/bye/"
    return client.post(address, {"key": key(), "number": number, "kind": kind}, follow=True)


def requested_byes(tournament, code="P0001"):
    return {bye["round"]: bye["kind"] for bye in tournament.entries.get(code=code).requested_byes}


def test_the_desk_requests_a_bye_and_withdraws_it_on_the_players_page(client):
    tournament = chess(client)
    shown = page(client, f"/t/{tournament.slug}/desk/players/P0001/")
    assert "Give a bye" in shown
    kinds = [kind for kind in shown.all("[name=kind] option") if kind]
    assert kinds == ["Half-point bye", "Zero-point bye"]  # Enter alone costs no half point
    shown = Page(send(client, tournament, 3, "half"))
    assert "Round 3: half-point bye" in shown and requested_byes(tournament) == {3: "half"}
    assert shown.soup.select('[aria-label="Withdraw request for round 3"]')
    assert "bye requested: round 3" in page(client, f"/t/{tournament.slug}/desk/players/")
    shown = Page(send(client, tournament, 3))
    assert not shown.soup.select('[aria-label^="Withdraw request"]') and requested_byes(tournament) == {}


@pytest.mark.parametrize(
    ("number", "kind", "status", "words"),
    [
        (1, "half", 409, "Round 1 is already published. Correct what it counts as for Player 01 instead."),
        (6, "half", 400, "There is no round 6: 5 are planned. Plan more rounds in the settings first."),
        (3, "full", 400, "This ruleset does not allow this bye on request: full-point bye."),
        (5, "half", 400, "Under this ruleset only a zero-point bye can be requested for round 5."),
        *((number, "half", 422, "") for number in ("", "x", 10**30, -1)),
        (3, "x", 422, ""),
    ],
)
def test_a_refused_request_says_why_on_the_page_and_writes_nothing(client, number, kind, status, words):
    tournament = chess(client, rounds=1)
    before = tournament.revision
    answer = send(client, tournament, number, kind)
    tournament.refresh_from_db()
    assert answer.status_code == status and tournament.revision == before
    shown = Page(answer)
    assert shown.all("[role=alert]") and words in shown and "Correct a mistake" in shown


def test_pairing_names_who_sits_out_before_during_and_after(client):
    tournament = chess(client)
    request_bye(tournament, "P0002", 1, "half")
    home = f"/t/{tournament.slug}/"
    draft = f"{home}desk/rounds/1/draft/"
    assert "Sitting out: Player 02 (half-point bye)." in page(client, f"{home}desk/pair/")
    draft_next_round(tournament)
    shown = page(client, draft)
    assert "Sitting out: Player 02 (half-point bye)." in shown and "half-point bye" in shown.all("b")
    request_bye(tournament, "P0002", 1)
    assert "Byes changed since these pairings were made: Player 02. Pair again." in page(client, draft)
    request_bye(tournament, "P0002", 1, "half")
    publish_round(tournament, 1)
    assert all("half-point bye" in page(client, home + round_) for round_ in ("desk/rounds/1/", "rounds/1/"))


@pytest.mark.parametrize("playing", [0, 1])
def test_a_round_without_any_table_has_all_its_pages(client, playing):
    tournament = chess(client, 4, rounds=1)
    for code in ("P0001", "P0002", "P0003", "P0004")[playing:]:
        request_bye(tournament, code, 2, "half")
    draft_next_round(tournament)
    event = f"/t/{tournament.slug}/"
    again = client.post(f"{event}desk/rounds/2/again/", {"key": key()}, follow=True)
    assert "The round was paired again." in Page(again)
    publish_round(tournament, 2)
    pages = ("", "rounds/2/", "rounds/2/proof/", "desk/", "desk/rounds/2/", "desk/pair/")
    assert {page: client.get(event + page).status_code for page in pages} == dict.fromkeys(pages, 200)
    assert "A round needs at least 2 players." in Page(client.get(f"{event}desk/rounds/2/repair/"))
    RoundFactory(tournament=tournament)
    assert client.get(f"{event}standings/").status_code == 200
    assert not verify_event(load_event_values(tournament))[1].errors and is_sound(tournament)
    kinds = [list(tournament.seats.filter(round__number=n).values_list("kind", flat=True)) for n in (2, 3)]
    assert sorted(kinds[0]) == ["bye"] * playing + ["half_bye"] * (4 - playing) and kinds[1] == ["match"] * 4


def test_nobody_is_missed_at_check_in_who_sits_out_round_one(client):
    tournament = chess(client)
    request_bye(tournament, "P0001", 1, "half")
    request_bye(tournament, "P0002", 2, "half")
    for code in ("P0003", "P0004", "P0005"):
        check_in_entry(tournament, code)
    shown = page(client, f"/t/{tournament.slug}/desk/pair/")
    assert "2 players have not checked in" in shown
    absent = shown.words.partition("Not checked in")[2].partition("A withdrawn player")[0]
    assert "Player 01" not in absent and "Player 02" in absent and "Player 06" in absent
    assert "sits out round 1" in page(client, f"/t/{tournament.slug}/desk/players/check-in/", show="")


def test_a_player_requests_a_bye_by_phone_where_the_event_allows_it_until_the_round_is_paired(client):
    tournament = chess(client)
    own = known(client, tournament)
    byes, sent = f"{own}byes/", {"key": key(), "number": 2, "kind": "half"}
    assert "Request a bye" not in page(client, own) and "ask at the event desk" in page(client, byes)
    assert client.post(byes, sent).status_code == 409 and requested_byes(tournament) == {}
    request_bye(tournament, "P0001", 3, "half")  # by staff, who alone take it back
    assert not page(client, byes).all('[aria-label^="Withdraw request"]')
    request_bye(tournament, "P0001", 3)
    client.post(f"/t/{tournament.slug}/desk/players/before/", {"key": key(), "self_byes": "on"})
    tournament.refresh_from_db()
    assert tournament.self_byes and not tournament.self_registration
    assert "Request a bye" in page(client, own)
    for _twice in range(2):
        assert client.post(byes, sent).status_code == 303
    assert "Round 2: half-point bye" in page(client, byes) and requested_byes(tournament) == {2: "half"}
    assert client.post(byes, {"key": key(), "number": 2}).status_code == 303
    assert requested_byes(tournament) == {}
    client.post(byes, {"key": key(), "number": 1, "kind": "half"})
    assert tournament.actions.latest("number").actor == "player:P0001"
    draft_next_round(tournament)
    for kind in ("", "zero"):
        answer = client.post(byes, {"key": key(), "number": 1, "kind": kind})
        refused = Page(answer)
        assert refused.status == 409 and "Round 1 is already paired. Ask at the event desk." in refused
    rounds = Page(answer).all("[name=number] option")
    assert "Round 1" not in rounds and "Round 2" in rounds
    assert requested_byes(tournament) == {1: "half"}


def test_a_request_stays_private_until_its_round_is_published(client):
    tournament = chess(rounds=1)
    request_bye(tournament, "P0001", 2, "half")
    pages = [f"/t/{tournament.slug}/{end}" for end in ("", "players/", "players/P0001/", "standings/")]
    assert not any("half-point" in page(client, address) for address in pages)
    RoundFactory(tournament=tournament)
    assert "half-point bye" in page(client, pages[2])


def test_a_bracket_recorded_elsewhere_has_no_round_to_sit_out(client):
    owner = UserFactory()
    client.force_login(owner)
    file = {
        "format": "swiss-archive", "version": 1, "tournament": {"name": "Bracket"}, "ruleset": {"preset": "mtr"},
        "entries": [{"id": "A", "name": "Ada"}, {"id": "B", "name": "Bo"}],
        "stages": [{"number": 1, "kind": "elimination", "seeds": ["A", "B"]}],
    }  # fmt: skip
    tournament = load_event(archive.parse_event(file), owner=owner)
    assert "No bye can be requested now." in page(client, "/t/bracket/desk/players/A/")
    assert send(client, tournament, 1, "zero", code="A").status_code == 400
