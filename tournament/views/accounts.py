"""Sign up, in and out; the user's own account."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.views import LoginView, LogoutView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from tournament.access.fetch import LoginNeeded
from tournament.access.throttle import remember_device
from tournament.forms.accounts import EmailForm, OwnPasswordForm, SignInForm, SignUpForm
from tournament.services.accounts import set_email, set_password
from tournament.web.requests import StaffRequest
from tournament.web.resend import unsent_forms
from tournament.web.staff_pages import form_data, see_other


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """A new account, signed in at once."""
    if not settings.SIGN_UP_OPEN:
        return render(request, "accounts/sign_up.html", status=403 if request.method == "POST" else 200)
    form = SignUpForm(form_data(request))
    if form.is_valid():
        user = form.save()
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        response = see_other(safe_next(request))
        remember_device(response, user.get_username())
        return response
    return render(request, "accounts/sign_up.html", {"form": form}, status=422 if form.is_bound else 200)


class SignIn(LoginView):
    """The login page; afterwards back to where the user was."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = False

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return super().get_context_data(kept=len(unsent_forms(self.request)), **more)

    def form_valid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        response = super().form_valid(form)
        remember_device(response, form.get_user().get_username())
        return response

    def get_success_url(self) -> str:
        """The page the user came from, by way of the forms that were not saved."""
        wanted = super().get_success_url()
        return f"{reverse('resend')}?{urlencode({'next': wanted})}" if unsent_forms(self.request) else wanted

    def form_invalid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        return self.render_to_response(self.get_context_data(form=form), status=422)


sign_in = SignIn.as_view()
sign_out = LogoutView.as_view(http_method_names=["post", "options"])


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@never_cache
def account(request: StaffRequest) -> HttpResponse:
    """The user's own account. POST: change the password, which signs out other devices."""
    if not request.user.is_authenticated:
        raise LoginNeeded
    form = OwnPasswordForm(request.user, form_data(request))
    if form.is_valid():
        set_password(request.user, form.cleaned_data["new_password1"])
        request.user.refresh_from_db()
        update_session_auth_hash(request, request.user)
        messages.success(request, _("Your password is changed; other devices are signed out."))
        return see_other(reverse("account"))
    return _account(request, form, status=422 if form.is_bound else 200)


@require_POST
@never_cache
def change_mail(request: StaffRequest) -> HttpResponse:
    """Save the address that password links are sent to."""
    if not request.user.is_authenticated:
        raise LoginNeeded
    if not settings.MAIL:
        raise Http404
    form = EmailForm(request.POST, action=reverse("account-mail"))
    if not form.is_valid():
        return _account(request, OwnPasswordForm(request.user), mail=form, status=422)
    set_email(request.user, form.cleaned_data["email"])
    messages.success(request, _("Saved."))
    return see_other(reverse("account"))


def _account(
    request: StaffRequest, form: OwnPasswordForm, *, mail: EmailForm | None = None, status: int = 200
) -> HttpResponse:
    if settings.MAIL and mail is None:
        mail = EmailForm(initial={"email": request.user.email}, action=reverse("account-mail"))
    return render(request, "accounts/account.html", {"form": form, "mail": mail}, status=status)


def safe_next(request: HttpRequest) -> str:
    """The page the user wanted to open, if it is one of ours."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if ours else settings.LOGIN_REDIRECT_URL
