from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.fetch import LoginNeeded
from tournament.access.permissions import OWNER, rights_table, role_rank
from tournament.errors import Refused
from tournament.exports import draw_qr_code
from tournament.forms.staff import InviteForm, MemberForm, TransferForm, WithdrawForm
from tournament.models import Action, Invite, Staff, Tournament
from tournament.services import staff as services
from tournament.web.keyed_forms import KeyedForm
from tournament.web.staff_pages import (
    StaffRequest,
    first_error,
    private_view,
    read_action,
    report_success,
    service_fields,
    staff_view,
)


@staff_view("GET")
def staff(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    return _page(request)


def _page(
    request: StaffRequest, form: InviteForm | None = None, refused: KeyedForm | None = None, made: Any = None
) -> HttpResponse:
    tournament = request.tournament
    owner = tournament.role == Staff.Role.OWNER
    form = form or InviteForm()
    members = list(tournament.staff.select_related("user").order_by("user__username"))
    context = {
        "members": sorted(members, key=lambda member: -role_rank(member.role)),
        "roles": Staff.Role.choices,
        "rights": rights_table(tournament),
        "invites": [each for each in tournament.invites.select_related("by") if services.is_open(each)],
        "owner": owner,
        "owners": sum(member.role == Staff.Role.OWNER for member in members),
        "over": tournament.state == Tournament.State.FINISHED,
        "form": form,
        "transfer_form": TransferForm.shown(
            member.user.get_username() for member in members if member.user != request.user
        ),
        "message": first_error(refused),
        "made": made,
    }
    status = (refused or form).status
    return render(request, "tournament/staff/staff.html", context, status=status)


@staff_view("POST", roles=OWNER)
def invite_staff(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Create an invitation and show it once, because its key is not stored. The same form sent again shows it again."""
    form = InviteForm(request.POST)
    if not form.submit(services.create_invite, tournament, actor=request.user):
        return _page(request, form)
    address = settings.SITE_URL + reverse("invite", args=[form.result])
    role = Staff.Role(form.cleaned_data["role"]).label
    return _page(request, made={"address": address, "role": role, "qr": draw_qr_code(address)})


@staff_view("POST", roles=OWNER)
def revoke_invite(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    fields = service_fields(request, WithdrawForm(request.POST))
    services.revoke_invite(tournament, fields.pop("invite"), **fields)
    return report_success(request, _("That invitation cannot be used anymore."), "staff", tournament.slug)


def _staff_changed(request: HttpRequest, tournament: Tournament, message: str) -> HttpResponse:
    on_it = tournament.staff.filter(user=request.user.pk).exists() or request.user.is_superuser
    if on_it:
        return report_success(request, message, "staff", tournament.slug)
    return report_success(request, message, "home")


@staff_view("POST", roles=OWNER)
def member(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    form = MemberForm(request.POST)
    if not form.submit(_change_member, tournament, actor=request.user):
        return _page(request, refused=form)
    name, role = form.cleaned_data["username"], form.cleaned_data["role"]
    if role == MemberForm.REMOVE:
        message = _("%(name)s is no longer on the staff.") % {"name": name}
    else:
        message = _("%(name)s: %(role)s.") % {"name": name, "role": Staff.Role(role).label}
    return _staff_changed(request, tournament, message)


def _change_member(tournament: Tournament, username: str, role: str, **about: Any) -> Action | None:
    if role == MemberForm.REMOVE:
        return services.remove_staff(tournament, username, **about)
    return services.change_role(tournament, username, role, **about)


@staff_view("POST", roles=OWNER)
def transfer(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    form = TransferForm(request.POST)
    if not form.submit(services.transfer_ownership, tournament, by=request.user, actor=request.user):
        return _page(request, refused=form)
    message = _("The event now belongs to %(name)s.") % {"name": form.cleaned_data["username"]}
    return _staff_changed(request, tournament, message)


@staff_view("POST")
def leave(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    form = KeyedForm(request.POST)
    if not form.submit(services.remove_staff, tournament, request.user.get_username(), actor=request.user):
        return _page(request, refused=form)
    message = _("You are no longer on the staff of %(event)s.") % {"event": tournament.name}
    return _staff_changed(request, tournament, message)


@private_view("GET", "POST")
def accept(request: HttpRequest, key: str) -> HttpResponse:
    posted = request.method == "POST"
    try:
        if posted and request.user.is_authenticated:
            return _accepted(request, key)
        invite = services.find_open_invite(key)
    except Refused as error:
        return render(request, "tournament/staff/invite.html", {"message": str(error)}, status=error.status)
    if posted:
        raise LoginNeeded
    return _invite_page(request, invite)


def _invite_page(request: HttpRequest, invite: Invite) -> HttpResponse:
    tournament, user = invite.tournament, request.user
    mine = tournament.staff.filter(user=user).first() if user.is_authenticated else None
    offered = Staff.Role(invite.role)
    context = {
        "invite": invite,
        "tournament": tournament,
        "mine": mine,
        "higher": mine and role_rank(mine.role) >= role_rank(offered),
        "rights": [
            right for right in rights_table(tournament) if right["has"][Staff.Role.values.index(offered)]
        ],
        "here": request.path,
    }
    return render(request, "tournament/staff/invite.html", context)


def _accepted(request: HttpRequest, key: str) -> HttpResponse:
    member, action = services.accept_invite(key, request.user, key=read_action(request)["key"])
    values = {"role": member.get_role_display(), "event": member.tournament.name}
    message = (
        _("You joined %(event)s as %(role)s.")
        if action
        else _("You already had the role %(role)s in %(event)s. Nothing changed.")
    )
    page = "judge" if member.role == Staff.Role.JUDGE else "desk"
    return report_success(request, message % values, page, member.tournament.slug)
