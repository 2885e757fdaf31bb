"""Addresses of the players at the desk: the list, adding, check-in, one entry."""

from django.urls import path

import tournament.web.converters  # noqa: F401  (registers number and code)
from tournament.views import adding, checkin, entries, importing

DESK = "t/<slug:slug>/desk/"

urlpatterns = [
    path(f"{DESK}players/", entries.entries, name="entries"),
    path(f"{DESK}add-player/", adding.add_player, name="add-player"),
    path(f"{DESK}import/", importing.import_players, name="import"),
    path(f"{DESK}regulars/", adding.regulars_part, name="regulars"),
    path(f"{DESK}check-in/", checkin.check_in_page, name="check-in"),
    path(f"{DESK}no-shows/", checkin.no_shows, name="no-shows"),
    path(f"{DESK}players/<code:code>/", entries.entry, name="entry"),
    path(f"{DESK}players/<code:code>/<slug:what>/", entries.change, name="entry-change"),
]
