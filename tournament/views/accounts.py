import datetime as dt
import logging
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import get_user_model, login, logout, update_session_auth_hash
from django.contrib.auth.views import LoginView, LogoutView
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from tournament.access.passwords import confirmation, password_turn
from tournament.access.throttle import SIGN_UPS, remember_device
from tournament.access.two_step import end_half_way, is_on, start_half_way
from tournament.errors import Refused
from tournament.forms.accounts import (
    DeleteAccountForm,
    EmailForm,
    ForgottenPasswordForm,
    NewPasswordForm,
    OwnPasswordForm,
    ResendForm,
    SignInForm,
    SignUpForm,
)
from tournament.services.accounts import (
    account_data_of,
    delete_account,
    refuse_owner,
    send_reset_links,
    set_email,
    set_password,
    user_of_link,
)
from tournament.services.two_step import recovery_codes_left
from tournament.web.requests import StaffRequest
from tournament.web.second_press import answers_second_press
from tournament.web.sign_in import address_after_sign_in, safe_next, unsent_forms
from tournament.web.staff_pages import allow_methods, form_data, private_view, report_success, see_other

logger = logging.getLogger("tournament.accounts")
SECOND_PRESS = dt.timedelta(minutes=10)  # so long after the first a sign-up may come again


@sensitive_post_parameters()
@never_cache
@allow_methods("GET", "POST")
def sign_up(request: HttpRequest) -> HttpResponse:
    if not settings.SIGN_UP_OPEN:
        return render(request, "accounts/sign_up.html", status=403 if request.method == "POST" else 200)
    form = SignUpForm(form_data(request))
    is_valid, is_taken = form.is_valid(), form.has_error("username", "unique")
    if (is_valid or is_taken) and not SIGN_UPS.allows(request):
        raise Refused(_("Too many accounts were created from this network."), status=429)
    user = _save_new(request, form) if is_valid else None
    if user is None and form.has_error("username", "unique"):
        user = _made_before(form)
    if user:
        login(request, user, backend="tournament.web.sessions.AccountBackend")
        response = HttpResponseRedirect(safe_next(request), status=303)
        remember_device(response, user)
        return response
    return render(request, "accounts/sign_up.html", {"form": form}, status=422 if form.is_bound else 200)


def _save_new(request: HttpRequest, form: SignUpForm) -> Any:
    with password_turn(request):
        user = form.save(commit=False)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError:
        form.add_error("username", user.unique_error_message(type(user), ("username",)))
        return None
    logger.info("account %s signed up", user.pk)
    return user


def _made_before(form: SignUpForm) -> Any:
    """Return the account that the same form just created. Guesses at its password are limited like sign-ups."""
    name, password = form.fields["username"].to_python(form.data.get("username")), form.data.get("password1")
    accounts = get_user_model().objects.filter(is_active=True, date_joined__gte=timezone.now() - SECOND_PRESS)
    user = accounts.filter(username=name).first() if set(form.errors) == {"username"} else None
    return user if user and not is_on(user) and user.check_password(password or "") else None


class SignIn(LoginView):
    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = False

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return super().get_context_data(kept=len(unsent_forms(self.request)), **more)

    def form_valid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        end_half_way(self.request)  # of another account
        user = form.get_user()
        if is_on(user):
            start_half_way(self.request, user)
            wanted = self.get_redirect_url()
            query = f"?{urlencode({'next': wanted})}" if wanted else ""
            return see_other(reverse("sign-in-code") + query)
        response = super().form_valid(form)
        logger.info("account %s signed in with a password", user.pk)
        remember_device(response, user)
        return response

    def get_success_url(self) -> str:
        return address_after_sign_in(self.request, super().get_success_url())

    def form_invalid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        if form.has_error("__all__"):
            logger.warning("a wrong name or password at sign-in")
        return self.render_to_response(self.get_context_data(form=form), status=422)


