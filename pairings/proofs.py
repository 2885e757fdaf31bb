"""How a posted round was paired, in words for everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from pairings import sentences
from pairings.asked import asked_of, seated_in
from pairings.drafts import DraftRow, Proof, proof_of, rows_of
from tournament.models import Tournament
from tournament.naming import public_names_in
from tournament.reading import event_of


@dataclass(frozen=True, slots=True)
class ProofPage:
    """What everybody sees of a round's pairing. `seed`: the tournament's, once it is shown."""

    proof: Proof
    noted: list[DraftRow]
    locked: list[str]
    repairs: list[str]
    seed: str
    about: Mapping[str, Any]


def proof_page(tournament: Tournament, number: int) -> ProofPage:
    """The page of a posted round, from one consistent read."""
    event = event_of(tournament)
    round_ = next(round_ for round_ in event.rounds if round_.number == number)
    names = public_names_in(event)
    about = round_.pairing or {}
    if not seated_in(round_):
        round_ = replace(round_, pairing=None)
    rows = rows_of(event, round_, asked_of(event, round_), names) if seated_in(round_) else []
    return ProofPage(
        proof=proof_of(round_, rows, names),
        noted=[row for row in rows if row.reasons],
        locked=[
            f"{names[a]} – {names[b] if b else _('bye')}" for a, b in about.get("locked", ()) if a in names
        ],
        repairs=[repair_words(repair, names) for repair in about.get("repairs", ())],
        seed=tournament.seed if tournament.state == "finished" else "",
        about=about,
    )


def repair_words(repair: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """One repair: "Re-paired: tables 3 and 9 (as few tables as possible); Ada came in: reason"."""
    how = {
        "keep": _("as few tables as possible"),
        "anew": _("all tables that were not finished"),
    }[repair["option"]]
    parts = [
        _("Re-paired: %(tables)s (%(how)s)")
        % {"tables": sentences.tables_words(repair["tables"]), "how": how}
    ]
    for key, text in (("in", _("%(names)s came in")), ("out", _("%(names)s left"))):
        if repair[key]:
            parts.append(text % {"names": ", ".join(names.get(code, code) for code in repair[key])})
    return f"{'; '.join(parts)}: {repair['reason']}"
