"""The URLs of the facts; the first match wins."""

from functools import partial

from allauth.account import views as account_views
from allauth.mfa.base import views as two_step
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as app
from allauth.mfa.webauthn import views as keys
from django.urls import path, reverse_lazy
from django.views.generic import RedirectView

from tournament.views import (
    accounts,
    check_in,
    clock,
    decklists,
    desk,
    entries,
    entry,
    events,
    exports,
    home,
    imports,
    judges,
    log,
    new_entry,
    paper,
    penalties,
    public,
    registration,
    reports,
    results,
    rounds,
    screens,
    self_service,
    staff,
    stages,
)
from tournament.views.accounts import page

EVENT = "t/<slug:slug>/"
DESK = f"{EVENT}desk/"
ROUND = f"{DESK}rounds/<number:number>/"
TABLE = f"{ROUND}tables/<number:table>/"
MATCH = f"{EVENT}rounds/<number:number>/tables/<number:table>/"
ME = f"{EVENT}me/<code:code>/"
SETTINGS = f"{DESK}settings/"
STAFF = f"{SETTINGS}staff/"
SNAPSHOT = f"{SETTINGS}snapshots/<slug:name>"
MAIL = "account/mail/"
TWO_STEP = "account/two-step/"
CODES = f"{TWO_STEP}codes/"
KEYS = f"{TWO_STEP}keys/"
ALL = ("GET", "HEAD", "POST")
FORMER_PAGES = {
    "slips": "print/",
    **{
        name: f"settings/{name}/"
        for name in "archive copy delete finish prizes snapshots staff stages".split()
    },
    "add-player": "players/add/",
    "check-in": "players/check-in/",
    "exports": "print/",
    "import": "players/file/",
    "registration": "players/before/",
    "rounds/<number:number>/print": "print/?round=%(number)s",
    "screens": "print/",
}

