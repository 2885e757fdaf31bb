"""Addresses of the desk: events, rounds, results, exports, the log."""

from django.urls import path

from tournament.views import (
    box,
    desk,
    event_settings,
    event_templates,
    events,
    exports,
    home,
    log,
    results,
    rounds,
)

EVENT = "t/<slug:slug>/"
DESK = f"{EVENT}desk/"
ROUND = f"{DESK}rounds/<number:number>/"
TABLE = f"{ROUND}tables/<number:table>/"

urlpatterns = [
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
]
