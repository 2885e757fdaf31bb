"""Slips typed a second time, compared with what is entered: nothing is written, only differences are named."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.results.box_line import parse_line
from tournament.results.desk_rows import DeskRow, DeskSheet, slip_words
from tournament.results.shorthand import slip_shorthand
from tournament.results.slip import Slip
from tournament.results.slip_checks import check_slip
from tournament.results.slip_fields import fields_of_slip
from tournament.text.clean import lines_of


class Difference(NamedTuple):
    """A table whose slip says something else than what is entered."""

    row: DeskRow
    slip: Slip
    dropped: tuple[str, ...] = ()  # names of players whose drop was entered and is not on the slip

    @property
    def typed(self) -> str:
        """What was typed just now."""
        return slip_words(self.slip, self.row)

    @property
    def entered(self) -> str:
        """What is entered."""
        drops = [_("%(name)s drops") % {"name": name} for name in self.dropped]
        return ", ".join([self.row.words or _("no result"), *drops])


@dataclass
class Verification:
    """Slips typed again, by table. `drops`: codes of players whose drop was entered with a result."""

    sheet: DeskSheet
    profile: dict[str, Any]
    slips: dict[int, Slip]
    drops: Collection[str] = ()

    @property
    def lines(self) -> str:
        """What was typed, a line a table, to be read again by `read_lines`."""
        return "\n".join(
            f"{table} {slip_shorthand(slip, self.sheet.row(table).rules)}"
            for table, slip in self.slips.items()
        )

    @property
    def differences(self) -> list[Difference]:
        """The tables that differ, in their order."""
        differences = (self.difference(row.table) for row in self.sheet.rows if row.table in self.slips)
        return [difference for difference in differences if difference]

    @property
    def missing(self) -> list[int]:
        """The tables that were not typed again."""
        return [row.table for row in self.sheet.rows if row.table and row.table not in self.slips]

    def difference(self, table: int | None) -> Difference | None:
        """Where the slip of that table says something else than what is entered."""
        row, slip = self.sheet.row(table or 0), self.slips[table or 0]
        entered = row.fact.to_log()
        fields = fields_of_slip(slip, row.rules, self.profile)
        players = [(side, player) for side, player in (("a", row.a), ("b", row.b)) if player]
        absent = tuple(p.name for side, p in players if side not in slip.drops and p.code in self.drops)
        not_in = any(side in slip.drops and not player.gone for side, player in players)
        same = all(entered[name] == value for name, value in fields.items() if name != "odd")
        return None if same and not absent and not not_in else Difference(row, slip, absent)


def read_lines(text: str, sheet: DeskSheet) -> dict[int, Slip]:
    """The slips in lines such as "12 21", by table; of two of one table the later. Raises Refused, NotFound."""
    slips = {}
    for line in lines_of(text):
        read = parse_line(line, sheet)
        if read.slip is None:
            raise Refused(_("Type the table and what its slip says, such as 12 21."))
        check_slip(read.slip, sheet.row(read.table).rules)
        slips[read.table] = read.slip
    return slips
