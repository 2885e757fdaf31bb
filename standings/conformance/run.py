"""Conformance: worked examples and published events, computed by the engine and compared.

Reads `swiss-vectors` and `swiss-published` files. What the engine does not implement is listed as unknown and
never counts as passed.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from standings.conformance.published import check_published
from standings.conformance.report import ConformanceReport
from standings.conformance.vectors import check_vectors
from tournament.archive.json import ArchiveError

CHECKERS = {"swiss-published": check_published, "swiss-vectors": check_vectors}


def conformance(paths: Sequence[str | Path]) -> ConformanceReport:
    """Check each file in `paths`; for a folder, every `.json` file of a known format in it.

    A file that cannot be read is reported and the others are checked. Raises ArchiveError or OSError if it is the only
    path, and ArchiveError for a folder without a file of a known format.
    """
    report = ConformanceReport()
    for path in map(Path, paths):
        if path.is_dir():
            _check_folder(report, path)
        else:
            _check_file(report, path, required=True, alone=len(paths) == 1)
    return report


def _check_folder(report: ConformanceReport, folder: Path) -> None:
    before = report.files + len(report.unreadable)
    for file in sorted(folder.rglob("*.json")):
        if not file.is_dir():
            _check_file(report, file)
    if report.files + len(report.unreadable) == before:
        raise ArchiveError(str(folder), "no swiss-published or swiss-vectors file in this folder")


def _check_file(
    report: ConformanceReport, path: Path, *, required: bool = False, alone: bool = False
) -> None:
    try:
        report.files += _is_checked(report, path, required)
    except (ArchiveError, OSError) as error:
        if alone:
            raise
        report.unreadable.append(
            str(error) if isinstance(error, ArchiveError) else f"{path}: {error.strerror}"
        )


def _is_checked(report: ConformanceReport, path: Path, required: bool) -> bool:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ArchiveError(str(path), f"not valid JSON in UTF-8 ({error})") from None
    checker = CHECKERS.get(str(data.get("format"))) if isinstance(data, dict) else None
    if checker is None:
        if required:
            raise ArchiveError(str(path), "neither a swiss-published nor a swiss-vectors file")
        return False
    if data.get("version") != 1:
        raise ArchiveError(str(path), f"expected version 1, not {data.get('version')!r}")
    try:
        checker(report, path.name, data)
    except ArchiveError as error:
        raise ArchiveError(str(path), str(error)) from None
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, ArithmeticError) as error:
        raise ArchiveError(str(path), f"cannot be read ({type(error).__name__}: {error})") from None
    return True
