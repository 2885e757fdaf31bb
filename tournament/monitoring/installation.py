"""Metrics computed on request: the database, the disk, the release, the events."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from tournament.models import Tournament
from tournament.monitoring import metrics
from tournament.monitoring.worker_files import FOLDER, forget_dead_workers


def current_metrics() -> bytes:
    """All metrics as text: of all workers on this machine where they share them, else of this process."""
    registry = metrics.registry
    if folder := os.environ.get(FOLDER):
        forget_dead_workers(Path(folder))
        registry = CollectorRegistry()
        MultiProcessCollector(registry, folder)
    own = CollectorRegistry()
    own.register(_Installation())
    return generate_latest(registry) + generate_latest(own)


class _Installation(Collector):
    def collect(self) -> Iterator[GaugeMetricFamily]:
        free = shutil.disk_usage(_first_folder(Path(settings.VAR_DIR))).free
        yield GaugeMetricFamily("swiss_disk_free_bytes", "Free on the disk of VAR_DIR.", value=free)
        reachable = 1
        try:
            yield GaugeMetricFamily("swiss_database_bytes", "Size of the database.", value=_database_bytes())
            events = GaugeMetricFamily("swiss_events", "Events in the database.", labels=["state"])
            counts = dict(Tournament.objects.order_by().values_list("state").annotate(Count("pk")))
            for state in Tournament.State.values:
                events.add_metric([state], counts.get(state, 0))
            yield events
        except DatabaseError:
            reachable = 0
        yield GaugeMetricFamily("swiss_database_up", "1 while the database answers.", value=reachable)


def _first_folder(path: Path) -> Path:
    return next(each for each in (path, *path.parents) if each.is_dir())


def _database_bytes() -> int:
    if connection.vendor == "sqlite":
        files = (Path(f"{connection.settings_dict['NAME']}{end}") for end in ("", "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
