from typing import Any

from allauth.account import views as account_views
from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from allauth.account.utils import perform_login
from allauth.mfa.totp import views as totp_views
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth import logout
from django.contrib.messages import get_messages
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.forms.accounts import ResendForm
from tournament.services.accounts import collect_account_data, delete_account, refuse_owner
from tournament.web.requests import StaffRequest
from tournament.web.second_press import View, answers_second_press
from tournament.web.sign_in import safe_next, unsent_forms
from tournament.web.staff_pages import private_view, report_success, see_other


def page(view: View, *methods: str, signed_in: bool = False, mail: tuple[str, ...] = ()) -> View:
    """Let an allauth view return 410 for a used link and 422 for a refused form. `mail`: methods that need email."""

    @answers_second_press
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
        queued: Any = get_messages(request)
        if context.get("token_fail"):
            response.status_code = 410
        elif request.method == "POST" and any(getattr(each, "errors", None) for each in context.values()):
            response.status_code = 422
        elif request.method == "POST" and queued.added_new:
            response.said = str(list(queued)[-1])  # type: ignore[attr-defined]  # for `second_press`
            queued.used = False  # the next page shows it all the same
        return response

    return run


class SignUp(account_views.SignupView):
    def form_invalid(self, form: Any) -> HttpResponse:
        """Sign in if the refused name and password are an account's, as after a double click."""
        if form.errors.as_data().keys() == {"username"} and form.has_error("username", "username_taken"):
            names = {"username": form.data["username"], "password": form.cleaned_data["password1"]}
            if user := get_adapter().authenticate(self.request, **names):
                return perform_login(self.request, user, redirect_url=self.get_success_url())
        return super().form_invalid(form)


class SignIn(account_views.LoginView):
    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return super().get_context_data(kept=len(unsent_forms(self.request)), **more)


def set_up_app(request: HttpRequest) -> HttpResponse:
    """Set up an authenticator app. The same form sent twice continues to the recovery codes."""
    response: HttpResponse = totp_views.activate_totp(request)
    is_second = request.method == "POST" and response.get("Location") == reverse("mfa_deactivate_totp")
    return see_other("mfa_view_recovery_codes") if is_second else response


@private_view("GET", signed_in=True)
def account(request: StaffRequest) -> HttpResponse:
    return render(request, "accounts/account.html", {"two_step": is_mfa_enabled(request.user)})


@private_view("GET", signed_in=True)
def resend(request: HttpRequest) -> HttpResponse:
    """Show each form that could not be saved because its sender was signed out, with a button that sends it again."""
    following = safe_next(request)
    forms = [
        ResendForm(form["path"], form["fields"], number)
        for number, form in enumerate(unsent_forms(request), start=1)
    ]
    if not forms:
        return HttpResponseRedirect(following, status=303)
    return render(request, "accounts/resend.html", {"forms": forms, "following": following})


@private_view("GET", signed_in=True)
def account_file(request: StaffRequest) -> HttpResponse:
    return own_data_response(collect_account_data(request.user), f"account-{request.user.get_username()}")


@answers_second_press
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
