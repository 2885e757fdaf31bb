import pytest

from tests.factories import enter_results
from tests.pages import Page, page
from tests.standings.views.test_judges import code_at, desk, judge_of, table
from tests.tournament.views.desk import HTMX, key, match_of, running
from tournament.services.entries import rename_entry

pytestmark = pytest.mark.django_db


def give(client, address, **sent) -> Page:
    return Page(client.post(address, {"key": key(), **sent}, follow=True))


def test_a_penalty_shows_the_earlier_ones_and_says_what_it_changes(client):
    tournament = running(client)
    lena = judge_of(tournament)
    code = code_at(tournament, 2)
    new = desk(tournament, f"penalties/new/?player={code}")
    form = page(lena, new)
    names = [tag["name"] for tag in form.soup.select("main [name]:not([type=hidden])")]
    assert list(dict.fromkeys(names)) == ["judge", "code", "infraction", "description", "kind"]
    assert form.one('[name="judge"]')["value"] == "lena" and "disqualification" not in form
    sent = {"judge": "lena", "code": code, "infraction": "Slow play"}
    give(lena, new, **sent, kind="warning", description="Twice")
    assert "Twice" in page(lena, new) and "Earlier penalties of" in page(lena, new)
    assert "1 game win. Enter it with the result." in give(lena, new, **sent, kind="game_loss")
    assert "Table 2 is entered as won by" in give(lena, new, **sent, kind="match_loss")
    assert match_of(tournament, 2).winner == "b"
    assert "It counts in the next match." in give(lena, new, **sent, kind="match_loss")
    assert give(lena, new, **sent, kind="disqualification").status == 422
    entry = tournament.entries.get(code=code)
    listed = page(client, desk(tournament, "penalties/"), q=entry.name[-2:])
    assert listed.words.count("Slow play") == 4 and "4 penalties" in listed
    assert "No penalties" in page(client, desk(tournament, "penalties/"), q="nobody")


@pytest.mark.parametrize(
    ("fields", "infraction", "usual"),
    [({"ruleset": "mtr"}, "Tardiness", "game_loss"), ({"game": "Magic"}, "slow play", "warning"),
     ({"ruleset": "mtr"}, "Regular REL: draws extra cards", "caution"), ({"ruleset": "fide"}, "Slow play", "warning"),
     ({"ruleset": "mtr"}, "Missed Trigger", None), ({"ruleset": "fide"}, "Tardiness", None),
     ({"ruleset": "mtr"}, "In own words", None)],
)  # fmt: skip
def test_an_infraction_of_the_list_has_its_usual_penalty_unless_another_is_chosen(
    client, fields, infraction, usual
):
    tournament = running(client, **fields)
    lena, new = judge_of(tournament), desk(tournament, "penalties/new/")  # a judge who may not disqualify
    listed = {
        tag["value"]: tag
        for tag in page(lena, new, player=code_at(tournament)).soup.select("datalist option")
    }
    if fields == {"ruleset": "fide"}:
        assert "Late to the table" in listed and "Tardiness" not in listed
    else:
        assert listed["Tardiness"]["data-penalty"] == "game_loss" and "Late to the table" not in listed
    sent = {"code": code_at(tournament), "infraction": infraction}
    answer = give(lena, new, **sent)
    assert answer.status == (200 if usual else 422) and (usual or "Choose the penalty." in answer)
    give(lena, new, **sent, kind="caution")
    given = list(tournament.penalties.values_list("reason", "kind"))
    assert given == [(infraction, kind) for kind in (usual, "caution") if kind]


def test_minutes_and_penalties_answer_a_script_with_the_table_or_the_list_and_else_with_a_page(client):
    tournament = running(client)
    lena = judge_of(tournament)
    new = desk(tournament, f"penalties/new/?player={code_at(tournament)}")
    penalty = {"code": code_at(tournament), "infraction": "Slow play", "kind": "warning"}
    for address, sent in ((table(tournament, 1, "extension/"), {"minutes": 5}), (new, penalty)):
        part = Page(lena.post(address, {**sent, "key": key()}, follow=True, **HTMX))
        assert not part.all("html") and part.one(".notice.success") and "Table 1" in part
        refused = Page(lena.post(address, {**sent, "minutes": "soon", "kind": "none"}, **HTMX))
        assert refused.status == 422 and not refused.all("html")
        assert give(lena, address, **sent).one("html .notice.success")
    assert not Page(lena.get(new, **HTMX)).all("html") and page(lena, new).all("html")
    enter_results(tournament, 1)
    sent = {"code": code_at(tournament), "infraction": "Slow play", "kind": "warning", "key": key()}
    answer = client.post(desk(tournament, "penalties/new/"), sent, **HTMX)
    assert answer["HX-Redirect"] == desk(tournament, "penalties/")
    assert "warning recorded." in page(client, answer["HX-Redirect"])


def test_a_penalty_names_which_of_two_players_with_one_name(client):
    tournament = running(client, 2)
    for code in ("P0001", "P0002"):
        rename_entry(tournament, code, "Bo Lind")
    sent = {"code": "P0001", "infraction": "Tardiness", "kind": "game_loss"}
    given = give(client, desk(tournament, "penalties/new/"), **sent)
    assert "Bo Lind (1 of 2): game loss recorded. Table 1: this gives Bo Lind (2 of 2) 1 game win." in given
