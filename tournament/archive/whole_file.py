"""Files that appear whole or not at all, whatever stops the process or the machine."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write, readable by its owner only. It takes its name, and the place of the one there was, at the end.

    Raises OSError; then, and where the block raises, everything is as before.
    """
    handle, aside = tempfile.mkstemp(prefix=f".{path.stem}-", dir=path.parent)  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Let the names of a folder's files, too, survive a power cut."""
    if os.name == "posix":
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
