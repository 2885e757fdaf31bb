from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import match_key, read_match
from tournament.event.profile import profile_of
from tournament.event.table_plan import table_name
from tournament.models import Entry, Match, Round, Seat, Tournament
from tournament.results.desk_rows import calls_about
from tournament.results.shorthand import parse_slip, slip_shorthand
from tournament.results.slip import MatchRules, Slip, fields_of_slip, turn_slip
from tournament.results.wording import player_result, result_for_player
from tournament.services.reports import reports_of
from tournament.services.results import rules_of
from tournament.text.display_names import kept_public_names_of


@dataclass(frozen=True)
class PhoneReport:
    """The latest match of a player against an opponent; slips as the player has them, own games first."""

    tournament: Tournament
    seat: Seat
    mine: Slip | None  # what the player reported
    theirs: Slip | None  # what the opponent reported

    @property
    def match(self) -> Match:
        return self.seat.match

    @property
    def number(self) -> int:
        return self.match.round.number

    @property
    def table_name(self) -> str:
        return table_name(self.tournament, self.match.table, self.match.round)

    @property
    def rules(self) -> MatchRules:
        return rules_of(self.match, profile_of(self.tournament))

    @property
    def state(self) -> str:
        """State: "open", "mine" or "theirs" (one reported), "agreed", "disputed", "entered", or "closed"."""
        if self.match.result is not None:
            return "entered"
        disqualified = self.seat.entry.status == Entry.Status.DISQUALIFIED
        if self.match.round.state != Round.State.PUBLISHED or disqualified:
            return "closed"
        if self.mine is None or self.theirs is None:
            return "mine" if self.mine else "theirs" if self.theirs else "open"
        return "agreed" if self._fields(self.mine) == self._fields(self.theirs) else "disputed"

    @cached_property
    def call(self) -> str:
        """State of the judge call from a disputed table, as in `calls_about`; "" without one."""
        table = self.match.table
        return (
            calls_about(self.match.round, [table]).get(table, "")
            if table and self.state == "disputed"
            else ""
        )

    @property
    def dispute(self) -> str:
        words = {
            "called": _("The reports differ. A judge was called."),
            "coming": _("The reports differ. A judge is on the way."),
            "done": _("The reports differ. Staff enter the result."),
        }
        return words.get(self.call) or _("The reports differ. Call a judge.")

    def _fields(self, slip: Slip) -> object:
        return fields_of_slip(slip, self.rules, profile_of(self.tournament))

    @property
    def mark(self) -> str:
        reports = (slip and slip_shorthand(slip, self.rules) for slip in (self.mine, self.theirs))
        parts = (
            self.match.pk,
            self.match.version,
            self.match.round.state,
            self.state,
            self.call,
            *reports,
            self.tournament.reporting,
        )
        return ".".join(map(str, parts))

    @cached_property
    def opponent(self) -> str:
        return kept_public_names_of(self.tournament)[self.opponent_code]

    @cached_property
    def opponent_code(self) -> str:
        other = self.seat.opponent
        assert other is not None
        return other.code

    @property
    def my_words(self) -> str:
        return result_for_player(self.mine) if self.mine else ""

    @property
    def their_words(self) -> str:
        return result_for_player(self.theirs) if self.theirs else ""

    @property
    def result(self) -> str:
        return player_result(read_match(self.match), self.seat.entry.code, self.opponent).sentence

    @cached_property
    def overruled(self) -> str:
        """The player's earlier report if staff entered another result; else ""."""
        action = self.tournament.actions.filter(number=self.match.version).first()
        if action is None or action.kind not in ("result", "bracket result", "penalty"):
            return ""
        key = f"{match_key(self.match)}/reports/{self.seat.side}"
        gone = [change["before"]["slip"] for change in action.changes if change["fact"] == key]
        return result_for_player(_own(parse_slip(gone[0], self.rules), self.seat.side)) if gone else ""


def phone_report_of(tournament: Tournament, entry: Entry) -> PhoneReport | None:
    """Return the player's latest published match against an opponent, with its reports."""
    if tournament.reporting == Tournament.Reporting.OFF:
        return None
    posted = entry.seats.filter(opponent__isnull=False).exclude(round__state=Round.State.DRAFT)
    seat = posted.select_related("match__round", "opponent").order_by("-round__number").first()
    if seat is None or seat.match.table is None:
        return None
    seat.entry = entry
    rules = rules_of(seat.match, profile_of(tournament))
    reports = reports_of(seat.match) if seat.match.result is None else {}
    slips = {side: _own(parse_slip(report.slip, rules), seat.side) for side, report in reports.items()}
    return PhoneReport(tournament, seat, slips.pop(seat.side, None), next(iter(slips.values()), None))


def _own(slip: Slip, side: str) -> Slip:
    return turn_slip(slip) if side == "b" else slip
