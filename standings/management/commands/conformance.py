from typing import Any

from django.core.management.base import CommandParser
from msgspec import structs

from standings.conformance.checks import conformance
from tournament.management.base import PlainCommand


class Command(PlainCommand):
    help = (
        "Check worked examples (swiss-vectors) and published events (swiss-published); "
        "exit code 1 on any difference, unknown metric or unreadable file among others."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("paths", nargs="+", metavar="FILE_OR_FOLDER")

    def run(self, **options: Any) -> int:
        report = conformance(options["paths"])
        lines = [f"differs: {item}" for item in report.failed]
        lines += [f"unknown: {item}" for item in report.unknown]
        lines += [f"known fault: {item}" for item in report.known_faults]
        lines += [f"cannot be read: {item}" for item in report.unreadable]
        total = f"{report.files} files, {report.passed} of {report.checks} checks agree"
        if report.known_faults:
            total += f", {len(report.known_faults)} known faults of other programs"
        if report.unreadable:
            total += f", {len(report.unreadable)} files not read"
        lines.append(total)
        document = structs.asdict(report)
        for name in ("known_faults", "unreadable"):
            if not document[name]:
                del document[name]  # in the document only where there are any
        self.emit(document, "\n".join(lines))
        return 0 if report.clean else 1
