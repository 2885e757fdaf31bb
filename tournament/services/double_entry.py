"""Double entry: at chosen tables two different people must type the same slip before it is the result."""

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import match_key
from tournament.actionlog.service import Log
from tournament.errors import WrongState
from tournament.event.profile import profile_of
from tournament.event.table_plan import table_name
from tournament.models import Match, Report
from tournament.results.shorthand import parse_slip, slip_shorthand
from tournament.results.slip import MatchRules, Slip
from tournament.results.slip_fields import fields_of_slip
from tournament.results.wording import words_of_slip
from tournament.services.penalty_losses import check_losses

DESK = Report.Source.DESK


def is_agreed(log: Log, match: Match, slip: Slip, rules: MatchRules) -> bool:
    """Whether the slip can be written: two people typed it, or one is enough at this table. Else it waits for another.

    Raises Refused for an impossible score and for one without the games lost by penalty,
    WrongState where the two differ, or are the same person.
    """
    if match.result is not None or match.table not in log.tournament.double_entry:
        return True
    profile, table = profile_of(log.tournament), table_name(log.tournament, match.table)
    fields = fields_of_slip(slip, rules, profile)
    check_losses(match, slip, rules)
    report = _first_entry_of(match)
    if report is None:
        first = {"slip": slip_shorthand(slip, rules), "actor": log.actor}
        log.add(Report, f"{match_key(match)}/reports/{DESK}", first)
        return False
    earlier = parse_slip(report.slip, rules)
    same = fields_of_slip(earlier, rules, profile) == fields and earlier.drops == slip.drops
    if report.actor == log.actor and not same:
        log.set(report, slip=slip_shorthand(slip, rules))
        return False
    if report.actor == log.actor:
        message = _("Table %(table)s: you entered this slip already. Someone else must type it, too.")
        raise WrongState(message, table=table)
    if not same:
        message = _(
            "Table %(table)s: %(first)s entered %(theirs)s, you typed %(yours)s. Compare both with the slip. "
            "To start again, type %(table)s -."
        )
        if not match.round.swiss:
            message = _(
                "Table %(table)s: %(first)s entered %(theirs)s, you typed %(yours)s. Compare both with the slip. "
                "To start again, undo the first entry."
            )
        theirs, yours = _slip_words(earlier), _slip_words(slip)
        raise WrongState(message, table=table, first=report.actor, theirs=theirs, yours=yours)
    log.remove(report)
    return True


def check_first_entry(log: Log, match: Match, slip: Slip, rules: MatchRules) -> None:
    """Raises WrongState where a person at the desk entered something else than both players reported: this slip."""
    if differing := entry_against(log, match, slip, rules):
        message = _(
            "Table %(table)s: %(first)s entered %(theirs)s, both players reported %(yours)s. "
            "Compare both with the slip and enter the result."
        )
        table = table_name(log.tournament, match.table)
        theirs, yours = _slip_words(parse_slip(differing.slip, rules)), _slip_words(slip)
        raise WrongState(message, table=table, first=differing.actor, theirs=theirs, yours=yours)


def entry_against(log: Log, match: Match, slip: Slip, rules: MatchRules) -> Report | None:
    """The first of two entries at the desk, where it says something else than this slip."""
    report = _first_entry_of(match)
    if report is None:
        return None
    profile, earlier = profile_of(log.tournament), parse_slip(report.slip, rules)
    same = fields_of_slip(earlier, rules, profile) == fields_of_slip(slip, rules, profile)
    return None if same and earlier.drops == slip.drops else report


def forget_first_entry(log: Log, match: Match) -> None:
    """Let the next two people begin again."""
    for report in match.reports.filter(source=DESK):
        log.remove(report)


def _first_entry_of(match: Match) -> Report | None:
    return match.reports.filter(source=DESK).first()


def _slip_words(slip: Slip) -> str:
    """A slip beside no names: its drops by the place of the player."""
    drops = {"a": _("first player drops"), "b": _("second player drops"), "ab": _("both drop")}
    return ", ".join([words_of_slip(slip), *([drops[slip.drops]] if slip.drops else [])])
