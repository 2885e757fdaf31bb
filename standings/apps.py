"""What the facts mean. Rulesets are checked with what is known here: the metrics of their order.

Who leaves a bracket leaves a place in it: that follows here too, and no undo leaves one unsettled.
"""

from django.apps import AppConfig


class StandingsConfig(AppConfig):
    name = "standings"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from standings.bracket.drops import follow_status
        from standings.bracket.open_matches import unsettled_matches
        from standings.engine import validate_chain
        from tournament import rulesets
        from tournament.services import drops, undo

        rulesets.also_check(validate_chain)
        drops.add_drop_listener(follow_status)
        undo.add_undo_check(unsettled_matches)
