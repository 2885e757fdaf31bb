"""Who plays whom next. Each publication leaves the paper to go on by hand."""

from django.apps import AppConfig


class PairingsConfig(AppConfig):
    name = "pairings"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from pairings.takeover.files import keep_take_over
        from tournament.actionlog.change import add_log_listener

        add_log_listener(keep_take_over)
