from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.draft.seeding import seeding_of
from pairings.forms.seeding import SeedingForm
from tournament.access.fetch import DESK
from tournament.errors import WrongState
from tournament.models import Tournament
from tournament.progress.next_step import progress_of
from tournament.services.manual_order import clear_seeding, save_seeding
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import read_action, read_session, report_success, staff_view


@staff_view("GET", "POST", roles=DESK)
def seeding(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    if request.method != "POST":
        return _seeding_page(request, tournament, SeedingForm())
    form = SeedingForm(request.POST)
    if not form.means_save:
        kept = SeedingForm(initial={name: request.POST.get(name, "") for name in ("reason", "session")})
        return _seeding_page(request, tournament, kept, form.moved_codes)
    if not form.submit(save_seeding, tournament, actor=request.user):
        return _seeding_page(request, tournament, form, form.codes, form.status)
    return _done(request, tournament, _("The seeding is saved."), form.cleaned_data["session"])


@staff_view("POST", roles=DESK)
def seed_by_rating(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    session = read_session(request)
    clear_seeding(tournament, session, **read_action(request))
    return _done(request, tournament, _("The seeding follows ratings again."), session)


def _done(request: StaffRequest, tournament: Tournament, text: str, session: int | None) -> HttpResponse:
    address = reverse("seeding", args=[tournament.slug])
    return report_success(request, text, f"{address}?session={session}" if session else address)


def _seeding_page(
    request: StaffRequest,
    tournament: Tournament,
    form: SeedingForm,
    codes: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the order in `codes` if it still names the current players.

    Raises WrongState if players joined or left since that order was made.
    """
    progress = progress_of(tournament)
    flight = request.POST.get("session") or request.GET.get("session") or ""
    now = seeding_of(tournament, progress, flight)
    current = codes is not None and sorted(codes) == sorted(now.codes)
    if codes is not None and not current and status == 200:
        raise WrongState(_("Someone joined or left while you were working. Check the list again."))
    shown = codes if codes is not None and current else now.codes
    context = {
        "tournament": tournament,
        "progress": progress,
        "seeding": now,
        "session": now.flight,
        "rows": [(now.entries[code], now.names[code], form.order_input(code)) for code in shown],
        "unsaved": shown != now.codes,
        "form": form,
    }
    return render(request, "pairings/seeding.html", context, status=status)
