"""Standings and brackets. At start, registers functions that `tournament` calls without knowing them."""

from django.apps import AppConfig


class StandingsConfig(AppConfig):
    name = "standings"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from standings.bracket.cut import find_drop_effect, follow_status
        from standings.bracket.open_matches import confirm_undo, unsettled_matches
        from standings.bracket.results import write_reported_result
        from standings.engine.ranking import validate_chain
        from standings.paper.lists import everything_parts
        from standings.table.places import next_day_players
        from standings.table.swiss import points_before
        from standings.views import bracket, standings
        from tournament import rulesets
        from tournament.models import Tournament
        from tournament.paper.everything import register_standings_parts
        from tournament.services.standings_hooks import StandingsHooks, register_standings
        from tournament.views.screens import register_face

        rulesets.also_check(validate_chain)
        register_standings(
            StandingsHooks(
                points_before,
                next_day_players,
                follow_status,
                find_drop_effect,
                write_reported_result,
                unsettled_matches,
                confirm_undo,
            )
        )
        register_standings_parts(everything_parts)
        register_face(Tournament.Screen.STANDINGS, standings.screen_context)
        register_face(Tournament.Screen.BRACKET, bracket.screen_context)
