"""The editor in a real browser: moving by keys and by pointer, what is heard, what it would mean, who can use it."""

import pytest

from tests.factories import RulebookFactory, UserFactory
from tournament.models import Rulebook

pytestmark = pytest.mark.django_db(transaction=True)
# A preview that is under way when the page is left, or that a newer one replaces, is no fault.
LEFT = ("htmx:sendError", "htmx:sendAbort", "htmx:afterRequest")


@pytest.fixture
def editor(page, live_server, client, settings):
    """The editor of a copy of DCI 1999, its publisher signed in; what the console says is kept."""
    ada = UserFactory(username="ada")
    client.force_login(ada)
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    page.book = RulebookFactory(owner=ada)
    page.complaints = []
    page.on("console", lambda words: page.complaints.append(words.text) if words.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(f"{live_server.url}/rulesets/{page.book.key}/draft/")
    page.wait_for_selector("#order")
    yield page
    assert [words for words in page.complaints if not words.startswith(LEFT)] == []


def order(page):
    """The lines from the top, each by its index."""
    index = "fields => fields.map(field => field.name.split('-')[1]).join('')"
    return page.eval_on_selector_all("[name$='-ORDER']", index)


def saved(page):
    page.click(".save >> text=Save the draft")
    page.wait_for_selector("text=The draft is saved")
    draft = Rulebook.objects.get(pk=page.book.pk).draft
    return [step["metric"] for step in draft["tiebreaks"]]


def test_the_order_is_moved_by_arrow_keys_with_focus_and_an_announcement(editor):
    editor.focus('[data-title^="Opponents\' game"] .handle')
    editor.keyboard.press("ArrowUp")
    editor.keyboard.press("ArrowUp")
    assert order(editor) == "03124"
    assert editor.evaluate("document.activeElement.closest('[data-step]').dataset.title").startswith(
        "Opponents"
    )
    assert editor.inner_text("#announce") == "Opponents' game-win % is now line 2 of 5"
    editor.keyboard.press("ArrowDown")
    assert order(editor) == "01324"
    editor.wait_for_selector("#preview >> text=Changes so far")
    assert saved(editor) == [
        "match_points", "opp_match_win_pct", "opp_game_win_pct", "game_win_pct", "random",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_line_is_dragged_by_its_handle_and_escape_puts_it_back(editor):
    editor.set_viewport_size({"width": 1280, "height": 1400})

    def middle(number):
        box = editor.locator(".step").nth(number).locator(".handle").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(number, to):
        editor.mouse.move(*middle(number))
        editor.mouse.down()
        editor.mouse.move(middle(number)[0], middle(to)[1], steps=10)

    editor.locator("#order").scroll_into_view_if_needed()
    drag(3, to=1)
    assert order(editor) == "03124"
    editor.keyboard.press("Escape")
    assert order(editor) == "01234"
    editor.mouse.up()
    assert editor.inner_text("#announce") == ""
    drag(1, to=4)
    editor.mouse.up()
    assert order(editor) == "02314"
    assert editor.inner_text("#announce") == "Opponents' match-win % is now line 4 of 5"


@pytest.mark.slow
def test_another_metric_brings_its_own_settings_and_the_rest_stays_typed(editor):
    editor.fill("[name='match_points.win']", "5")
    editor.focus("[name=steps-2-metric]")
    editor.select_option("[name=steps-2-metric]", "buchholz")
    editor.wait_for_selector("[name=steps-2-cut_low]", state="attached")
    assert editor.input_value("[name='match_points.win']") == "5"
    assert editor.evaluate("document.activeElement.name") == "steps-2-metric"
    editor.click("#order >> text=Add a tiebreaker")
    editor.wait_for_selector("[name=steps-5-metric]")
    editor.wait_for_selector("#preview >> text=to fix")
    editor.click("[aria-label^='Remove new tiebreaker']")
    editor.wait_for_selector("[name=steps-5-metric]", state="detached")
    assert saved(editor)[2] == "buchholz"


@pytest.mark.slow
def test_what_is_typed_is_computed_as_one_types_and_faults_mark_their_fields(editor):
    floor = "[name='percentages.match_floor']"
    editor.fill(floor, "1/3")
    editor.wait_for_selector("#preview del:has-text('33%')")
    editor.wait_for_selector("#preview >> text=0.6168")
    editor.fill(floor, "a third")
    editor.wait_for_selector(f"{floor}[aria-invalid=true]")
    assert "is not an exact share" in editor.inner_text("#preview")
    editor.fill(floor, "1/4")
    editor.wait_for_selector("#preview >> text=Changes so far")
    assert editor.get_attribute(floor, "aria-invalid") is None
    assert Rulebook.objects.get(pk=editor.book.pk).draft_revision == 1  # looking saves nothing


SLOW = pytest.mark.slow


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "dark"),
        pytest.param(390, "light", marks=SLOW),
        pytest.param(1280, "dark", marks=SLOW),
        pytest.param(1280, "light", marks=SLOW),
    ],
)
def test_every_page_fits_its_screen_and_can_be_read_by_all(editor, live_server, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    editor.set_viewport_size({"width": width, "height": 900})
    editor.emulate_media(color_scheme=scheme)
    key, of = editor.book.key, editor.book.publisher.slug
    for page in (
        f"{key}/draft/", f"{key}/publish/", f"publishers/{of}/", "", "twixt/", "twixt/copy/",
    ):  # fmt: skip
        editor.goto(f"{live_server.url}/rulesets/{page}")
        assert editor.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page
        report = Axe().run(editor)
        assert report.violations_count == 0, (page, report.generate_report())
