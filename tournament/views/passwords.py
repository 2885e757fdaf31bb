"""A forgotten password: by email if the site can send it, else by the person who runs the site."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from tournament.forms.accounts import ForgottenPasswordForm, NewPasswordForm
from tournament.services.accounts import send_reset_links, set_password, user_of_link
from tournament.web.staff_pages import form_data, see_other


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def forgotten(request: HttpRequest) -> HttpResponse:
    """Ask for a link. The answer is the same whether the address is known or not."""
    if not settings.MAIL:
        if request.method == "POST":
            raise Http404
        return render(request, "accounts/forgotten_password.html", {"form": None})
    form = ForgottenPasswordForm(form_data(request))
    if form.is_valid():
        send_reset_links(form.cleaned_data["email"])
        return render(request, "accounts/forgotten_password.html", {"sent": True})
    return render(
        request, "accounts/forgotten_password.html", {"form": form}, status=422 if form.is_bound else 200
    )


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def reset(request: HttpRequest, uid: str, token: str) -> HttpResponse:
    """Set a new password, by a link that works once."""
    user = user_of_link(uid, token)
    if user is None:
        return render(request, "accounts/new_password.html", {"form": None}, status=410)
    form = NewPasswordForm(user, form_data(request))
    if form.is_valid():
        set_password(user, form.cleaned_data["new_password1"])
        messages.success(request, _("Your password is changed. Sign in with it."))
        return see_other(settings.LOGIN_URL)
    context = {"form": form, "name": user.get_username()}
    return render(request, "accounts/new_password.html", context, status=422 if form.is_bound else 200)
