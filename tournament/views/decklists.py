from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from tournament.access.fetch import public_tournament
from tournament.access.permissions import DECK_READERS, OWNER, may_read_decks
from tournament.event.display_names import find_names, load_names, load_public_names
from tournament.exports import decklists_csv
from tournament.forms.judges import DecklistForm, StaffDecklistForm
from tournament.models import Decklist, Entry, Tournament
from tournament.public import responses
from tournament.services import decklists as services
from tournament.services.entries import find_entry, find_unmerged_entry
from tournament.views.exports import saved_as
from tournament.views.self_service import own_view, player_context
from tournament.web.staff_pages import (
    StaffRequest,
    form_data,
    read_action,
    read_words,
    report_success,
    staff_view,
)

PAGE = 200  # lines
KINDS = {
    "": gettext_lazy("All"),
    "missing": gettext_lazy("Missing"),
    "in": gettext_lazy("In"),
    "late": gettext_lazy("Late"),
    "changed": gettext_lazy("Changed"),
}


@own_view("GET", "POST")
def own_decklist(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    form = DecklistForm(form_data(request), request.FILES or None)
    if form.submit(services.hand_in_decklist, tournament, entry.code):
        words = _("Your decklist is handed in.") if form.result else _("This is your decklist already.")
        return report_success(request, words, "me-decklist", tournament.slug, entry.code)
    state = services.hand_in_state(entry)
    context = {
        **player_context(tournament, entry),
        **_list_context(tournament, entry, form),
        "state": state,
        "closed": "" if state in services.OPEN_STATES else services.REFUSALS[state],
    }
    return render(request, "tournament/decklists/own_decklist.html", context, status=form.status)


def _list_context(tournament: Tournament, entry: Entry, form: DecklistForm) -> dict[str, Any]:
    stored = services.current_decklist(entry)
    form.show(stored)
    return {
        "form": form,
        **_deck_context(tournament, stored),
        "uncounted": services.read_deck(form.typed).uncounted if form.is_bound else [],
    }


def _deck_context(tournament: Tournament, decklist: Decklist | None) -> dict[str, Any]:
    if decklist is None:
        return {"decklist": None}
    return {
        "decklist": decklist,
        "deck": _read_stored_deck(decklist),
        "counts": services.counts_words(decklist.main, decklist.sideboard),
        "problems": services.size_problems(tournament, decklist.main, decklist.sideboard),
    }


def _read_stored_deck(decklist: Decklist) -> services.Deck | None:
    return services.read_deck(decklist.text) if decklist.text else None


@staff_view("GET")
def decklists(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    wanted = tournament.decklist_rule != Tournament.DecklistRule.OFF
    rows = [row for row in services.list_decklist_rows(tournament) if wanted or row.decklist]
    words, kind = read_words(request.GET), request.GET.get("show", "")
    kind = kind if kind in KINDS else ""
    page = Paginator(_rows_to_show(rows, words, kind), PAGE).get_page(request.GET.get("page"))
    context = {
        "wanted": wanted,
        "words": words,
        "page": page,
        "kind": kind,
        "total": len(rows),
        "handed_in": sum("in" in row.kinds for row in rows),
        "lists": [
            (kind, label, sum(not kind or kind in row.kinds for row in rows)) for kind, label in KINDS.items()
        ],
        "may_read": may_read_decks(tournament),
    }
    return render(request, "tournament/decklists/decklists.html", context)


def _rows_to_show(rows: list[services.DecklistRow], words: str, kind: str) -> list[services.DecklistRow]:
    rows = [row for row in rows if not kind or kind in row.kinds]
    if not words:
        return rows
    by_code = {row.code: row for row in rows}
    return [by_code[code] for code in find_names({row.code: row.name for row in rows}, words)]


@staff_view("GET", "POST", roles=DECK_READERS)
def decklist(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    entry = find_unmerged_entry(tournament, code)
    name, late = load_names(tournament)[code], services.is_past_deadline(entry)
    form = StaffDecklistForm(form_data(request), request.FILES or None, initial={"late": late})
    if form.submit(services.enter_decklist, tournament, code, actor=request.user):
        words = _("%(name)s: decklist saved.") if form.result else _("%(name)s: nothing to change.")
        return report_success(request, words % {"name": name}, "decklist", tournament.slug, code)
    earlier = entry.decklists.order_by("-number")[1:]
    context = {
        "entry": entry,
        "name": name,
        **_list_context(tournament, entry, form),
        "earlier": [
            (row, _read_stored_deck(row), services.counts_words(row.main, row.sideboard)) for row in earlier
        ],
    }
    return render(request, "tournament/decklists/decklist.html", context, status=form.status)


@staff_view("GET", "POST", roles=OWNER)
def release(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    if request.method == "POST":
        public = "private" not in request.POST
        services.release_decklists(tournament, public, **read_action(request))
        words = _("The decklists are public.") if public else _("The decklists are private again.")
        return report_success(request, words, "decklists", tournament.slug)
    count = tournament.decklists.values("entry").distinct().count()
    return render(request, "tournament/decklists/release.html", {"count": count})


@staff_view("GET", roles=DECK_READERS)
def as_csv(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    name = f"{tournament.slug}-decklists.csv"
    return saved_as(name, decklists_csv(tournament), "text/csv")


@require_safe
def player_decklist(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    tournament = public_tournament(slug)
    if not tournament.decklists_public:
        raise Http404
    entry = find_entry(tournament, code)
    stored = services.current_decklist(entry)
    if stored is None:
        raise Http404

    def context() -> dict[str, Any]:
        return {
            "tournament": tournament,
            "entry": entry,
            "name": load_public_names(tournament)[code],
            **_deck_context(tournament, stored),
        }

    version = str(tournament.public_revision)
    return responses.page(request, tournament, version, "tournament/decklists/player_decklist.html", context)
