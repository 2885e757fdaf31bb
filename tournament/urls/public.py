"""Addresses everybody may open. Standings, the bracket and a player's own page are in `standings.urls.standings`."""

from django.urls import path

from tournament.views import public, schemas

urlpatterns = [
    path("schemas/<str:name>", schemas.schema, name="schema"),
    path("t/<slug:slug>/", public.event, name="public-event"),
    path("t/<slug:slug>/now/", public.now, name="public-now"),
    path("t/<slug:slug>/rounds/<number:number>/", public.round_, name="public-round"),
    path("t/<slug:slug>/rounds/<number:number>/pairings/", public.pairings, name="public-pairings"),
    path("t/<slug:slug>/players/", public.players, name="public-players"),
]
