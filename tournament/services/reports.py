"""Reports of a match by phone: a result once both players say the same, or staff accept it.

`against` is the code of the opponent on the page: a form that arrives after a repair reports nothing of another match.
Players are known by their link or, `by_code`, by their personal code. A report by the match code on a slip, which both
players hold, is kept separately and becomes a result only if staff accept it.
"""

from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from tournament.actionlog.actors import BY_CODE, SLIP_ACTOR
from tournament.actionlog.match_facts import Fact, MatchFact, match_key, read_match
from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.display_names import drop_full_stop, load_public_names
from tournament.event.profile import ruleset_in_force
from tournament.event.rounds import find_round, match_at, round_name, round_names
from tournament.event.table_plan import table_name
from tournament.models import Entry, Match, Report, Round, Seat, Tournament
from tournament.results.desk_rows import calls_about
from tournament.results.shorthand import parse_slip, slip_shorthand
from tournament.results.slip import MatchRules, Slip, fields_of_slip, plain_slip, turn_slip
from tournament.results.wording import player_result, report_words
from tournament.services.entries import find_own_entry
from tournament.services.penalties import check_losses
from tournament.services.results import match_rules, write_reported_slip

OFF, ON = Tournament.Reporting.OFF, Tournament.Reporting.ON
BY_PHONE = ("played", "intentional_draw")  # other results are for staff to see
REPORT_KINDS = ("report", "confirm report", "accept reports")  # actions that may write a result
SLIP = Report.Source.SLIP


@service("report", computed=("by_code",))
def report_result(
    log: Log, code: str, number: int, slip: Slip, against: str = "", *, by_code: bool = False
) -> None:
    """Report a match as the player sees it, or change the player's report. The same again changes nothing."""
    seat = _seat_to_report(log, code, number, against)
    match, slip = seat.match, _as_listed(slip, seat.side)
    fields = _reported_fields(log, match, slip)
    slip = plain_slip(slip, _report_rules(log, match))
    if not _has_result(log, match, fields, seat):
        _write_report(log, seat, slip, fields)
        _note_code(log, code, by_code)


@service("report by slip")
def report_by_slip(log: Log, number: int, table: int, slip: Slip, players: tuple[str, str | None]) -> None:
    """Save a report by match slip, as the first-listed player has it. Raises Conflict if others sit there now."""
    match = match_at(log.tournament, number, table)
    log.actor = f"{SLIP_ACTOR}{number}-{table}"
    if log.tournament.reporting == OFF:
        text = _("Players do not report results by phone at this event. Bring the slip to the desk.")
        raise WrongState(text)
    fact = read_match(match)
    if (fact.a, fact.b) != players:
        text = _("The pairings changed, so this slip no longer belongs to a match. Nothing was saved.")
        raise Conflict(text)
    fields = _reported_fields(log, match, slip)
    slip = plain_slip(slip, _report_rules(log, match))
    if _has_result(log, match, fields):
        return
    _check_penalties(log, match, slip)
    text, report = slip_shorthand(slip, _report_rules(log, match)), match.reports.filter(source=SLIP).first()
    if report is None:
        log.add(Report, f"{match_key(match)}/reports/{SLIP}", {"slip": text})
    else:
        report.match = match
        log.set(report, slip=text)


def _note_code(log: Log, code: str, by_code: bool) -> None:
    if by_code and log.changes:
        log.mention(f"entries/{code}", BY_CODE)


def _write_report(log: Log, seat: Seat, slip: Slip, fields: Fact) -> None:
    match, rules = seat.match, _report_rules(log, seat.match)
    _check_penalties(log, match, slip)
    text = slip_shorthand(slip, rules)
    reports = load_reports(match)
    mine, other = reports.get(seat.side), reports.get(_other(seat.side))
    equal = other is not None and _read_fields(log, match, other) == fields
    if equal and log.tournament.reporting == ON:
        write_reported_slip(log, match, slip)
    elif mine is None:
        log.add(Report, f"{match_key(match)}/reports/{seat.side}", {"slip": text})
    elif mine.slip != text:
        log.set(mine, slip=text)


def _check_penalties(log: Log, match: Match, slip: Slip) -> None:
    """Check losses in players' words: phones show public names, and players cannot undo penalties."""
    rules, advice = _report_rules(log, match), _("Report it, or call a judge.")
    check_losses(match, slip, rules, advice, lambda: load_public_names(log.tournament))


