"""At which table a player sat in the round of a penalty, a deck check, a call or a message."""

from django.db.models import OuterRef, Subquery

from tournament.models import Seat


def table_then() -> Subquery:
    """The number of the table, for rows with an `entry` and a `round`; None for those who sat at none."""
    seats = Seat.objects.filter(
        entry=OuterRef("entry"), round=OuterRef("round"), match__table__isnull=False
    ).values("match__table")
    return Subquery(seats[:1])
