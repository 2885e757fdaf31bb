"""Sign up, in and out."""

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from tournament.forms.accounts import SignInForm, SignUpForm
from tournament.throttle import remember_device
from tournament.views.staff import posted, see_other


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """A new account, signed in at once."""
    form = SignUpForm(posted(request))
    if form.is_valid():
        user = form.save()
        login(request, user, backend="django.contrib.auth.backends.ModelBackend")
        response = see_other(safe_next(request))
        remember_device(response, user.get_username())
        return response
    return render(request, "accounts/sign_up.html", {"form": form}, status=422 if form.is_bound else 200)


class SignIn(LoginView):
    """The login page; afterwards back to where the person was."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = False

    def form_valid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        response = super().form_valid(form)
        remember_device(response, form.get_user().get_username())
        return response

    def form_invalid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        return self.render_to_response(self.get_context_data(form=form), status=422)


sign_in = SignIn.as_view()
sign_out = LogoutView.as_view(http_method_names=["post", "options"])


def safe_next(request: HttpRequest) -> str:
    """Where the person wanted to go, if that is a page of ours."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if ours else settings.LOGIN_REDIRECT_URL
