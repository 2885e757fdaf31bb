"""Database triggers for rules that a constraint cannot express.

- Actions are never updated, and never deleted while their tournament exists. One exception: anonymizing a player
  (`tournament.services.anonymity`) replaces a name in texts by MARK and changes nothing else (`rewritten_action`).
- Seats of a round change only while that round is `draft` or `repairing`. Two exceptions change no published
  pairing: new matches in a bracket's published round (they open as soon as both players are known), and a missed
  round of a late entry.
- A published version of a ruleset is never updated or deleted.

On SQLite, Django rebuilds tables and silently drops their triggers. So they are removed before a migration and
installed after it. `missing_triggers()` names those that are missing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, connections

MARK = "██"  # no longer than any name, so that every text keeps its limit
_COLUMNS = ("id", "tournament_id", "number", "at", "kind", "key", "body", "undoes")
# The old text must match the new one, with the mark as a wildcard.
_REDACTED = (
    "({new} = {old} OR ({new} LIKE '%{mark}%' AND {old} LIKE replace(replace(replace(replace("
    "{new}, '!', '!!'), '%', '!%'), '_', '!_'), '{mark}', '%') ESCAPE '!'))"
)
# The JSON in `changes` has the same parts as before, but for texts with the mark.
_SQLITE = """
    NOT EXISTS (
        SELECT fullkey, type FROM json_tree(OLD.changes)
        EXCEPT SELECT fullkey, type FROM json_tree(NEW.changes))
    AND NOT EXISTS (
        SELECT fullkey, type, atom FROM json_tree(NEW.changes) WHERE type <> 'text' OR atom NOT LIKE '%{mark}%'
        EXCEPT SELECT fullkey, type, atom FROM json_tree(OLD.changes))
    AND NOT EXISTS (
        SELECT 1 FROM json_tree(NEW.changes) n WHERE n.type = 'text' AND n.atom LIKE '%{mark}%' AND NOT EXISTS (
            SELECT 1 FROM json_tree(OLD.changes) o
            WHERE o.fullkey = n.fullkey AND o.type = 'text' AND {redacted}))"""
_POSTGRESQL = """
    NOT EXISTS (
        SELECT 1 FROM jsonb_path_query(OLD.changes, 'strict $.**') WITH ORDINALITY o(v, i)
        FULL JOIN jsonb_path_query(NEW.changes, 'strict $.**') WITH ORDINALITY n(v, i) USING (i)
        WHERE jsonb_typeof(o.v) IS DISTINCT FROM jsonb_typeof(n.v) OR CASE jsonb_typeof(n.v)
            WHEN 'object' THEN (SELECT array_agg(k) FROM jsonb_object_keys(o.v) k)
                IS DISTINCT FROM (SELECT array_agg(k) FROM jsonb_object_keys(n.v) k)
            WHEN 'array' THEN jsonb_array_length(o.v) <> jsonb_array_length(n.v)
            WHEN 'string' THEN NOT {redacted}
            ELSE o.v <> n.v END)"""


def rewritten_action(vendor: str) -> str:
    """Return the SQL condition that an update of an action does more than put MARK in place of a name."""
    old, new = (", ".join(f'{row}."{column}"' for column in _COLUMNS) for row in ("OLD", "NEW"))
    if vendor == "sqlite":
        same, changes, texts = "IS", _SQLITE, ("o.atom", "n.atom")
    else:
        same, changes, texts = "IS NOT DISTINCT FROM", _POSTGRESQL, ("(o.v #>> '{}')", "(n.v #>> '{}')")
    changes = changes.format(mark=MARK, redacted=_redacted(*texts))
    texts_fit = " AND ".join(_redacted(f"OLD.{column}", f"NEW.{column}") for column in ("actor", "reason"))
    return f"NOT (({old}) {same} ({new}) AND {texts_fit} AND {changes})"


def _redacted(old: str, new: str) -> str:
    return _REDACTED.format(old=old, new=new, mark=MARK)


_PLAYING = (
    "SELECT 1 FROM tournament_round r WHERE r.id = {row}.round_id AND r.state NOT IN ('draft', 'repairing')"
)
_AWAY = (
    "({row}.kind IN ('missed', 'half_bye', 'zero_bye', 'full_bye') AND {row}.side = 'a' "
    "AND {row}.opponent_id IS NULL)"
)
_MOVED = f"EXISTS ({_PLAYING.format(row='OLD')}) OR EXISTS ({_PLAYING.format(row='NEW')})"
TRIGGERS: dict[str, tuple[str, str, str | Callable[[str], str]]] = {  # (event, table, what is refused)
    "actions_are_never_updated": ("UPDATE", "tournament_action", rewritten_action),
    "actions_stay_while_their_tournament_exists": (
        "DELETE",
        "tournament_action",
        "EXISTS (SELECT 1 FROM tournament_tournament t WHERE t.id = OLD.tournament_id)",
    ),
    "seats_join_only_open_rounds": (
        "INSERT",
        "tournament_seat",
        f"NOT {_AWAY.format(row='NEW')} AND "
        f"EXISTS ({_PLAYING.format(row='NEW')} AND (r.swiss OR r.state = 'complete'))",
    ),
    "seats_leave_only_rounds_under_repair": (
        "DELETE",
        "tournament_seat",
        f"NOT {_AWAY.format(row='OLD')} AND EXISTS ({_PLAYING.format(row='OLD')})",
    ),
    "seats_move_only_in_rounds_under_repair": (
        "UPDATE OF entry_id, opponent_id, match_id, round_id, tournament_id, side, kind, swiss, waived",
        "tournament_seat",
        _MOVED,
    ),
    "matches_move_only_in_rounds_under_repair": (
        'UPDATE OF round_id, "table", waived_rule',
        "tournament_match",
        _MOVED,
    ),
    "published_rulesets_never_change": ("UPDATE", "tournament_rulesetversion", "1 = 1"),
    "published_rulesets_are_never_deleted": ("DELETE", "tournament_rulesetversion", "1 = 1"),
}


def _create(vendor: str, name: str, event: str, table: str, refused: str | Callable[[str], str]) -> list[str]:
    message = name.replace("_", " ")
    condition = refused if isinstance(refused, str) else refused(vendor)
    if vendor == "sqlite":
        return [
            f"CREATE TRIGGER IF NOT EXISTS {name} BEFORE {event} ON {table} WHEN {condition} "
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        ]
    back = "OLD" if event == "DELETE" else "NEW"
    return [
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF {condition} THEN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; "
        f"END IF; RETURN {back}; END $$",
        f"CREATE OR REPLACE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


def install(using: str = DEFAULT_DB_ALIAS, **kwargs: object) -> None:
    """Install missing triggers once all tables exist. This `post_migrate` receiver runs after each app."""
    connection = connections[using]
    if not {table for _, table, _ in TRIGGERS.values()} <= set(connection.introspection.table_names()):
        return
    with connection.cursor() as cursor:
        for name, (event, table, condition) in TRIGGERS.items():
            for statement in _create(connection.vendor, name, event, table, condition):
                cursor.execute(statement)


def remove(using: str = DEFAULT_DB_ALIAS, **kwargs: object) -> None:
    connection = connections[using]
    tables = connection.introspection.table_names()
    with connection.cursor() as cursor:
        for name, (_, table, _) in TRIGGERS.items():
            if table in tables:
                on = "" if connection.vendor == "sqlite" else f" ON {table}"
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on}")


def missing_triggers(using: str = DEFAULT_DB_ALIAS) -> list[str]:
    connection = connections[using]
    query = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    if connection.vendor == "sqlite":
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    with connection.cursor() as cursor:
        cursor.execute(query)
        installed = {row[0] for row in cursor.fetchall()}
    return sorted(set(TRIGGERS) - installed)


@contextmanager
def without_triggers(using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    remove(using)
    try:
        yield
    finally:
        install(using)