own = partial(page, signed_in=True)
new_password = account_views.PasswordResetFromKeyView.as_view(success_url=reverse_lazy("account_login"))
urlpatterns = [
    # The desk: events, rounds, results, exports, the log.
    path("", home.home, name="home"),
    path("new/", events.new, name="new-event"),
    path("logo/<str:name>", public.site_logo, name="site-logo"),
    path("help/", home.help_, name="help"),
    path("demo/", home.remove_demo, name="remove-demo"),
    path(DESK, desk.desk, name="desk"),
    path(f"{DESK}now/", desk.now, name="desk-now"),
    path(f"{DESK}announcement/", desk.announcement, name="announcement"),
    path(SETTINGS, events.settings, name="event-settings"),
    path(f"{SETTINGS}<topic:topic>/", events.settings, name="settings-topic"),
    path(f"{SETTINGS}copy/", events.copy, name="copy-event"),
    path(f"{SETTINGS}finish/", events.finish, name="finish"),
    path(f"{SETTINGS}archive/", events.archive, name="archive-event"),
    path(f"{SETTINGS}delete/", events.delete, name="delete-event"),
    path(f"{DESK}exports/players.csv", exports.entries, name="export-entries"),
    path(f"{DESK}exports/round-<number:number>.csv", exports.pairings, name="export-pairings"),
    path(f"{DESK}exports/archive.json", exports.archive, name="export-archive"),
    path(f"{SETTINGS}snapshots/", log.snapshots, name="snapshots"),
    path(f"{SNAPSHOT}/", log.snapshot, name="snapshot"),
    path(f"{SNAPSHOT}/new/", log.restore_new, name="restore-new"),
    path(f"{SNAPSHOT}.json", log.download, name="snapshot-file"),
    path(f"{DESK}reopen/", desk.reopen, name="reopen"),
    path(f"{DESK}log/", log.log, name="log"),
    path(f"{DESK}undo/", log.undo_action, name="undo"),
    path(f"{ROUND}clock/", clock.clock, name="desk-clock"),
    path(f"{ROUND}clock/controls/", clock.clock_controls, name="clock-controls"),
    path(f"{ROUND}clock/<slug:what>/", clock.change_clock, name="change-clock"),
    path(ROUND, rounds.desk_round, name="desk-round"),
    path(f"{ROUND}status/", rounds.status, name="desk-status"),
    path(f"{ROUND}rows/", rounds.rows, name="desk-rows"),
    path(f"{ROUND}box/", rounds.box, name="box"),
    path(f"{ROUND}box/reading/", rounds.box_reading, name="box-reading"),
    path(f"{ROUND}reports/", reports.accept, name="accept-reports"),
    path(f"{ROUND}reopen/", desk.reopen_last_round, name="reopen-round"),
    path(f"{ROUND}players/<code:code>/points/", results.game_points_page, name="game-points"),
    path(TABLE, rounds.row, name="match-row"),
    path(f"{TABLE}slip/", results.slip, name="slip"),
    path(f"{MATCH}result/", results.result, name="result"),
    # Judges, sessions, paper and venue screens.
    path(f"{DESK}judge/", judges.judge, name="judge"),
    path(f"{DESK}judge/tables/", judges.tables, name="judge-tables"),
    path(f"{TABLE}judge/", judges.table, name="judge-table"),
    path(f"{TABLE}extension/", judges.extend, name="extension"),
    path(f"{DESK}judge/calls/<number:number>/", judges.answer, name="answer-call"),
    path(f"{DESK}deck-checks/", judges.deck_checks, name="deck-checks"),
    path(f"{TABLE}deck-check/", judges.start_check, name="start-deck-check"),
    path(f"{TABLE}deck-check/end/", judges.end_check, name="end-deck-check"),
    path(f"{TABLE}undo/", judges.undo, name="undo-at-table"),
    path(f"{SETTINGS}stages/", stages.stages, name="stages"),
    path(f"{ROUND}print/slips/", paper.slips, name="print-slips"),
    path(f"{ROUND}print/<slug:what>/", paper.list_, name="print-list"),
    path(f"{DESK}print/", paper.event_print, name="event-print"),
    path(f"{DESK}print/everything.html", paper.everything, name="print-everything"),
    path(
        f"{DESK}take-over.html",
        RedirectView.as_view(url="/t/%(slug)s/desk/print/everything.html", permanent=True),
    ),
    path(f"{DESK}print/place-cards/", paper.place_cards, name="place-cards"),
    path(f"{DESK}print/player-links/", paper.player_links, name="print-links"),
    path(f"{DESK}print/<slug:what>/", paper.list_, name="event-print-list"),
    path(f"{TABLE}code/<slug:check>/", paper.scan_slip, name="scan-slip"),
    path(f"{EVENT}clock/", screens.screen, {"what": "clock"}, name="public-clock"),
    path(f"{EVENT}screen/", screens.screen, name="screen"),
    path(f"{EVENT}screen/part/", screens.screen_part, name="screen-part"),
    path(f"{EVENT}screen/<slug:what>/", screens.screen, name="screen-of"),
    path(f"{EVENT}screen/<slug:what>/part/", screens.screen_part, name="screen-of-part"),
    # Players' pages by their own link, and the staff's settings for them.
    path(f"{EVENT}register/", self_service.register, name="register"),
    path(f"{EVENT}key/<str:key>/", self_service.open_key, name="player-key"),
    path(f"{ME}link/", self_service.link, name="me-link"),
    path(f"{ME}check-in/", self_service.check_in, name="me-check-in"),
    path(f"{ME}leave/", self_service.drop, name="me-drop"),
    path(f"{ME}return/", self_service.undo_drop, name="me-undo-drop"),
    path(f"{ME}byes/", self_service.byes, name="me-byes"),
    path(f"{ME}decklist/", decklists.own_decklist, name="me-decklist"),
    path(f"{ME}flag/", self_service.message, name="me-message"),
    path(f"{ME}call/", self_service.call, name="me-call"),
    path(f"{ME}report/", reports.report, name="me-report"),
    path(f"{EVENT}slip/", reports.find, name="report-slip"),
    path(f"{MATCH}code/<slug:check>/", reports.slip_report, name="slip-report"),
    path(f"{ME}found/", self_service.found, name="me-found"),
    path(f"{ME}this-is-me/", self_service.this_is_me, name="me-confirm"),
    path(f"{ME}push/", self_service.push, name="me-push"),
    path(f"{ME}data/", self_service.own_data, name="me-data"),
    path(f"{ME}data.json", self_service.own_data_file, name="me-data-file"),
    path(f"{ME}forget/", self_service.forget_device, name="me-forget"),
    path(f"{DESK}players/before/", registration.registration, name="registration"),
    path(f"{DESK}poster/", registration.poster, name="poster"),
    path(f"{DESK}flags/", desk.player_messages, name="player-messages"),
    path(f"{DESK}flags/<number:number>/done/", desk.message_done, name="message-done"),
    path(f"{DESK}decklists/", decklists.decklists, name="decklists"),
    path(f"{DESK}decklists/public/", decklists.release, name="release-decklists"),
    path(f"{DESK}players/<code:code>/decklist/", decklists.decklist, name="decklist"),
    path(f"{DESK}exports/decklists.csv", decklists.as_csv, name="export-decklists"),
    path(f"{DESK}penalties/", penalties.penalties, name="penalties"),
    path(f"{DESK}penalties/new/", penalties.penalty, name="penalty"),
    path(f"{DESK}players/<code:code>/link/", entry.player_link, name="entry-link"),
    path(f"{DESK}players/<code:code>/link/revoke/", entry.revoke_link, name="revoke-link"),
    path(f"{DESK}links/", entry.make_all_links, name="make-links"),
    path(f"{DESK}exports/links.csv", entry.links_csv, name="export-links"),
    # The players at the desk: the list, adding, check-in, one entry.
    path(f"{DESK}players/", entries.entries, name="entries"),
    path(f"{DESK}last-names/", entries.last_names, name="last-names"),
    path(f"{DESK}selected-players/", entries.selected_entries, name="selected-entries"),
    path(f"{DESK}players/add/", new_entry.add_player, name="add-player"),
    path(f"{DESK}players/file/", imports.import_players, name="import"),
    path(f"{DESK}regulars/", new_entry.known_players, name="known-players"),
    path(f"{DESK}players/check-in/", check_in.check_in_page, name="check-in"),
    path(f"{DESK}no-shows/", check_in.no_shows, name="no-shows"),
    *(
        path(f"{DESK}{old}/", RedirectView.as_view(url=f"/t/%(slug)s/desk/{new}", permanent=True))
        for old, new in FORMER_PAGES.items()
    ),
    path(f"{DESK}players/<code:code>/", entry.entry, name="entry"),
    path(f"{DESK}players/<code:code>/anonymize/", entry.anonymize, name="anonymize"),
    path(f"{DESK}players/<code:code>/<slug:what>/", entry.change, name="entry-change"),
    # People: accounts, invitations, an event's staff.
    path("signup/", page(account_views.signup), name="account_signup"),
    path("login/", page(account_views.login), name="account_login"),
    path("logout/", page(account_views.logout, "POST"), name="account_logout"),
    path("account/", accounts.account, name="account"),
    path("account/confirm/", own(account_views.reauthenticate), name="account_reauthenticate"),
    path(MAIL, own(account_views.email, mail=ALL), name="account_email"),
    path(f"{MAIL}<str:key>/", page(account_views.confirm_email, mail=ALL), name="account_confirm_email"),
    path("account/password/", own(account_views.password_change), name="account_change_password"),
    path("account/data.json", accounts.account_file, name="account-data"),
    path("account/delete/", accounts.delete, name="delete-account"),
    path("password/", page(account_views.password_reset, mail=("POST",)), name="account_reset_password"),
    path(
        "password/sent/", page(account_views.password_reset_done, "GET"), name="account_reset_password_done"
    ),
    path("password/<slug:uidb36>/<slug:key>/", page(new_password), name="account_reset_password_from_key"),
    # Two-step sign-in.
    path("login/code/", page(two_step.authenticate), name="mfa_authenticate"),
    path(TWO_STEP, own(two_step.index, "GET"), name="mfa_index"),
    path(f"{TWO_STEP}app/", own(app.activate_totp), name="mfa_activate_totp"),
    path(f"{TWO_STEP}off/", own(app.deactivate_totp), name="mfa_deactivate_totp"),
    path(CODES, own(codes.view_recovery_codes, "GET"), name="mfa_view_recovery_codes"),
    path(f"{CODES}new/", own(codes.generate_recovery_codes), name="mfa_generate_recovery_codes"),
    path(f"{CODES}file/", own(codes.download_recovery_codes, "GET"), name="mfa_download_recovery_codes"),
    path(KEYS, own(keys.list_webauthn, "GET"), name="mfa_list_webauthn"),
    path(f"{KEYS}new/", own(keys.add_webauthn), name="mfa_add_webauthn"),
    path(f"{KEYS}<number:pk>/", own(keys.remove_webauthn), name="mfa_remove_webauthn"),
    path("invite/<slug:key>/", staff.accept, name="invite"),
    path(STAFF, staff.staff, name="staff"),
    path(f"{STAFF}invites/", staff.invite_staff, name="invite-staff"),
    path(f"{STAFF}invites/withdraw/", staff.revoke_invite, name="revoke-invite"),
    path(f"{STAFF}members/", staff.member, name="staff-member"),
    path(f"{STAFF}transfer/", staff.transfer, name="transfer"),
    path(f"{STAFF}players/<code:code>/", entry.change_account, name="entry-staff"),
    path(f"{STAFF}leave/", staff.leave, name="leave-staff"),
    # Public pages. Standings, the bracket and a player's own page are in `standings.urls`.
    path("time/", public.server_time, name="server-time"),
    path("schemas/<str:name>", exports.schema, name="schema"),
    path("sw.js", public.service_worker, name="service-worker"),
    path(f"{EVENT}manifest.webmanifest", public.manifest, name="manifest"),
    path(EVENT, public.event, name="public-event"),
    path(f"{EVENT}now/", public.now, name="public-now"),
    path(f"{EVENT}rounds/<number:number>/", public.round_, name="public-round"),
    path(f"{EVENT}rounds/<number:number>/pairings/", public.pairings, name="public-pairings"),
    path(f"{EVENT}players/", public.players, name="public-players"),
    path(f"{EVENT}players/<code:code>/decklist/", decklists.player_decklist, name="player-decklist"),
]
