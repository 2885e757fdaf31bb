from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth import logout
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.services.accounts import collect_account_data, delete_account, refuse_owner
from tournament.web.staff_pages import StaffRequest, View, private_view, report_success


def page(view: View, *methods: str, signed_in: bool = False, mail: tuple[str, ...] = ()) -> View:
    """Let an allauth view return 410 for a used link and 422 for a refused form. `mail`: methods that need email."""

    @private_view(*(methods or ("GET", "POST")), signed_in=signed_in)
    def run(request: HttpRequest, **values: Any) -> HttpResponse:
        if request.method in mail and not settings.MAIL:
            raise Http404
        try:
            response = view(request, **values)
        except IntegrityError:  # the same form, sent twice at once: now it finds what the other one made
            response = view(request, **values)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            if "credential" not in request.POST:
                raise
            raise Refused(_("The security key did not answer as it should. Try again.")) from error
        context = getattr(response, "context_data", None) or {}
        if context.get("token_fail"):
            response.status_code = 410
        elif request.method == "POST" and any(getattr(each, "errors", None) for each in context.values()):
            response.status_code = 422
        return response

    return run


@private_view("GET", signed_in=True)
def account(request: StaffRequest) -> HttpResponse:
    return render(request, "accounts/account.html", {"two_step": is_mfa_enabled(request.user)})


@private_view("GET", signed_in=True)
def account_file(request: StaffRequest) -> HttpResponse:
    return own_data_response(collect_account_data(request.user), f"account-{request.user.get_username()}")


@private_view("GET", "POST", signed_in=True)
@reauthentication_required(allow_get=True)
def delete(request: StaffRequest) -> HttpResponse:
    problem, status = "", 200
    try:
        refuse_owner(request.user)
        if request.method == "POST":
            delete_account(request.user)
            logout(request)
            return report_success(request, _("Your account is deleted."), "home")
    except Refused as refused:
        problem = str(refused)
        status = refused.status if request.method == "POST" else 200
    return render(request, "accounts/delete.html", {"problem": problem}, status=status)


def own_data_response(data: dict[str, Any], name: str) -> HttpResponse:
    response = JsonResponse(data, json_dumps_params={"ensure_ascii": False, "indent": 2})
    filename = get_valid_filename(f"{name}.json")  # usernames have characters of all languages
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=filename) or ""
    return response
