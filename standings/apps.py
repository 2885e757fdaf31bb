"""Standings, brackets and paper. Registers the metrics against which rulesets are checked.

Dropping out of a bracket and a result reported by phone change the bracket in the same action, and no undo leaves it
unsettled. Each publication saves everything on paper.
"""

from django.apps import AppConfig


class StandingsConfig(AppConfig):
    name = "standings"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from standings.bracket.cut import effect_of_drop, follow_status
        from standings.bracket.open_matches import confirm_undo, unsettled_matches
        from standings.bracket.results import write_reported_result
        from standings.engine import validate_chain
        from standings.paper.everything import write_copy_after
        from tournament import rulesets
        from tournament.actionlog.change import add_log_listener
        from tournament.services import drops, results, undo

        rulesets.also_check(validate_chain)
        drops.add_drop_listener(follow_status)
        drops.add_drop_effect(effect_of_drop)
        results.set_bracket_writer(write_reported_result)
        undo.add_undo_check(unsettled_matches)
        undo.add_undo_listener(confirm_undo)
        add_log_listener(write_copy_after)
