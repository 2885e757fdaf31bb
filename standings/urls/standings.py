"""Addresses of standings, cut, bracket, rules, and a player's own page."""

from django.urls import include, path

import tournament.web.converters  # noqa: F401  (registers number and code)
from standings.views import (
    bracket,
    bracket_desk,
    cut,
    derivations,
    event_rules,
    live_standings,
    manual_order,
    paper,
    player,
    rules,
    self_service,
    stages,
    standings,
    trial,
)

NUMBER = "t/<slug:slug>/standings/<code:code>/<slug:metric>"  # one number of the standings
PRINT = "t/<slug:slug>/desk/rounds/<number:number>/print/"
MATCH = "t/<slug:slug>/bracket/rounds/<number:number>/tables/<number:table>/"

urlpatterns = [
    path("t/<slug:slug>/standings/", standings.standings, name="standings"),
    path("t/<slug:slug>/standings.json", standings.as_json, name="standings-json"),
    path("t/<slug:slug>/standings.csv", standings.as_csv, name="standings-csv"),
    path("t/<slug:slug>/standings/table/", standings.table, name="standings-table"),
    path("t/<slug:slug>/standings/<code:code>/", derivations.standing, name="standing"),
    path(NUMBER + "/", derivations.explanation, name="standings-number"),
    path(NUMBER + ".json", derivations.as_json, name="standings-number-json"),
    path(NUMBER + "/row/", derivations.row, name="standings-derivation"),
    path(NUMBER + "/<slug:key>/<code:other>/", derivations.inside, name="standings-inside"),
    path("tiebreaks/", derivations.metrics, name="metrics"),
    path("t/<slug:slug>/rules/", rules.rules, name="rules"),
    path("t/<slug:slug>/rules/words/", rules.rules_part, name="rules-part"),
    path("t/<slug:slug>/bracket/", bracket.bracket, name="bracket"),
    path("t/<slug:slug>/bracket/tree/", bracket.tree, name="bracket-tree"),
    path("t/<slug:slug>/bracket/screen/", bracket.screen, name="bracket-screen"),
    path("t/<slug:slug>/bracket/screen/tree/", bracket.screen_tree, name="bracket-screen-tree"),
    path("t/<slug:slug>/bracket/print/", bracket.print_, name="bracket-print"),
    path("t/<slug:slug>/bracket.csv", bracket.csv, name="bracket-csv"),
    path("t/<slug:slug>/bracket.json", bracket.json, name="bracket-json"),
    path("t/<slug:slug>/players/<code:code>/", player.player, name="player"),
    path("t/<slug:slug>/players/<code:code>/now/", player.now, name="player-now"),
    path("t/<slug:slug>/me/", self_service.me, name="me"),
    path("t/<slug:slug>/me/<code:code>/", self_service.entry, name="me-entry"),
    path("rulesets/<slug:key>/try/", trial.try_order, name="try-order"),
    path("rulesets/<slug:key>/try/more/", trial.more, name="try-more"),
    path("rulesets/<slug:key>/try/events/<slug:slug>/", trial.one_event, name="try-event"),
    path("t/<slug:slug>/desk/standings/", live_standings.standings, name="desk-standings"),
    path("t/<slug:slug>/desk/exports/standings.csv", live_standings.as_csv, name="export-standings"),
    path("t/<slug:slug>/desk/rules/", event_rules.rules, name="desk-rules"),
    path("t/<slug:slug>/desk/rules/order/", event_rules.order, name="desk-rules-order"),
    path("t/<slug:slug>/desk/rules/change/", event_rules.confirm, name="change-rules"),
    path("t/<slug:slug>/desk/standings/ties/", manual_order.manual_order, name="manual-order"),
    path("t/<slug:slug>/desk/stages/", stages.stages, name="stages"),
    path("t/<slug:slug>/desk/cut/", cut.cut, name="desk-cut"),
    path("t/<slug:slug>/desk/cut/undo/", cut.undo, name="undo-cut"),
    path("t/<slug:slug>/desk/bracket/", bracket_desk.bracket, name="desk-bracket"),
    path(MATCH + "result/", bracket_desk.result, name="bracket-result"),
    path(MATCH + "decision/", bracket_desk.decision, name="bracket-decision"),
    path(MATCH + "first/", bracket_desk.first, name="bracket-first"),
    path(PRINT, paper.print_, name="print"),
    path(f"{PRINT}slips/", paper.slips, name="print-slips"),
    path(f"{PRINT}<slug:what>/", paper.list_, name="print-list"),
    path("t/<slug:slug>/desk/slips/", paper.find_slip, name="find-slip"),
    path(
        "t/<slug:slug>/desk/rounds/<number:number>/tables/<number:table>/code/<slug:check>/",
        paper.scan_slip,
        name="scan-slip",
    ),
    path("rulesets/", include("standings.urls.rulesets")),
]
