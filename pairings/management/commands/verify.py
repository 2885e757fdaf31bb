"""`manage.py verify FILE`: check an archive's Swiss rounds against the rules and the optimum. No database."""

from typing import Any

from django.core.management.base import CommandParser

from pairings.audit.check import entry_label, findings_document, findings_table, problem_lines, verify_event
from tournament.archive import read_file
from tournament.management.base import PlainCommand, table


class Command(PlainCommand):
    help = "Check every Swiss round of an archive file; exit code 1 if a rule is broken."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="a swiss-archive or swiss-published file")

    def run(self, **options: Any) -> int | None:
        event = read_file(options["file"])
        findings = verify_event(event)
        names = {code: entry_label(entry) for code, entry in event.entries.items()}
        lines = [table(findings_table(findings)), *problem_lines(findings, names)]
        self.emit(findings_document(findings, names), "\n".join(lines))
        return 1 if any(finding.errors for finding in findings) else None
