"""The take-over as one HTML file, and the copies that the server keeps beside the snapshots of the event.

A copy is begun once an action that changed the pairings on the wall is committed, and no one waits for it: the slips of
a large hall take seconds. Where the disk is full, the round is published all the same. Who is anonymized leaves the
copies, too.
"""

import logging
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString

from pairings.takeover.contents import take_over_of
from tournament.actionlog.background import Background
from tournament.actionlog.fold import Change
from tournament.archive.snapshots import PAPER, occasion_of, snapshots_of, write_beside
from tournament.exports.static_copy import asset_content
from tournament.models import Action, Tournament

logger = logging.getLogger("tournament.log")

WRITER = Background("paper take-over", 1)
MOST = 3  # copies of one event; the oldest go first
STYLES = ("takeover.css", "print.css", "bracket.css", "sheet.css")
SEATING = ("re-pair", "anonymize")  # actions that change names or seats of a round without publishing it


def take_over_page(tournament: Tournament) -> str:
    """The file: one page with its styles and codes inside, which opens from a disk and needs no network."""
    styles = SafeString(f"<style>{''.join(asset_content(name).decode() for name in STYLES)}</style>")
    with timezone.override(tournament.time_zone):
        context = {
            "take_over": take_over_of(tournament),
            "tournament": tournament,
            "styles": styles,
            "site_name": settings.SITE_NAME,
        }
        return render_to_string("pairings/takeover/file.html", context)


def keep_take_over(tournament: Tournament, action: Action) -> None:
    """Have a copy written if the action changed the pairings on the wall. Hears of each action once it is committed."""
    occasion = _occasion_of(action.kind, action.changes)
    if occasion:
        WRITER.submit(_write, tournament, action.number, occasion)


def _write(tournament: Tournament, number: int, occasion: str) -> None:
    try:
        write_take_over(tournament, occasion)
    except OSError as error:
        logger.error("%s #%s: no paper take-over was written: %s", tournament.slug, number, error)


def _occasion_of(kind: str, changes: list[Change]) -> str:
    occasion = occasion_of(changes)
    if occasion == "cut" or occasion.endswith("-published"):
        return occasion
    return kind if kind in SEATING else ""


def write_take_over(tournament: Tournament, occasion: str) -> Path | None:
    """Write a copy of the event as it stands, unless there is one; the oldest beyond `MOST` goes. Raises OSError.

    None is left of an event that is gone by then, nor of names and seats that are changed: that action writes its own.
    """
    number = _revision_of(tournament)
    if number is None or any(copy.number == number for copy in snapshots_of(tournament, PAPER)):
        return None  # several actions were committed at once
    page = take_over_page(tournament)
    later = tournament.actions.filter(number__gt=number, kind__in=SEATING)
    if _revision_of(tournament) is None or later.exists():
        return None
    return write_beside(tournament, f"{number:04d}-{occasion}", PAPER, page, MOST)


def _revision_of(tournament: Tournament) -> int | None:
    return Tournament.objects.filter(pk=tournament.pk).values_list("revision", flat=True).first()
