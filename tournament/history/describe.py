"""The log in words: what each action changed, with today's names for the codes it holds."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.actionlog.change import STAFF
from tournament.actionlog.match_facts import MatchFact
from tournament.event.pairing_record import PairingRecord
from tournament.history.field_words import CHOICES, EVENT, FIELDS, HERE, ROUND, SILENT, STATUS, TIMES
from tournament.models import Action, Seat, Staff, Tournament
from tournament.results import game_points
from tournament.results import wording as words
from tournament.rulebooks.field_words import label_of
from tournament.rulesets import changed_fields
from tournament.services.self_service import PLAYER_ACTOR
from tournament.text.display_names import names_of

MOST_NAMED = 3
MOST_SAID = 12  # changes in one sentence; the others are its details


@dataclass(frozen=True)
class DescribedAction:
    """One action in words. `details` is what its sentence only counts."""

    number: int
    at: dt.datetime
    actor: str
    sentence: str
    details: list[str]
    reason: str
    undoes: int | None


def describe_actions(tournament: Tournament, actions: Iterable[Action]) -> list[DescribedAction]:
    """The actions in words, in their order: two queries, however many they are."""
    actions = list(actions)
    names = names_of(tournament)
    seats = _seats(tournament, actions)
    zone = zoneinfo.ZoneInfo(tournament.time_zone)
    return [_tell(action, _Teller(names, seats, zone=zone, by=action.actor)) for action in actions]


def _seats(tournament: Tournament, actions: Sequence[Action]) -> Seats:
    """Who sits at the tables whose results these actions changed."""
    keys = [item["fact"].split("/") for action in actions for item in action.changes]
    tables = {(int(p[1]), int(p[3])) for p in keys if p[0] == "rounds" and len(p) >= 4 and p[2] == "tables"}
    found = Seat.objects.filter(
        tournament=tournament,
        round__number__in={number for number, _table in tables},
        match__table__in={table for _number, table in tables},
    )
    columns = found.values_list(
        "round__number", "match__table", "side", "entry__code", "entry__user__username"
    )
    return {
        (number, table or 0, side): (code, account or "") for number, table, side, code, account in columns
    }


Seats = dict[
    tuple[int, int, str], tuple[str, str]
]  # (round, table, side): player code, and the account if the player is also on the staff


@dataclass
class _Teller:
    names: dict[str, str]
    seats: Seats
    by: str = ""  # who did it
    said: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    seated: Counter = field(default_factory=Counter)
    status: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    here: defaultdict[bool, list[str]] = field(default_factory=lambda: defaultdict(list))
    seeded: list[tuple[int | None, int | None, str]] = field(default_factory=list)  # after, before, name
    qualified: int = 0
    moved: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    zone: dt.tzinfo = dt.UTC
    by_hand: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def name(self, code: str) -> str:
        return self.names.get(code, code)

    def actor(self, actor: str) -> str:
        """Who did it: an account, or a player through a player link."""
        code = actor.removeprefix(PLAYER_ACTOR)
        return actor if code == actor else _("player %(name)s") % {"name": self.name(code)}

    def side(self, number: int, table: int, side: str) -> str:
        return self.name(self.seats.get((number, table, side), ("?", ""))[0])

    def change(self, item: dict[str, Any]) -> None:
        parts = item["fact"].split("/")
        if item["fact"].startswith(STAFF):
            self.said += staff_words(parts, item["personal"])
        elif "personal" in item:
            self.fields(self.name(parts[1]), {}, dict.fromkeys(item["personal"], _("changed")))
        elif parts[0] == "entries":
            self.entry(parts[1], item["before"], item["after"])
        elif parts[0] == "flags":
            self.flag(parts[1], item["before"], item["after"])
        elif parts[0] == "rounds" and len(parts) == 2:
            self.round(int(parts[1]), item["before"], item["after"])
        elif parts[0] == "rounds":
            self.match(parts, item["before"], item["after"])
        elif parts[0] == "tournament" and item["before"] and item["after"]:
            self.event(item["before"], item["after"])
        elif parts[0] == "stages" and len(parts) == 4 and (item["after"] or {}).get("seed"):
            self.qualified += 1
        elif parts[0] == "stages" and len(parts) == 4:
            self.moved[parts[3]]["from" if item["after"] is None else "to"] = parts[1]
        elif parts[0] == "stages" and len(parts) == 2 and parts[1] != "1":
            self.stage(item["before"], item["after"])

    def entry(self, code: str, before: dict | None, after: dict | None) -> None:
        if before is None and after and after.get("status") == "waitlisted":
            self.status["waitlisted"].append(self.name(code))
            return
        if before is None or after is None:
            (self.added if before is None else self.removed).append(self.name(code))
            return
        if "status" in after:
            up = before["status"] == "waitlisted" and after["status"] == "playing"
            self.status["admitted" if up else after["status"]].append(self.name(code))
        if "checked_in" in after:
            self.here[after["checked_in"]].append(self.name(code))
        if "seed_rank" in after:
            self.seeded.append((after["seed_rank"], before["seed_rank"], self.name(code)))
        if "manual" in after:
            self.by_hand[after["manual"] or 0].append(self.name(code))
        said_elsewhere = ("status", "seed_rank")
        self.fields(self.name(code), before, {n: v for n, v in after.items() if n not in said_elsewhere})

    def flag(self, number: str, before: dict | None, after: dict | None) -> None:
        fact = after or before or {}
        said: dict[str, Any] = {"number": number, "name": self.name(fact.get("entry") or "")}
        if before is None:
            words = _("%(name)s reported a problem to staff (message %(number)s)")
        elif after is None:
            words = _("message %(number)s deleted")
        else:
            words = (
                _("message %(number)s marked done") if fact["done"] else _("message %(number)s is open again")
            )
        self.said.append(words % said)

    def stage(self, before: dict | None, after: dict | None) -> None:
        fact = after or before or {}
        if fact.get("kind") != "swiss":
            return
        what = _("a day with carried-over points") if fact.get("carries") else _("a session")
        self.said.append(
            (_("%(stage)s opened") if before is None else _("%(stage)s removed")) % {"stage": what}
        )

    def round(self, number: int, before: dict | None, after: dict | None) -> None:
        if after is None:
            self.said.append(_("draft pairings for round %(number)s discarded") % {"number": number})
        elif before is None and after["state"] == "draft":
            self.said.append(_("round %(number)s paired") % {"number": number})
        elif "state" in after:
            self.said.append(str(ROUND[after["state"]]) % {"number": number})
        elif before is not None and "pairing" in after:
            self.paired(number, *(PairingRecord.from_json(change["pairing"]) for change in (before, after)))

    def paired(self, number: int, before: PairingRecord, after: PairingRecord) -> None:
        """What changed about how a round was paired; said of the list that grew or shrank."""
        for key, text in (
            ("repairs", _("round %(number)s re-paired")),
            ("edits", _("draft pairings for round %(number)s edited by hand")),
            ("locks", _("locked tables of round %(number)s: %(count)s")),
        ):
            if getattr(before, key) != getattr(after, key):
                self.said.append(text % {"number": number, "count": len(getattr(after, key))})

    def match(self, parts: list[str], before: dict | None, after: dict | None) -> None:
        number = int(parts[1])
        if parts[-1] == "extension":
            said = {"table": parts[3], "round": number, "minutes": (after or {}).get("minutes", 0)}
            self.said.append(_("table %(table)s, round %(round)s: %(minutes)s-minute time extension") % said)
        elif before is None or after is None:
            fact = after or before or {}
            other = self.name(fact["b"]) if fact.get("b") else words.bye_words(fact.get("result") or "bye")
            self.seated[number] += 1
            self.details.append(f"{self.name(fact['a'])} – {other}")
        elif {"result", "games", "winner", "score", "game_order"} & set(after):
            self.result(parts, before, after)

    def result(self, parts: list[str], before: dict, after: dict) -> None:
        """Only fields that changed are in the log: the others are the same before and after."""
        number, table = int(parts[1]), int(parts[3]) if parts[2] == "tables" else 0
        if not table:
            given = after.get("score")
            said = {
                "name": self.name(parts[3]),
                "round": number,
                "points": game_points.points_text(given[0]) if given else _("none"),
            }
            self.said.append(_("%(name)s, round %(round)s without an opponent: points %(points)s") % said)
            return
        new, old = (MatchFact.from_log(table, {"a": "", **fact}) for fact in (after, before))
        if new.result is None and "result" not in after:
            by_games = new.games or new.score or old.score or "game_order" in after
            result = "played" if by_games else "forfeit"
            new, old = new._replace(result=result), old._replace(result=result)
        said = {
            "table": table,
            "round": number,
            "a": self.side(number, table, "a"),
            "b": self.side(number, table, "b"),
            "result": words.result_words(new) or _("no result"),
        }
        line = _("Table %(table)s, round %(round)s: %(a)s %(result)s %(b)s") % said
        if old.result is not None:
            line += " " + _("(was %(result)s)") % {"result": words.result_words(old)}
        if self.by and any(self.seats.get((number, table, side), ("", ""))[1] == self.by for side in "ab"):
            line += " " + _("(entered by a player of this match)")
        self.said.append(line)

    def event(self, before: dict, after: dict) -> None:
        if "state" in after:
            self.said.append(str(EVENT.get(after["state"], after["state"])))
        if before.get("profile") and after.get("profile"):
            self.rules(before["profile"], after["profile"])
        elif after.get("ruleset"):
            self.said.append(_("ruleset %(key)s, version %(version)s") % _version(after["ruleset"]))
        elif "overrides" in after and "profile" not in after:
            self.said.append(_("rules of this event changed"))
        if {"announcement", "announcement_until"} & set(after):
            self.announced(after)
        if "forbidden" in after:
            before, after = ({**fact, "forbidden": self.pairs(fact["forbidden"])} for fact in (before, after))
        self.fields("", before, {name: value for name, value in after.items() if name != "state"})

    def announced(self, after: dict) -> None:
        """What the owner says to everybody, and until when."""
        text, ends = after.get("announcement"), after.get("announcement_until")
        until = dt.datetime.fromisoformat(ends).astimezone(self.zone).strftime("%H:%M") if ends else ""
        if text:
            self.said.append(_("announced until %(until)s: “%(text)s”") % {"until": until, "text": text})
        elif until:
            self.said.append(_("announcement shown until %(until)s") % {"until": until})
        else:
            self.said.append(_("announcement taken down"))

    def clock(self, moment: str | None) -> str | None:
        """A moment of the log on the event's own clock."""
        return moment and dt.datetime.fromisoformat(moment).astimezone(self.zone).strftime("%Y-%m-%d %H:%M")

    def pairs(self, pairs: list) -> str | None:
        """Pairs of players by name; None for no pair."""
        return ", ".join(f"{self.name(a)} – {self.name(b)}" for a, b in pairs) or None

    def rules(self, before: dict, after: dict) -> None:
        """What changed in the event's own copy of its rules."""
        fields = ", ".join(label_of(path) for path in changed_fields(before, after))
        self.said.append(_("rules changed: %(fields)s") % {"fields": fields or _("nothing")})

    def fields(self, who: str, before: dict, after: dict) -> None:
        for name, value in after.items():
            if name in SILENT or name not in FIELDS:
                continue
            old = before.get(name)
            if choices := CHOICES.get(name):
                value, old = choices.get(value, value), choices.get(old, old)
            elif name in TIMES:
                value, old = self.clock(value), self.clock(old)
            change = f"{value_words(old)} → {value_words(value)}" if before else value_words(value)
            self.said.append(f"{who + ': ' if who else ''}{FIELDS[name]} {change}")

    def starting(self) -> list[str]:
        """Seed ranks: one by one while they are few, of many the order they make."""
        if len(self.seeded) <= MOST_NAMED:
            return [
                f"{name}: {FIELDS['seed_rank']} {value_words(old)} → {value_words(new)}"
                for new, old, name in self.seeded
            ]
        order = [f"{new} {name}" for new, _old, name in sorted(row for row in self.seeded if row[0])]
        self.details += order
        if not order:
            return [_("seeding by rating restored")]
        return [_("manual seeding: %(names)s …") % {"names": ", ".join(order[:MOST_NAMED])}]

    def counted(self, listed: list[str], one: str, many: str) -> list[str]:
        """What happened to these players: a few by name, of many the first ones and their number."""
        if not listed:
            return []
        self.details += listed if len(listed) > MOST_NAMED else []
        named = {"count": len(listed), "names": ", ".join(listed[:MOST_NAMED])}
        return [(one if len(listed) <= MOST_NAMED else many) % named]

    def lines(self) -> list[str]:
        """Everything said, counts last."""
        said_of = [
            *((names, *STATUS.get(status, ("%(names)s",) * 2)) for status, names in self.status.items()),
            *((names, *HERE[here]) for here, names in self.here.items()),
        ]
        lines = [line for listed, one, many in said_of for line in self.counted(listed, str(one), str(many))]
        lines += self.said[:MOST_SAID]
        if more := self.said[MOST_SAID:]:
            self.details += more
            told = ngettext("%(count)s more change", "%(count)s more changes", len(more))
            lines.append(told % {"count": len(more)})
        for listed, one, many in (
            (self.added, _("%(names)s registered"), _("%(count)s players registered: %(names)s …")),
            (self.removed, _("%(names)s removed"), _("%(count)s players removed: %(names)s …")),
        ):
            lines += self.counted(listed, one, many)
        lines += self.starting()
        for code, where in self.moved.items():
            if len(where) == 2:
                moved = {"name": self.name(code), **where}
                lines.append(_("%(name)s moved from session %(from)s to session %(to)s") % moved)
        placed = [name for place in sorted(self.by_hand) if place for name in self.by_hand[place]]
        if placed:
            lines.append(_("manual order: %(names)s") % {"names": ", ".join(placed)})
        elif self.by_hand:
            lines.append(_("manual order removed: %(names)s") % {"names": ", ".join(self.by_hand[0])})
        if self.qualified:
            lines.append(_("bracket of the top %(count)s set") % {"count": self.qualified})
        for number, count in self.seated.items():
            said = {"count": count, "number": number}
            lines.append(
                ngettext(
                    "%(count)s match of round %(number)s", "%(count)s matches of round %(number)s", count
                )
                % said
            )
        return lines


