"""Editing a draft in the browser without JavaScript: swaps, locks, coin toss, prohibited pairs, why not; who may."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.draft.services import draft_next_round
from tests.factories import TournamentFactory, UserFactory, correct, enter_results
from tests.tournament.views.desk import key, running
from tournament.models import Staff
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.prohibited_pairs import prohibit_pair
from tournament.services.results import record_result
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db


def drafting(client, players=8, **fields):
    tournament = running(client, players, **fields)
    enter_results(tournament, 1)
    draft_next_round(tournament)
    return tournament


def first_draft(client, players=8, **fields):
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=players, owner=owner, **fields)
    draft_next_round(tournament)
    return tournament


def address(tournament, what="", number=2):
    return f"/t/{tournament.slug}/desk/rounds/{number}/draft/{what}"


def at_table(tournament, table, number=2):
    seats = tournament.rounds.get(number=number).seats.filter(match__table=table).order_by("side")
    return [seat.entry for seat in seats.select_related("entry")]


def text(response):
    return " ".join(response.content.decode().split())


def post(client, tournament, what, number=2, **fields):
    fields.setdefault("key", key())
    fields.setdefault("seen", tournament.rounds.get(number=number).revision)
    return client.post(address(tournament, what, number), fields, follow=True)


def test_the_certificate_is_one_sentence_with_the_numbers_behind_it(client):
    tournament = drafting(client, 9)
    html = text(client.get(address(tournament)))
    assert "No rematches; " in html and "proven optimal." in html
    about = tournament.rounds.get(number=2).pairing
    details = html.split("<summary>details</summary>")[1].split("</details>")[0]
    for part in (about["engine"], about["digest"], "attempt 1", "sum of squared score differences"):
        assert part in details


def test_a_swap_that_changes_nothing_is_said_to_cost_nothing(client):
    tournament = first_draft(client, 8)
    one, other = at_table(tournament, 1, number=1)[0], at_table(tournament, 4, number=1)[0]
    page = text(client.get(address(tournament, "swap/", number=1), {"a": one.code, "b": other.code}))
    assert "This would cost nothing: the round stays equally good." in page


def test_a_swap_that_cannot_be_has_no_price(client):
    tournament = first_draft(client, 8)
    (a, b), (c, _) = at_table(tournament, 1, number=1), at_table(tournament, 4, number=1)
    prohibit_pair(tournament, c.code, b.code)
    page = text(client.get(address(tournament, "swap/", number=1), {"a": a.code, "b": c.code}))
    assert "These two cannot be swapped:" in page and "are on the do-not-pair list." in page
    assert "This would cost" not in page
    assert f'value="{a.name}"' in page and f'value="{c.name}"' in page, "names, not codes, in the boxes"
    assert f'name="a" value="{a.code}"' not in page


def test_a_name_leads_to_the_swap_and_its_price_before_anything_is_done(client):
    tournament = drafting(client, 8, vary_tables=False)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    html = text(client.get(address(tournament)))
    assert f'form="swap" formnovalidate name="pick" value="{one.code}"' in html
    page = text(client.get(address(tournament, "swap/"), {"pick": one.code, "a": "", "b": ""}))
    assert f'value="{one.name}"' in page and ">Swap</button>" not in page
    page = text(client.get(address(tournament, "swap/"), {"a": one.name, "b": other.code}))
    assert ">Swap</button>" in page
    assert "This would cost: " in page and "points of squared score difference" in page
    assert at_table(tournament, 1)[0] == one
    page = post(client, tournament, "swap/", a=one.code, b=other.code, reason="sister of the opponent")
    assert f"{one.name} and {other.name} swapped places." in text(page)
    assert "Edited by hand, tables 1 and 4: " in text(page)
    assert "sister of the opponent" in text(page)
    assert at_table(tournament, 4)[0] == one


def test_a_swap_without_a_reason_or_from_an_old_page_is_refused_on_its_page(client):
    tournament = drafting(client, 8)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    page = post(client, tournament, "swap/", a=one.code, b=other.code, reason="")
    assert page.status_code == 400 and "Enter a reason. It is shown with the round." in text(page)
    page = post(client, tournament, "swap/", a=one.code, b=other.code, reason="x", seen=1)
    assert page.status_code == 409 and "Someone changed these draft pairings" in text(page)
    assert at_table(tournament, 1)[0] == one


def test_letters_that_fit_several_names_list_them(client):
    tournament = drafting(client, 8)
    page = client.get(address(tournament, "swap/"), {"a": "Play", "b": "Player 02"})
    assert page.status_code == 422
    assert "“Play” matches Player 01 [P0001], Player 02 [P0002]" in text(page)
    page = client.get(address(tournament, "swap/"), {"a": "Zzz", "b": "Player 02"})
    assert "No player here matches “Zzz”." in text(page)


def test_undo_on_the_draft_takes_the_last_edit_back(client):
    tournament = drafting(client, 8)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    page = post(client, tournament, "swap/", a=one.code, b=other.code, reason="x")
    assert "Undo the last edit" in text(page)
    tournament.refresh_from_db()
    undo = {"number": tournament.revision, "round": 2, "key": key()}
    page = client.post(f"/t/{tournament.slug}/desk/undo/", undo, follow=True)
    assert page.redirect_chain[-1][0] == address(tournament)
    assert at_table(tournament, 1)[0] == one
    assert "Edited by hand" not in text(page)


def test_a_locked_table_is_said_and_stays(client):
    tournament = drafting(client, 12)
    held = at_table(tournament, 3)
    page = text(post(client, tournament, "lock/", player=held[0].code))
    assert "Locked: table 3." in page and "proven best around 1 locked table" in page
    assert "Pair again around the locked tables" in page
    client.post(f"/t/{tournament.slug}/desk/rounds/2/again/", {"key": key()})
    assert at_table(tournament, 3) == held


def test_the_coin_is_entered_for_table_one(client):
    tournament = first_draft(client, 8, ruleset="twixt")
    _one, other = at_table(tournament, 1, 1)
    html = text(client.get(address(tournament, number=1)))
    assert f"{other.name} moves first" in html
    post(client, tournament, "coin/", number=1, side="b")
    firsts = tournament.rounds.get().matches.order_by("table").values_list("first", flat=True)
    assert list(firsts) == ["b", "a", "b", "a"]


def test_never_pair_these_two_stops_the_draft_until_it_is_paired_again(client):
    tournament = drafting(client, 8)
    one, other = at_table(tournament, 2)
    page = text(post(client, tournament, "apart/", a=one.name, b=other.code))
    assert f"{one.name} and {other.name} are on the do-not-pair list. Pair again." in page
    assert "(1 item to fix)" in page
    refused = client.post(f"/t/{tournament.slug}/desk/rounds/2/publish/", {"key": key()})
    assert refused.status_code == 409 and "are on the do-not-pair list" in text(refused)
    client.post(f"/t/{tournament.slug}/desk/rounds/2/again/", {"key": key()})
    assert {one, other} != set(at_table(tournament, 2))
    page = text(client.get(address(tournament)))
    assert "item to fix" not in page
    assert " – ".join(sorted([one.name, other.name])) in page
    page = text(post(client, tournament, "apart/", a=one.code, b=other.code, lift="1"))
    tournament.refresh_from_db()
    assert tournament.forbidden == []


def test_who_left_stands_on_the_list_with_the_record_and_a_good_one_is_doubted(client):
    tournament = drafting(client, 8)
    winner = next(m for m in tournament.rounds.get(number=1).matches.all() if m.winner == "a")
    code = winner.seats.get(side="a").entry.code
    loser = winner.seats.get(side="b").entry.code
    client.post(f"/t/{tournament.slug}/desk/rounds/2/discard/", {"key": key()})
    drop_entry(tournament, code)
    drop_entry(tournament, loser)
    draft_next_round(tournament)
    page = text(client.get(address(tournament)))
    assert "1 win, 0 losses. Sure?" in page and "0 wins, 1 loss. <a" in page


def test_a_late_edit_of_the_round_before_stands_on_the_list(client):
    tournament = running(client, 8)
    enter_results(tournament, 1)
    record_result(tournament, 1, 2, Slip("played", 0, 2))
    draft_next_round(tournament)
    page = text(client.get(address(tournament)))
    assert "Table 2, round 1:" in page and "0 minutes ago" in page and "(was 2–0)" in page


def test_a_correction_after_the_draft_asks_to_pair_again(client):
    tournament = drafting(client, 8)
    assert "changed since these pairings were made" not in text(client.get(address(tournament)))
    correct(tournament, 1, 1)
    assert "changed since these pairings were made. Pair again." in text(client.get(address(tournament)))


def test_why_not_says_what_it_would_cost_and_whether_they_met(client):
    tournament = drafting(client, 16)
    url = f"/t/{tournament.slug}/desk/rounds/2/why/"
    one = at_table(tournament, 1)[0]
    met = one.seats.get(round__number=1).opponent
    other = next(entry for entry in at_table(tournament, 8) if entry != met)
    page = text(client.get(url, {"a": one.name, "b": other.code}))
    assert "Why are 2 players not paired with each other in round 2?" in page
    assert f"{one.name} vs. {other.name} would cost: " in page and "New pair-downs: 3 vs. 0" in page
    assert "They have not played each other." in page
    a, b = at_table(tournament, 1, 1)
    assert "They played each other in round 1." in text(client.get(url, {"a": a.code, "b": b.code}))
    assert "They are paired, at table 1." in text(
        client.get(url, {"a": one.code, "b": at_table(tournament, 1)[1].code})
    )
    prohibit_pair(tournament, one.code, other.code)
    assert "are on the organizer&#x27;s do-not-pair list" in text(
        client.get(url, {"a": one.code, "b": other.code})
    )


def test_why_not_of_a_posted_round_answers_by_the_facts_of_then(client):
    tournament = drafting(client, 16)
    publish_round(tournament, 2)
    url = f"/t/{tournament.slug}/desk/rounds/2/why/part/"
    one, other = at_table(tournament, 1)[0], at_table(tournament, 8)[0]
    then = text(client.get(url, {"a": one.code, "b": other.code}))
    assert "points of squared score difference" in then
    for table in (1, 2, 3, 4, 5, 6):
        correct(tournament, 1, table)
    prohibit_pair(tournament, one.code, other.code)
    assert text(client.get(url, {"a": one.code, "b": other.code})) == then


def test_too_many_rounds_are_said_where_they_are_set_up(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=6, owner=owner, rounds_planned=6)
    home = text(client.get(f"/t/{tournament.slug}/desk/"))
    assert f'href="/t/{tournament.slug}/desk/rounds-check/"' in home
    page = text(client.get(f"/t/{tournament.slug}/desk/rounds-check/part/"))
    assert "6 players cannot play 6 rounds without rematches. The most is 5." in page
    fine = TournamentFactory(entries=7, owner=owner, rounds_planned=7)
    assert text(client.get(f"/t/{fine.slug}/desk/rounds-check/part/")) == ""
    assert "Yes: 7 players are enough to play 7 rounds without rematches." in text(
        client.get(f"/t/{fine.slug}/desk/rounds-check/")
    )


def test_a_hand_edit_is_public_with_its_reason_and_the_round_can_be_drawn_again(client):
    tournament = drafting(client, 8)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    post(client, tournament, "swap/", a=one.code, b=other.code, reason="sister of the opponent")
    proof = f"/t/{tournament.slug}/rounds/2/proof/"
    client.logout()
    assert client.get(proof).status_code == 404, "a draft is staff's"
    publish_round(tournament, 2)
    page = text(client.get(proof))
    assert "edited by hand after pairing" in page and "sister of the opponent" in page
    assert "--round 2 --seed …" in page and tournament.rounds.get(number=2).pairing["digest"] in page
    assert tournament.seed not in page
    assert proof in text(client.get(f"/t/{tournament.slug}/rounds/2/"))


def test_points_and_costs_are_real_ones_where_a_draw_is_half_a_point(client):
    tournament = TournamentFactory(entries=6, rounds=2, ruleset="twixt", results=2)
    draft_next_round(tournament)
    about = tournament.rounds.get(number=3).pairing
    client.force_login(tournament.owner)
    page = text(client.get(address(tournament, number=3)))
    line = next(line for line in about["certificate"] if line["criterion"] == "score_difference")
    assert about["unit"] == 2 and line["value"] == 2
    assert 'sum of squared score differences</td><td class="num">0.5</td>' in page
    assert "2 pair-downs (" in page and ".5 vs. " in page


@pytest.mark.parametrize("role", [None, Staff.Role.JUDGE])
def test_only_the_desk_edits_a_draft_and_a_judge_sees_it_without_buttons(client, role):
    tournament = drafting(client, 8)
    other = UserFactory()
    if role:
        Staff.objects.create(tournament=tournament, user=other, role=role)
    client.force_login(other)
    expected = 403 if role else 404
    one, two = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    for what in ("swap/", "lock/", "coin/", "first/", "apart/"):
        fields = {"a": one.code, "b": two.code, "reason": "x", "seen": 1, "player": one.code, "side": "a"}
        assert client.post(address(tournament, what), fields).status_code == expected, what
    assert client.post(f"/t/{tournament.slug}/desk/rounds/1/repair/", {}).status_code == expected
    page = client.get(address(tournament))
    if role:
        assert 'class="pick"' not in text(page) and "Publish round" not in text(page)
        assert "Why not these two?" in text(page)
    assert at_table(tournament, 1)[0] == one


def test_nonsense_is_answered_in_words(client):
    tournament = drafting(client, 8)
    for what, fields in (
        ("swap/", {"a": "P0001", "b": "P0001", "reason": "x"}),
        ("swap/", {"a": "\x00", "b": "P0001", "reason": "x"}),
        ("swap/", {"a": "P0001", "b": "P0002", "reason": "x" * 999}),
        ("swap/", {}),
        ("lock/", {"player": "nobody"}),
        ("lock/", {"player": "P0001", "seen": "x"}),
        ("coin/", {"side": "c"}),
        ("coin/", {"side": "a"}),
        ("first/", {"player": "P0001", "reason": "x"}),
        ("apart/", {"a": "P0001"}),
    ):
        assert 400 <= post(client, tournament, what, **fields).status_code < 500, (what, fields)
    assert client.get(address(tournament, "swap/"), {"a": "x" * 999, "b": "P0001"}).status_code == 422
    assert client.get(f"/t/{tournament.slug}/desk/rounds/99/why/").status_code == 404
    assert client.get(f"/t/{tournament.slug}/rounds/99/proof/").status_code == 404


def test_long_and_equal_names_and_many_tables_are_told_apart_and_paged(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=0, owner=owner)
    add_entries(tournament, ["Ann " + "x" * 76, "Bo", "Bo"] + [f"N{k:03d}" for k in range(600)])
    draft_next_round(tournament)
    with CaptureQueriesContext(connection) as queries:
        page = client.get(address(tournament, number=1))
    html = text(page)
    assert len(queries) <= 20
    assert html.count('class="no">') == 251  # one page of tables, and the head
    assert "lines 1 to 250 of 302" in html and "?page=2" in html
    assert "datalist" not in html
    noted = text(client.get(address(tournament, number=1), {"show": "noted"}))
    assert noted.count('class="no">') == 2
    assert "Bo (1 of 2)" in html + text(client.get(address(tournament, number=1), {"page": 2}))


def test_the_log_says_in_words_what_was_done_by_hand(client):
    tournament = drafting(client, 8)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    post(client, tournament, "swap/", a=one.code, b=other.code, reason="sister")
    post(client, tournament, "lock/", player=one.code)
    post(client, tournament, "apart/", a=one.code, b=other.code)
    page = text(client.get(f"/t/{tournament.slug}/desk/log/"))
    assert "Draft pairings for round 2 edited by hand" in page and "sister" in page
    assert "Locked tables of round 2: 1" in page
    assert f"Do-not-pair list none → {min(one.name, other.name)} – {max(one.name, other.name)}" in page


def test_repair_and_proof_cost_the_same_at_eight_players_and_at_sixty(client):
    counts = []
    for players in (8, 60):
        tournament = running(client, players)
        enter_results(tournament, 1)
        draft_next_round(tournament)
        publish_round(tournament, 2)
        correct(tournament, 1, 1)
        for page in ("desk/rounds/2/repair/", "rounds/2/proof/"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"/t/{tournament.slug}/{page}").status_code == 200
            assert {query["sql"].split()[0] for query in queries} <= {"SELECT", "DECLARE"}
            counts.append(len(queries))
    assert counts[:2] == counts[2:] and max(counts) <= 30
