import logging

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django_otp.plugins.otp_totp.models import TOTPDevice
from django_otp.util import random_hex

from tournament.access.passwords import confirmation
from tournament.access.throttle import (
    WRONG_ON_KNOWN_DEVICE,
    WRONG_SIGN_IN_CODES,
    client_address,
    known_device,
    network_of,
    remember_device,
)
from tournament.access.two_step import end_half_way, is_on, user_half_way
from tournament.errors import Refused
from tournament.exports.qr import qr_of
from tournament.forms.accounts import ConfirmForm, RenewForm, SetUpForm, SignInCodeForm, read_key
from tournament.services import two_step
from tournament.web.requests import StaffRequest
from tournament.web.sign_in import address_after_sign_in, safe_next
from tournament.web.staff_pages import allow_methods, form_data, private_view, report_success, see_other

logger = logging.getLogger("tournament.accounts")


@sensitive_post_parameters()
@never_cache
@allow_methods("GET", "POST")
def sign_in_code(request: HttpRequest) -> HttpResponse:
    user = user_half_way(request)
    if user is None:
        return _start_again(request)
    form, status = SignInCodeForm(form_data(request)), 422
    if form.is_valid():
        try:
            if kind := _use_sign_in_code(request, user, form.cleaned_data["code"]):
                return _sign_in(request, user, kind)
            form.add_error("code", _("This code is wrong or was used before. Enter a new one."))
        except Refused as refused:
            form.add_error("code", str(refused))
            status = refused.status
    context = {"form": form, "name": user.get_username()}
    return render(request, "accounts/sign_in_code.html", context, status=status if form.is_bound else 200)


def _start_again(request: HttpRequest) -> HttpResponse:
    if end_half_way(request):
        messages.warning(request, _("Sign in again: this took too long, or your account was changed."))
    query = f"?{request.GET.urlencode()}" if "next" in request.GET else ""
    return see_other(settings.LOGIN_URL + query)


def _use_sign_in_code(request: HttpRequest, user: User, code: str) -> str:
    """Return the code's kind, or "". Raises Refused after too many tries."""
    network = network_of(client_address(request))
    device = known_device(request, user.get_username())
    if not device and WRONG_SIGN_IN_CODES.is_spent(network):
        text = _("Too many wrong codes came from this network. Wait 5 minutes, then try again.")
        raise Refused(text, status=429)
    kind = two_step.use_code(user, code)
    if not kind:
        WRONG_ON_KNOWN_DEVICE.count(device) if device else WRONG_SIGN_IN_CODES.count(network)
    return kind


def _sign_in(request: HttpRequest, user: User, kind: str) -> HttpResponse:
    end_half_way(request)
    login(request, user, backend="tournament.web.sessions.AccountBackend")
    logger.info("account %s signed in with a %s", user.pk, kind)
    if kind == two_step.RECOVERY:
        left = two_step.recovery_codes_left(user)
        text = ngettext(
            "You used a recovery code. %(left)s is left.",
            "You used a recovery code. %(left)s are left.",
            left,
        )
        messages.warning(request, text % {"left": left})
    # Not `see_other`: a requested URL is not a page name.
    response = HttpResponseRedirect(address_after_sign_in(request, safe_next(request)), status=303)
    remember_device(response, user)
    return response


@sensitive_post_parameters()
@private_view("GET", "POST", signed_in=True)
def set_up(request: StaffRequest) -> HttpResponse:
    user, is_post = request.user, request.method == "POST"
    if is_on(user) and not is_post:
        return see_other("account")
    key = read_key(user, request.POST.get("signed_key", "")) if is_post else random_hex()
    if key is None:
        messages.warning(request, _("That page was too old. Scan the new code."))
        return see_other("two-step")
    form = SetUpForm(user, key, form_data(request))
    if is_post:
        with confirmation(request, form):
            answers = form.cleaned_data if form.is_valid() else {}
            codes = two_step.turn_on(user, key, answers["code"], answers["password"]) if answers else []
        if codes:
            user.refresh_from_db()
            update_session_auth_hash(request, user)
            return _show_codes(request, codes, is_new=True)
    address = TOTPDevice(user=user, key=key).config_url
    context = {"form": form, "address": address, "qr": qr_of(address), "groups": two_step.groups_of(key)}
    return render(request, "accounts/two_step.html", context, status=422 if is_post else 200)


@sensitive_post_parameters()
@private_view("GET", "POST", signed_in=True)
def renew_codes(request: StaffRequest) -> HttpResponse:
    form = RenewForm(request.user, form_data(request))
    if _is_confirmed(request, form):
        seen, key = form.cleaned_data["seen"], form.cleaned_data["key"]
        codes = two_step.renew_recovery_codes(request.user, seen=seen, key=key)
        return _show_codes(request, codes, is_new=False)
    question = _("Create new recovery codes?")
    return _ask(request, form, question, _("The codes you have stop working. The new ones are shown once."))


@sensitive_post_parameters()
@private_view("GET", "POST", signed_in=True)
def off(request: StaffRequest) -> HttpResponse:
    form = ConfirmForm(_("Turn off two-step sign-in"), form_data(request))
    if _is_confirmed(request, form):
        two_step.turn_off(request.user)
        return report_success(request, _("Two-step sign-in is off."), "account")
    question = _("Turn off two-step sign-in?")
    what = _(
        "Your password alone will sign you in. The key in your app and your recovery codes stop working."
    )
    return _ask(request, form, question, what)


def _is_confirmed(request: StaffRequest, form: ConfirmForm) -> bool:
    user = request.user
    if not form.is_valid():
        return False
    text = form.cleaned_data["password"]
    with confirmation(request, form):
        is_right = user.check_password(text) or bool(
            two_step.read_digits(text) and two_step.use_code(user, text)
        )
        if not is_right:
            form.add_error("password", _("This is neither your password nor a code. Nothing was changed."))
    return is_right


def _ask(request: StaffRequest, form: ConfirmForm, question: str, what: str) -> HttpResponse:
    if not is_on(request.user):
        return see_other("account")
    context = {"form": form, "question": question, "what": what}
    return render(request, "accounts/confirm.html", context, status=422 if form.is_bound else 200)


def _show_codes(request: StaffRequest, codes: list[str], *, is_new: bool) -> HttpResponse:
    groups = [f"{code[:5]} {code[5:]}" for code in codes]
    return render(request, "accounts/recovery_codes.html", {"codes": groups, "is_new": is_new})
