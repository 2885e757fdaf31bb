"""Addresses everybody may open. Pages of what the facts mean (standings, bracket, a player's own) are in
`standings.urls.standings`."""

from django.urls import path

import tournament.web.converters  # noqa: F401  (registers number and code)
from tournament.views import public, schemas

urlpatterns = [
    path("schemas/<str:name>", schemas.schema, name="schema"),
    path("t/<slug:slug>/", public.event, name="public-event"),
    path("t/<slug:slug>/now/", public.now, name="public-now"),
    path("t/<slug:slug>/rounds/<number:number>/", public.round_, name="public-round"),
    path("t/<slug:slug>/rounds/<number:number>/pairings/", public.pairings, name="public-pairings"),
    path("t/<slug:slug>/players/", public.players, name="public-players"),
]
