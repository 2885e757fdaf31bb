import pytest

from tests.browser import PHONE, open_own


@pytest.fixture
def phone(browser, live_server, settings):
    settings.SITE_URL, contexts = live_server.url, []

    def open_phone(tournament, code, **more):
        contexts.append(browser.new_context(viewport=PHONE, has_touch=True, **more))
        page = contexts[-1].new_page()
        open_own(page, live_server, tournament, code)
        return page

    yield open_phone
    for context in contexts:
        context.close()
