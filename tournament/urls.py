"""The addresses of the facts; the first that fits answers."""

from django.urls import path

import tournament.web.converters  # noqa: F401  (registers number and code)
from tournament.views import (
    accounts,
    box,
    check_in,
    desk,
    entries,
    entry,
    event_settings,
    event_templates,
    events,
    exports,
    home,
    imports,
    log,
    new_entry,
    player_messages,
    public,
    registration,
    results,
    rounds,
    self_service,
    staff,
)

EVENT = "t/<slug:slug>/"
DESK = f"{EVENT}desk/"
ROUND = f"{DESK}rounds/<number:number>/"
TABLE = f"{ROUND}tables/<number:table>/"
ME = f"{EVENT}me/<code:code>/"
STAFF = f"{DESK}staff/"

urlpatterns = [
    # The desk: events, rounds, results, exports, the log.
    path("", home.home, name="home"),
    path("new/", events.new, name="new-event"),
    path("templates/<int:pk>/", event_templates.template, name="template"),
    path("templates/<int:pk>/forget/", event_templates.remove_template, name="remove-template"),
    path("demo/", home.remove_demo, name="remove-demo"),
    path(DESK, desk.desk, name="desk"),
    path(f"{DESK}announcement/", desk.announcement, name="announcement"),
    path(f"{DESK}settings/", event_settings.settings, name="event-settings"),
    path(f"{DESK}copy/", event_templates.copy, name="copy-event"),
    path(f"{DESK}template/", event_templates.save, name="save-template"),
    path(f"{DESK}delete/", events.delete, name="delete-event"),
    path(f"{DESK}exports/", exports.exports, name="exports"),
    path(f"{DESK}exports/players.csv", exports.entries, name="export-entries"),
    path(f"{DESK}exports/round-<number:number>.csv", exports.pairings, name="export-pairings"),
    path(f"{DESK}exports/archive.json", exports.archive, name="export-archive"),
    path(f"{DESK}exports/pages.zip", exports.copy, name="export-copy"),
    path(f"{DESK}finish/", desk.finish, name="finish"),
    path(f"{DESK}reopen/", desk.reopen, name="reopen"),
    path(f"{DESK}log/", log.log, name="log"),
    path(f"{DESK}undo/", log.undo_action, name="undo"),
    path(ROUND, rounds.desk_round, name="desk-round"),
    path(f"{ROUND}status/", rounds.status, name="desk-status"),
    path(f"{ROUND}rows/", rounds.rows, name="desk-rows"),
    path(f"{ROUND}box/", box.box, name="box"),
    path(f"{ROUND}reopen/", desk.reopen_last_round, name="reopen-round"),
    path(f"{ROUND}players/<code:code>/points/", results.game_points_page, name="game-points"),
    path(TABLE, rounds.row, name="match-row"),
    path(f"{TABLE}slip/", results.slip, name="slip"),
    path(f"{EVENT}rounds/<number:number>/tables/<number:table>/result/", results.result, name="result"),
    # What players do themselves by their own link, and what staff set and see of it.
    path(f"{EVENT}register/", self_service.register, name="register"),
    path(f"{EVENT}key/<str:key>/", self_service.open_key, name="player-key"),
    path(f"{ME}link/", self_service.link, name="me-link"),
    path(f"{ME}check-in/", self_service.check_in, name="me-check-in"),
    path(f"{ME}leave/", self_service.drop, name="me-drop"),
    path(f"{ME}flag/", self_service.message, name="me-message"),
    path(f"{ME}forget/", self_service.forget_device, name="me-forget"),
    path(f"{DESK}registration/", registration.registration, name="registration"),
    path(f"{DESK}poster/", registration.poster, name="poster"),
    path(f"{DESK}flags/", player_messages.player_messages, name="player-messages"),
    path(f"{DESK}flags/<number:number>/done/", player_messages.message_done, name="message-done"),
    path(f"{DESK}players/<code:code>/link/", registration.new_link, name="entry-link"),
    # The players at the desk: the list, adding, check-in, one entry.
    path(f"{DESK}players/", entries.entries, name="entries"),
    path(f"{DESK}add-player/", new_entry.add_player, name="add-player"),
    path(f"{DESK}import/", imports.import_players, name="import"),
    path(f"{DESK}regulars/", new_entry.known_players, name="known-players"),
    path(f"{DESK}check-in/", check_in.check_in_page, name="check-in"),
    path(f"{DESK}no-shows/", check_in.no_shows, name="no-shows"),
    path(f"{DESK}players/<code:code>/", entry.entry, name="entry"),
    path(f"{DESK}players/<code:code>/<slug:what>/", entry.change, name="entry-change"),
    # People: accounts, invitations, an event's staff.
    path("signup/", accounts.sign_up, name="sign-up"),
    path("login/", accounts.sign_in, name="login"),
    path("logout/", accounts.sign_out, name="logout"),
    path("login/typed/", accounts.resend, name="resend"),
    path("account/", accounts.account, name="account"),
    path("account/mail/", accounts.change_mail, name="account-mail"),
    path("password/", accounts.forgotten, name="forgotten"),
    path("password/<slug:uid>/<slug:token>/", accounts.reset, name="reset-password"),
    path("invite/<slug:key>/", staff.accept, name="invite"),
    path(STAFF, staff.staff, name="staff"),
    path(f"{STAFF}invites/", staff.invite_staff, name="invite-staff"),
    path(f"{STAFF}invites/withdraw/", staff.revoke_invite, name="revoke-invite"),
    path(f"{STAFF}members/", staff.member, name="staff-member"),
    path(f"{STAFF}transfer/", staff.transfer, name="transfer"),
    path(f"{STAFF}players/<code:code>/", entry.change_account, name="entry-staff"),
    path(f"{STAFF}leave/", staff.leave, name="leave-staff"),
    # What everybody may open. Standings, the bracket and a player's own page are in `standings.urls.standings`.
    path("schemas/<str:name>", exports.schema, name="schema"),
    path(EVENT, public.event, name="public-event"),
    path(f"{EVENT}now/", public.now, name="public-now"),
    path(f"{EVENT}rounds/<number:number>/", public.round_, name="public-round"),
    path(f"{EVENT}rounds/<number:number>/pairings/", public.pairings, name="public-pairings"),
    path(f"{EVENT}players/", public.players, name="public-players"),
]
