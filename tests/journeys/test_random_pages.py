"""Whatever was done in an event, every page of it opens: the organizer's, everyone's, and a player's own."""

import secrets

import pytest
from django.test import Client

from tests.conftest import CI, FULL, THOROUGH
from tests.journeys.play import Play
from tests.tournament.views.phones import known

pytestmark = pytest.mark.django_db

LOOKS = 40 if FULL else 14 if THOROUGH else 8  # three steps before each
RULESETS = ["cardeio", "fide", "twixt"] if THOROUGH else ["cardeio"]
DESK = (
    "desk/ desk/now/ desk/players/ desk/check-in/ desk/log/ desk/standings/ desk/cut/ desk/bracket/ desk/judge/ "
    "desk/penalties/ desk/prizes/ desk/finish/ desk/settings/ desk/exports/ desk/stages/ desk/pair/ "
    "desk/decklists/"
).split()
ROUND = "desk/rounds/{n}/ desk/rounds/{n}/walk/ desk/rounds/{n}/verify/ desk/rounds/{n}/print/ rounds/{n}/".split()
PUBLIC = "now/ players/ standings/ bracket/ clock/ screen/ rules/".split()
OWN = ["report/", "bye/", "message/", "leave/", "decklist/"]


@pytest.mark.long
@pytest.mark.parametrize("ruleset", RULESETS)
def test_whatever_is_done_every_page_opens(ruleset):
    play = Play(ruleset, seed=1 if CI else secrets.randbits(32))
    for _ in range(LOOKS):
        for _ in range(3):
            play.take_a_step()
        open_every_page(play)


def open_every_page(play: Play) -> None:
    """Look at the organizer's pages, everyone's, and one player's own."""
    staff, phone, event = Client(), Client(), f"/t/{play.tournament.slug}/"
    staff.force_login(play.tournament.owner)
    codes = play.tournament.entries.exclude(status="merged").values_list("code", flat=True)
    if not codes:
        return
    code = play.chance.choice(list(codes))
    number = play.tournament.rounds.count() or 1
    for page in ["", *DESK, *(page.format(n=number) for page in ROUND), *PUBLIC, f"desk/players/{code}/"]:
        assert staff.get(event + page).status_code < 500, page
    assert staff.get(f"{event}desk/players/{code}/decklist/").status_code < 500
    for page in (f"players/{code}/", f"players/{code}/decklist/", f"standings/{code}/"):
        assert phone.get(event + page).status_code < 500, page
    own = known(phone, play.tournament, code)
    for page in ("", *OWN):
        assert phone.get(own + page).status_code < 500, page
