from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.models import Tournament
from tournament.text.round_names import round_names
from tournament.web.disk import is_disk_full

OCCASIONS = {
    "finished": gettext_lazy("Event finished"),
    "cut": gettext_lazy("Bracket set"),
    "by-hand": gettext_lazy("Taken by hand"),
    "before-restore": gettext_lazy("Before a restore"),
}
ROUNDS = {"published": gettext_lazy("%(round)s published"), "complete": gettext_lazy("%(round)s complete")}


def occasion_words(tournament: Tournament, occasion: str) -> str:
    """Return when a snapshot was taken, such as "Round 4 published"; unknown occasions unchanged."""
    if occasion in OCCASIONS:
        return str(OCCASIONS[occasion])
    _round, _dash, rest = occasion.partition("-")
    number, _dash, state = rest.partition("-")
    if state not in ROUNDS or not number.isdecimal():
        return occasion
    return str(ROUNDS[state]) % {"round": round_names(tournament)[int(number)].title}


def snapshot_problem_words() -> str:
    if is_disk_full():
        return _(
            "No snapshot could be written: the disk is full. Free some space on the server, then take a snapshot."
        )
    return _(
        "No snapshot could be written. Check the folder “snapshots” on the server, then take a snapshot."
    )
