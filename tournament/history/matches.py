"""Changes of matches, in words: results one by one, pairings by their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.actionlog.match_facts import Fact, MatchFact
from tournament.history.context import Context
from tournament.results.game_points import points_text
from tournament.results.wording import bye_words, result_words

RESULT_FIELDS = {"result", "games", "winner", "score", "game_order"}


@dataclass
class MatchChanges:
    """Changes of matches in one action."""

    context: Context
    seated: Counter[int] = field(default_factory=Counter)  # matches by round

    def describe(self, parts: list[str], before: Fact | None, after: Fact | None) -> Iterator[str]:
        """One change of the match under the key "rounds/" and `parts`, or of its time extension."""
        number = int(parts[0])
        if parts[-1] == "extension":
            values = {"table": parts[2], "round": number, "minutes": (after or {}).get("minutes", 0)}
            yield _("table %(table)s, round %(round)s: %(minutes)s-minute time extension") % values
        elif before is None or after is None:
            fact = after or before or {}
            other = self.context.name(fact["b"]) if fact.get("b") else bye_words(fact.get("result") or "bye")
            self.seated[number] += 1
            self.context.details.append(f"{self.context.name(fact['a'])} – {other}")
        elif RESULT_FIELDS & set(after) and parts[1] == "tables":
            yield self._result(number, int(parts[2]), before, after)
        elif RESULT_FIELDS & set(after):
            points = after.get("score")
            values = {
                "name": self.context.name(parts[2]),
                "round": number,
                "points": points_text(points[0]) if points else _("none"),
            }
            yield _("%(name)s, round %(round)s without an opponent: points %(points)s") % values

    def _result(self, number: int, table: int, before: Fact, after: Fact) -> str:
        """Only fields that changed are in the log: the others are the same before and after."""
        new, old = (MatchFact.from_log(table, {"a": "", **fact}) for fact in (after, before))
        if new.result is None and "result" not in after:
            by_games = new.games or new.score or old.score or "game_order" in after
            result = "played" if by_games else "forfeit"
            new, old = new._replace(result=result), old._replace(result=result)
        (a, account_a), (b, account_b) = (
            self.context.seats.get((number, table, side), ("?", "")) for side in "ab"
        )
        values = {
            "table": table,
            "round": number,
            "a": self.context.name(a),
            "b": self.context.name(b),
            "result": result_words(new) or _("no result"),
        }
        words = _("Table %(table)s, round %(round)s: %(a)s %(result)s %(b)s") % values
        if old.result is not None:
            words += " " + _("(was %(result)s)") % {"result": result_words(old)}
        if self.context.actor and self.context.actor in (account_a, account_b):
            words += " " + _("(entered by a player of this match)")
        return words

    def summary(self) -> Iterator[str]:
        """How many matches of each round were seated or taken away."""
        for number, count in self.seated.items():
            text = ngettext(
                "%(count)s match of round %(number)s", "%(count)s matches of round %(number)s", count
            )
            yield text % {"count": count, "number": number}
