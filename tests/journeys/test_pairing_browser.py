import pytest
from playwright.sync_api import expect

from pairings.draft.services import draft_next_round
from tests.browser import LOOKS, looks_right, open_as
from tests.factories import TournamentFactory
from tournament.models import Match
from tournament.services.entries import add_entries, rename_entry

pytestmark = pytest.mark.django_db(transaction=True)


def press(link_or_button):
    link_or_button.focus()
    link_or_button.press("Enter")


@pytest.fixture
def draft(page, live_server):
    page.tournament = TournamentFactory(entries=9, rounds=1, drafted=True)
    open_as(page, live_server, page.tournament.owner, f"/t/{page.tournament.slug}/desk/rounds/2/draft/")
    return page


def seated(tournament, table, number=2):
    seats = tournament.rounds.get(number=number).seats.filter(match__table=table)
    return set(seats.values_list("entry__code", flat=True))


def name(page, table, side=0):
    return page.locator("table.draft tbody tr").nth(table - 1).locator("button.pick").nth(side)


def test_a_draft_is_changed_by_keyboard_alone(draft):
    one, other = name(draft, 1).get_attribute("value"), name(draft, 3).get_attribute("value")
    press(name(draft, 1))
    expect(name(draft, 1)).to_have_attribute("aria-pressed", "true")
    expect(draft.locator("#announce")).to_contain_text("selected. Choose the player to swap with")
    draft.keyboard.press("Escape")
    expect(name(draft, 1)).not_to_have_attribute("aria-pressed", "true")
    draft.keyboard.press("Enter")
    name(draft, 3).focus()
    draft.keyboard.press("Space")
    expect(draft.locator("#swap-answer")).to_contain_text("This would cost")
    expect(draft.locator("#swap-a")).to_have_value(name(draft, 1).locator("span").first.inner_text())
    expect(draft.locator("#swap-answer [data-focus]")).to_be_focused()
    looks_right(draft, *LOOKS)
    assert one in seated(draft.tournament, 1), "looking does nothing"
    draft.keyboard.press("Tab")
    draft.keyboard.type("sister of the opponent")
    draft.keyboard.press("Enter")
    draft.wait_for_selector("text=swapped places")
    assert one in seated(draft.tournament, 3) and other in seated(draft.tournament, 1)
    expect(draft.get_by_text("sister of the opponent").first).to_be_visible()

    draft.set_viewport_size({"width": 390, "height": 500})
    bye = name(draft, 5)
    press(bye)
    press(draft.get_by_text("Lock a table"))
    press(draft.get_by_role("button", name="Lock or unlock the table"))
    expect(draft.locator("#announce")).to_have_text("The bye is locked.")
    expect(bye).to_be_focused()
    expect(bye).to_be_in_viewport()

    one, other = (name(draft, 1, side).locator("span").first.inner_text() for side in (0, 1))
    draft.get_by_role("link", name="Why were they not paired?").click()
    for typed, said in ((other, "are paired"), ("Zzz", "No player here matches “Zzz”.")):
        draft.fill("#why-a", one)
        draft.fill("#why-b", typed)
        draft.press("#why-b", "Enter")
        expect(draft.get_by_text(said).first).to_be_visible()


@pytest.mark.slow
def test_a_swap_by_dragging_one_name_onto_the_other(draft):
    draft.set_viewport_size({"width": 1280, "height": 1400})
    name(draft, 1, 1).drag_to(name(draft, 4))
    expect(draft.locator("#swap-answer")).to_contain_text("Table 1:")
    expect(draft.locator("#swap-answer")).to_contain_text("Table 4:")
    draft.fill("#swap-reason", "asked for")
    draft.get_by_role("button", name="Swap", exact=True).click()
    draft.wait_for_selector("text=swapped places")
    assert draft.tournament.rounds.get(number=2).pairing["edits"][0]["tables"] == [1, 4]


def test_long_names_have_the_room_that_empty_reasons_leave(page, live_server):
    tournament = TournamentFactory(entries=0)
    long = "Anna von Hohenzollern"
    add_entries(tournament, [long, "Bo Li", "Chen Wei", "Dee Marsh"])
    draft_next_round(tournament)
    page.set_viewport_size({"width": 1280, "height": 900})
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/rounds/1/draft/")
    name = page.locator("button.pick span", has_text=long)
    lines = (
        "b => { const r = document.createRange(); r.selectNodeContents(b); return r.getClientRects().length }"
    )
    assert name.evaluate(lines) == 1


def correct(page, games):
    page.get_by_label("Other…").check()
    page.locator("input[name=a]").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(games[0])
    page.keyboard.press("Tab")
    page.keyboard.type(games[1])
    page.keyboard.press("Enter")
    say_why(page)


def say_why(page):
    expect(page.get_by_role("heading", name="What changes")).to_be_focused()
    expect(page.get_by_role("button", name="See which tables")).to_have_count(0)  # loaded on their own
    expect(page.locator(".htmx-request")).to_have_count(0)
    looks_right(page, *LOOKS)
    page.get_by_label("Who ruled").focus()
    page.keyboard.type("Ana")
    page.keyboard.press("Tab")
    page.keyboard.type("The slip was read the wrong way round.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def test_a_wrong_result_of_an_earlier_round_leads_on_to_the_repair(page, live_server):
    event = TournamentFactory(entries=8, rounds=3, published=True)
    match = Match.objects.get(round__tournament=event, round__number=2, table=1)
    open_as(page, live_server, event.owner, f"/t/{event.slug}/desk/rounds/2/")
    press(page.locator("#match-1 a").first)
    correct(page, "02" if match.winner == "a" else "20")
    expect(page.get_by_text("Corrected.")).to_be_visible()
    assert page.url.endswith("/desk/rounds/4/repair/")
    before, match.winner = match.winner, None
    match.refresh_from_db()
    assert {before, match.winner} == {"a", "b"}


def test_a_wrong_player_seated_is_corrected_by_keys(page, live_server):
    event = TournamentFactory(entries=9, rounds=3, published=True)
    rename_entry(event, "P0009", "Zoë Marsh")
    table = Match.objects.exclude(seats__entry__code="P0009").filter(
        round__tournament=event, round__number=2, table__isnull=False
    )[0]
    a, b = table.seats.order_by("side").values_list("entry__name", flat=True)
    open_as(page, live_server, event.owner, f"/t/{event.slug}/desk/rounds/2/tables/{table.table}/correct/")
    press(page.get_by_text("Something else is wrong"))
    press(page.get_by_role("link", name="The wrong player sat here"))
    expect(page.get_by_label(f"In the place of {a}")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("zoe")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"table {table.table}: Zoë Marsh sat here instead of {a}")).to_be_visible()
    say_why(page)
    expect(page.get_by_text("Corrected.")).to_be_visible()
    assert list(table.seats.order_by("side").values_list("entry__name", flat=True)) == ["Zoë Marsh", b]
