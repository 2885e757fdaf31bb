"""Calls for a judge from players' phones: one open call a table, until a judge has been there."""

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState, get_or_refuse
from tournament.models import Flag, Match, Tournament
from tournament.services.entries import unmerged_entry_of
from tournament.services.penalties import current_match_of
from tournament.services.player_messages import LONGEST, next_flag_number
from tournament.services.self_service import PLAYER_ACTOR
from tournament.text.clean import clean_name


@service("judge call")
def call_judge(log: Log, code: str, text: str = "") -> None:
    """A player calls a judge to the table of the current match. Where one is called already, that call stands.

    The text is personal, as that of a message is: the log says that a judge was called, not what for.
    Raises WrongState for a player who is not at a table of a round in progress, Refused for a text that is too long.
    """
    text = clean_name(text)
    if len(text) > LONGEST:
        raise Refused(_("Say in at most %(most)s characters what the judge is needed for."), most=LONGEST)
    entry = unmerged_entry_of(log.tournament, code)
    match = current_match_of(entry)
    if match is None or match.table is None:
        raise WrongState(_("You are not in a match now. Ask at the event desk."))
    if open_call_at(match):
        return
    log.actor = f"{PLAYER_ACTOR}{code}"
    fields = {
        "kind": Flag.Kind.CALL,
        "entry": code,
        "round": match.round.number,
        "at": timezone.now().isoformat(),
    }
    log.add(Flag, f"flags/{next_flag_number(log.tournament)}", fields, {"text": text})


@service("answer call")
def answer_call(log: Log, number: int) -> None:
    """A judge is on the way. Raises NotFound, WrongState for a call that is done, Conflict where another judge is."""
    call = call_of(log.tournament, number)
    if call.done:
        raise WrongState(_("This call is already done."))
    if call.judge and call.judge != log.actor:
        raise Conflict(_("%(judge)s is already on the way to this table. You need not go."), judge=call.judge)
    log.set(call, judge=log.actor)


@service("call done", after_end=True)
def settle_call(log: Log, number: int) -> None:
    """A judge has been at the table. Raises NotFound."""
    log.set(call_of(log.tournament, number), done=True)


def call_of(tournament: Tournament, number: int) -> Flag:
    """The call of that number. Raises NotFound."""
    calls = tournament.flags.filter(kind=Flag.Kind.CALL, number=number)
    return get_or_refuse(calls, _("There is no judge call %(number)s in this event."), number=number)


def open_call_at(match: Match) -> Flag | None:
    """The call from that table that no judge has settled yet."""
    calls = match.round.flags.filter(kind=Flag.Kind.CALL, done=False, entry__seats__match=match)
    return calls.order_by("number").first()
