"""Translations: `.po` files in `tournament/locale`, compiled by Babel where the program is set up and in the wheel."""

import os
from contextlib import suppress
from pathlib import Path

LOCALE = Path(__file__).resolve().parents[1] / "locale"


def compile_catalogs(locale: Path = LOCALE) -> None:
    """Compile each catalog that changed since it was compiled. An installed program has compiled ones only."""
    for source in locale.glob("*/LC_MESSAGES/django.po"):
        compiled = source.with_suffix(".mo")
        if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
            with suppress(OSError):  # a folder that only others may write has the words of the last set-up
                _compile(source, compiled)


def _compile(source: Path, compiled: Path) -> None:
    from babel.messages.mofile import write_mo  # only here: they would slow each start
    from babel.messages.pofile import read_po

    with source.open("rb") as lines:
        catalog = read_po(lines, locale=source.parents[1].name, domain="django")
    unfinished = compiled.with_suffix(f".{os.getpid()}")
    with unfinished.open("wb") as file:
        write_mo(file, catalog)
    unfinished.replace(compiled)  # at once, as other processes may read it
