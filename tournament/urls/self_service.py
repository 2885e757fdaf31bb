"""Addresses of what players do themselves by their own link, and of what staff set and see of it.

The player's own page, with table and matches, is in `standings.urls.standings`.
"""

from django.urls import path

from tournament.views import player_messages, registration, self_service

EVENT = "t/<slug:slug>/"
OWN = f"{EVENT}me/<code:code>/"
DESK = f"{EVENT}desk/"

urlpatterns = [
    path(f"{EVENT}register/", self_service.register, name="register"),
    path(f"{EVENT}key/<str:key>/", self_service.open_key, name="player-key"),
    path(f"{OWN}link/", self_service.link, name="me-link"),
    path(f"{OWN}check-in/", self_service.check_in, name="me-check-in"),
    path(f"{OWN}leave/", self_service.drop, name="me-drop"),
    path(f"{OWN}flag/", self_service.message, name="me-message"),
    path(f"{OWN}forget/", self_service.forget_device, name="me-forget"),
    path(f"{DESK}registration/", registration.registration, name="registration"),
    path(f"{DESK}poster/", registration.poster, name="poster"),
    path(f"{DESK}flags/", player_messages.player_messages, name="player-messages"),
    path(f"{DESK}flags/<number:number>/done/", player_messages.message_done, name="message-done"),
    path(f"{DESK}players/<code:code>/link/", registration.new_link, name="entry-link"),
]