@service("confirm report", computed=("by_code",))
def confirm_report(
    log: Log, code: str, number: int, slip: Slip, against: str = "", *, by_code: bool = False
) -> None:
    """Confirm the opponent's report: `slip`, as the player sees it. Raises Conflict if that differs by now."""
    seat = _seat_to_report(log, code, number, against)
    match, mine = seat.match, _as_listed(slip, seat.side)
    fields = _reported_fields(log, match, mine)
    if _has_result(log, match, fields, seat):
        return
    other = load_reports(match).get(_other(seat.side))
    if other is None or _read_fields(log, match, other) != fields:
        raise Conflict(_("Your opponent changed the report. Nothing was confirmed. Look at it again."))
    _write_report(log, seat, plain_slip(mine, _report_rules(log, match)), fields)
    _note_code(log, code, by_code)


@service("withdraw report", computed=("by_code",))
def withdraw_report(log: Log, code: str, number: int, against: str = "", *, by_code: bool = False) -> None:
    seat = _seat_to_report(log, code, number, against)
    if seat.match.result is not None:
        raise WrongState(_("The result is entered. If it is wrong, tell staff."))
    if report := load_reports(seat.match).get(seat.side):
        log.remove(report)
        _note_code(log, code, by_code)


@service("accept reports")
def accept_reports(
    log: Log, number: int, table: int | None = None, text: str = "", *, by_slip: bool = False
) -> None:
    """Accept all reports of a round on which both players agree, or the one at `table`, shown on the page as `text`.

    `by_slip`: accept the report made with the match slip of that table, which is never accepted with others.
    """
    by_slip = by_slip and table is not None
    round_ = find_round(log.tournament, number)
    if log.tournament.reporting == OFF:
        raise WrongState(_("Players do not report results by phone at this event."))
    sources = [SLIP] if by_slip else ["a", "b"]
    matches = round_.matches.filter(result=None, reports__source__in=sources).distinct().order_by("table")
    waiting = [match for match in matches if table in (None, match.table)]
    if table is not None and not waiting:
        name = table_name(log.tournament, table, round_)
        raise WrongState(_("No report waits at table %(table)s."), table=name)
    for match in waiting:
        match.round = round_
        rules, name = _report_rules(log, match), table_name(log.tournament, match.table, round_)
        reports = [match.reports.get(source=SLIP)] if by_slip else load_reports(match).values()
        slips = [parse_slip(report.slip, rules) for report in reports]
        agree = len(slips) == 2 and _reported_fields(log, match, slips[0]) == _reported_fields(
            log, match, slips[1]
        )
        if table is None and not agree:
            continue
        if len(slips) == 2 and not agree:
            raise WrongState(_("Table %(table)s: the reports differ. Enter the result."), table=name)
        if table is not None and text and text != slip_shorthand(slips[0], rules):
            changed = _("Table %(table)s: the report changed. Nothing was saved. Look at it again.")
            raise Conflict(changed, table=name)
        write_reported_slip(log, match, slips[0])


def load_reports(match: Match) -> dict[str, Report]:
    reports = match.reports.filter(source__in="ab").order_by("source")
    return {report.source: report for report in reports.select_related("match__round")}


def _seat_to_report(log: Log, code: str, number: int, against: str) -> Seat:
    entry = find_own_entry(log, code)
    if log.tournament.reporting == OFF:
        text = _("Players do not report results by phone at this event. Bring your match slip to the desk.")
        raise WrongState(text)
    posted = entry.seats.filter(round__number=number).exclude(round__state=Round.State.DRAFT)
    seat = posted.select_related("match__round", "entry", "opponent").first()
    if seat is None:
        name = round_names(log.tournament)[number].phrase
        raise WrongState(_("You have no match in %(round)s."), round=name)
    if seat.opponent is None:
        text = _("You have no opponent in round %(round)s. There is nothing to report.")
        raise WrongState(text, round=number)
    if against and seat.opponent.code != against:
        raise Conflict(
            _("The pairings changed: you have another opponent. Nothing was saved. Look at your page again.")
        )
    return seat


