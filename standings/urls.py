"""Addresses of what the facts mean: standings, cut, bracket, and a player's own page."""

from django.urls import path

import tournament.converters  # noqa: F401  (registers number and code)
from standings.views import desk, player, public

urlpatterns = [
    path("t/<slug:slug>/standings/", public.standings, name="standings"),
    path("t/<slug:slug>/standings/table/", public.table, name="standings-table"),
    path("t/<slug:slug>/standings/<code:code>/<slug:metric>/", public.explanation, name="standings-number"),
    path(
        "t/<slug:slug>/standings/<code:code>/<slug:metric>/row/",
        public.derivation,
        name="standings-derivation",
    ),
    path("t/<slug:slug>/rules/", public.rules, name="rules"),
    path("t/<slug:slug>/rules/words/", public.rules_part, name="rules-part"),
    path("t/<slug:slug>/bracket/", public.bracket, name="bracket"),
    path("t/<slug:slug>/bracket/tree/", public.tree, name="bracket-tree"),
    path("t/<slug:slug>/players/<code:code>/", player.player, name="player"),
    path("t/<slug:slug>/players/<code:code>/now/", player.now, name="player-now"),
    path("t/<slug:slug>/desk/standings/", desk.standings, name="desk-standings"),
    path("t/<slug:slug>/desk/cut/", desk.cut, name="desk-cut"),
    path("t/<slug:slug>/desk/bracket/", desk.bracket, name="desk-bracket"),
    path(
        "t/<slug:slug>/bracket/rounds/<number:number>/tables/<number:table>/result/",
        desk.bracket_result,
        name="bracket-result",
    ),
]
