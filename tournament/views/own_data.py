"""What is kept about a player or an account, for themselves: a page that says it, and a file that holds it."""

from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from tournament.access.fetch import own_entry
from tournament.access.passwords import confirmation
from tournament.errors import Refused
from tournament.forms.accounts import DeleteAccountForm
from tournament.players.own_data import own_data_of
from tournament.services.account_deletion import delete_account, refuse_owner
from tournament.services.own_account import account_data_of
from tournament.text.display_names import public_names_of
from tournament.views.self_service import player_context, player_view
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, private_view, report_success


@player_view("GET")
def own_data(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """What is kept about the player, who sees it and for how long."""
    tournament, entry = own_entry(request, slug, code)
    context = {
        **player_context(tournament, entry),
        "public_name": public_names_of(tournament)[code],
        "messages_sent": entry.flags.count(),
        "penalties": entry.penalties.count(),
        "decklists": entry.decklists.count(),
        "phones": entry.push_subscriptions.count(),
        "days": settings.RETENTION_DAYS,
        "names_too": settings.RETENTION == "names",
    }
    return render(request, "tournament/self_service/own_data.html", context)


@player_view("GET")
def own_data_file(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """All of it as a file."""
    tournament, entry = own_entry(request, slug, code)
    return _as_file(own_data_of(entry), f"{tournament.slug}-{code}")


@private_view("GET", signed_in=True)
def account_file(request: StaffRequest) -> HttpResponse:
    """What is kept about the signed-in account, as a file."""
    return _as_file(account_data_of(request.user), f"account-{request.user.get_username()}")


@sensitive_post_parameters()
@private_view("GET", "POST", signed_in=True)
def delete(request: StaffRequest) -> HttpResponse:
    """GET: what goes and what stays. POST: delete the account, with its password."""
    form, problem = DeleteAccountForm(request.user, form_data(request)), ""
    status = 422 if form.is_bound else 200
    try:
        refuse_owner(request.user)
        with confirmation(request, form):
            is_confirmed = form.is_valid()
        if is_confirmed:
            delete_account(request.user)
            logout(request)
            return report_success(request, _("Your account is deleted."), "home")
    except Refused as refused:
        problem = str(refused)
        status = refused.status if form.is_bound else 200
    return render(request, "accounts/delete.html", {"form": form, "problem": problem}, status=status)


def _as_file(data: dict[str, Any], name: str) -> HttpResponse:
    response = JsonResponse(data, json_dumps_params={"ensure_ascii": False, "indent": 2})
    filename = get_valid_filename(f"{name}.json")  # usernames have characters of all languages
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=filename) or ""
    return response