def _has_result(log: Log, match: Match, fields: Fact, seat: Seat | None = None) -> bool:
    """Whether the match already has this result. Raises WrongState, worded for `seat`, if it has another or is over."""
    fact = read_match(match)
    if match.result is not None:
        stored = fact.to_log()
        if all(stored[name] == value for name, value in fields.items()):
            return True
        if seat is None:
            raise WrongState(_("Another result is entered already. If it is wrong, tell staff."))
        text = _("The result is entered already: %(result)s. If it is wrong, tell staff.")
        raise WrongState(text, result=_entered_result(log.tournament, fact, seat))
    if match.round.state != Round.State.PUBLISHED:
        text = _("Results of %(round)s cannot be reported now. Ask at the event desk.")
        raise WrongState(text, round=round_name(match.round).phrase)
    return False


def _entered_result(tournament: Tournament, fact: MatchFact, seat: Seat) -> str:
    other = fact.b if fact.a == seat.entry.code else fact.a
    words = player_result(fact, seat.entry.code, load_public_names(tournament)[other or ""])
    return drop_full_stop(words.sentence)


def _reported_fields(log: Log, match: Match, slip: Slip) -> Fact:
    if slip.result not in BY_PHONE:
        raise Refused(_("Players cannot report that by phone. Ask at the event desk."))
    if slip.drops:
        raise Refused(_("A report covers only the result. To drop, use your page."))
    return fields_of_slip(slip, _report_rules(log, match), ruleset_in_force(log.tournament))


def _read_fields(log: Log, match: Match, report: Report) -> Fact:
    return _reported_fields(log, match, parse_slip(report.slip, _report_rules(log, match)))


def _report_rules(log: Log, match: Match) -> MatchRules:
    return match_rules(match, ruleset_in_force(log.tournament))


def _as_listed(slip: Slip, side: str) -> Slip:
    """Turn a slip from the player's order to the match's (first-listed first), or back."""
    return turn_slip(slip) if side == "b" else slip


def _other(side: str) -> str:
    return "b" if side == "a" else "a"


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
        return match_rules(self.match, ruleset_in_force(self.tournament))

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
        if table is None or self.state != "disputed":
            return ""
        return calls_about(self.match.round, [table]).get(table, "")

    @property
    def dispute(self) -> str:
        words = {
            "called": _("The reports differ. A judge was called."),
            "coming": _("The reports differ. A judge is on the way."),
            "done": _("The reports differ. Staff enter the result."),
        }
        return words.get(self.call) or _("The reports differ. Call a judge.")

    def _fields(self, slip: Slip) -> object:
        return fields_of_slip(slip, self.rules, ruleset_in_force(self.tournament))

    @property
    def mark(self) -> str:
        reports = (slip and slip_shorthand(slip, self.rules) for slip in (self.mine, self.theirs))
        match = (self.match.pk, self.match.version, self.match.round.state)
        return ".".join(map(str, (*match, self.state, self.call, *reports, self.tournament.reporting)))

    @cached_property
    def opponent(self) -> str:
        return load_public_names(self.tournament)[self.opponent_code]

    @cached_property
    def opponent_code(self) -> str:
        other = self.seat.opponent
        assert other is not None
        return other.code

    @property
    def my_words(self) -> str:
        return report_words(self.mine, told=True) if self.mine else ""

    @property
    def their_words(self) -> str:
        return report_words(self.theirs, told=True) if self.theirs else ""

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
        if not gone:
            return ""
        return report_words(_as_listed(parse_slip(gone[0], self.rules), self.seat.side), told=True)


def find_phone_report(tournament: Tournament, entry: Entry) -> PhoneReport | None:
    """Return the player's latest published match against an opponent, with its reports."""
    if tournament.reporting == Tournament.Reporting.OFF:
        return None
    posted = entry.seats.filter(opponent__isnull=False).exclude(round__state=Round.State.DRAFT)
    seat = posted.select_related("match__round", "opponent").order_by("-round__number").first()
    if seat is None or seat.match.table is None:
        return None
    seat.entry = entry
    rules = match_rules(seat.match, ruleset_in_force(tournament))
    reports = load_reports(seat.match) if seat.match.result is None else {}
    slips = {side: _as_listed(parse_slip(report.slip, rules), seat.side) for side, report in reports.items()}
    return PhoneReport(tournament, seat, slips.pop(seat.side, None), next(iter(slips.values()), None))