sign_in = SignIn.as_view(http_method_names=["get", "head", "post", "options"])
sign_out = LogoutView.as_view(http_method_names=["post", "options"])


@sensitive_post_parameters()
@answers_second_press
@private_view("GET", "POST", signed_in=True)
def account(request: StaffRequest) -> HttpResponse:
    form = OwnPasswordForm(request.user, form_data(request))
    with confirmation(request, form, "old_password"):
        changed = form.is_valid()
        if changed:
            set_password(request.user, form.cleaned_data["new_password1"])
    if changed:
        request.user.refresh_from_db()
        update_session_auth_hash(request, request.user)
        message = _("Your password is changed; other devices are signed out.")
        response = report_success(request, message, "account")
        remember_device(response, request.user)
        return response
    return _account(request, form, _email_form(request))


@private_view("POST", signed_in=True)
def change_mail(request: StaffRequest) -> HttpResponse:
    form = _email_form(request, request.POST)
    if form is None:
        raise Http404
    with confirmation(request, form):
        is_confirmed = form.is_valid()
    if is_confirmed:
        set_email(request.user, form.cleaned_data["email"])
        return report_success(request, _("Saved."), "account")
    return _account(request, OwnPasswordForm(request.user), form)


def _email_form(request: StaffRequest, data: QueryDict | None = None) -> EmailForm | None:
    if not settings.MAIL:
        return None
    return EmailForm(request.user, data, action=reverse("account-mail"))


def _account(request: StaffRequest, form: OwnPasswordForm, mail: EmailForm | None) -> HttpResponse:
    status = 422 if request.method == "POST" else 200
    context = {
        "form": form,
        "mail": mail,
        "two_step": is_on(request.user),
        "codes_left": recovery_codes_left(request.user),
    }
    return render(request, "accounts/account.html", context, status=status)


@allow_methods("GET", "POST")
@never_cache
def forgotten(request: HttpRequest) -> HttpResponse:
    """Ask for a link. The response is the same whether the email address is known or not."""
    if not settings.MAIL and request.method == "POST":
        raise Http404
    form = ForgottenPasswordForm(form_data(request)) if settings.MAIL else None
    sent = form is not None and form.is_valid()
    if form is not None and sent:
        send_reset_links(form.cleaned_data["email"])
    context = {"form": form, "sent": sent}
    status = 422 if request.method == "POST" and not sent else 200
    return render(request, "accounts/forgotten_password.html", context, status=status)


@sensitive_post_parameters()
@answers_second_press
@allow_methods("GET", "POST")
@never_cache
def reset(request: HttpRequest, uid: str, token: str) -> HttpResponse:
    user = user_of_link(uid, token)
    if user is None:
        return render(request, "accounts/new_password.html", {"form": None}, status=410)
    form = NewPasswordForm(user, form_data(request))
    if form.is_valid():
        with password_turn(request, user.get_username()):
            set_password(user, form.cleaned_data["new_password1"])
        message = _("Your password is changed. Sign in with it.")
        return report_success(request, message, settings.LOGIN_URL)
    context = {"form": form, "name": user.get_username()}
    return render(request, "accounts/new_password.html", context, status=422 if form.is_bound else 200)


@private_view("GET", signed_in=True)
def resend(request: HttpRequest) -> HttpResponse:
    """Show each form that its sender, signed out, could not save, with a button that sends it again."""
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
    return own_data_response(account_data_of(request.user), f"account-{request.user.get_username()}")


@sensitive_post_parameters()
@answers_second_press
@private_view("GET", "POST", signed_in=True)
def delete(request: StaffRequest) -> HttpResponse:
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


def own_data_response(data: dict[str, Any], name: str) -> HttpResponse:
    response = JsonResponse(data, json_dumps_params={"ensure_ascii": False, "indent": 2})
    filename = get_valid_filename(f"{name}.json")  # usernames have characters of all languages
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=filename) or ""
    return response
