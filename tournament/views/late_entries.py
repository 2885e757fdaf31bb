"""What pages that add entries share: what joining now costs, who waits, and who is in two teams."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import ngettext

from tournament.event.profile import profile_of
from tournament.forms.late_entries import LateEntryForm
from tournament.models import Action, Tournament
from tournament.progress.next_step import Progress
from tournament.results.wording import late_entry_words
from tournament.services.waitlist import ON_WAITLIST, free_spots
from tournament.text.teams import members_elsewhere

MOST_WARNED = 5


def to_session(address: str, form: LateEntryForm) -> str:
    """The page again, with the session that was chosen in the form."""
    number = form.cleaned_data["session"]
    return f"{address}?session={number}" if number else address


def late_entry_context(
    tournament: Tournament, progress: Progress, form: LateEntryForm, chosen: int | None = None
) -> dict[str, Any]:
    """What pages that add entries show; the form asks for what joining needs, session `chosen` selected."""
    facts, missed_as = progress.facts, late_entry_words(profile_of(tournament))
    form.offer(facts, chosen=chosen, missed_as=missed_as)
    return {
        "late": 0 if facts.flights else facts.missed_rounds,
        "missed_as": missed_as,
        "free": free_spots(tournament),
        "waitlisted": tournament.entries.filter(ON_WAITLIST).count(),
    }


def warn_of_waitlist(request: HttpRequest, tournament: Tournament) -> None:
    """Let the next page say that those who were added now play ahead of those on the waitlist."""
    if waiting := tournament.entries.filter(ON_WAITLIST).count():
        text = ngettext(
            "%(count)s player is still on the waitlist. The players you added play ahead of the waitlist.",
            "%(count)s players are still on the waitlist. The players you added play ahead of the waitlist.",
            waiting,
        )
        messages.warning(request, text % {"count": waiting})


def warn_of_members(request: HttpRequest, tournament: Tournament, action: Action | None) -> None:
    """Let the next page say which members of the teams that `action` wrote are in another team, too."""
    codes = {change["fact"].removeprefix("entries/") for change in action.changes} if action else ()
    for sentence in members_elsewhere(tournament, codes)[:MOST_WARNED]:
        messages.warning(request, sentence)
