"""Addresses of the players at the desk: the list, adding, check-in, one entry."""

from django.urls import path

from tournament.views import check_in, entries, entry, imports, new_entry

DESK = "t/<slug:slug>/desk/"

urlpatterns = [
    path(f"{DESK}players/", entries.entries, name="entries"),
    path(f"{DESK}add-player/", new_entry.add_player, name="add-player"),
    path(f"{DESK}import/", imports.import_players, name="import"),
    path(f"{DESK}regulars/", new_entry.known_players, name="known-players"),
    path(f"{DESK}check-in/", check_in.check_in_page, name="check-in"),
    path(f"{DESK}no-shows/", check_in.no_shows, name="no-shows"),
    path(f"{DESK}players/<code:code>/", entry.entry, name="entry"),
    path(f"{DESK}players/<code:code>/<slug:what>/", entry.change, name="entry-change"),
]
