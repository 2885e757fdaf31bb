"""The base of our commands: JSON or tables on stdout, one clear line and exit code 2 on errors."""

import json
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

from django.core.exceptions import ImproperlyConfigured, ObjectDoesNotExist, ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, OperationalError, ProgrammingError

from tournament.config.database_errors import why_database_failed
from tournament.errors import Refused, get_or_refuse
from tournament.models import Tournament

# Caused by a wrong file, name, setting or moment; anything else is a bug and keeps its traceback.
# ValueError covers invalid JSON and encodings, unknown rulesets, and refusals by the archive and the engines.
# A backup does not go through Django, so a full disk raises SQLite's own error.
OF_DJANGO = (ObjectDoesNotExist, ValidationError, DatabaseError, ImproperlyConfigured)
EXPECTED = (Refused, ValueError, OSError, sqlite3.Error, *OF_DJANGO)


class PlainCommand(BaseCommand):
    """A command that other programs can rely on.

    Subclasses implement `run(**options)`, which returns nothing or an exit code (1: "looked, and something is wrong").
    `emit` prints results at the end, so a failed command prints none. System checks are skipped, because most of these
    commands need no database and no web pages.
    """

    requires_system_checks: list[str] = []
    is_asked_by_shell = False

    def run_from_argv(self, argv: list[str]) -> None:
        self.is_asked_by_shell = True
        super().run_from_argv(argv)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")

    def run(self, **options: Any) -> int | None:
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:
        self.as_json = bool(options.get("json"))
        code = self.run(**options)
        if code:
            sys.exit(code)

    def execute(self, *args: Any, **options: Any) -> Any:
        """Run the command. Expected errors become one line and exit code 2 (CommandError if called from code)."""
        try:
            return super().execute(*args, **options)
        except EXPECTED as error:
            if options.get("traceback"):
                raise
            if not self.is_asked_by_shell:
                raise CommandError(one_line(error), returncode=2) from error
            self.stderr.write(one_line(error))
            sys.exit(2)

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Return Django's parser without usage lines, so that a wrong option also gives one line and exit code 2."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.print_usage = lambda file=None: None  # type: ignore[method-assign]
        return parser

    def emit(self, document: Any, rows: Iterable[Sequence[object]] | str) -> None:
        """Print `document` as JSON under --json, else `rows` as aligned columns (or a text unchanged)."""
        if self.as_json:
            self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2))
        else:
            self.stdout.write(rows if isinstance(rows, str) else table(rows))


class EventCommand(PlainCommand):
    """A command about one event, `self.tournament`, named by its slug."""

    tournament: Tournament

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")

    def handle(self, *args: Any, slug: str, **options: Any) -> None:
        self.tournament = get_or_refuse(
            Tournament.objects.filter(slug=slug), f"There is no event at /t/{slug}/."
        )
        super().handle(*args, **options)


def one_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    elif isinstance(error, ValidationError):
        text = "; ".join(error.messages)
    elif isinstance(error, OperationalError | ProgrammingError):
        text = why_database_failed(error)
    else:
        text = str(error)
    return " ".join(text.split()) or type(error).__name__


def table(rows: Iterable[Sequence[object]]) -> str:
    """Format aligned columns, the header first. Columns of numbers are right-aligned."""
    cells = [["" if value is None else str(value) for value in row] for row in rows]
    columns = [_aligned(column) for column in zip_longest(*cells, fillvalue="")]
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def _aligned(column: Sequence[str]) -> list[str]:
    width, [_head, *values] = max(map(len, column)), column
    to_the_right = bool(values) and all(map(looks_numeric, values))
    return [text.rjust(width) if to_the_right else text.ljust(width) for text in column]


def looks_numeric(text: str) -> bool:
    """Whether a text is a number such as 7/12, 62.5 %, −3, or the dash for "none"."""
    return not text or all(letter in "0123456789./%+-−– " for letter in text)
