"""Checks of worked examples and published events, without a database."""

from typing import Any

from django.core.management.base import CommandParser
from msgspec import structs

from standings.conformance.run import conformance
from tournament.management.base import PlainCommand


class Command(PlainCommand):
    help = (
        "Check worked examples (swiss-vectors) and published events (swiss-published); "
        "exit code 1 on any difference or unknown metric."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("paths", nargs="+", metavar="FILE_OR_FOLDER")

    def run(self, **options: Any) -> int:
        report = conformance(options["paths"])
        lines = [f"differs: {item}" for item in report.failed]
        lines += [f"unknown: {item}" for item in report.unknown]
        lines.append(f"{report.files} files, {report.passed} of {report.checks} checks agree")
        self.emit(structs.asdict(report), "\n".join(lines))
        return 0 if report.clean else 1
