import json
from fractions import Fraction

import pytest

from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from standings.table.prizes import compute_awards
from tests.factories import RoundFactory, TournamentFactory
from tests.pages import Page, page
from tests.steps import complete_round, undo_last
from tests.tournament.views.desk import signed_in
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.errors import Refused
from tournament.event import read
from tournament.models import Match, Tournament
from tournament.results.slip import Slip
from tournament.services.drops import disqualify_entry
from tournament.services.entries import change_entry
from tournament.services.event_settings import change_settings
from tournament.services.results import record_result

PLACES = [
    {"by": "place", "first": 1, "last": 1, "amount": "100"},
    {"by": "place", "first": 2, "last": 2, "amount": "50", "what": "medal"},
    {"by": "place", "first": 3, "last": 4, "amount": "25"},
]


def played(**fields):
    """8 players after 1 round in which the first named of each table won: 4 with 3 points, 4 with none."""
    tournament = TournamentFactory(entries=8, **fields)
    RoundFactory(tournament=tournament, results=True)
    complete_round(tournament, 1)
    return tournament


def won(tournament, split="order", prizes=PLACES) -> list[tuple[Fraction, dict]]:
    change_settings(tournament, prizes=prizes, prize_split=split)
    return [(award.amount, award.things) for award in compute_awards(read.load_event_values(tournament))]


def amounts(*args, **more) -> list[str]:
    return [str(amount) for amount, _things in won(*args, **more)]


def desk(client, tournament, path: str) -> Page:
    return page(client, f"/t/{tournament.slug}/desk/{path}")


def test_tied_players_share_and_points_and_labels_win_too_but_no_one_who_is_disqualified():
    tournament = played()
    assert amounts(tournament) == ["100", "50", "25", "25", "0", "0", "0", "0"]
    assert amounts(tournament, "share") == ["50"] * 4 + ["0"] * 4
    assert won(tournament, "share")[0][1] == {"medal": Fraction(1, 4)}
    odd = [{"by": "place", "first": 1, "last": 3, "amount": "100"}]
    assert amounts(tournament, "share", prizes=odd)[:4] == ["75"] * 4
    assert amounts(tournament, "share", prizes=[{"amount": "10", "last": 5}])[4:] == ["5/2"] * 4
    assert amounts(tournament, "share", prizes=[{"amount": "9", "first": 3, "last": 6}]) == ["9/2"] * 8
    order = [award.code for award in compute_awards(read.load_event_values(tournament))]
    for code in order[1], order[5]:
        change_entry(tournament, code, labels=["Junior"])  # as someone else typed it
    prizes = [
        {"by": "points", "points": "3", "what": "3 boosters"},
        {"by": "points", "points": "0", "what": "1 booster"},
        {"by": "label", "label": "junior", "amount": "20"},
    ]
    things = won(tournament, prizes=prizes)
    assert [list(thing) for _amount, thing in things] == [["3 boosters"]] * 4 + [["1 booster"]] * 4
    assert [n for n, (amount, _thing) in enumerate(things) if amount] == [1]
    disqualify_entry(tournament, order[1], "lied")
    left = compute_awards(read.load_event_values(tournament))
    assert [award.code for award in left if award.amount] == [order[5]]
    assert order[1] not in {award.code for award in left}


def test_in_a_bracket_those_tie_who_share_a_place():
    tournament = played(overrides={"elimination": {"placement": "shared"}})
    make_cut(tournament, 4)
    for number, table in (("2", 1), ("2", 2), ("3", 1)):
        match = Match.objects.get(round__tournament=tournament, round__number=number, table=table)
        record_bracket_result(tournament, int(number), match.table, Slip("played", 2, 0))
    prizes = [*PLACES[:2], {"first": 3, "last": 3, "amount": "30"}]
    assert amounts(tournament, "share", prizes=prizes)[:5] == ["100", "50", "15", "15", "0"]
    assert amounts(tournament, prizes=prizes)[:5] == ["100", "50", "30", "0", "0"]


def sent(**lines) -> dict:
    """Return the data of the desk's form; `lines`: texts by name such as p0_amount."""
    fields = {name.replace("_", "-", 1).replace("p", "prizes-", 1): value for name, value in lines.items()}
    count = 1 + max(int(name.split("-")[1]) for name in fields)
    by = {f"prizes-{n}-by": "place" for n in range(count)}
    return {
        "prizes-TOTAL_FORMS": count,
        "prizes-INITIAL_FORMS": 0,
        "prize_split": "share",
        **by,
        **fields,
    }


