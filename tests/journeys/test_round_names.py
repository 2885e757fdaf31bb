import re
from collections.abc import Iterator
from itertools import product

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from standings.bracket.cut import make_cut, undo_cut
from standings.bracket.results import correct_bracket_result, record_bracket_result
from tests.factories import TournamentFactory
from tests.pages import Page
from tests.steps import confirmed
from tests.tournament.access.access_table import PAGES, USUAL
from tests.tournament.access.test_permissions import in_an_event, parts_of
from tests.tournament.views.phones import known
from tournament.event.display_names import load_names
from tournament.exports import pairings_csv
from tournament.history.describe import describe_actions
from tournament.models import Match, Tournament
from tournament.paper.lists import penalty_report
from tournament.paper.paper_list import EVENT_LISTS, ROUND_LISTS, STANDINGS_LISTS, EventPaper
from tournament.progress.posted_rounds import lines_by_name, list_posted_tables
from tournament.push import pairing_words
from tournament.results.slip import Slip
from tournament.services.clock import begin_round, start_clock
from tournament.services.drops import drop_entry
from tournament.services.events import finish_tournament
from tournament.services.judging import call_judge, give_penalty, start_deck_check
from tournament.services.results import extend_table
from tournament.services.self_service import send_message

pytestmark = pytest.mark.django_db

SWISS = 3  # rounds; 4, 5 and 6 are the quarterfinals, the semifinals and the final
NUMBERED = re.compile(r"\brounds?\s+(\d+(,|\s+and)\s+)*[4-6]\b", re.IGNORECASE)
READ = ("aria-label", "title", "alt", "content")
SHOWN_BY_PROGRAMS = ("json", "zip", "image")
VARIANTS = {
    "change-clock": "start pause resume add set stop schedule length begin".split(),
    "print-list": [*ROUND_LISTS, *STANDINGS_LISTS],
    "event-print-list": [*EVENT_LISTS],
    "screen-of": "pairings tables clock standings bracket".split(),
    "screen-of-part": "pairings tables clock standings bracket".split(),
    "entry-change": "drop disqualify".split(),
}


def numbered_rounds(answer: HttpResponse) -> set[str]:
    """Find bracket rounds called by their number in a page or sheet, with the words around it."""
    kind = answer.get("Content-Type", "")
    if any(other in kind for other in SHOWN_BY_PROGRAMS):
        return set()
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    text = body.decode()
    if "html" in kind:
        shown = Page(text)
        attributes = [named for tag in shown.soup.find_all(True) for named in tag.attrs.items()]
        spoken = [value for name, value in attributes if name in READ or name.startswith("data-")]
        text = "\n".join([shown.words, *spoken])
    return {text[max(found.start() - 40, 0) : found.end() + 20] for found in NUMBERED.finditer(text)}


def play(event: Tournament, number: int, count: int | None = None) -> None:
    matches = Match.objects.filter(round__tournament=event, round__number=number, result=None)
    for match in matches.order_by("table")[:count]:
        record_bracket_result(event, number, match.table, Slip("played", 2, 0), actor="Sam")


def busy(event: Tournament, number: int) -> None:
    """Everything that names a round happens at the first table of this one."""
    match = Match.objects.filter(round__tournament=event, round__number=number).order_by("table").first()
    code, other = match.seats.order_by("side").values_list("entry__code", flat=True)
    begin_round(event, number)
    start_clock(event, number, 50)
    extend_table(event, number, match.table, 5, "deck check")
    start_deck_check(event, number, match.table)
    give_penalty(event, code, "warning", "Slow play")
    send_message(event, other, "The result is wrong", number=number)
    call_judge(event, code)


def addresses(event: Tournament) -> Iterator[tuple[str, str]]:
    """(name, address) of each page of the event, those of a round for each round of the bracket."""
    for number in event.rounds.filter(swiss=False).values_list("number", flat=True):
        match = Match.objects.filter(round__tournament=event, round__number=number).order_by("table").first()
        code, other = match.seats.order_by("side").values_list("entry__code", flat=True)
        here = {"slug": event.slug, "number": number, "table": match.table, "code": code, "other": other}
        for name, page in PAGES.items():
            if in_an_event(page, name):
                parts = {**USUAL, **page.args, **here}
                for what in VARIANTS.get(name, [parts["what"]]):
                    parts["what"] = what
                    yield name, reverse(name, kwargs={part: parts[part] for part in parts_of(name)})


def look_around(event: Tournament, methods: tuple[str, ...]) -> set[str]:
    """Find rounds called by their number on the event's pages and in responses to their forms."""
    staff, phone = Client(), Client()
    staff.force_login(event.owner)
    found, seen = set(), set()
    match = Match.objects.filter(round__tournament=event, round__swiss=False).latest("round__number")
    known(phone, event, match.seats.first().entry.code)
    cookies = {client: client.cookies.copy() for client in (staff, phone)}
    for (name, address), (role, client), method in product(
        addresses(event), (("owner", staff), ("player", phone)), methods
    ):
        if role not in getattr(PAGES[name], method) or (role, method, address) in seen:
            continue
        seen.add((role, method, address))
        with transaction.atomic():
            answer = getattr(client, method)(address, PAGES[name].send, follow=True)
            found |= {f"{name} {method} {role}: {text}" for text in numbered_rounds(answer)}
            transaction.set_rollback(True)
        client.cookies = cookies[client].copy()
    assert len(seen) > 200
    return found


@pytest.mark.slow
@pytest.mark.only_on("sqlite")
def test_no_page_sheet_or_line_of_the_log_calls_a_round_of_a_bracket_by_its_number():
    event = TournamentFactory(entries=10, rounds=SWISS, with_cut=4, rounds_planned=SWISS)
    undo_cut(event)
    make_cut(event, 8)
    busy(event, 4)
    play(event, 4)
    busy(event, 5)
    winner = Match.objects.get(round__tournament=event, round__number=5, table=1).seats.first().entry.code
    confirmed(drop_entry, event, winner)
    event.refresh_from_db()
    found = look_around(event, ("get", "post"))
    play(event, 5)
    play(event, 6)
    finish_tournament(event)
    correct_bracket_result(event, 6, 1, Slip("played", 2, 1), reason="Misread")
    event.refresh_from_db()
    found |= look_around(event, ("get",))
    log = describe_actions(event, event.actions.order_by("number"))
    found |= {line for action in log for line in (action.sentence, *action.details) if NUMBERED.search(line)}
    for round_ in event.rounds.filter(swiss=False):
        for line in lines_by_name(list_posted_tables(round_, load_names(event), results=False)):
            found |= {line for line in [pairing_words(event, round_, line)] if NUMBERED.search(line)}
    assert not found, "\n".join(sorted(found))
    removed = next(action.sentence for action in log if "removed" in action.sentence)
    assert "the semifinals removed" in removed.lower()
    assert "\nQuarterfinals," in pairings_csv(event, event.rounds.get(number=4))
    assert [row[0] for row in penalty_report(EventPaper(event)).rows] == ["Quarterfinals", "Semifinals"]
