import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, enter_results
from tests.pages import Page, page
from tests.pairings.drafting import at_table, draft_address, drafting, edit, revision, seated
from tests.pairings.proof.test_why_not import why
from tests.tournament.views.desk import desk, key, post_slip, running, sign_in_staff, signed_in
from tournament.models import Round
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.drops import drop_entry, reinstate_entry
from tournament.services.entries import add_entries, prohibit_pair
from tournament.services.rounds import publish_round


def send(client, tournament, part, **fields):
    return Page(client.post(desk(tournament, part), {"key": key(), **fields}, follow=True))


def test_pairing_completes_the_round_before_and_one_button_pressed_twice_is_quiet(client):
    tournament = running(client, 9)
    enter_results(tournament, 1)
    once = key()
    for _ in range(2):
        shown = send(client, tournament, "pair/", key=once)
    assert shown.answer.redirect_chain[-1][0] == draft_address(tournament)
    assert client.get(desk(tournament, "rounds/2/"))["Location"] == draft_address(tournament)
    assert list(tournament.rounds.values_list("state", flat=True)) == ["complete", "draft"]
    for words in ("No rematches.", "✓ proven", "The bye is in the lowest score group."):
        assert words in shown
    assert "All 9 players are seated, each once." in shown
    assert "P0001" not in " ".join(shown.all("table.draft")), "codes are for the staff's lists"
    once = key()
    for _ in range(2):
        shown = send(client, tournament, "rounds/2/again/", key=once)
    assert "This is attempt 2" in shown
    once = key()
    for _ in range(2):
        assert send(client, tournament, "rounds/2/publish/", key=once).status == 200
    assert client.get(draft_address(tournament))["Location"] == desk(tournament, "rounds/2/")
    again = send(client, tournament, "rounds/2/publish/")
    assert again.status == 409 and "Round 2 is already published." in again


def test_where_no_round_follows_pairing_is_refused_in_words(client):
    tournament = running(client)
    for table in (1, 2, 4):
        post_slip(client, tournament, table=table, slip="20")
    refused = send(client, tournament, "pair/")
    assert refused.status == 409 and tournament.rounds.count() == 1
    assert "Results of round 1 are outstanding at these tables: 3." in refused
    enter_results(tournament, 1)
    make_cut(tournament, 4)
    assert client.get(desk(tournament, "pair/")).status_code == 200
    refused = send(client, tournament, "pair/")
    assert refused.status == 409 and "The bracket is set, so there are no more Swiss rounds." in refused


@pytest.mark.parametrize(
    ("what", "button"),
    [("publish", "Publish round 2"), ("again", "Pair again"), ("discard", "Discard draft pairings")],
)
def test_what_is_done_to_a_whole_draft_is_done_to_the_one_that_was_seen(client, what, button):
    tournament = drafting(client, 9)
    form = page(client, draft_address(tournament)).form(button)
    assert int(form["seen"]) == revision(tournament, 2)
    send(client, tournament, "rounds/2/again/", seen=form["seen"])
    now = revision(tournament, 2)
    shown = Page(client.post(form.action, form.fields))
    assert shown.status == 409 and "Someone changed these draft pairings after you opened them" in shown
    assert int(shown.form(button)["seen"]) == now and "This is attempt 2" in shown
    again = tournament.rounds.get(number=2)
    assert (again.state, again.revision) == (Round.State.DRAFT, now)
    done = send(client, tournament, f"rounds/2/{what}/", seen=now)
    assert done.status == 200
    if what == "discard":
        assert "Pair round 2" in done and tournament.rounds.get().state == Round.State.COMPLETE


def test_who_drops_or_returns_while_the_draft_lies_there_stops_it(client):
    tournament = drafting(client)
    drop_entry(tournament, "P0003")
    assert "No longer playing: Player 03. Pair again." in page(client, draft_address(tournament))
    refused = send(client, tournament, "rounds/2/publish/")
    assert refused.status == 409
    assert "Player 03 dropped since these pairings were made. Pair again." in refused
    send(client, tournament, "rounds/2/again/")
    reinstate_entry(tournament, "P0003")
    refused = send(client, tournament, "rounds/2/publish/")
    assert refused.status == 409
    assert "Player 03 is not seated in these pairings. Pair again." in refused


