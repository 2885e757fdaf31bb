"""Decklists, submitted, listed and parsed. Only organizers undo these actions: scorekeepers may not read lists."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.display_names import load_names, sort_by_name
from tournament.models import Decklist, Entry, Tournament
from tournament.services.entries import find_own_entry, find_unmerged_entry
from tournament.services.requested_byes import PLAYS, find_own_rounds
from tournament.text import clean_lines, clean_name, split_lines

MOST_BYTES, MOST_LINES = 20_000, 400
_CARDS = re.compile(r"(?P<side>SB:\s*)?(?P<count>\d{1,3})(\s*[x×])?\s+\S", re.IGNORECASE)
_SECTION = re.compile(r"((?P<side>side\s?board|sb)|deck|main\s?(deck|board)?)(\s*\(\d+\))?:?", re.IGNORECASE)
MOST_VERSIONS = 50  # submitted by a player
OFF, LATE = Tournament.DecklistRule.OFF, Tournament.DecklistRule.LATE
EXPECTED = (Entry.Status.REGISTERED, Entry.Status.PLAYING)  # to submit a list
OPEN_STATES = ("open", "late")
REFUSALS = {
    "off": gettext_lazy("This event takes no decklists."),
    "gone": gettext_lazy("You have dropped from this event. To play again, ask at the event desk."),
    "public": gettext_lazy(
        "The decklists are public: they no longer change by phone. Ask at the event desk."
    ),
    "over": gettext_lazy("The deadline for decklists has passed. Ask at the event desk."),
}


def current_decklist(entry: Entry) -> Decklist | None:
    return entry.decklists.order_by("-number").first()


def is_past_deadline(entry: Entry) -> bool:
    """Whether it is after the deadline or, without a deadline, after round 1 has been published."""
    until = entry.tournament.decklists_until
    return timezone.now() > until if until else find_own_rounds(entry).published > 0


def hand_in_state(entry: Entry) -> str:
    """Return "open", "late" if a submission would be marked late, or the reason why none is possible (`REFUSALS`)."""
    tournament = entry.tournament
    if tournament.decklist_rule == OFF:
        return "off"
    if entry.status not in PLAYS:
        return "gone"
    if tournament.decklists_public:
        return "public"
    if tournament.state == Tournament.State.FINISHED:
        return "over"
    if not is_past_deadline(entry):
        return "open"
    return "late" if tournament.decklist_rule == LATE else "over"


@service("hand in decklist", after_end=True, owner=True)
def hand_in_decklist(log: Log, code: str, text: str, seen: int | None = None) -> None:
    """Submit or replace a player's list. Raises WrongState by `hand_in_state`, and after MOST_VERSIONS lists."""
    entry = find_own_entry(log, code)
    state = hand_in_state(entry)
    if state not in OPEN_STATES:
        raise WrongState(REFUSALS[state])
    _add_list(log, entry, text, seen, late=state == "late", staff=False)


@service("enter decklist", after_end=True, owner=True)
def enter_decklist(log: Log, code: str, text: str, seen: int | None = None, late: bool = False) -> None:
    """Enter a player's list as staff, without checks but with a reason."""
    if log.tournament.decklist_rule == OFF:
        raise WrongState(REFUSALS["off"])
    if not log.reason:
        raise Refused(_("Enter a reason, such as “on paper”. It is kept in the log."), status=422)
    _add_list(log, find_unmerged_entry(log.tournament, code), text, seen, late=late, staff=True)


@service("release decklists", after_end=True, owner=True)
def release_decklists(log: Log, public: bool) -> None:
    log.set(log.tournament, decklists_public=public)


def _add_list(log: Log, entry: Entry, text: str, seen: int | None, *, late: bool, staff: bool) -> None:
    if is_too_long(text) or is_too_long(text := clean_lines(text)):
        raise Refused(too_long_words(), status=422)
    if not text:
        raise Refused(_("Paste the decklist, or choose a file."), status=422)
    latest = current_decklist(entry)
    if latest and latest.text == text and (latest.late == late or not staff):
        return
    if seen is not None and seen != (latest.number if latest else 0):
        refusal = _("The decklist changed after you opened this page. Nothing was saved. Compare the two.")
        raise Conflict(refusal)
    deck, version = read_deck(text), latest.version + 1 if latest else 1
    problems = size_problems(log.tournament, deck.main, deck.sideboard)
    if problems and not staff:
        raise Refused(" ".join(problems), status=422)
    if version > MOST_VERSIONS and not staff:
        refusal = _("You have handed in %(most)s decklists. Ask at the event desk.")
        raise WrongState(refusal, most=MOST_VERSIONS)
    fields = {
        "entry": entry.code,
        "at": timezone.now().isoformat(),
        "version": version,
        "late": late,
        "main": deck.main,
        "sideboard": deck.sideboard,
        "actor": log.actor if staff else "",
    }
    log.add_next(Decklist, fields, {"text": text})


