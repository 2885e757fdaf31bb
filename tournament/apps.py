from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.translation import gettext_lazy as _


class TournamentConfig(AppConfig):
    name = "tournament"
    verbose_name = _("Tournaments")

    def ready(self):
        from tournament.actionlog import triggers
        from tournament.actionlog.change import add_log_listener
        from tournament.archive.snapshots import keep_snapshot
        from tournament.monitoring.metrics import time_queries
        from tournament.paper.everything import write_copy_after
        from tournament.push import push_news
        from tournament.services import rulesets

        # Django rebuilds tables on SQLite and silently drops their triggers, and a dropped table breaks
        # the triggers that name it: take them off before, put them on after.
        pre_migrate.connect(triggers.remove, sender=self)
        post_migrate.connect(triggers.install, sender=self)
        post_migrate.connect(rulesets.install_rulesets, sender=self)
        connection_created.connect(time_queries)
        add_log_listener(keep_snapshot)
        add_log_listener(push_news)
        add_log_listener(write_copy_after)
