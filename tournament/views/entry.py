from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from django.forms.models import model_to_dict
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.access.codes import personal_code
from tournament.access.permissions import DESK, OWNER, STAFF, may_read_decks
from tournament.errors import Forbidden, NotFound
from tournament.event.display_names import load_names
from tournament.event.table_plan import round_table_plan
from tournament.event.teams import members_elsewhere
from tournament.exports import draw_qr_code, load_player_link, player_links_csv
from tournament.forms.entries import (
    DisqualifyForm,
    EntryForm,
    JoinForm,
    LateEntryForm,
    NameForm,
    PersonForm,
    StaffAccountForm,
)
from tournament.forms.fields import TeamForm, team_initial, use_plan
from tournament.forms.self_service import RequestByeForm
from tournament.models import Action, Entry, Seat, Staff, Tournament
from tournament.progress.flights import stage_name
from tournament.progress.next_step import ProgressFacts, build_progress, flights_by_entry
from tournament.services import entries as services
from tournament.services.anonymity import anonymize_entry, build_redaction, neutral_names, redacted_texts
from tournament.services.drops import disqualify_entry, drop_entry, reinstate_entry
from tournament.services.judging import list_penalties
from tournament.services.requested_byes import request_bye
from tournament.services.self_service import change_player_link, make_links, renew_link
from tournament.services.staff import link_entry
from tournament.services.stage_entries import list_person_entries
from tournament.services.stages import add_re_entry, move_entry, stages_to_re_enter
from tournament.views.exports import is_owner, saved_as
from tournament.web.keyed_forms import ActForm, KeyedForm
from tournament.web.staff_pages import (
    StaffRequest,
    confirmation,
    first_error,
    form_data,
    name_promoted,
    read_action,
    report_success,
    service_fields,
    staff_view,
)


