"""A player's own data as JSON, without staff notes. Other people appear only under their public names."""

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Model
from django.utils.translation import gettext as _

from tournament.actionlog.actors import PLAYER_ACTOR, SLIP_ACTOR
from tournament.actionlog.facts import KINDS
from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import match_facts
from tournament.event.display_names import entry_privacy, load_public_names, public_name
from tournament.history.describe import describe_actions
from tournament.models import Entry, Extension, Match, Report
from tournament.services.anonymity import Redaction

# Entry columns left out: meaningless to the player, secret, or for staff only.
LEFT_OUT = frozenset({"id", "tournament", "key_hash", "link_number", "notes"})
NOT_TOLD = frozenset(
    {"id", "tournament", "entry", "actor", "judge"}
)  # of messages, deck checks and decklists


def collect_own_data(entry: Entry) -> dict[str, Any]:
    """Return everything stored about the player of this entry. Slow: it reads the whole log."""
    tournament = entry.tournament
    others_out = Redaction(_hidden_names(entry))
    stages = entry.stage_entries.select_related("stage").order_by("stage__number")
    return {
        "event": {
            "name": tournament.name,
            "address": f"{settings.SITE_URL}{tournament.get_absolute_url()}",
            "starts_at": tournament.starts_at,
            "state": tournament.state,
        },
        "player": {
            **_column_values(entry, LEFT_OUT | {"same_person_as", "user"}),
            "same_person_as": entry.same_person_as and entry.same_person_as.code,
            "staff_account": entry.user and entry.user.get_username(),
            "has_link": bool(entry.key_hash),
        },
        "sessions": [
            {"session": row.stage.number, "seed": row.seed, "alternate": row.alternate} for row in stages
        ],
        "matches": list(_collect_matches(entry)),
        "messages": [
            {**_column_values(flag, NOT_TOLD), "round": flag.round and flag.round.number}
            for flag in entry.flags.select_related("round")
        ],
        **_given_by_judges(entry, others_out),
        "decklists": [_column_values(decklist, NOT_TOLD) for decklist in entry.decklists.all()],
        "phones": [
            {"push_service": urlsplit(phone.endpoint).hostname, "since": phone.created}
            for phone in entry.push_subscriptions.all()
        ],
        "log": list(_collect_log(entry, others_out)),
    }


def _given_by_judges(entry: Entry, others_out: Redaction) -> dict[str, Any]:
    return {
        "penalties": [
            {
                "round": penalty.round and penalty.round.number,
                "kind": penalty.kind,
                "infraction": others_out.redact(penalty.reason, "reason"),
                "description": others_out.redact(penalty.description, "description"),
                "counts_in": penalty.counts_in,
            }
            for penalty in entry.penalties.select_related("round")
        ],
        "deck_checks": [
            {
                "round": check.round and check.round.number,
                **_column_values(check, NOT_TOLD | {"number", "round"}),
            }
            for check in entry.deck_checks.select_related("round")
        ],
    }


def _hidden_names(entry: Entry) -> Iterator[str]:
    event = entry.tournament
    columns = ("tournament", "name", "alias", "display_name_only", "former_names")
    for other in event.entries.exclude(pk=entry.pk).only(*columns):
        shown = public_name(other.name, other.alias, entry_privacy(other, event), team=event.team)
        yield from {other.name, other.alias, *other.former_names} - {shown}


def _column_values(row: Model, without: Iterable[str]) -> dict[str, Any]:
    names = [field.name for field in row._meta.concrete_fields if field.name not in without]
    return {name: getattr(row, name) for name in names}


def _collect_matches(entry: Entry) -> Iterator[dict[str, Any]]:
    names = load_public_names(entry.tournament)
    rows = Match.objects.filter(seats__entry=entry)
    reports = list(Report.objects.filter(match__in=rows).values_list("match", "source", "slip"))
    minutes = dict(Extension.objects.filter(match__in=rows).values_list("match", "minutes"))
    for key, match in match_facts(rows).items():
        side, opponent = ("a", match.fact.b) if match.fact.a == entry.code else ("b", match.fact.a)
        by = {side: "you", "slip": "match slip"}
        yield {
            "round": int(key.split("/")[1]),
            "table": match.fact.table,
            "you_are": side,
            "opponent": opponent and names.get(opponent, opponent),
            **{name: value for name, value in match.fact.to_log().items() if name not in ("a", "b")},
            "reports": [
                {"by": by.get(source, "opponent"), "slip": slip}
                for pk, source, slip in reports
                if pk == match.pk
            ],
            "extra_minutes": minutes.get(match.pk, 0),
        }


def _collect_log(entry: Entry, others_out: Redaction) -> Iterable[dict[str, Any]]:
    about = _About(entry)
    actions = []
    for action in entry.tournament.actions.order_by("number").iterator(200):
        if changes := [change for change in action.changes if about.says(change)]:
            of_player = copy(action)
            of_player.changes = changes
            actions.append(of_player)
    names = {**load_public_names(entry.tournament), entry.code: entry.name}
    for action, line in zip(actions, describe_actions(entry.tournament, actions, names), strict=True):
        yield {
            "number": line.number,
            "at": line.at,
            "by": _by(action.actor, entry.code),
            "what": others_out.redact(line.sentence, "text"),
            "reason": others_out.redact(line.reason, "reason"),
        }


def _by(actor: str, code: str) -> str:
    if actor == f"{PLAYER_ACTOR}{code}":
        return _("you")
    if actor.startswith(SLIP_ACTOR):
        return _("someone with the match slip")
    return _("another player") if actor.startswith(PLAYER_ACTOR) else _("staff")


class _About:
    """Selects the log's changes about a player: of the entry, of its tables, or naming it."""

    def __init__(self, entry: Entry) -> None:
        self.code = entry.code
        seats = entry.seats.values_list("round__number", "match__table")
        self.tables = {f"rounds/{number}/tables/{table}" for number, table in seats if table}
        numbered = (entry.flags, entry.penalties, entry.deck_checks, entry.decklists)
        self.numbered = {KINDS[type(row)].key_of(row) for rows in numbered for row in rows.all()}

    def says(self, change: Change) -> bool:
        key = change["fact"]
        if f"entries/{self.code}" in (key, "/".join(key.split("/")[2:4])):
            return True
        facts = [fact for fact in (change.get("before"), change.get("after")) if fact]
        people = {code for fact in facts for name in ("a", "b", "entry") if (code := fact.get(name))}
        own = key in self.numbered or "/".join(key.split("/")[:4]) in self.tables
        return self.code in people or (own and not people)
