import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file, readable by its owner only, that replaces the target at the end unless an error occurs."""
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
    """Sync the file names of a folder, too."""
    if os.name == "posix":
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