def test_nonsense_about_pairing_gets_a_4xx_and_an_odd_twixt_field_asks_for_the_house(client):
    tournament = running(client, 7, ruleset="twixt")
    enter_results(tournament, 1)
    for fields in (
        {"house": "nobody"},
        {"house": "new", "name": "\x00"},
        {"key": "\x00"},
        {"house": "x" * 9999},
    ):
        assert 400 <= send(client, tournament, "pair/", **fields).status < 500, fields
    assert send(client, tournament, "rounds/9/publish/").status == 404
    assert send(client, tournament, "rounds/9/again/").status == 404
    shown = send(client, tournament, "pair/")
    assert shown.answer.redirect_chain[-1] == (desk(tournament, "pair/"), 303)
    assert "house opponent" in shown and tournament.rounds.count() == 1
    assert send(client, tournament, "pair/", house="bye").status == 200
    assert tournament.rounds.get(number=2).matches.filter(result="bye").count() == 1
    send(client, tournament, "rounds/2/discard/")
    assert send(client, tournament, "pair/", house="new", name="").status == 422
    assert "Plays the house opponent" in send(client, tournament, "pair/", house="new", name="Jorge")
    assert not tournament.rounds.get(number=2).matches.filter(result="bye").exists()
    assert "Jorge" in send(client, tournament, "rounds/2/again/")
    send(client, tournament, "rounds/2/publish/")
    enter_results(tournament, 2)
    assert "house opponent: Jorge" in send(client, tournament, "pair/")
    code = tournament.entries.get(house=True).code
    assert send(client, tournament, "pair/", house=code).status == 200
    assert tournament.entries.filter(house=True).count() == 1


def test_the_road_ends_with_the_finish_where_there_is_no_cut(client):
    tournament = running(client, 4, rounds_planned=1, cut=0)
    enter_results(tournament, 1)
    assert "Finish the event" in page(client, desk(tournament))
    shown = send(client, tournament, "settings/finish/")
    tournament.refresh_from_db()
    assert "The event is finished." in shown
    assert tournament.seed in page(client, f"/t/{tournament.slug}/")
    over = page(client, desk(tournament, "pair/"))
    assert "The event is finished. Reopen it first." in over and "Pair" not in over.all("button")
    assert send(client, tournament, "settings/finish/").status == 409
    assert send(client, tournament, "reopen/").status == 200
    assert RoundFactory(tournament=tournament).number == 2


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
    (said,) = [text for text in shown.all(".plain li") if "Edited by hand" in text]
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
    assert "locked" in shown.all("tr:has(#table-3) .tag")
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
    assert shown.one(f"button#bye-{lone.code}")


def test_an_edit_comes_back_to_the_rows_that_were_looked_at(client):
    tournament = drafting(client, 12)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    noted = page(client, draft_address(tournament), show="noted")
    assert noted.form("Lock or unlock the table").action == draft_address(tournament, "lock/") + "?show=noted"
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
    assert len(shown.all("td.no")) == 250 and "page 1 of 2" in shown
    assert shown.link("Next page") == "?page=2" and not shown.all("datalist")
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
    assert not shown.all("button.pick") and "Publish round" not in shown
    assert "Why were they not paired?" in shown


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


NO_MEETING = "They were paired in round 1, but a forfeit does not count as a meeting under this ruleset."
NO_SHOW = Slip("forfeit", winner="a")


def test_draft_and_round_say_that_they_are_no_rematch_until_it_was_played_after_all(client):
    tournament = drafting(client, 2, NO_SHOW, ruleset="fide")
    shown = page(client, draft_address(tournament))
    checks = " ".join(shown.all("[aria-labelledby=before] li"))
    assert "No rematches." in checks
    assert (
        "Paired again after a forfeit, which does not count as a meeting under this ruleset: table 1."
        in checks
    )
    assert NO_MEETING in shown and "Rematch" not in shown
    publish_round(tournament, 2)
    proof = f"/t/{tournament.slug}/rounds/2/proof/"
    shown = page(client, proof)
    assert NO_MEETING in shown and "No rematches; " in shown
    correct_result(tournament, 1, 1, Slip("played", 1, 0), reason="they played at noon")
    shown = page(client, proof)
    assert NO_MEETING not in shown and "waived: as it was played" in shown
    assert "No rematches; 1 pair-down" in shown, "what the certificate said then"
    tournament = drafting(client, 4, NO_SHOW, overrides={"pairing": {"repeats": "never"}})
    a, b = at_table(tournament, 1, 1)
    opponent, before = tournament.seats.get(round__number=2, entry=a).opponent, seated(tournament, 2)
    shown = edit(client, tournament, "swap/", a=opponent.code, b=b.code, reason="they asked")
    assert "have already played, and this ruleset does not allow rematches." in shown
    assert seated(tournament, 2) == before


@pytest.mark.parametrize("ruleset", ["fide", "mtr"])
def test_by_hand_they_are_paired_again_with_a_waiver_only_where_forfeits_are_meetings(client, ruleset):
    tournament = drafting(client, 4, NO_SHOW, ruleset=ruleset)
    a, b = at_table(tournament, 1, 1)
    answer = why(client, tournament, a.name, b.name)
    assert (NO_MEETING in answer) == (ruleset == "fide") and "have not played" not in answer
    opponent = tournament.seats.get(round__number=2, entry=a).opponent
    shown = page(client, draft_address(tournament, "swap/"), a=opponent.code, b=b.code)
    waived = "were already paired, and a forfeit is a meeting under this ruleset"
    assert (waived in shown) == (ruleset == "mtr")
    edit(client, tournament, "swap/", a=opponent.code, b=b.code, reason="they came for each other")
    match = tournament.seats.get(round__number=2, entry=a).match
    assert match.waived_reason == ("they came for each other" if ruleset == "mtr" else "")
