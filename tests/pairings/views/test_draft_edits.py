import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.draft.services import draft_next_round
from tests.pages import Page, page
from tests.pairings.drafting import at_table, draft_address, drafting, edit
from tests.tournament.views.desk import key, sign_in_staff, signed_in
from tournament.services.entries import add_entries, prohibit_pair
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db


def first_draft(client, players=8, **fields):
    tournament = signed_in(client, entries=players, drafted=True, **fields)
    return tournament


def landed(shown):
    return shown.answer.redirect_chain[-1][0]


def test_a_name_leads_to_the_swap_and_its_price_before_anything_is_done_and_undo_takes_it_back(client):
    tournament = drafting(client, vary_tables=False)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    swap = draft_address(tournament, "swap/")
    pick = page(client, draft_address(tournament)).one(f'button[form="swap"][value="{one.code}"]')
    assert pick["name"] == "pick" and pick.has_attr("formnovalidate")
    shown = page(client, swap, pick=one.code, a="", b="")
    assert shown.form("Preview")["a"] == one.name and "Swap" not in shown.all("button")
    shown = page(client, swap, a=one.name, b=other.code)
    assert "This would cost: " in shown and "points of squared score difference" in shown and "−" not in shown
    assert at_table(tournament, 1)[0] == one
    shown = edit(client, tournament, "swap/", a=one.code, b=other.code, reason="sister of the opponent")
    assert f"{one.name} and {other.name} swapped places." in shown
    (said,) = [text for text in shown.all("section .plain li") if "Edited by hand" in text]
    assert said.startswith("Edited by hand, tables 1 and 4: ") and said.count("by hand") == 1
    assert said.endswith("sister of the opponent") and at_table(tournament, 4)[0] == one
    assert " save: " in page(client, swap, a=one.code, b=other.code), "back again"
    log = page(client, f"/t/{tournament.slug}/desk/log/")
    assert "Draft pairings for round 2 edited by hand" in log and "sister" in log
    undo = shown.form("Undo the last edit")
    shown = Page(client.post(undo.action, undo.fields, follow=True))
    assert landed(shown) == draft_address(tournament) and "Edited by hand" not in shown
    assert at_table(tournament, 1)[0] == one


def test_a_swap_may_cost_nothing_or_be_impossible_and_names_that_fit_several_are_answered_with_names(client):
    tournament = first_draft(client)
    (a, b), (c, _) = at_table(tournament, 1, 1), at_table(tournament, 4, 1)
    swap = draft_address(tournament, "swap/", 1)
    assert "This would cost nothing: the round stays equally good." in page(client, swap, a=a.code, b=c.code)
    prohibit_pair(tournament, c.code, b.code)
    shown = page(client, swap, a=a.code, b=c.code)
    assert "These two cannot be swapped:" in shown and "are on the do-not-pair list." in shown
    assert "This would cost" not in shown
    assert (shown.form("Preview")["a"], shown.form("Preview")["b"]) == (a.name, c.name), "names, not codes"
    tournament = signed_in(client, entries=0)
    add_entries(tournament, ["Ada Lovelace", "Bo Müller", "Cy Möller", "Di Keller", "Ed Möller"])
    draft_next_round(tournament)

    def swap(name):
        return Page(client.get(draft_address(tournament, "swap/part/", 1), {"a": name, "b": "Di"}))

    shown = swap("Möller")
    assert shown.status == 422 and "“Möller” matches Cy Möller [P0003], Ed Möller [P0005]" in shown
    assert "No player here matches “Adda Lovlace”. Did you mean: Ada Lovelace?" in swap("Adda Lovlace")
    near = swap("Moeller").words.split("Did you mean: ")[1].split("?")[0].split(", ")
    assert len(near) == 3 and {"Cy Möller", "Ed Möller"} < set(near)
    assert swap("Zzz").words == "No player here matches “Zzz”."


def test_a_swap_from_an_old_page_and_nonsense_are_refused_in_words(client):
    tournament = drafting(client)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    shown = edit(client, tournament, "swap/", a=one.code, b=other.code, reason="x", seen=1)
    assert shown.status == 409 and "Someone changed these draft pairings" in shown
    assert at_table(tournament, 1)[0] == one
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
        assert 400 <= edit(client, tournament, what, **fields).status < 500, (what, fields)
    swap = draft_address(tournament, "swap/")
    assert client.get(swap, {"a": "x" * 999, "b": "P0001"}).status_code == 422
    assert client.get(f"/t/{tournament.slug}/desk/rounds/99/why/").status_code == 404
    assert client.get(f"/t/{tournament.slug}/rounds/99/proof/").status_code == 404


def test_a_locked_table_and_a_locked_bye_are_said_and_stay(client):
    tournament = drafting(client, 13)
    held = at_table(tournament, 3)
    shown = edit(client, tournament, "lock/", player=held[1].code)
    assert landed(shown) == draft_address(tournament) + "#table-3" and "Table 3 is locked." in shown
    assert shown.one('button#table-3[form="lock"]')["aria-pressed"] == "true"
    assert shown.all("#undone") == [f"Locked: {' – '.join(entry.name for entry in held)}."]
    assert "Locked: table 3." in shown and "proven best around 1 locked table" in shown
    again = shown.form("Pair again around the locked tables")
    client.post(again.action, again.fields)
    assert at_table(tournament, 3) == held
    shown = edit(client, tournament, "lock/", player=held[0].code)
    assert "Table 3 is no longer locked." in shown and shown.all("#undone")[0].startswith("Unlocked: ")
    (lone,) = at_table(tournament, None)
    shown = edit(client, tournament, "lock/", player=lone.code)
    assert landed(shown) == draft_address(tournament) + f"#bye-{lone.code}" and "The bye is locked." in shown
    assert shown.one(f'button#bye-{lone.code}[form="lock"]')


