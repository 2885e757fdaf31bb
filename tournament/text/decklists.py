"""Parse decklists: count the cards line by line and compare with the event's sizes."""

import re
from typing import NamedTuple, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.text.clean import clean_name, lines_of

MOST_BYTES, MOST_LINES = 20_000, 400
_CARDS = re.compile(r"(?P<side>SB:\s*)?(?P<count>\d{1,3})(\s*[x×])?\s+\S", re.IGNORECASE)
_SECTION = re.compile(r"((?P<side>side\s?board|sb)|deck|main\s?(deck|board)?)(\s*\(\d+\))?:?", re.IGNORECASE)


class DeckLine(NamedTuple):
    """A non-empty line with its number. `counts`: False without a number of cards."""

    number: int
    text: str
    counts: bool


class Deck(NamedTuple):
    """A parsed decklist: numbers of cards, and the lines of its two parts, without headings."""

    main: int
    sideboard: int
    main_lines: list[DeckLine]
    sideboard_lines: list[DeckLine]

    @property
    def uncounted(self) -> list[DeckLine]:
        lines = [*self.main_lines, *self.sideboard_lines]
        return sorted(line for line in lines if not line.counts)


class DeckSizes(Protocol):
    """The event's settings about decks; None: any number."""

    deck_least: int | None
    deck_most: int | None
    sideboard_most: int | None


def read_deck(text: str) -> Deck:
    """Count "4 Card name", "4x Card name", "SB: 2 Card name", and lines after "Sideboard"; keep others uncounted."""
    counts: list[int] = [0, 0]  # of the main deck and the sideboard
    parts: tuple[list[DeckLine], list[DeckLine]] = ([], [])
    part = 0
    for number, line in enumerate(map(clean_name, lines_of(text)), start=1):
        if section := _SECTION.fullmatch(line):
            part = int(bool(section["side"]))
        elif line:
            cards = _CARDS.match(line)
            place = 1 if cards and cards["side"] else part
            counts[place] += int(cards["count"]) if cards else 0
            parts[place].append(DeckLine(number, line, cards is not None))
    return Deck(counts[0], counts[1], *parts)


def is_too_long(text: str) -> bool:
    return len(text.encode(errors="replace")) > MOST_BYTES or len(lines_of(text)) > MOST_LINES


def too_long_words() -> str:
    text = _("A decklist can have at most %(bytes)s kB and %(lines)s lines. Nothing was saved.")
    return text % {"bytes": MOST_BYTES // 1000, "lines": MOST_LINES}


def size_problems(sizes: DeckSizes, main: int, sideboard: int) -> list[str]:
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
