"""What may change about an action: a text in which MARK stands for a name that was taken out. SQL for the triggers."""

MARK = "██"  # no longer than any name, so that every text keeps its limit
_COLUMNS = ("id", "tournament_id", "number", "at", "kind", "key", "body", "undoes")
# A new text with the mark is a pattern that the old one fits.
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
    """The condition that an update of an action is anything but such a redaction, for that kind of database."""
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
