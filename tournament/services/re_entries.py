"""The same person in another stage, as a new entry linked to the first."""

from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import WrongState
from tournament.models import Entry, Stage
from tournament.services.drops import apply_drop
from tournament.services.entries import unmerged_entry_of
from tournament.services.stage_entries import add_to_stage, has_played, person_is_in, stages_to_join

COPIED = ("rating", "labels", "fixed_table")
COPIED_PERSONAL = ("name", "last_name", "alias", "display_name_only", "contact", "members", "captain")


def stages_to_re_enter(entry: Entry) -> list[Stage]:
    """The stages this person can enter once more, having played in this entry's: later ones without the person."""
    if entry.house or entry.status in (Entry.Status.DISQUALIFIED, Entry.Status.MERGED):
        return []
    numbers = list(entry.stage_entries.values_list("stage__number", flat=True))
    if numbers and not has_played(entry):
        return []  # the entry can be moved instead
    latest = max(numbers, default=1)
    later = [stage for stage in stages_to_join(entry.tournament) if stage.number > latest]
    return [stage for stage in later if not person_is_in(entry, stage)]


@service("re-entry")
def add_re_entry(log: Log, code: str, stage: int | None = None) -> None:
    """Enter the person in the stage of that number (else the last), and drop the entry from its own.

    A dropped entry cannot qualify, and its results still count for its opponents, as in ClineCON's rules.
    Raises WrongState where there is no stage to enter.
    """
    entry = unmerged_entry_of(log.tournament, code)
    stages = [into for into in stages_to_re_enter(entry) if stage in (None, into.number)]
    if not stages:
        raise WrongState(
            _("%(name)s cannot re-enter: there is no other session, or the player is already in it."),
            name=entry.name,
        )
    if entry.status == Entry.Status.PLAYING:
        apply_drop(log, entry)
    first = entry.same_person_as.code if entry.same_person_as else entry.code
    fields = {**{name: getattr(entry, name) for name in COPIED}, "same_person_as": first}
    personal = {name: getattr(entry, name) for name in COPIED_PERSONAL}
    add_to_stage(log, [(fields, personal)], stages[-1].number)
