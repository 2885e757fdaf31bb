"""Where the draft's page comes back to after a change by hand: the same rows, at the table that was changed."""

import pytest

from pairings.draft.services import draft_next_round
from tests.factories import TournamentFactory, UserFactory
from tests.pairings.views.test_draft_edits import address, at_table, drafting, post, text
from tournament.services.entries import add_entries

pytestmark = pytest.mark.django_db


def landed(page):
    """Where the browser stands after the form, and the message it reads there."""
    return page.redirect_chain[-1][0]


def test_a_lock_comes_back_to_its_row_and_says_what_it_did(client):
    tournament = drafting(client, 12)
    one = at_table(tournament, 3)[1]
    page = post(client, tournament, "lock/", player=one.code)
    assert landed(page) == address(tournament) + "#table-3"
    assert '<button id="table-3" form="lock"' in text(page) and "Table 3 is locked." in text(page)
    page = post(client, tournament, "lock/", player=one.code)
    assert landed(page) == address(tournament) + "#table-3"
    assert "Table 3 is no longer locked." in text(page)


def test_the_bye_has_a_row_to_come_back_to(client):
    tournament = drafting(client, 9)
    lone = tournament.rounds.get(number=2).seats.get(match__table=None).entry
    page = post(client, tournament, "lock/", player=lone.code)
    assert landed(page) == address(tournament) + f"#bye-{lone.code}"
    assert f'<button id="bye-{lone.code}" form="lock"' in text(page) and "The bye is locked." in text(page)


def test_a_swap_comes_back_to_the_rows_that_were_looked_at(client):
    tournament = drafting(client, 12)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    noted = text(client.get(address(tournament), {"show": "noted"}))
    assert f'action="{address(tournament, "lock/")}?show=noted"' in noted
    assert (
        '<input type="hidden" name="show" value="noted">'
        in noted.split('<form id="swap"')[1].split("</form>")[0]
    )
    fields = {"a": one.code, "b": other.code, "show": "noted", "more": "x"}
    for what in ("swap/", "swap/part/"):
        answer = text(client.get(address(tournament, what), fields))
        assert f'action="{address(tournament, "swap/")}?show=noted"' in answer, what
    page = post(client, tournament, "swap/?show=noted", a=one.code, b=other.code, reason="x")
    assert landed(page) == address(tournament) + "?show=noted#table-4"
    assert 'id="table-4"' in text(page), "a table changed by hand has something to say"


def test_a_table_of_a_later_page_comes_back_on_that_page(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=0, owner=owner)
    add_entries(tournament, [f"N{number:03d}" for number in range(601)])
    draft_next_round(tournament)
    for table, where in ((250, ""), (251, "?page=2")):
        one = at_table(tournament, table, 1)[0]
        page = post(client, tournament, "lock/?page=2", 1, player=one.code)
        assert landed(page) == address(tournament, number=1) + f"{where}#table-{table}"
        assert f'id="table-{table}"' in text(page)


def test_what_comes_after_the_tables_is_one_link_away(client):
    tournament = drafting(client, 8)
    html = text(client.get(address(tournament)))
    assert html.index('href="#tools"') < html.index('<table class="rows draft">') < html.index('id="tools"')