def _tell(action: Action, teller: _Teller) -> DescribedAction:
    for item in action.changes:
        teller.change(item)
    sentence = "; ".join(teller.lines()) or _("event created" if action.kind == "create" else action.kind)
    if action.undoes:
        sentence = _("action %(number)s undone: %(sentence)s") % {
            "number": action.undoes,
            "sentence": sentence,
        }
    return DescribedAction(
        action.number,
        action.at,
        teller.actor(action.actor),
        sentence[:1].upper() + sentence[1:],
        teller.details if len(teller.details) > 1 else [],
        action.reason,
        action.undoes,
    )


def _version(ruleset: Sequence[Any]) -> dict[str, Any]:
    return {"key": ruleset[0], "version": ruleset[1]}


def staff_words(parts: Sequence[str], what: Sequence[str]) -> list[str]:
    """Log sentences about staff: roles and invitations."""
    roles = dict(Staff.Role.choices)
    if parts[0] == "invites":
        said = {"role": roles.get(parts[1], parts[1])}
        made = "made" in what
        return [(_("invitation as %(role)s created") if made else _("invitation as %(role)s revoked")) % said]
    other = {"gone": _("staff: %(name)s removed"), "holder": _("event transferred to %(name)s")}
    return [
        other.get(word, _("staff: %(name)s became %(role)s"))
        % {"name": parts[1], "role": roles.get(word, word)}
        for word in what
    ]


def value_words(value: Any) -> str:
    """A field's value for a reader."""
    if value is None or value in ([], ""):
        return _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