@staff_view("GET")
def entry(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    return _page(request, services.find_entry(tournament, code))


def _page(
    request: StaffRequest, row: Entry, what: str = "", refused: KeyedForm | None = None
) -> HttpResponse:
    tournament = request.tournament
    progress = build_progress(tournament)
    facts = progress.facts
    numbers = flights_by_entry(facts, row).get(row.code, [])
    seated = Seat.objects.filter(entry=row).exists()
    judge = tournament.role == Staff.Role.JUDGE
    over = tournament.state == Tournament.State.FINISHED
    changes = not (judge or over)  # only what may change after the end is offered then
    movable = bool(facts.flights) and row.status == Entry.Status.PLAYING and not (row.house or seated)
    initial = model_to_dict(row) | team_initial(row)
    forms = {name: CHANGES[name].form(initial=initial) for name in ASKED}
    forms |= {what: refused} if refused else {}
    use_plan(forms["pairing"], round_table_plan(tournament))
    bye_form = forms["bye"]
    assert isinstance(bye_form, RequestByeForm)
    bye_form.offer(row)
    names = load_names(tournament)
    out = (Entry.Status.DROPPED, Entry.Status.DISQUALIFIED)
    context = {
        "entry": row,
        "shown": names[row.code],
        "names": names,
        "penalties": list_penalties(tournament, [row.code]),
        "doubts": members_elsewhere(tournament, [row.code]) + services.shared_numbers(tournament, row),
        "progress": progress,
        "sessions": [stage_name(number) for number in numbers],
        "again": stages_to_re_enter(row) if changes else [],
        "seated": seated,
        "begun": services.has_begun(tournament),
        "join_form": _join_form(row, facts, bool(numbers)) if changes else None,
        "move_form": JoinForm("move", facts) if movable and changes else None,
        "forms": forms,
        "open": {"person": "name", "team": "name"}.get(what, what) or request.GET.get("open", ""),
        "byes": changes and not row.house and row.status not in out,
        "account_form": StaffAccountForm(row),
        "judge": judge,
        "over": over,
        "may_read_decks": tournament.decklist_rule != "off" and may_read_decks(tournament),
        "message": first_error(refused),
    }
    status = refused.status if refused else 200
    return render(request, "tournament/entries/entry.html", context, status=status)


def _join_form(row: Entry, facts: ProgressFacts, in_flight: bool) -> JoinForm | None:
    if row.status not in (Entry.Status.WAITLISTED, Entry.Status.DROPPED, Entry.Status.DISQUALIFIED):
        return None
    joins = not in_flight and (facts.flights or not row.stage_entries.exists())
    what = "admit" if row.status == Entry.Status.WAITLISTED else "reinstate"
    return JoinForm(what, facts if joins else None)


@staff_view("POST", roles=STAFF)
def change(request: StaffRequest, tournament: Tournament, code: str, what: str) -> HttpResponse:
    if what not in CHANGES:
        raise NotFound(_("That is not something you can do with a player."))
    if tournament.role == Staff.Role.JUDGE and what != "drop":
        raise Forbidden(_("Judges cannot do that here. Ask a scorekeeper or an organizer."))
    row = tournament.entries.filter(code=code).first()  # none on a second press of "Remove"
    wanted = CHANGES[what]
    form = wanted.form(request.POST)
    use_plan(form, round_table_plan(tournament))
    confirmed = confirmation(request) if wanted.asks else {}
    if not form.submit(wanted.service, tournament, code, actor=request.user, **confirmed):
        return _page(request, services.find_entry(tournament, code), what, form)  # 404 if removed meanwhile
    played = row and row.stage_entries.exists() and services.has_begun(tournament)
    words = wanted.done if played else wanted.unplayed or wanted.done
    now = tournament.entries.filter(code=code).first() or row
    message = str(words) % {"name": now.name if now else code} if form.result else _("Nothing to change.")
    name_promoted(request, tournament, form.result, but=code)
    to = ("entries", tournament.slug) if what == "remove" else ("entry", tournament.slug, code)
    return report_success(request, message, *to, undo=form.result)


def _change_what_differs(
    tournament: Tournament, code: str, *, actor: Any, key: str, **fields: Any
) -> Action | None:
    """Change only the fields that differ, because byes of a seated player cannot be set, not even to the same value."""
    row = services.find_entry(tournament, code)
    changed = {name: value for name, value in fields.items() if getattr(row, name) != value}
    return services.change_entry(tournament, code, **changed, actor=actor, key=key) if changed else None


class Change(NamedTuple):
    """A change of a player. `unplayed`: its message if there is no match to play and no round to lose yet."""

    service: Callable[..., Action | None]
    done: Any
    form: type[KeyedForm] = ActForm
    unplayed: Any = ""
    asks: bool = False  # first, if matches of other players change


SAVED = gettext_lazy("%(name)s: saved.")
ASKED = ("name", "person", "team", "pairing", "disqualify", "bye")  # on the player's page
CHANGES = {
    "name": Change(services.rename_entry, gettext_lazy("The player is now called %(name)s."), NameForm),
    "person": Change(services.change_personal_fields, SAVED, PersonForm),
    "team": Change(services.change_team, SAVED, TeamForm),
    "pairing": Change(_change_what_differs, SAVED, EntryForm),
    "bye": Change(request_bye, SAVED, RequestByeForm),
    "admit": Change(services.admit_entry, gettext_lazy("%(name)s is playing."), LateEntryForm),
    "move": Change(move_entry, gettext_lazy("%(name)s plays in the other session."), LateEntryForm),
    "again": Change(
        add_re_entry,
        gettext_lazy("%(name)s is in the new session, as a new entry; the earlier one is withdrawn."),
        LateEntryForm,
    ),
    "paid": Change(partial(services.change_entry, paid=True), gettext_lazy("%(name)s: marked as paid.")),
    "unpaid": Change(
        partial(services.change_entry, paid=False), gettext_lazy("%(name)s: marked as not paid.")
    ),
    "drop": Change(
        drop_entry,
        gettext_lazy("%(name)s dropped and will not be paired again. Any open match still has to be played."),
        unplayed=gettext_lazy("%(name)s is withdrawn before round 1: not paired and not in the standings."),
        asks=True,
    ),
    "reinstate": Change(
        reinstate_entry,
        gettext_lazy(
            "%(name)s is reinstated and plays from the next round on. Missed rounds count as losses."
        ),
        LateEntryForm,
        gettext_lazy("%(name)s is playing."),
        asks=True,
    ),
    "disqualify": Change(
        disqualify_entry, gettext_lazy("%(name)s is disqualified."), DisqualifyForm, asks=True
    ),
    "remove": Change(services.remove_entry, gettext_lazy("%(name)s was removed.")),
}


@staff_view("POST", roles=DESK)
def change_account(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    row = services.find_entry(tournament, code)
    link_entry(tournament, code, **service_fields(request, StaffAccountForm(row, request.POST)))
    return report_success(request, _("Saved."), "entry", tournament.slug, code)


@staff_view("GET", "POST", roles=OWNER)
def anonymize(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    entry = services.find_entry(tournament, code)
    form = KeyedForm(form_data(request))
    if form.submit(anonymize_entry, tournament, code, actor=request.user):
        entry.refresh_from_db()
        text = _("The player is now called %(name)s.") if form.result else _("%(name)s is anonymous already.")
        return report_success(request, text % {"name": entry.name}, "entry", tournament.slug, code)
    entries = list_person_entries(entry)
    redaction = build_redaction(entries)
    alike = tournament.entries.filter(name__iexact=entry.name)
    context = {
        "entry": entry,
        "shown": load_names(tournament)[code],
        "others": [each.code for each in entries if each != entry],
        "name": neutral_names(tournament, entries)[code],
        "texts": sum(len(redacted) for _rows, _pk, redacted in redacted_texts(tournament, redaction)),
        "namesakes": alike.exclude(pk__in=[each.pk for each in entries]).exists(),
        "form": form,
    }
    return render(request, "tournament/entries/anonymize.html", context, status=form.status)


@staff_view("GET", "POST", roles=DESK)
def player_link(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    entry = services.find_unmerged_entry(tournament, code)
    name = load_names(tournament)[code]
    if request.method == "POST":
        renew_link(tournament, code, **read_action(request))
        words = _("%(name)s has a new link and personal code. Earlier ones no longer work.") % {"name": name}
        return report_success(request, words, "entry-link", tournament.slug, code)
    link = load_player_link(tournament, entry, name)
    context = {
        "entry": entry,
        "shown": name,
        "link": link,
        "code": personal_code(entry),
        "qr": draw_qr_code(link.address) if link.address else "",
    }
    return render(request, "tournament/entries/player_link.html", context)


@staff_view("POST", roles=DESK)
def revoke_link(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    change_player_link(tournament, code, key_hash="", **read_action(request))
    words = _("The link and the personal code no longer work.")
    return report_success(request, words, "entry-link", tournament.slug, code)


@staff_view("POST", roles=DESK)
def make_all_links(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    make_links(tournament, **read_action(request))
    return report_success(request, _("Every player has a link."), "print-links", tournament.slug)


@staff_view("GET", roles=DESK)
def links_csv(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    text = player_links_csv(tournament, in_confidence=is_owner(tournament))
    return saved_as(f"{tournament.slug}-links.csv", text, "text/csv")
