"""The admin's site, without secrets, and without sign-in and password pages, which would bypass codes and limits."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from tournament.errors import Forbidden

SECRETS = {"mfa"}  # apps whose own pages would show what is secret


class AdminSite(admin.AdminSite):
    @method_decorator(never_cache)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the sign-in page. Raises Forbidden for an account that may not use the admin."""
        if request.user.is_authenticated and not self.has_permission(request):
            raise Forbidden(_("Only administrators of this site can open the admin."))
        wanted = request.GET.get("next") or reverse("admin:index", current_app=self.name)
        return HttpResponseRedirect(f"{settings.LOGIN_URL}?{urlencode({'next': wanted})}")

    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return HttpResponseRedirect(reverse("account"))

    password_change_done = password_change  # type: ignore[assignment]

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        models: Any = [model_or_iterable] if isinstance(model_or_iterable, type) else model_or_iterable
        shown = [model for model in models if model._meta.app_label not in SECRETS]
        super().register(shown, admin_class, **options)


class AdminConfig(DjangoAdminConfig):
    default_site = "tournament.web.admin_site.AdminSite"
