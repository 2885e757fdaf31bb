from django.contrib import admin
from django.urls import include, path

from tournament.config import health

handler400 = "tournament.web.error_pages.bad_request"
handler403 = "tournament.web.error_pages.forbidden"
handler404 = "tournament.web.error_pages.not_found"
handler500 = "tournament.web.error_pages.server_error"

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="prometheus"),
    path("admin/", admin.site.urls),
    path("", include("pairings.urls")),  # before "players/<code>/<what>/" of the facts
    path("", include("tournament.urls")),
    path("", include("standings.urls")),
]
