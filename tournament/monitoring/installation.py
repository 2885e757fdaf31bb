"""Metrics of the installation: all its workers together, the database, the disk and the events. Full disks."""

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from tournament.models import Tournament
from tournament.monitoring import metrics

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # where the client looks for it
LEAST_FREE = 5 * 1024 * 1024  # bytes, of which the snapshot of a large event needs one
SQLITE_FULL, POSTGRES_FULL = 13, "53100"
MEMORY = Path("/dev/shm")  # noqa: S108  (a folder of our own in it)


def share_metrics(port: int) -> None:
    """Let a server's workers share metrics in files of an empty folder, by the client's multiprocess mode.

    The folder is in memory if possible: on a full disk, a worker whose file has to grow would crash.
    """
    parent = MEMORY if os.access(MEMORY, os.W_OK) else settings.VAR_DIR
    folder = parent / f"swiss-metrics-{os.getuid()}-{port}"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(mode=0o700, parents=True)
    except OSError as error:
        print(f"Each worker shows its own metrics only: {error}", file=sys.stderr)
    else:
        os.environ[FOLDER] = str(folder)


def current_metrics() -> bytes:
    """Return all metrics as text: of all workers on this machine if they share them, else of this process."""
    installation = CollectorRegistry()
    installation.register(_Installation())
    return _worker_metrics() + generate_latest(installation)


def _worker_metrics() -> bytes:
    folder = os.environ.get(FOLDER)
    if not folder:
        return generate_latest(metrics.registry)
    for file in Path(folder).glob("gauge_live*.db"):
        pid = int(file.stem.rpartition("_")[2])
        try:
            os.kill(pid, 0)
        except OSError:  # a worker that was killed keeps nothing in memory any more
            mark_process_dead(pid, folder)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, folder)
    return generate_latest(registry)


class _Installation(Collector):
    def collect(self) -> Iterator[GaugeMetricFamily]:
        free = free_bytes(settings.VAR_DIR)
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


def free_bytes(path: Path) -> int:
    """Return the free space of the disk on which `path` is, or would be."""
    place = next(folder for folder in (path, *path.parents) if folder.is_dir())
    return shutil.disk_usage(place).free


def _database_bytes() -> int:
    if connection.vendor == "sqlite":
        files = (Path(f"{connection.settings_dict['NAME']}{end}") for end in ("", "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def is_disk_full() -> bool:
    """Whether the disk with the snapshots or an SQLite database is full."""
    folders = [Path(settings.VAR_DIR) / "snapshots"]
    if connection.vendor == "sqlite":
        folders.append(Path(connection.settings_dict["NAME"]))
    return any(free_bytes(folder) < LEAST_FREE for folder in folders)


def is_about_full_disk(error: BaseException | None) -> bool:
    """Whether an error or its cause is a full disk, here or on the database server."""
    while error is not None:
        if (
            getattr(error, "sqlite_errorcode", None) == SQLITE_FULL
            or getattr(error, "sqlstate", None) == POSTGRES_FULL
            or (isinstance(error, OSError) and error.errno == errno.ENOSPC)
        ):
            return True
        error = error.__cause__ or error.__context__
    return False
