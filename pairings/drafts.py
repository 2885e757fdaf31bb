"""A draft as the organizer checks it: rows with points and reasons, the certificate in plain sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from standings.event import points_of
from tournament import words
from tournament.archive.types import Entry, Event, Match, Round
from tournament.models import Tournament
from tournament.naming import told_apart
from tournament.reading import event_of


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A line of the draft. `first`: the side that moves first; `across`: the points differ."""

    table: int | None
    a: str
    b: str
    a_points: str
    b_points: str
    first: str
    alone: str
    across: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A line of the pre-flight list. `level`: good, wait or bad."""

    level: str
    text: str


@dataclass
class DraftPage:
    """All that the page of a draft shows."""

    round: Round
    rows: list[DraftRow]
    certificate: list[tuple[str, bool]]  # (sentence, proved)
    checks: list[Check]
    about: dict[str, Any] = field(default_factory=dict)
    house: str | None = None  # code of the house opponent who plays

    @property
    def ready(self) -> bool:
        return all(check.level != "bad" for check in self.checks)


def draft_page(tournament: Tournament, number: int) -> DraftPage:
    """The page of the draft of round `number`, from one consistent read."""
    event = event_of(tournament)
    round_ = next(round_ for round_ in event.rounds if round_.number == number)
    points = points_of(event, round_.stage)
    names = told_apart({code: entry.name for code, entry in event.entries.items()})
    about = round_.pairing or {}
    reasons = {code: said_of(text, names) for code, text in (about.get("reasons") or {}).items()}
    rows = [_row(match, points, names, reasons) for match in round_.matches]
    seated = [code for match in round_.matches for code in (match.a, match.b) if code]
    house = next((code for code in seated if event.entries[code].house), None)
    certificate = [
        (sentence, bool(line["optimal"]))
        for line in about.get("certificate") or []
        if (sentence := sentence_of(line, rows))
    ]
    return DraftPage(round_, rows, certificate, checks_of(event, round_, seated, names), about, house)


def said_of(text: str, names: dict[str, str]) -> str:
    """A reason with names in place of codes."""
    return " ".join(
        names.get(word.rstrip(".,;:"), word.rstrip(".,;:")) + word[len(word.rstrip(".,;:")) :]
        for word in text.split()
    )


def _row(
    match: Match, points: dict[str, Fraction], names: dict[str, str], reasons: dict[str, str]
) -> DraftRow:
    a, b = points.get(match.a, Fraction(0)), points.get(match.b or "", Fraction(0))
    said = [f"{names[code]}: {reasons[code]}" for code in (match.a, match.b) if code in reasons]
    return DraftRow(
        table=match.table,
        a=names[match.a],
        b=names[match.b] if match.b else "",
        a_points=str(a),
        b_points=str(b) if match.b else "",
        first=match.first or "",
        alone="" if match.b else words.alone(match.result or "bye"),
        across=bool(match.b) and a != b,
        reasons=tuple(said),
    )


def sentence_of(line: dict[str, Any], rows: list[DraftRow]) -> str:
    """One line of the certificate in plain words; "" where it says nothing about this round."""
    name, value = line["criterion"], line["value"]
    nothing = not any(value) if isinstance(value, list) else not value
    if name in ("second_bye", "bye_group") and not any(row.alone for row in rows):
        return ""
    if name == "score_difference":
        return _scores(rows)
    if nothing:
        return str(CLEAN.get(name, ""))
    return str(FORCED.get(name, name)) % {"value": value}


def _scores(rows: list[DraftRow]) -> str:
    across = [f"{row.a_points} v {row.b_points}" for row in rows if row.across]
    if not across:
        return _("Everybody meets somebody on the same points.")
    shown = ", ".join(across[:6]) + (" …" if len(across) > 6 else "")
    return ngettext(
        "%(count)s pair across scores (%(pairs)s); less is impossible.",
        "%(count)s pairs across scores (%(pairs)s); less is impossible.",
        len(across),
    ) % {"count": len(across), "pairs": shown}


CLEAN = {
    "repeats": gettext_lazy("No repeat opponents."),
    "second_bye": gettext_lazy("Nobody has a second bye."),
    "bye_group": gettext_lazy("The bye is in the lowest score group."),
    "pair_downs": gettext_lazy("Nobody is paired down or up more than before."),
    "fold": gettext_lazy("Upper half meets lower half in order."),
    "adjacent": gettext_lazy("Neighbours in the ranking meet."),
    "not_same_side_all_rounds": gettext_lazy("Nobody moves first, or second, in every round."),
    "later_rounds": gettext_lazy("All later planned rounds can still be played without repeats."),
    "labels_apart": gettext_lazy("Nobody meets somebody with the same label."),
    "side_limits": gettext_lazy("Nobody has a side three times running."),
    "alternate_sides": gettext_lazy("Everybody who moved first moves second now, and the other way round."),
}
FORCED = {
    "repeats": gettext_lazy("%(value)s repeat pairings; no round has fewer."),
    "second_bye": gettext_lazy("A second bye could not be avoided."),
    "bye_group": gettext_lazy("The bye is above the lowest score group: nobody there can take it."),
    "pair_downs": gettext_lazy("Some are paired down or up again (%(value)s)."),
    "fold": gettext_lazy("Upper half meets lower half as nearly in order as it can be."),
    "adjacent": gettext_lazy("Neighbours in the ranking meet as nearly as they can."),
    "not_same_side_all_rounds": gettext_lazy("%(value)s players move first, or second, in every round."),
    "later_rounds": gettext_lazy("%(value)s later planned rounds cannot be played without repeats."),
    "later_byes": gettext_lazy("A second bye in a planned round cannot be ruled out."),
    "labels_apart": gettext_lazy("%(value)s pairs have a label in common."),
    "side_limits": gettext_lazy("%(value)s players have a side too often."),
    "alternate_sides": gettext_lazy("%(value)s players have the same side again."),
}


def checks_of(event: Event, round_: Round, seated: list[str], names: dict[str, str]) -> list[Check]:
    """What a scorekeeper looks at before publishing."""
    stage = event.stage(round_.stage)
    playing = [code for code in event.entries_of(stage) if _plays(event.entries[code], round_.number)]
    twice = {code for code in seated if seated.count(code) > 1} if len(set(seated)) < len(seated) else set()
    missing = [names[code] for code in playing if code not in set(seated)]
    known = set(playing)
    strange = [names[code] for code in seated if code not in known and not event.entries[code].house]
    checks = []
    if twice or missing or strange:
        for text, who in (
            (_("Twice in this draft: %(names)s. Pair again."), [names[code] for code in sorted(twice)]),
            (_("Without a seat: %(names)s. Pair again."), missing),
            (_("Not playing any more: %(names)s. Pair again."), strange),
        ):
            if who:
                checks.append(Check("bad", text % {"names": ", ".join(who[:5])}))
    else:
        players = ngettext("%(count)s player, once.", "%(count)s players, each once.", len(playing))
        checks.append(Check("good", players % {"count": len(playing)}))
        against = [names[code] for code in seated if event.entries[code].house]
        if against:
            checks.append(Check("good", _("House opponent: %(name)s.") % {"name": ", ".join(against)}))
    before = round_.number - 1
    if before:
        checks.append(Check("good", _("Every result of round %(number)s is in.") % {"number": before}))
    checks += _comings(event, round_.number, names)
    return checks


def _plays(entry: Entry, number: int) -> bool:
    return (
        entry.status == "playing"
        and not entry.house
        and (entry.joined_round or 1) <= number
        and (entry.dropped_after is None or entry.dropped_after >= number)
    )


def _comings(event: Event, number: int, names: dict[str, str]) -> list[Check]:
    """Who left since the round before, and who is new."""
    gone = [
        names[code]
        for code, entry in event.entries.items()
        if entry.status in ("dropped", "disqualified") and entry.dropped_after == number - 1
    ]
    new = [
        names[code] for code, entry in event.entries.items() if number > 1 and entry.joined_round == number
    ]
    checks = []
    if gone:
        said = ngettext("%(count)s left: %(names)s.", "%(count)s left: %(names)s.", len(gone))
        checks.append(Check("wait", said % {"count": len(gone), "names": ", ".join(gone[:8])}))
    if new:
        said = ngettext("%(count)s joined late: %(names)s.", "%(count)s joined late: %(names)s.", len(new))
        checks.append(Check("wait", said % {"count": len(new), "names": ", ".join(new[:8])}))
    return checks
