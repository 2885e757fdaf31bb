"""Changes of stages, rounds, clocks and matches, in words: each result, but only the number of pairings."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from tournament.actionlog.facts import CLOCK_FIELDS, SEAT_FIELDS
from tournament.actionlog.match_facts import Fact, MatchFact
from tournament.errors import Refused
from tournament.event.clock import minutes_and_seconds
from tournament.event.pairing_record import PairingRecord
from tournament.history.context import MOST_NAMED, Context
from tournament.results.game_points import points_text
from tournament.results.shorthand import parse_slip
from tournament.results.wording import bye_words, result_words, winning_side, words_between, words_of_slip


def _clock_words(context: Context, number: int, before: Fact, after: Fact) -> str:
    """Return what happened to a round's clock. `before` and `after` contain only changed fields."""
    values = {"round": context.rounds[number].phrase, "minutes": after.get("minutes")}
    if after.get("seconds_left") is not None:
        values["left"] = minutes_and_seconds(after["seconds_left"])
        return _("clock of %(round)s paused with %(left)s left") % values
    if after.get("ends_at"):
        values["end"] = context.clock(after["ends_at"], "%H:%M")
        if context.kind != "schedule clock":
            return _("clock of %(round)s runs until %(end)s") % values
        values["start"] = context.clock(after.get("starts_at") or before["starts_at"], "%H:%M")
        return _("clock of %(round)s starts at %(start)s, ends %(end)s") % values
    if after.keys() == {"starts_at"}:
        begun = _("%(round)s started without a clock") if after["starts_at"] else _("%(round)s not begun")
        return begun % values
    if "ends_at" in after or "seconds_left" in after:
        return _("clock of %(round)s turned off") % values
    return _("length of %(round)s set to %(minutes)s minutes") % values


STATES = {
    "draft": gettext_lazy("%(round)s unpublished"),
    "published": gettext_lazy("%(round)s published"),
    "repairing": gettext_lazy("%(round)s being re-paired"),
    "complete": gettext_lazy("%(round)s complete"),
}
RESULT_FIELDS = {"result", "games", "winner", "score", "game_order"}


def describe_stage(before: Fact | None, after: Fact | None) -> Iterator[str]:
    fact = after or before or {}
    if fact.get("kind") == "swiss":
        stage = _("a day with carried-over points") if fact.get("carries") else _("a session")
        yield (_("%(stage)s opened") if before is None else _("%(stage)s removed")) % {"stage": stage}


def describe_round(context: Context, number: int, before: Fact | None, after: Fact | None) -> Iterator[str]:
    values = {"number": number, "round": context.rounds[number].phrase}
    if after is None and before is not None and before["state"] != "draft":
        yield _("%(round)s removed") % values
    elif after is None:
        yield _("draft pairings for round %(number)s discarded") % values
    elif before is None and after["state"] == "draft":
        yield _("round %(number)s paired") % values
    elif "state" in after:
        yield str(STATES[after["state"]]) % values
    elif before is not None and set(after) & set(CLOCK_FIELDS):
        yield _clock_words(context, number, before, after)
    elif before is not None and "pairing" in after:
        old, new = (PairingRecord.from_json(fact["pairing"]) for fact in (before, after))
        edits = max(old.edits, new.edits, key=len)
        if old.edits != new.edits and edits[-1].kind == "seats":
            return  # described by its matches
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
    """Describe a change of the match "rounds/" + `parts`, or of its time extension or a report."""
    number = int(parts[0])
    if len(parts) == 5:
        if after is not None or context.kind in ("withdraw report", "settings", "undo"):
            yield _report_words(context, number, parts, after)  # else described by the result
    elif parts[-1] == "extension":
        yield _extension_words(context, parts[2], number, after)
    elif before is None or after is None:
        fact = after or before or {}
        if fact.get("b"):
            context.seated[number] += 1
            context.details.append(f"{context.name(fact['a'])} – {context.name(fact['b'])}")
        else:
            new, old = context.alone.get((fact["a"], number), ("", ""))
            result = fact.get("result") or "bye"
            context.alone[fact["a"], number] = (result, old) if after else (new, result)
    elif SEAT_FIELDS & set(after):
        yield _seat_words(context, number, parts, before, after)
    elif RESULT_FIELDS & set(after) and parts[1] == "tables":
        yield _result_words(context, number, int(parts[2]), before, after)
    elif RESULT_FIELDS & set(after):
        points = points_text(after["score"][0]) if after.get("score") else _("none")
        values = {"name": context.name(parts[2]), "round": context.rounds[number].label, "points": points}
        yield _("%(name)s, %(round)s without an opponent: points %(points)s") % values


def _extension_words(context: Context, table: str, number: int, after: Fact | None) -> str:
    values = {"table": context.table(number, table), "round": context.rounds[number].label}
    if after is None:
        return _("table %(table)s, %(round)s: no time extension") % values
    values["minutes"] = after.get("minutes", 0)
    words = _("table %(table)s, %(round)s: %(minutes)s-minute time extension") % values
    return f"{words} ({after['reason']})" if after.get("reason") else words


