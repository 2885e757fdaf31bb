"""Anonymizing a player: what goes and what stays, then the one step that does it."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import OWNER
from tournament.forms.entries import AnonymizeForm
from tournament.models import Tournament
from tournament.services.anonymity import (
    anonymize_entry,
    neutral_names,
    redacted_texts,
    redaction_of,
)
from tournament.services.entries import entry_of
from tournament.services.stage_entries import entries_of_person
from tournament.text.display_names import names_of
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, report_success, staff_view


@staff_view("GET", "POST", roles=OWNER)
def anonymize(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    """GET: what changes and what stays. POST: anonymize the player, with all entries of the same person."""
    entry = entry_of(tournament, code)
    form = AnonymizeForm(form_data(request), entry=entry)
    if form.submit(anonymize_entry, tournament, code, actor=request.user):
        entry.refresh_from_db()
        text = _("The player is now called %(name)s.") if form.result else _("%(name)s is anonymous already.")
        return report_success(request, text % {"name": entry.name}, "entry", tournament.slug, code)
    entries = entries_of_person(entry)
    redaction = redaction_of(entries)
    alike = tournament.entries.filter(name__iexact=entry.name)
    context = {
        "tournament": tournament,
        "entry": entry,
        "shown": names_of(tournament)[code],
        "others": [each.code for each in entries if each != entry],
        "name": neutral_names(tournament, entries)[code],
        "texts": sum(len(redacted) for _rows, _pk, redacted in redacted_texts(tournament, redaction)),
        "namesakes": alike.exclude(pk__in=[each.pk for each in entries]).exists(),
        "form": form,
    }
    return render(request, "tournament/entries/anonymize.html", context, status=form.status)
