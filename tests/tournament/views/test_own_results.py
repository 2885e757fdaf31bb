import pytest

from standings.bracket.cut import make_cut
from tests.factories import TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.tournament.views.desk import key, match_of, post_slip, running
from tournament.history.describe import describe_actions
from tournament.models import Match
from tournament.results.desk_sheet import desk_sheet_of
from tournament.results.shorthand import parse_slip
from tournament.services.entries import entry_of
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db
MARK = "entered by a player of this match"


def says_who(client, tournament, code, name):
    return client.post(f"/t/{tournament.slug}/desk/staff/players/{code}/", {"username": name, "key": key()})


@pytest.fixture
def playing(client):
    tournament = running(client)
    seat = match_of(tournament, 1).seats.select_related("entry").get(side="b")
    assert says_who(client, tournament, seat.entry.code, tournament.owner.username).status_code == 303
    return tournament


def marked(client, tournament):
    tournament.refresh_from_db()
    rows = desk_sheet_of(tournament, tournament.rounds.get(number=1)).rows
    sentences = [
        line.sentence for line in describe_actions(tournament, tournament.actions.order_by("number"))
    ]
    return [row.table for row in rows if row.own], [line for line in sentences if MARK in line]


def test_a_result_of_ones_own_match_is_marked_until_somebody_else_corrects_it_in_a_bracket_too(
    client, playing
):
    assert MARK in Page(post_slip(client, playing, 1, slip="20"))
    assert MARK not in Page(post_slip(client, playing, 2, slip="20"))
    tables, sentences = marked(client, playing)
    assert tables == [1] and len(sentences) == 1 and sentences[0].startswith("Table 1, round 1")
    assert MARK in page(client, f"/t/{playing.slug}/desk/log/")
    record_result(playing, 1, 1, parse_slip("21"), actor="somebody")
    tables, sentences = marked(client, playing)
    assert tables == [] and len(sentences) == 1, "the log still says it"
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=8, rounds=2, owner=owner)
    make_cut(tournament, 4)
    match = Match.objects.filter(round__tournament=tournament, round__swiss=False).order_by("table").first()
    entry = match.seats.get(side="a").entry
    says_who(client, tournament, entry.code, owner.username)
    address = f"/t/{tournament.slug}/bracket/rounds/{match.round.number}/tables/{match.table}/result/"
    client.post(address, {"slip": "20", "key": key(), "version": match.version})
    assert page(client, f"/t/{tournament.slug}/desk/bracket/").all(".wait").count(MARK) == 1


def test_the_link_is_told_without_a_name_and_can_be_taken_back(client, playing):
    entry = playing.entries.get(user=playing.owner)
    last = playing.actions.order_by("-number").first()
    assert last.changes == [{"fact": f"entries/{entry.code}", "personal": ["user"]}]
    assert "staff account changed" in describe_actions(playing, [last])[0].sentence
    shown = page(client, f"/t/{playing.slug}/desk/players/{entry.code}/")
    assert shown.form("Save staff account")["username"] == playing.owner.username
    UserFactory(username="stranger")
    assert says_who(client, playing, entry.code, "stranger").status_code == 404
    says_who(client, playing, entry.code, "")
    assert entry_of(playing, entry.code).user is None
