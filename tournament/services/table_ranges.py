"""Table ranges: who of the staff enters which tables. Anyone at the desk may still enter any table."""

from collections.abc import Mapping

from tournament.actionlog.service import Log, service
from tournament.services.staff import member_of

TABLES = "tables "  # of what the log mentions: before the range, which is "" for all tables


@service("table ranges")
def set_table_ranges(log: Log, ranges: Mapping[str, tuple[int, int] | None]) -> None:
    """Set who enters which tables, {account: (first, last), or None for all of them}; others keep theirs.

    Raises NotFound for someone who is not on the staff.
    """
    for name, ends in ranges.items():
        member = member_of(log.tournament, name)
        first, last = ends or (None, None)
        if (member.first_table, member.last_table) == (first, last):
            continue
        member.first_table, member.last_table = first, last
        member.save(update_fields=["first_table", "last_table"])
        log.mention(f"staff/{name}", TABLES + (f"{first}–{last}" if first else ""))
