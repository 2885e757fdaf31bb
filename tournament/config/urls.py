from django.contrib import admin
from django.urls import include, path, register_converter
from django.urls.converters import IntConverter, StringConverter

from tournament.config import health

handler400 = "tournament.web.error_pages.bad_request"
handler403 = "tournament.web.error_pages.forbidden"
handler404 = "tournament.web.error_pages.not_found"
handler500 = "tournament.web.error_pages.server_error"


class Number(IntConverter):
    regex = "[1-9][0-9]{0,3}"


class Code(StringConverter):
    regex = r"[^/\x00-\x1f]{1,40}"


class Topic(StringConverter):
    """A settings topic that opens in the list; the others have their own pages."""

    regex = "place|rounds|tables|judges|phones|decklists|public|end"


register_converter(Number, "number")
register_converter(Code, "code")
register_converter(Topic, "topic")

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="prometheus"),
    path("admin/", admin.site.urls),
    path("", include("pairings.urls")),  # before "players/<code>/<what>/" of the facts
    path("", include("tournament.urls")),
    path("", include("standings.urls")),
]