def _report_words(context: Context, number: int, parts: Sequence[str], after: Fact | None) -> str:
    code, *_about = context.seats.get((number, int(parts[2]), parts[4]), ("?",))
    values = {
        "table": context.table(number, parts[2]),
        "round": context.rounds[number].label,
        "who": _("the match slip") if parts[4] in ("slip", "desk") else context.name(code),
    }
    if after is None:
        return _("table %(table)s, %(round)s: report of %(who)s taken off") % values
    try:
        values["slip"] = words_of_slip(parse_slip(after["slip"]))
    except Refused:  # with points or game order: shown as typed, as its rules are unknown here
        values["slip"] = after["slip"]
    return _("table %(table)s, %(round)s: %(who)s reported %(slip)s (first-listed player first)") % values


def _seat_words(context: Context, number: int, parts: Sequence[str], before: Fact, after: Fact) -> str:
    values: dict[str, object] = {"round": context.rounds[number].label}
    if parts[1] == "tables":
        values["table"] = context.table(number, parts[2])
    old, new = ([fact[side] for side in "ab" if fact.get(side)] for fact in (before, after))
    if not new:
        again, no_longer = (
            _("%(round)s, table %(table)s: a rematch"),
            _("%(round)s, table %(table)s: no rematch"),
        )
        if parts[1] == "entries":
            values["name"] = context.name(parts[2])
            again, no_longer = _("%(name)s, %(round)s: a repeat bye"), _("%(name)s, %(round)s: no repeat bye")
        return (again if after["waived"] else no_longer) % values
    values["new"], values["old"] = (
        get_text_list([context.name(code) for code in codes], _("and")) for codes in (new, old)
    )
    if sorted(old) == sorted(new):
        return _("%(round)s, table %(table)s: %(old)s sat the other way around") % values
    if after.get("waived"):
        return _("%(round)s, table %(table)s: %(new)s sat here instead of %(old)s, a rematch") % values
    return _("%(round)s, table %(table)s: %(new)s sat here instead of %(old)s") % values


def _result_words(context: Context, number: int, table: int, before: Fact, after: Fact) -> str:
    """Describe a changed result. Fields missing in both facts did not change."""
    new, old = (MatchFact.from_log(table, {"a": "", **fact}) for fact in (after, before))
    if new.result is None and "result" not in after:
        by_games = new.games or new.score or old.score or "game_order" in after
        result = "played" if by_games else "forfeit"
        new, old = new._replace(result=result), old._replace(result=result)
    if "winner" not in after:
        winner = winning_side(new) or winning_side(old)
        new, old = new._replace(winner=winner), old._replace(winner=winner)
    (a, account_a), (b, account_b) = (
        context.seats.get((number, table, side), ("?", "", ""))[:2] for side in "ab"
    )
    values = {
        "table": context.table(number, table),
        "round": context.rounds[number].label,
        "a": context.name(a),
        "b": context.name(b),
        "result": words_between(new),
    }
    if values["result"]:
        words = _("Table %(table)s, %(round)s: %(a)s %(result)s %(b)s") % values
    else:
        words = _("Table %(table)s, %(round)s: %(a)s vs. %(b)s, no result") % values
    if old.result is not None:
        was = _("(was %(result)s, irregular: as recorded)") if old.odd else _("(was %(result)s)")
        words += " " + was % {"result": result_words(old)}
    if context.actor and context.actor in (account_a, account_b):
        words += " " + _("(entered by a player of this match)")
    return words


def seated_words(context: Context) -> Iterator[str]:
    """Describe changes of players without an opponent: replacements, a few results, then a count of the rest."""
    alone = dict(context.alone)
    for (code, number), (new, old) in context.alone.items():
        heirs = [key for key, results in alone.items() if key[1] == number and results == (old, "")]
        if heirs and not new:
            del alone[code, number], alone[heirs[0]]
            values = {"new": context.name(heirs[0][0]), "old": context.name(code)}
            text = _("%(round)s, %(bye)s: %(new)s instead of %(old)s")
            yield text % {"round": context.rounds[number].label, "bye": bye_words(old), **values}
    if not context.details and len({code for code, _number in alone}) <= MOST_NAMED:
        yield from _words_of_alone(context, alone)
        return
    for (code, number), (new, old) in alone.items():
        context.seated[number] += 1
        context.details.append(f"{context.name(code)} – {bye_words(new or old)}")
    for number, count in context.seated.items():
        text = ngettext("%(count)s match of %(round)s", "%(count)s matches of %(round)s", count)
        yield text % {"count": count, "round": context.rounds[number].phrase}


def _words_of_alone(context: Context, alone: Mapping[tuple[str, int], tuple[str, str]]) -> Iterator[str]:
    rounds: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for (code, number), results in sorted(alone.items()):
        rounds[code, *results].append(str(number))
    for (code, new, old), numbers in rounds.items():
        text = ngettext(
            "%(name)s, round %(rounds)s: %(result)s", "%(name)s, rounds %(rounds)s: %(result)s", len(numbers)
        )
        values = {"name": context.name(code), "rounds": ", ".join(numbers)}
        words = text % {**values, "result": bye_words(new) if new else _("not in it")}
        yield words + (" " + _("(was %(result)s)") % {"result": bye_words(old)} if old else "")
