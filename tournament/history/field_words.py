"""The words of the log: what fields are called, and what is said of a player, a round and an event."""

from typing import Any

from django.utils.translation import gettext_lazy

from tournament.models import Tournament

FIELDS = {
    "name": gettext_lazy("name"),
    "game": gettext_lazy("game"),
    "venue": gettext_lazy("venue"),
    "team": gettext_lazy("teams"),
    "first_table": gettext_lazy("first table"),
    "skip_tables": gettext_lazy("tables to skip"),
    "capacity": gettext_lazy("player limit"),
    "check_in_from": gettext_lazy("self check-in opens"),
    "check_in_until": gettext_lazy("self check-in closes"),
    "key_hash": gettext_lazy("player link"),
    "self_registration": gettext_lazy("self-registration"),
    "user": gettext_lazy("staff account"),
    "awarded_byes": gettext_lazy("awarded byes"),
    "seed_rank": gettext_lazy("seed"),
    "rating": gettext_lazy("rating"),
    "rating_source": gettext_lazy("rating source"),
    "labels": gettext_lazy("labels"),
    "paid": gettext_lazy("paid"),
    "external_id": gettext_lazy("membership number"),
    "alias": gettext_lazy("alias"),
    "contact": gettext_lazy("contact"),
    "notes": gettext_lazy("notes for staff"),
    "fixed_table": gettext_lazy("fixed table"),
    "rounds_planned": gettext_lazy("Swiss rounds"),
    "cut": gettext_lazy("cut"),
    "round_minutes": gettext_lazy("minutes per round"),
    "starts_at": gettext_lazy("start"),
    "hold_standings": gettext_lazy("public standings hidden"),
    "best_of": gettext_lazy("best of"),
    "time_zone": gettext_lazy("time zone"),
    "listed": gettext_lazy("listed"),
    "name_privacy": gettext_lazy("names on public pages"),
    "forbidden": gettext_lazy("do-not-pair list"),
    "minutes": gettext_lazy("minutes"),
}
# What is said of one player, and of many at once.
STATUS = {
    "waitlisted": (
        gettext_lazy("%(names)s on the waitlist"),
        gettext_lazy("%(count)s on the waitlist: %(names)s …"),
    ),
    "admitted": (
        gettext_lazy("%(names)s moved up from the waitlist"),
        gettext_lazy("%(count)s moved up from the waitlist: %(names)s …"),
    ),
    "playing": (gettext_lazy("%(names)s reinstated"), gettext_lazy("%(count)s reinstated: %(names)s …")),
    "dropped": (gettext_lazy("%(names)s dropped"), gettext_lazy("%(count)s dropped: %(names)s …")),
    "disqualified": (
        gettext_lazy("%(names)s was disqualified"),
        gettext_lazy("%(count)s were disqualified: %(names)s …"),
    ),
}
HERE = {
    True: (gettext_lazy("%(names)s checked in"), gettext_lazy("%(count)s checked in: %(names)s …")),
    False: (
        gettext_lazy("check-in undone for %(names)s"),
        gettext_lazy("check-in undone for %(count)s: %(names)s …"),
    ),
}
ROUND = {
    "draft": gettext_lazy("round %(number)s unpublished"),
    "published": gettext_lazy("round %(number)s published"),
    "repairing": gettext_lazy("round %(number)s being re-paired"),
    "complete": gettext_lazy("round %(number)s complete"),
}
EVENT = {
    "running": gettext_lazy("the event is running"),
    "finished": gettext_lazy("the event is finished"),
    "open": gettext_lazy("registration is open"),
    "draft": gettext_lazy("the event is being set up"),
}
# Values that have words of their own, by field.
CHOICES: dict[str, dict[Any, Any]] = {"name_privacy": dict(Tournament.Names.choices)}
TIMES = {"starts_at", "check_in_from", "check_in_until"}  # told on the event's own clock
# Said elsewhere in the same action, or of no interest to a reader.
SILENT = {"profile", "published_at", "ends_at", "pairing", "dropped_after", "overrides", "ruleset", "stage"}
