"""Player messages (“Something wrong? Tell staff”), shown at the desk until someone marks them done."""

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState, get_or_refuse
from tournament.models import Flag, Round, Tournament
from tournament.services.entries import entry_of
from tournament.services.self_service import PLAYER_ACTOR
from tournament.text.clean import clean_lines

MOST_OPEN = 5  # of one entry
LONGEST = 300  # characters


@service("flag", after_end=True)
def send_message(log: Log, code: str, text: str, *, number: int | None = None) -> None:
    """A player tells staff that something is wrong, in round `number` where it is about one.

    The text is personal: the log says that a message was sent, not what it says. Raises Refused without a
    text, NotFound for an unpublished round, WrongState where MOST_OPEN of this player are open.
    """
    entry = entry_of(log.tournament, code)
    text = clean_lines(text)
    if not 1 <= len(text) <= LONGEST:
        raise Refused(_("Describe what is wrong, in at most %(most)s characters."), most=LONGEST)
    rounds = log.tournament.rounds.exclude(state=Round.State.DRAFT)
    if number is not None:
        get_or_refuse(
            rounds.filter(number=number), _("There is no round %(number)s in this event."), number=number
        )
    if entry.flags.filter(kind=Flag.Kind.MESSAGE, done=False).count() >= MOST_OPEN:
        raise WrongState(
            _("Staff still have %(most)s messages from you to read. Ask at the event desk."), most=MOST_OPEN
        )
    log.actor = f"{PLAYER_ACTOR}{code}"
    fields = {"entry": code, "round": number, "at": timezone.now().isoformat(), "done": False}
    log.add(Flag, f"flags/{next_flag_number(log.tournament)}", fields, {"text": text})


def next_flag_number(tournament: Tournament) -> int:
    """The number of the next message or call."""
    return (tournament.flags.order_by("-number").values_list("number", flat=True).first() or 0) + 1


@service("flag done", after_end=True)
def settle_message(log: Log, number: int) -> None:
    """Mark a message as done. Raises NotFound."""
    text = _("There is no message %(number)s in this event.")
    log.set(get_or_refuse(log.tournament.flags.filter(number=number), text, number=number), done=True)
