"""Addresses of drafts: who meets whom next."""

from django.urls import path

import tournament.converters  # noqa: F401  (registers number and code)
from pairings import views

DESK = "t/<slug:slug>/desk/"
ROUND = f"{DESK}rounds/<number:number>/"

urlpatterns = [
    path(f"{DESK}pair/", views.pair, name="pair"),
    path(f"{ROUND}draft/", views.draft, name="draft"),
    path(f"{ROUND}publish/", views.publish, name="publish"),
    path(f"{ROUND}again/", views.again, name="pair-again"),
    path(f"{ROUND}discard/", views.discard, name="discard"),
]
