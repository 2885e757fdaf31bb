"""The demo events: one in registration, one in the middle of a round, one finished with its bracket."""

import random
import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tournament.event.profile import ruleset_in_force
from tournament.models import Match, Tournament
from tournament.results.slip import Slip, usual_slips
from tournament.services.clock import start_clock
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.events import create_tournament, finish_tournament
from tournament.services.results import match_rules, record_result
from tournament.services.rounds import publish_round

USER = "demo"
PASSWORD_FILE = "demo-password"  # noqa: S105 (a file's name)
FIRST = (
    "Ada Bo Chen Dee Eli Faro Grace Hugo Ines Jonas Kim Lou Marcel Nour Okafor Petra Quinn Rosa Sol Tariq "
    "Uma Vera Wei Ximena Yusuf Zoe"
).split()
LAST = (
    "Ruiz Lind Wei Marsh Ito Ortiz Petrov Haddad Novak Silva Moreau Tanaka Weber Kowalski Rossi Nielsen "
    "O’Brien Featherstonehaugh Svensson Dubois Castillo Yamamoto"
).split()


def seed_demo_events() -> list[str]:
    """Create the demo events unless they exist. Returns the lines to print: who can sign in."""
    password = demo_password()
    if not Tournament.objects.filter(demo=True).exists():
        owner = get_user_model().objects.get(username=USER)
        with transaction.atomic():  # an interrupted first start leaves none behind
            make_registration(owner)
            make_round_in_progress(owner)
            make_finished_event(owner)
    return [f"Sign in as {USER} with the password {password}; /admin/ shows every table of the demo events"]


def demo_password() -> str:
    """Return the demo user's random password, kept under var/ so that the next start can print it."""
    file = Path(settings.VAR_DIR) / PASSWORD_FILE
    user, created = get_user_model().objects.get_or_create(username=USER)
    kept = file.read_text(encoding="ascii") if file.is_file() else ""
    known = user.check_password(kept)
    password = kept if known else secrets.token_urlsafe(9)
    if created or known:  # not an account that someone signed up for under that name
        user.is_staff = True
    if not known:
        user.set_password(password)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(password, encoding="ascii")
    user.save()
    return password


def player_names(count: int, rng: random.Random) -> list[str]:
    both = [f"{first} {last}" for first in FIRST for last in LAST]
    chosen = rng.sample(both, count - 2)
    return ["Maximiliana Featherstonehaugh-Cholmondeley", *chosen, chosen[3]]


def make_registration(owner) -> None:
    tournament = create_tournament(
        "Sunday Carde.io Cup (demo)",
        "cardeio",
        owner=owner,
        demo=True,
        round_minutes=50,
        game="Magic: The Gathering",
    )
    add_entries(tournament, player_names(24, random.Random(1)), actor=owner)  # noqa: S311 (a demo, not a secret)


def make_round_in_progress(owner) -> None:
    rng = random.Random(2)  # noqa: S311 (no secret)
    tournament = create_tournament(
        "Friday Night 12 (demo)",
        "mtr",
        owner=owner,
        demo=True,
        rounds_planned=6,
        cut=8,
        round_minutes=50,
        game="Magic: The Gathering",
        venue="Old Harbor Games",
    )
    add_entries(tournament, player_names(65, rng), actor=owner)
    for _ in range(3):
        number = publish_next_round(tournament, owner)
        enter_results(tournament, number, rng, owner)
        if number in (1, 2):
            last = tournament.rounds.get(number=number).matches.exclude(table=None).latest("table")
            drop_entry(tournament, last.seats.get(side="b").entry.code, actor=owner)
    number = publish_next_round(tournament, owner)
    start_clock(tournament, number, actor=owner)
    enter_results(tournament, number, rng, owner, outstanding=12)


def make_finished_event(owner) -> None:
    rng = random.Random(3)  # noqa: S311 (no secret)
    tournament = create_tournament(
        "ClineCON Twixt (demo)", "twixt", owner=owner, demo=True, rounds_planned=3, cut=8, game="Twixt"
    )
    add_entries(tournament, player_names(20, rng), actor=owner)
    for _ in range(3):
        enter_results(tournament, publish_next_round(tournament, owner), rng, owner)
    make_cut(tournament, 8, actor=owner)
    open_tables = Match.objects.filter(round__tournament=tournament, result=None)
    while match := open_tables.order_by("round__number", "table").first():
        slip = Slip("played", 1, 0) if rng.random() < 0.6 else Slip("played", 0, 1)
        record_bracket_result(tournament, match.round.number, match.table, slip, actor=owner)
    finish_tournament(tournament, actor=owner)


def publish_next_round(tournament: Tournament, owner) -> int:
    draft_next_round(tournament, actor=owner)
    number = tournament.rounds.latest("number").number
    publish_round(tournament, number, actor=owner)
    return number


def enter_results(
    tournament: Tournament, number: int, rng: random.Random, owner, outstanding: int = 0
) -> None:
    matches = list(tournament.rounds.get(number=number).matches.filter(result=None).order_by("table"))
    profile = ruleset_in_force(tournament)
    rng.shuffle(matches)
    for match in matches[: len(matches) - outstanding]:
        slips = usual_slips(match_rules(match, profile))
        weights = [1 if slip.a == slip.b else 4 for slip in slips]
        slip = rng.choices(slips, weights)[0]
        record_result(tournament, number, match.table, slip, actor=owner)
