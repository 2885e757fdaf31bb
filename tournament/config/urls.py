"""All addresses: each app brings its own; the names of the apps are strings here and imported nowhere."""

from django.contrib import admin
from django.urls import include, path

from tournament.config import health

handler400 = "tournament.problems.bad_request"
handler403 = "tournament.problems.forbidden"
handler404 = "tournament.problems.not_found"
handler500 = "tournament.problems.broken"

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("admin/", admin.site.urls),
    path("", include("tournament.urls")),
    path("", include("standings.urls")),
    path("", include("pairings.urls")),
]
