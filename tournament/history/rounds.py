"""Changes of stages, rounds and matches, in words: results one by one, pairings by their number."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournament.actionlog.match_facts import Fact, MatchFact
from tournament.event.pairing_record import PairingRecord
from tournament.history.context import Context
from tournament.results.game_points import points_text
from tournament.results.wording import bye_words, result_words

STATES = {
    "draft": gettext_lazy("round %(number)s unpublished"),
    "published": gettext_lazy("round %(number)s published"),
    "repairing": gettext_lazy("round %(number)s being re-paired"),
    "complete": gettext_lazy("round %(number)s complete"),
}
RESULT_FIELDS = {"result", "games", "winner", "score", "game_order"}


def describe_stage(before: Fact | None, after: Fact | None) -> Iterator[str]:
    """A further Swiss stage that was opened or removed; brackets show by their seeds."""
    fact = after or before or {}
    if fact.get("kind") == "swiss":
        stage = _("a day with carried-over points") if fact.get("carries") else _("a session")
        yield (_("%(stage)s opened") if before is None else _("%(stage)s removed")) % {"stage": stage}


def describe_round(number: int, before: Fact | None, after: Fact | None) -> Iterator[str]:
    """A round that was paired, published, completed …"""
    values = {"number": number}
    if after is None:
        yield _("draft pairings for round %(number)s discarded") % values
    elif before is None and after["state"] == "draft":
        yield _("round %(number)s paired") % values
    elif "state" in after:
        yield str(STATES[after["state"]]) % values
    elif before is not None and "pairing" in after:
        old, new = (PairingRecord.from_json(fact["pairing"]) for fact in (before, after))
        for name, text in (
            ("repairs", _("round %(number)s re-paired")),
            ("edits", _("draft pairings for round %(number)s edited by hand")),
            ("locks", _("locked tables of round %(number)s: %(count)s")),
        ):
            if getattr(old, name) != getattr(new, name):
                yield text % {**values, "count": len(getattr(new, name))}


def describe_match(
    context: Context, parts: Sequence[str], before: Fact | None, after: Fact | None
) -> Iterator[str]:
    """One change of the match under the key "rounds/" and `parts`, or of its time extension."""
    number = int(parts[0])
    if parts[-1] == "extension":
        values = {"table": parts[2], "round": number, "minutes": (after or {}).get("minutes", 0)}
        yield _("table %(table)s, round %(round)s: %(minutes)s-minute time extension") % values
    elif before is None or after is None:
        fact = after or before or {}
        other = context.name(fact["b"]) if fact.get("b") else bye_words(fact.get("result") or "bye")
        context.seated[number] += 1
        context.details.append(f"{context.name(fact['a'])} – {other}")
    elif RESULT_FIELDS & set(after) and parts[1] == "tables":
        yield _result_words(context, number, int(parts[2]), before, after)
    elif RESULT_FIELDS & set(after):
        points = after.get("score")
        values = {
            "name": context.name(parts[2]),
            "round": number,
            "points": points_text(points[0]) if points else _("none"),
        }
        yield _("%(name)s, round %(round)s without an opponent: points %(points)s") % values


def _result_words(context: Context, number: int, table: int, before: Fact, after: Fact) -> str:
    """Only fields that changed are in the log: the others are the same before and after."""
    new, old = (MatchFact.from_log(table, {"a": "", **fact}) for fact in (after, before))
    if new.result is None and "result" not in after:
        by_games = new.games or new.score or old.score or "game_order" in after
        result = "played" if by_games else "forfeit"
        new, old = new._replace(result=result), old._replace(result=result)
    (a, account_a), (b, account_b) = (context.seats.get((number, table, side), ("?", "")) for side in "ab")
    values = {
        "table": table,
        "round": number,
        "a": context.name(a),
        "b": context.name(b),
        "result": result_words(new) or _("no result"),
    }
    words = _("Table %(table)s, round %(round)s: %(a)s %(result)s %(b)s") % values
    if old.result is not None:
        words += " " + _("(was %(result)s)") % {"result": result_words(old)}
    if context.actor and context.actor in (account_a, account_b):
        words += " " + _("(entered by a player of this match)")
    return words


def seated_words(context: Context) -> Iterator[str]:
    """How many matches of each round were seated or taken away."""
    for number, count in context.seated.items():
        text = ngettext("%(count)s match of round %(number)s", "%(count)s matches of round %(number)s", count)
        yield text % {"count": count, "number": number}
