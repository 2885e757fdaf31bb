"""Addresses of events and people, one file a group of readers; the first that fits answers."""

from django.urls import include, path

import tournament.web.converters  # registers number and code

urlpatterns = [
    path("", include("tournament.urls.desk")),
    path("", include("tournament.urls.self_service")),
    path("", include("tournament.urls.players")),
    path("", include("tournament.urls.people")),
    path("", include("tournament.urls.public")),
]
