"""The versions that phones poll, as plain SQL, because building a queryset takes longer than the query.

Each version ends with whether the announcement has expired, because pages then change by themselves.
"""

from datetime import datetime

from django.db import connection
from django.utils import timezone

Version = tuple[object, ...]  # () if there is no such event


def load_event_version(slug: str) -> Version:
    """Return the version of an event's public pages."""
    return _load(_EVENT, timezone.now(), slug)


def load_log_version(slug: str) -> Version:
    """Return the version of a public page that shows results of rounds in progress and estimates by the minute."""
    now = timezone.now()
    return (*_load(_LOG, now, slug), int(now.timestamp()) // 60)


def load_player_version(slug: str, code: str) -> Version:
    """Return the version of a player's public page, which shows the player's own results."""
    return _load(_PLAYER, code, timezone.now(), slug)


def load_device_version(slug: str, code: str) -> Version:
    """Return the version of a player's poll: latest match, reports, judge call, link; () for an unknown player."""
    return _load(_DEVICE, timezone.now(), slug, code)


def _load(sql: str, *values: str | datetime) -> Version:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchone() or ()


_EVENT = """
SELECT event.id, event.seed, event.lineage, event.public_revision, event.announcement_until <= %s
FROM tournament_tournament event
WHERE event.slug = %s
"""

_LOG = _EVENT.replace("public_revision", "revision")

_PLAYER = """
SELECT event.id, event.seed, event.lineage, event.public_revision,
    (SELECT MAX(played.version)
     FROM tournament_entry entry
     JOIN tournament_seat seat ON seat.entry_id = entry.id
     JOIN tournament_match played ON played.id = seat.match_id
     JOIN tournament_round round ON round.id = seat.round_id
     WHERE entry.tournament_id = event.id AND entry.code = %s AND round.state <> 'draft'),
    event.announcement_until <= %s
FROM tournament_tournament event
WHERE event.slug = %s
"""

_DEVICE = """
SELECT event.id, event.seed, event.lineage, event.public_revision, entry.key_hash,
    latest.id, latest.version, report_a.slip, report_b.slip, call.number, call.judge, call.done,
    event.announcement_until <= %s
FROM tournament_tournament event
JOIN tournament_entry entry ON entry.tournament_id = event.id
LEFT JOIN tournament_match latest ON latest.id = (
    SELECT seat.match_id
    FROM tournament_seat seat
    JOIN tournament_round round ON round.id = seat.round_id
    WHERE seat.entry_id = entry.id AND round.state <> 'draft'
    ORDER BY round.number DESC LIMIT 1)
LEFT JOIN tournament_report report_a ON report_a.match_id = latest.id AND report_a.source = 'a'
LEFT JOIN tournament_report report_b ON report_b.match_id = latest.id AND report_b.source = 'b'
LEFT JOIN tournament_flag call ON call.id = (
    SELECT flag.id
    FROM tournament_flag flag
    JOIN tournament_seat seat ON seat.entry_id = flag.entry_id
    WHERE seat.match_id = latest.id AND flag.kind = 'call'
    ORDER BY flag.done, flag.number DESC LIMIT 1)
WHERE event.slug = %s AND entry.code = %s
"""