def test_an_edit_comes_back_to_the_rows_that_were_looked_at(client):
    tournament = drafting(client, 12)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    noted = page(client, draft_address(tournament), show="noted")
    assert noted.one("form#lock")["action"] == draft_address(tournament, "lock/") + "?show=noted"
    assert noted.form("Preview")["show"] == "noted"
    for what in ("swap/", "swap/part/"):
        shown = page(
            client, draft_address(tournament, what), a=one.code, b=other.code, show="noted", more="x"
        )
        assert shown.form("Swap").action == draft_address(tournament, "swap/") + "?show=noted", what
    shown = edit(client, tournament, "swap/?show=noted", a=one.code, b=other.code, reason="x")
    assert landed(shown) == draft_address(tournament) + "?show=noted#table-4"
    assert shown.one("#table-4"), "a table changed by hand has something to say"


def test_long_and_equal_names_and_many_tables_are_told_apart_and_paged(client):
    tournament = signed_in(client, entries=0)
    add_entries(tournament, ["Ann " + "x" * 76, "Bo", "Bo"] + [f"N{k:03d}" for k in range(600)])
    draft_next_round(tournament)
    with CaptureQueriesContext(connection) as queries:
        shown = page(client, draft_address(tournament, number=1))
    assert len(queries) <= 20
    assert len(shown.all("td.no")) == 250 and "lines 1 to 250 of 302" in shown
    assert shown.link("Next tables") == "?page=2" and not shown.all("datalist")
    assert len(page(client, draft_address(tournament, number=1), show="noted").all("td.no")) == 1
    assert "Bo (1 of 2)" in shown.words + page(client, draft_address(tournament, number=1), page=2).words
    for table, where in ((250, ""), (251, "?page=2")):
        shown = edit(client, tournament, "lock/?page=2", 1, player=at_table(tournament, table, 1)[0].code)
        assert landed(shown) == draft_address(tournament, number=1) + f"{where}#table-{table}"
        assert shown.one(f"#table-{table}")


def test_the_coin_is_entered_for_table_one_and_a_judge_sees_no_buttons(client):
    tournament = first_draft(client, ruleset="twixt")
    shown = page(client, draft_address(tournament, number=1))
    coin = shown.form(f"{at_table(tournament, 1, 1)[1].name} moves first")
    client.post(coin.action, coin.fields)
    firsts = tournament.rounds.get().matches.order_by("table").values_list("first", flat=True)
    assert list(firsts) == ["b", "a", "b", "a"]
    tournament = drafting(client)
    sign_in_staff(client, tournament)
    shown = page(client, draft_address(tournament))
    assert not shown.all(".pick") and "Publish round" not in shown
    assert "not paired with each other?" in shown


def test_never_pair_these_two_stops_the_draft_until_it_is_paired_again(client):
    tournament = drafting(client)
    one, other = at_table(tournament, 2)
    pair = " – ".join(sorted([one.name, other.name]))
    shown = edit(client, tournament, "apart/", a=one.name, b=other.code)
    assert shown.all("#undone") == [f"Added to the do-not-pair list: {pair}."]
    assert f"{one.name} and {other.name} are on the do-not-pair list. Pair again." in shown
    assert "(1 item to fix)" in shown
    refused = Page(client.post(f"/t/{tournament.slug}/desk/rounds/2/publish/", {"key": key()}))
    assert refused.status == 409 and "are on the do-not-pair list" in refused
    assert f"Do-not-pair list: none → {pair}" in page(client, f"/t/{tournament.slug}/desk/log/")
    again = shown.form("Pair again")
    client.post(again.action, again.fields)
    assert {one, other} != set(at_table(tournament, 2))
    shown = page(client, draft_address(tournament))
    assert "item to fix" not in shown and pair in shown
    shown = edit(client, tournament, "apart/", a=one.code, b=other.code, lift="1")
    assert shown.all("#undone") == [f"Removed from the do-not-pair list: {pair}."]
    tournament.refresh_from_db()
    assert tournament.forbidden == []


def test_a_hand_edit_is_public_with_its_reason_and_the_round_can_be_drawn_again(client):
    tournament = drafting(client)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    edit(client, tournament, "swap/", a=one.code, b=other.code, reason="sister of the opponent")
    proof = f"/t/{tournament.slug}/rounds/2/proof/"
    client.logout()
    assert client.get(proof).status_code == 404, "a draft is staff's"
    publish_round(tournament, 2)
    shown = page(client, proof)
    assert "edited by hand after pairing" in shown and "sister of the opponent" in shown
    assert "--round 2 --seed …" in shown and tournament.rounds.get(number=2).pairing["digest"] in shown
    assert tournament.seed not in shown
    assert page(client, f"/t/{tournament.slug}/rounds/2/").soup.select(f'a[href="{proof}"]')