@pytest.mark.long
def test_the_desk_takes_prizes_or_says_in_one_line_why_not(client):
    tournament = played()
    client.force_login(tournament.owner)
    address = f"/t/{tournament.slug}/desk/settings/prizes/"
    refused = {
        "Enter what the prize is": {"p0_first": 2},
        "an amount, or a few words": {"p0_amount": "0.00", "p0_what": "\u202e"},
        "Enter how many points": {"p0_by": "points", "p0_what": "mat"},
        "Enter the lower place first": {"p0_first": 3, "p0_last": 2, "p0_what": "mat"},
        "Enter an amount such as": {"p0_amount": "a lot"},
        "Enter a number of points": {"p0_by": "points", "p0_points": "many", "p0_what": "mat"},
    }
    for message, lines in refused.items():
        answer = client.post(address, sent(**lines))
        assert 400 <= answer.status_code < 500 and message in Page(answer), message
        tournament.refresh_from_db()
        assert tournament.prizes == []
    old = sent(p0_amount="5") | {"seen": json.dumps({"prizes": PLACES[:1], "prize_split": "order"})}
    assert "Someone else changed the same settings" in Page(client.post(address, old))
    assert client.post(address, sent(p0_amount="5") | {"prize_currency": "X" * 13}).status_code == 422
    lines = {
        "p0_first": 1,
        "p0_amount": "100",
        "p1_first": 2,
        "p1_last": 4,
        "p1_what": "3 boosters",
        "p4_what": "",
    }
    assert client.post(address, sent(**lines) | {"prize_currency": " EUR "}).status_code == 303
    shown = page(client, address)
    assert "Prize list if the event ended now" in shown and "Amounts in all: 100 EUR." in shown
    assert "25 EUR, 3/4 of: 3 boosters" in shown.all("td strong")
    log = desk(client, tournament, "log/")
    assert "none → 1st: 100; 2nd–4th: 3 boosters" in log and "currency of prizes: none → EUR" in log
    assert "1st: 100 EUR" in page(client, f"/t/{tournament.slug}/prizes/")
    client.post(f"/t/{tournament.slug}/desk/settings/copy/", {"name": "Next week", "key": "copy"})
    file = load_event(parse_event(json.loads(dump_event(tournament, with_seed=True))), slug="file")
    tournament.refresh_from_db()
    for copy in (Tournament.objects.get(name="Next week"), file):
        assert (copy.prizes, copy.prize_split, copy.prize_currency) == (tournament.prizes, "share", "EUR")
    whole = dump_event(file, with_seed=True).replace('"slug":"file",', "")
    assert whole == dump_event(tournament, with_seed=True)
    undo_last(tournament)
    tournament.refresh_from_db()
    assert tournament.prizes == []


def test_finishing_shows_places_and_prizes_first_and_then_everyone_sees_them(client):
    tournament = played()
    change_settings(tournament, prizes=PLACES, name_privacy="initial")
    best = compute_awards(read.load_event_values(tournament))[0].code
    tournament.entries.filter(code=best).update(name="Kim Okonkwo")
    client.force_login(tournament.owner)
    public, finish = f"/t/{tournament.slug}/prizes/", f"/t/{tournament.slug}/desk/settings/finish/"
    assert "1st: 100" in page(client, public) and "Player" not in page(client, public).all("main")[0]
    assert "Prize list" not in desk(client, tournament, "").all("a")
    question = Page(client.post(finish, {"key": "once"}))
    assert "Final places" in question and "100" in question.all("td strong")
    assert "not given out" not in question
    tournament.refresh_from_db()
    assert tournament.state == "running"
    done = Page(client.post(finish, {"key": "twice", "sure": "on"}, follow=True))
    assert "The event is finished." in done
    assert done.link("Prize list") == f"/t/{tournament.slug}/desk/settings/prizes/"
    shown = page(client, public)
    assert "100" in shown.all("td strong") and "Okonkwo" not in shown
    change_settings(tournament, hold_standings=True)
    assert not page(client, public).all("td strong")
    sheet = desk(client, tournament, "print/prize-list/")
    assert "Received (signature)" in sheet and "Not final" not in sheet
    assert len(sheet.all(".paper tbody tr")) == 4 and "Kim Okonkwo" in sheet


def test_it_is_told_which_prizes_no_one_is_there_to_win(client):
    tournament = played()
    client.force_login(tournament.owner)

    def set_before_players_were_gone(*prizes) -> None:
        Tournament.objects.filter(pk=tournament.pk).update(prizes=prizes)

    set_before_players_were_gone({"last": 4, "what": "mat"}, {"first": 5, "last": 16, "what": "booster"})
    words = "Prizes for 9th–16th place are not given out: only 8 players have a final place."
    for path in ("settings/finish/", "settings/prizes/"):
        assert desk(client, tournament, path).words.count(words) == 1, path
    change_entry(tournament, "P0003", labels=["JUNIOR"])
    set_before_players_were_gone({"by": "label", "label": "junior", "last": 3, "what": "mat"})
    words = "Prizes for 2nd–3rd place of junior are not given out: only 1 player has this label."
    assert words in desk(client, tournament, "settings/prizes/")
    change_entry(tournament, "P0004", labels=["Junior"])
    change_entry(tournament, "P0005", labels=["junior"])
    assert "not given out" not in desk(client, tournament, "settings/prizes/")


def test_finishing_leads_to_the_rounds_that_are_not_over(client):
    tournament = signed_in(client, entries=6, rounds=1, published=True)
    record_result(tournament, 2, 1, Slip("played", 2, 0))
    shown = desk(client, tournament, "settings/finish/")
    assert "Round 2: 2 tables are outstanding. Enter their results first." in shown
    assert shown.link("Go to round 2") == f"/t/{tournament.slug}/desk/rounds/2/"
    assert "Go to round 1" not in shown


def test_a_prize_structure_that_is_none_is_refused():
    tournament = TournamentFactory(entries=2)
    for prizes in (
        ["gold"],
        [{"by": "luck"}],
        [{"amount": "-1"}],
        [{"amount": "1e3"}],
        [{"what": "mat"}] * 61,
    ):
        with pytest.raises(Refused):
            change_settings(tournament, prizes=prizes)
    change_settings(tournament, prizes=[{"last": 5, "what": "mat"}])  # players may still come


def test_the_list_counts_every_result_entered_and_not_only_complete_rounds(client):
    tournament = TournamentFactory(entries=4, published=True)
    change_settings(tournament, prizes=[{"by": "points", "points": "3", "what": "a mat"}])
    client.force_login(tournament.owner)

    def lines(path: str) -> list[str]:
        return [words for words in desk(client, tournament, path).all("tbody tr") if "a mat" in words]

    pages = ("settings/prizes/", "settings/finish/", "print/prize-list/")
    assert [lines(path) for path in pages] == [[], [], []]
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    winner = tournament.seats.get(match__table=1, side="a").entry.name
    for path in pages:
        (line,) = lines(path)
        assert winner in line, path
