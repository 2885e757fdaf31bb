"""What the pairings of many events cost beside the best rounds there are: by criterion, and by who paired them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from pairings.audit.check import Finding, is_paired_here, verify_event
from pairings.engine.types import Value
from pairings.words.costs import CRITERIA, POINTS
from standings.conformance.evidence import program_of
from tournament.archive import event_of
from tournament.archive.json import ArchiveError, json_of
from tournament.event.types import Event

FORMATS = ("swiss-archive", "swiss-published")
AVOIDABLE = "avoidable "


@dataclass(frozen=True, slots=True)
class AuditedFile:
    """An event's file, who paired it, and what was found in each round."""

    path: Path
    program: str
    findings: list[Finding]


@dataclass(frozen=True, slots=True)
class WorseRound:
    """A round that is not as good as it could be: by which criterion first, what it costs, and the best there is."""

    path: Path
    round: int
    criterion: str
    cost: Value
    best: Value
    unit: int

    @property
    def extra(self) -> Fraction:
        """How much more it costs, in points and in squares of points; 0 where costs are no single number."""
        if not isinstance(self.cost, int) or not isinstance(self.best, int):
            return Fraction(0)
        return Fraction(self.cost - self.best, self.unit ** POINTS.get(self.criterion, 0))


@dataclass(slots=True)
class ProgramTotals:
    """Everything that one program paired.

    proven  rounds whose optimum is proven
    broken  rounds that break a rule otherwise than by being worse than the optimum
    """

    program: str
    files: int = 0
    rounds: int = 0
    proven: int = 0
    broken: int = 0
    worse: list[WorseRound] = field(default_factory=list)

    @property
    def by_criterion(self) -> dict[str, list[WorseRound]]:
        """The rounds that are worse, by criterion, in the order in which criteria are named."""
        named = {name: [worse for worse in self.worse if worse.criterion == name] for name in CRITERIA}
        return {name: rounds for name, rounds in named.items() if rounds}


@dataclass(slots=True)
class Audit:
    """All that was checked, and a line for each file that could not be read."""

    files: list[AuditedFile] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether every file was read and no rule is broken."""
        return not self.unreadable and not any(f.errors for file in self.files for f in file.findings)


def audit_of(paths: Sequence[str]) -> Audit:
    """Check every file of `paths`, and of a folder every archive and published event.

    A file that cannot be read is named, and the others are checked. Raises ArchiveError where there is nothing to read.
    """
    audit = Audit()
    for path, named in dict(_files(paths)).items():
        try:
            if file := _audited(path, named):
                audit.files.append(file)
        except ValueError as error:
            audit.unreadable.append(str(error) if str(path) in str(error) else f"{path}: {error}")
        except OSError as error:
            audit.unreadable.append(f"{path}: {error.strerror}")
    if not audit.files and not audit.unreadable:
        raise ArchiveError(", ".join(paths), "no swiss-archive or swiss-published file there")
    return audit


def _files(paths: Iterable[str]) -> Iterator[tuple[Path, bool]]:
    """(file, whether it was named) of all that `paths` name or their folders hold."""
    for path in map(Path, paths):
        if path.is_dir():
            yield from ((file, False) for file in sorted(path.rglob("*.json")) if not file.is_dir())
        else:
            yield path, True


def _audited(path: Path, named: bool) -> AuditedFile | None:
    """None for a file of another format that was not named. Raises ValueError and OSError."""
    data = json_of(path)
    if not named and not (isinstance(data, dict) and data.get("format") in FORMATS):
        return None
    event = event_of(data)
    return AuditedFile(path, _program_of(data, event), verify_event(event))


def _program_of(data: dict[str, Any], event: Event) -> str:
    """Who paired an event: the program or site its source names, this program, or where the file comes from."""
    source = data.get("source")
    if program := program_of(source):
        return program
    if any(map(is_paired_here, event.rounds)):
        return _("this program")
    return str((isinstance(source, dict) and source.get("repo")) or _("not named"))


def worse_round_of(path: Path, finding: Finding) -> WorseRound | None:
    """The round where it is worse than the best there is, by the first criterion on which it is."""
    for problem in finding.problems:
        if problem.code.startswith(AVOIDABLE):
            name = problem.code.removeprefix(AVOIDABLE)
            return WorseRound(
                path, finding.round, name, finding.cost[name], finding.optimum[name], finding.unit
            )
    return None


def totals_of(files: Iterable[AuditedFile]) -> list[ProgramTotals]:
    """A line for each program, most rounds first."""
    totals: dict[str, ProgramTotals] = {}
    for file in files:
        line = totals.setdefault(file.program, ProgramTotals(file.program))
        line.files += 1
        for finding in file.findings:
            line.rounds += 1
            line.proven += finding.proof is not None and finding.proof.code != "none"
            line.broken += any(not problem.code.startswith(AVOIDABLE) for problem in finding.errors)
            if worse := worse_round_of(file.path, finding):
                line.worse.append(worse)
    return sorted(totals.values(), key=lambda line: (-line.rounds, line.program))


def sum_of(totals: Iterable[ProgramTotals]) -> ProgramTotals:
    """All lines in one."""
    whole = ProgramTotals(_("all"))
    for line in totals:
        for name in ("files", "rounds", "proven", "broken", "worse"):
            setattr(whole, name, getattr(whole, name) + getattr(line, name))
    return whole
