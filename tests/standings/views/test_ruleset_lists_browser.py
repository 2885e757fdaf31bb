"""Lists of words in the editor in a real browser: moved by keys and by pointer, added, saved, read by all."""

import pytest

from tests.browser import open_as
from tests.factories import RulebookFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
CRITERIA = "#pairing-criteria"


@pytest.fixture
def editor(page, live_server):
    """The editor of a copy of Twixt, its publisher signed in."""
    ada = UserFactory(username="ada")
    page.book = RulebookFactory(owner=ada, copied="twixt")
    open_as(page, live_server, ada, f"/rulesets/{page.book.key}/draft/")
    page.wait_for_selector(CRITERIA)
    return page


def order(page, of=CRITERIA):
    return page.eval_on_selector_all(f"{of} select", "fields => fields.map(field => field.value)")


def saved(page):
    page.click(".save >> text=Save the draft")
    page.wait_for_selector("text=The draft is saved")
    page.book.refresh_from_db()
    return page.book.draft["pairing"]["criteria"]


def test_a_criterion_is_moved_by_arrow_keys_and_only_its_own_list_changes(editor):
    before = order(editor, "#elimination-colours")
    editor.focus(f"{CRITERIA} [data-title^='top half'] .handle")
    editor.keyboard.press("ArrowUp")
    moved = ["repeats", "score_difference", "fold", "not_same_side_all_rounds", "alternate_sides"]
    assert order(editor) == moved and order(editor, "#elimination-colours") == before
    assert editor.inner_text("#announce") == "top half against bottom half is now line 3 of 5"
    editor.wait_for_selector("#preview >> text=Changes so far")
    assert saved(editor) == moved


@pytest.mark.slow
def test_a_line_is_added_chosen_and_removed_while_the_rest_stays_typed(editor):
    editor.fill("[name='match_points.draw']", "0.4")
    editor.click(f"{CRITERIA} >> text=Add a line")
    editor.wait_for_selector("[name='pairing.criteria-5-word']")
    editor.wait_for_selector("#preview >> text=to fix")
    editor.select_option("[name='pairing.criteria-5-word']", "labels_apart")
    editor.click(f"{CRITERIA} [aria-label='Remove no rematches']")
    editor.wait_for_selector(f"{CRITERIA} .step:nth-child(6)", state="detached")
    assert editor.input_value("[name='match_points.draw']") == "0.4"
    assert saved(editor) == [
        "score_difference", "not_same_side_all_rounds", "fold", "alternate_sides", "labels_apart",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "dark"), (390, "light"), (1280, "dark"), (1280, "light")]
)
def test_the_lists_fit_their_screen_and_can_be_read_by_all(editor, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    editor.set_viewport_size({"width": width, "height": 900})
    editor.emulate_media(color_scheme=scheme)
    editor.reload()
    editor.click(f"{CRITERIA} >> text=Add a line")
    editor.wait_for_selector("[name='pairing.criteria-5-word'][aria-invalid=true]")
    assert editor.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    report = Axe().run(editor)
    assert report.violations_count == 0, report.generate_report()
