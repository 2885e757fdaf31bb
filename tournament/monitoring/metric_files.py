"""The files in which each worker counts: the multiprocess mode of prometheus-client, which must not be loaded before.

A new worker takes over the counts of one that has ended, so there are never more files than workers at a time.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # where the client looks for it
GAUGES = "gauge_livesum"
# Bytes of each file: twice what all pages need.
SIZES = {"counter": 1 << 20, "histogram": 1 << 21, GAUGES: 1 << 16}


def clear_metric_files(folder: Path) -> None:
    """Let the workers of a new server count in an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # said by the workers
        folder.mkdir(mode=0o700, parents=True)
    os.environ[FOLDER] = str(folder)


def reserve_metric_files() -> None:
    """Prepare the files of this process. Raises OSError.

    They are written in full: writing into a hole of a file on a full disk would kill the process.
    """
    folder = Path(os.environ[FOLDER])
    remove_ended_gauges(folder)
    for kind, size in SIZES.items():
        file = folder / f"{kind}_{os.getpid()}.db"
        for ended in find_ended_files(folder, kind):
            with suppress(FileNotFoundError):  # another worker was faster
                ended.rename(file)
                break
        else:
            new = file.with_suffix(".new")
            try:
                new.write_bytes(bytes(size))
            except OSError:
                new.unlink(missing_ok=True)
                raise
            new.rename(file)


def remove_ended_gauges(folder: Path) -> None:
    """Remove the gauges of workers that have ended: what they had in memory is gone."""
    for file in find_ended_files(folder, GAUGES):
        file.unlink(missing_ok=True)


def find_ended_files(folder: Path, kind: str) -> Iterator[Path]:
    for file in folder.glob(f"{kind}_*.db"):
        try:
            os.kill(int(file.stem.rpartition("_")[2]), 0)
        except ProcessLookupError:
            yield file
        except PermissionError:
            """A process of someone else has its number by now."""
