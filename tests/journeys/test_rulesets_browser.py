import pytest

from tests.browser import LOOKS, looks_right, open_as
from tests.factories import RulesetFactory
from tournament.models import Ruleset

pytestmark = pytest.mark.django_db(transaction=True)
# A preview that is under way when the page is left, or that a newer one replaces, is no fault.
LEFT = ("htmx:sendError", "htmx:sendAbort", "htmx:afterRequest")
CRITERIA = "#pairing-criteria"


@pytest.fixture
def editor(page, live_server):
    complaints = []
    page.on("console", lambda words: complaints.append(words.text) if words.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def open_copy(copied):
        page.ruleset = RulesetFactory(copied=copied)
        open_as(page, live_server, page.ruleset.owner, f"/rulesets/{page.ruleset.key}/draft/")
        page.wait_for_selector("#order")
        return page

    yield open_copy
    assert [words for words in complaints if not words.startswith(LEFT)] == []


def order(page):
    index = "fields => fields.map(field => field.name.split('-')[1]).join('')"
    return page.eval_on_selector_all("[name$='-ORDER']", index)


def words_of(page, part):
    return page.eval_on_selector_all(f"{part} select", "fields => fields.map(field => field.value)")


def unfold(page, topic):
    page.click(f".editor summary:has-text('{topic}') >> nth=0")


def saved(page):
    page.click(".save >> text=Save the draft")
    page.wait_for_selector("text=The draft is saved")
    return Ruleset.objects.get(pk=page.ruleset.pk).draft


def test_tiebreakers_are_moved_by_arrow_keys_changed_added_and_removed(editor):
    page = editor("dci1999")
    page.focus('[data-title^="Opponents\' game"] .handle')
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert order(page) == "03124"
    focused = page.evaluate("document.activeElement.closest('[data-step]').dataset.title")
    assert focused.startswith("Opponents")
    assert page.inner_text("#announce") == "Opponents' game-win % is now line 2 of 5"
    page.keyboard.press("ArrowDown")
    assert order(page) == "01324"
    page.wait_for_selector("#preview >> text=Changes so far")

    unfold(page, "Match points")
    page.fill("[name='match_points.win']", "5")
    page.focus("[name=steps-2-metric]")
    page.select_option("[name=steps-2-metric]", "buchholz")
    page.wait_for_selector("[name=steps-2-cut_low]", state="attached")
    assert page.input_value("[name='match_points.win']") == "5"
    assert page.evaluate("document.activeElement.name") == "steps-2-metric"
    page.click("#order >> text=Add a tiebreaker")
    page.wait_for_selector("[name=steps-5-metric]")
    page.wait_for_selector("#preview >> text=to fix")
    looks_right(page, *LOOKS)
    page.click("[aria-label^='Remove new tiebreaker']")
    page.wait_for_selector("[name=steps-5-metric]", state="detached")
    assert [step["metric"] for step in saved(page)["tiebreaks"]] == [
        "match_points", "opp_match_win_pct", "opp_game_win_pct", "buchholz", "random",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_line_is_dragged_by_its_handle_and_escape_puts_it_back(editor):
    page = editor("dci1999")
    page.set_viewport_size({"width": 1280, "height": 1400})

    def middle(number):
        box = page.locator(".step").nth(number).locator(".handle").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(number, to):
        page.mouse.move(*middle(number))
        page.mouse.down()
        page.mouse.move(middle(number)[0], middle(to)[1], steps=10)

    page.locator("#order").scroll_into_view_if_needed()
    drag(3, to=1)
    assert order(page) == "03124"
    page.keyboard.press("Escape")
    assert order(page) == "01234"
    page.mouse.up()
    assert page.inner_text("#announce") == ""
    drag(1, to=4)
    page.mouse.up()
    assert order(page) == "02314"
    assert page.inner_text("#announce") == "Opponents' match-win % is now line 4 of 5"


@pytest.mark.slow
def test_what_is_typed_is_computed_as_one_types_and_faults_mark_their_fields(editor):
    page, floor = editor("dci1999"), "[name='percentages.match_floor']"
    unfold(page, "Percentages")
    page.fill(floor, "1/3")
    page.wait_for_selector("#preview del:has-text('33%')")
    page.wait_for_selector("#preview >> text=0.6168")
    page.fill(floor, "a third")
    page.wait_for_selector(f"{floor}[aria-invalid=true]")
    assert "is not an exact share" in page.inner_text("#preview")
    page.fill(floor, "1/4")
    page.wait_for_selector("#preview >> text=Changes so far")
    assert page.get_attribute(floor, "aria-invalid") is None
    assert Ruleset.objects.get(pk=page.ruleset.pk).revision == 1  # looking saves nothing


def test_a_list_of_criteria_is_moved_by_arrow_keys_and_its_lines_are_added_and_removed(editor):
    page = editor("twixt")
    before = words_of(page, "#elimination-colours")
    unfold(page, "Pairing and byes")
    page.focus(f"{CRITERIA} [data-title^='top half'] .handle")
    page.keyboard.press("ArrowUp")
    moved = ["repeats", "score_difference", "fold", "not_same_side_all_rounds", "alternate_sides"]
    assert words_of(page, CRITERIA) == moved and words_of(page, "#elimination-colours") == before
    assert page.inner_text("#announce") == "top half against bottom half is now line 3 of 5"
    page.wait_for_selector("#preview >> text=Changes so far")
    unfold(page, "Match points")
    page.fill("[name='match_points.draw']", "0.4")
    page.click(f"{CRITERIA} >> text=Add a line")
    page.wait_for_selector("[name='pairing.criteria-5-word'][aria-invalid=true]")
    page.wait_for_selector("#preview >> text=to fix")
    looks_right(page, *LOOKS)
    page.select_option("[name='pairing.criteria-5-word']", "labels_apart")
    page.click(f"{CRITERIA} [aria-label='Remove no rematches']")
    page.wait_for_selector(f"{CRITERIA} .step:nth-child(6)", state="detached")
    assert page.input_value("[name='match_points.draw']") == "0.4"
    assert saved(page)["pairing"]["criteria"] == [*moved[1:], "labels_apart"]
