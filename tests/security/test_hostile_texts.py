"""Whatever text is stored, in whatever column: on every page, in every file and header it stays a text.

The columns come from the models and the pages from the table of access, so that a new one is looked at by itself.
"""

import pytest

from tests.conftest import CI, empty
from tests.security.hostile import MARK, NOT_SHOWN, Hostile, breaches_of, marks, parts_of
from tests.security.world import ask, full_world, looks

pytestmark = [pytest.mark.any_value, pytest.mark.only_on("sqlite")]
FINE = {200, 301, 204, 302, 303, 400, 404, 410, 422}  # 422: of two who meet already, none can be swapped


@pytest.mark.parametrize("way", ["markup", pytest.param("links", marks=pytest.mark.slow)])
def test_no_text_becomes_more_than_a_text_on_any_page(db, way):
    world = full_world()
    Hostile(way).write()
    empty()
    breaches, shown = [], set()
    columns = marks()
    for look in looks(world, all_roles=CI):
        answer = ask(world, look)
        where = f"{look.name} as {look.role}"
        if answer.status_code not in FINE:
            breaches.append(f"{where}: {answer.status_code}")
        for breach in breaches_of(answer):
            breaches.append(f"{where}: {breach} {[columns.get(mark) for mark in MARK.findall(breach)][:1]}")
        for _kind, body in parts_of(answer):
            shown |= {
                columns[mark] for mark in MARK.findall(body.decode(errors="replace")) if mark in columns
            }
    assert not breaches, "\n".join(breaches)
    assert {name for name in columns if "." in name} - shown == NOT_SHOWN
