"""`manage.py verify FILE…`: Swiss rounds of archives against the rules, and what they cost. No database."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from pairings.audit.check import entry_label, verify_event
from pairings.audit.findings_report import findings_document, findings_table, problem_lines
from pairings.audit.summary import audit_of
from pairings.audit.summary_report import audit_document, audit_table
from tournament.archive import read_file
from tournament.management.base import PlainCommand, table


class Command(PlainCommand):
    help = (
        "Check every Swiss round of an archive file; of several files or a folder, how many rounds are worse than "
        "the best there is, by criterion and by who paired them; exit code 1 if a rule is broken."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "paths",
            nargs="+",
            metavar="FILE_OR_FOLDER",
            help="swiss-archive or swiss-published files, or folders",
        )

    def run(self, **options: Any) -> int | None:
        paths = options["paths"]
        if len(paths) > 1 or Path(paths[0]).is_dir():
            return self.summarize(paths)
        event = read_file(paths[0])
        findings = verify_event(event)
        names = {code: entry_label(entry) for code, entry in event.entries.items()}
        lines = [table(findings_table(findings)), *problem_lines(findings, names)]
        self.emit(findings_document(findings, names), "\n".join(lines))
        return 1 if any(finding.errors for finding in findings) else None

    def summarize(self, paths: list[str]) -> int | None:
        """Print what all the files cost, in one table."""
        audit = audit_of(paths)
        lines = [table(audit_table(audit)), *(f"cannot be read: {line}" for line in audit.unreadable)]
        self.emit(audit_document(audit), "\n".join(lines))
        return None if audit.clean else 1