class DecklistRow(NamedTuple):
    """A player who should submit a list, or has one. `decklist`: the latest one, without its text."""

    code: str
    name: str
    decklist: Decklist | None
    problems: list[str]

    @property
    def kinds(self) -> set[str]:
        if self.decklist is None:
            return {"missing"}
        late, changed = self.decklist.late, self.decklist.version > 1
        return {"in"} | ({"late"} if late else set()) | ({"changed"} if changed else set())


def list_decklist_rows(tournament: Tournament) -> list[DecklistRow]:
    newest = load_newest_decklists(tournament)
    entries = tournament.entries.filter(house=False).exclude(status=Entry.Status.MERGED)
    statuses = dict(entries.values_list("code", "status"))
    names = load_names(tournament)
    codes = [code for code, status in statuses.items() if status in EXPECTED or code in newest]
    rows = []
    for code in sort_by_name({code: names[code] for code in codes}):
        decklist = newest.get(code)
        problems = size_problems(tournament, decklist.main, decklist.sideboard) if decklist else []
        rows.append(DecklistRow(code, names[code], decklist, problems))
    return rows


def load_newest_decklists(tournament: Tournament, codes: Iterable[str] | None = None) -> dict[str, Decklist]:
    """Return {code: the latest list, without its text} for all players, or those with these codes."""
    rows = tournament.decklists.defer("text").select_related("entry").order_by("number")
    if codes is not None:
        rows = rows.filter(entry__code__in=codes)
    return {row.entry.code: row for row in rows}


class DeckLine(NamedTuple):
    """A non-empty line with its number. `counts`: whether it has a number of cards."""

    number: int
    text: str
    counts: bool


class Deck(NamedTuple):
    """A parsed decklist: numbers of cards, and the lines of main deck and sideboard without headings."""

    main: int
    sideboard: int
    main_lines: list[DeckLine]
    sideboard_lines: list[DeckLine]

    @property
    def uncounted(self) -> list[DeckLine]:
        lines = [*self.main_lines, *self.sideboard_lines]
        return sorted(line for line in lines if not line.counts)


def read_deck(text: str) -> Deck:
    """Parse lines such as "4 Card name", "4x Card name", "SB: 2 Card name", "Sideboard". Others are not counted."""
    counts: list[int] = [0, 0]  # of the main deck and the sideboard
    parts: tuple[list[DeckLine], list[DeckLine]] = ([], [])
    part = 0
    for number, line in enumerate(map(clean_name, split_lines(text)), start=1):
        if section := _SECTION.fullmatch(line):
            part = int(bool(section["side"]))
        elif line:
            cards = _CARDS.match(line)
            place = 1 if cards and cards["side"] else part
            counts[place] += int(cards["count"]) if cards else 0
            parts[place].append(DeckLine(number, line, cards is not None))
    return Deck(counts[0], counts[1], *parts)


def is_too_long(text: str) -> bool:
    return len(text.encode(errors="replace")) > MOST_BYTES or len(split_lines(text)) > MOST_LINES


def too_long_words() -> str:
    text = _("A decklist can have at most %(bytes)s kB and %(lines)s lines. Nothing was saved.")
    return text % {"bytes": MOST_BYTES // 1000, "lines": MOST_LINES}


def size_problems(sizes: Tournament, main: int, sideboard: int) -> list[str]:
    """Return a sentence for each wrong number of cards; empty if the event sets no sizes."""
    problems = []
    if sizes.deck_least is not None and main < sizes.deck_least:
        text = _("The main deck needs at least %(least)s cards. This one has %(count)s.")
        problems.append(text % {"least": sizes.deck_least, "count": main})
    if sizes.deck_most is not None and main > sizes.deck_most:
        text = _("The main deck can have at most %(most)s cards. This one has %(count)s.")
        problems.append(text % {"most": sizes.deck_most, "count": main})
    if sizes.sideboard_most is not None and sideboard > sizes.sideboard_most:
        text = _("The sideboard can have at most %(most)s cards. This one has %(count)s.")
        problems.append(text % {"most": sizes.sideboard_most, "count": sideboard})
    return problems


def counts_words(main: int, sideboard: int) -> str:
    """Format numbers of cards: "60 cards, sideboard 15"."""
    words = ngettext("%(main)s card", "%(main)s cards", main) % {"main": main}
    return f"{words}, {_('sideboard %(count)s') % {'count': sideboard}}" if sideboard else words
