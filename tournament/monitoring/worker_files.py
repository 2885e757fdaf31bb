"""The metrics of all workers in one place: a file for each worker's number, under `var/metrics`.

A number belongs to the process that holds its lock, so it is free again when that process ends, however it ends; the
worker that takes its place goes on counting in the same files. So none are left behind, and no count goes back.
"""

import json
import os
import struct
from contextlib import suppress
from itertools import count
from pathlib import Path

from prometheus_client import multiprocess, values
from prometheus_client.mmap_dict import MmapedDict

try:
    import fcntl
except ImportError:  # Windows: each worker shows its own counts
    fcntl = None  # type: ignore[assignment]

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # where the client looks for it
# Bytes of each file: twice what all pages need.
RESERVED = {"counter": 1 << 20, "histogram": 1 << 21, "gauge_livesum": 1 << 16}
_ours: list[int] = []  # locks, held as long as this process lives


def share_metrics(folder: Path) -> None:
    """Let this process count in files that all workers read. Before the metrics are made. Raises OSError."""
    if fcntl is None:
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    number = next(number for number in count() if _take(folder, number))
    for gauges in folder.glob(f"gauge_*_{number}.db"):
        gauges.unlink()  # what the one before kept in memory is gone
    for kind, size in RESERVED.items():
        _reserve(folder / f"{kind}_{number}.db", size)
    os.environ[FOLDER] = str(folder)
    values.ValueClass = values.MultiProcessValue(lambda: number)


def forget_dead_workers(folder: Path) -> None:
    """Drop the gauges of workers that are gone; their counters still count."""
    for lock in folder.glob("worker-*"):
        number = int(lock.name.removeprefix("worker-"))
        if place := _take(folder, number, keep=False):
            multiprocess.mark_process_dead(number, str(folder))
            os.close(place)


def _take(folder: Path, number: int, *, keep: bool = True) -> int | None:
    """The lock of a worker's number; None where another process has it."""
    place = os.open(folder / f"worker-{number}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(place)
        return None
    if keep:
        _ours.append(place)
    return place


def _reserve(path: Path, size: int) -> None:
    """Make room for a file, as a process that writes into it where the disk is full would be killed."""
    with suppress(FileNotFoundError):
        try:
            for key, *_value in MmapedDict.read_all_values_from_file(str(path)):
                json.loads(key)
        except (ValueError, RuntimeError, struct.error):
            path.unlink()  # written in part when the machine stopped
    place = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.posix_fallocate(place, 0, size)
    finally:
        os.close(place)
