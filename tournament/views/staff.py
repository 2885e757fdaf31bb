"""The staff of an event: the members and their roles, and invitations."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournament.access.fetch import OWNER, LoginNeeded
from tournament.access.permissions import RANKS, rights_table
from tournament.errors import Refused
from tournament.exports.qr import qr_of
from tournament.forms.staff import InviteForm, MemberForm, TransferForm, WithdrawForm
from tournament.models import Staff, Tournament
from tournament.services import invites
from tournament.services.invites import accept_invite, create_invite, invite_of, is_open
from tournament.services.staff import change_role, remove_staff, transfer_ownership
from tournament.web.keyed_forms import KeyedForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, read_action, see_other, staff_view


@staff_view("GET")
def staff(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """The members, what each role may do, and for organizers everything that changes them."""
    return _page(request, tournament)


def _page(
    request: StaffRequest,
    tournament: Tournament,
    *,
    form: InviteForm | None = None,
    message: str = "",
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    owner = tournament.role == Staff.Role.OWNER
    members = list(tournament.staff.select_related("user").order_by("user__username"))
    context = {
        "tournament": tournament,
        "members": sorted(members, key=lambda member: -RANKS.index(Staff.Role(member.role))),
        "roles": Staff.Role.choices,
        "rights": rights_table(),
        "invites": [each for each in tournament.invites.select_related("by") if is_open(each)],
        "owner": owner,
        "owners": sum(member.role == Staff.Role.OWNER for member in members),
        "over": tournament.state == Tournament.State.FINISHED,
        "form": form or InviteForm(),
        "transfer_form": TransferForm.shown(
            member.user.get_username() for member in members if member.user != request.user
        ),
        "message": message,
        **more,
    }
    return render(request, "tournament/staff/staff.html", context, status=status)


@never_cache
@staff_view("POST", roles=OWNER)
def invite_staff(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Make an invitation and show it, only this once, as its key is not stored. Sent again it shows the same."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, tournament, form=form, status=422)
    data = form.cleaned_data
    try:
        key = create_invite(
            tournament,
            data["role"],
            people=data["people"],
            hours=data["hours"],
            actor=request.user,
            key=data["key"],
        )
    except Refused as error:
        form.add_error(None, str(error))
        return _page(request, tournament, form=form, status=error.status)
    address = settings.SITE_URL + reverse("invite", args=[key])
    made = {
        "address": address,
        "role": Staff.Role(data["role"]).label,
        "qr": qr_of(address),
    }
    return _page(request, tournament, made=made)


@staff_view("POST", roles=OWNER)
def revoke_invite(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Withdraw an invitation, so that no one can use it anymore."""
    form = WithdrawForm(request.POST)
    if not form.is_valid():
        raise Refused(first_error(form))
    invites.revoke_invite(
        tournament, form.cleaned_data["invite"], actor=request.user, key=form.cleaned_data["key"]
    )
    messages.success(request, _("That invitation cannot be used anymore."))
    return see_other(reverse("staff", args=[tournament.slug]))


def _change_staff(
    request: StaffRequest, tournament: Tournament, form: KeyedForm, change: Any
) -> HttpResponse:
    """Change a staff member's role, or show on the staff page why not."""
    if not form.is_valid():
        return _page(request, tournament, message=first_error(form), status=422)
    try:
        done = change(form.cleaned_data, {"actor": request.user, "key": form.cleaned_data["key"]})
    except Refused as error:
        return _page(request, tournament, message=str(error), status=error.status)
    messages.success(request, done)
    on_it = tournament.staff.filter(user=request.user.pk).exists() or request.user.is_superuser
    return see_other(reverse("staff", args=[tournament.slug]) if on_it else reverse("home"))


@staff_view("POST", roles=OWNER)
def member(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Give a member another role, or take them off the staff."""

    def change(data: dict[str, Any], about: dict[str, Any]) -> str:
        name = data["username"]
        if data["role"] == MemberForm.REMOVE:
            remove_staff(tournament, name, **about)
            return _("%(name)s is no longer on the staff.") % {"name": name}
        change_role(tournament, name, data["role"], **about)
        return _("%(name)s: %(role)s.") % {"name": name, "role": Staff.Role(data["role"]).label}

    return _change_staff(request, tournament, MemberForm(request.POST), change)


@staff_view("POST", roles=OWNER)
def transfer(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Transfer the event to another member; the former owner stays as a scorekeeper."""

    def change(data: dict[str, Any], about: dict[str, Any]) -> str:
        transfer_ownership(tournament, data["username"], request.user, **about)
        return _("The event now belongs to %(name)s.") % {"name": data["username"]}

    return _change_staff(request, tournament, TransferForm(request.POST), change)


@staff_view("POST")
def leave(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Leave the staff of the event."""

    def change(data: dict[str, Any], about: dict[str, Any]) -> str:
        remove_staff(tournament, request.user.get_username(), **about)
        return _("You are no longer on the staff of %(event)s.") % {"event": tournament.name}

    return _change_staff(request, tournament, KeyedForm(request.POST), change)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def accept(request: HttpRequest, key: str) -> HttpResponse:
    """GET: what an invitation offers to whoever has its address. POST: accept it."""
    try:
        found = invite_of(key)
    except Refused as error:
        return render(request, "tournament/staff/invite.html", {"message": str(error)}, status=error.status)
    tournament = found.tournament
    mine = None
    if request.user.is_authenticated:
        mine = tournament.staff.filter(user=request.user).first()
    if request.method != "POST":
        context = {
            "invite": found,
            "tournament": tournament,
            "mine": mine,
            "higher": mine and RANKS.index(Staff.Role(mine.role)) >= RANKS.index(Staff.Role(found.role)),
            "rights": [
                right for right in rights_table() if right["has"][Staff.Role.values.index(found.role)]
            ],
            "here": request.path,
        }
        return render(request, "tournament/staff/invite.html", context)
    if not request.user.is_authenticated:
        raise LoginNeeded
    done = accept_invite(key, request.user, key=read_action(request)["key"])
    mine = tournament.staff.get(user=request.user)
    said = {"role": mine.get_role_display(), "event": tournament.name}
    messages.success(
        request,
        _("Welcome: you are %(role)s of %(event)s.") % said
        if done
        else _("You already had the role %(role)s in %(event)s. Nothing changed.") % said,
    )
    return see_other(reverse("desk", args=[tournament.slug]))
