"""Addresses of what players do themselves, by their own key, and of what staff set and see of it.

The page itself, with a player's table and matches, is in `standings.urls`.
"""

from django.urls import path

import tournament.web.converters  # noqa: F401  (registers number and code)
from tournament.views import own, registration

EVENT = "t/<slug:slug>/"
OWN = f"{EVENT}me/<code:code>/"
DESK = f"{EVENT}desk/"

urlpatterns = [
    path(f"{EVENT}register/", own.register, name="register"),
    path(f"{EVENT}key/<str:key>/", own.open_key, name="player-key"),
    path(f"{OWN}link/", own.link, name="own-link"),
    path(f"{OWN}check-in/", own.check_in, name="own-check-in"),
    path(f"{OWN}leave/", own.leave_event, name="own-leave"),
    path(f"{OWN}flag/", own.flag, name="own-flag"),
    path(f"{OWN}forget/", own.forget, name="own-forget"),
    path(f"{DESK}registration/", registration.registration, name="registration"),
    path(f"{DESK}poster/", registration.poster, name="poster"),
    path(f"{DESK}flags/", registration.flags, name="flags"),
    path(f"{DESK}flags/<number:number>/done/", registration.flag_done, name="flag-done"),
    path(f"{DESK}players/<code:code>/link/", registration.new_link, name="entry-link"),
]
