"""The conformance report: checks that agree, fail, or cannot be made."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from standings.engine.bracket.final_places import UnknownPlacing
from standings.engine.metrics import UnknownMetric
from standings.engine.scoring import UnknownScoring
from tournament.rulesets import UnknownRuleset

UNKNOWN = (UnknownMetric, UnknownPlacing, UnknownRuleset, UnknownScoring)


class ConformanceReport(Struct):
    """The report, one fragment per finding, starting with the file's name.

    `known_faults`: ranks that the publisher's own program got wrong. `unreadable`: files that were skipped.
    """

    files: int = 0
    checks: int = 0
    passed: int = 0
    failed: list[str] = []
    unknown: list[str] = []
    known_faults: list[str] = []
    unreadable: list[str] = []

    def check(self, right: bool, message: str) -> None:
        self.checks += 1
        if right:
            self.passed += 1
        else:
            self.failed.append(message)

    def missing(self, message: str) -> None:
        self.checks += 1
        self.unknown.append(message)

    def compare(self, what: str, compute: Callable[[], Any], expected: Any) -> None:
        """Check that `compute()` equals `expected`; values the engine does not know are reported as unchecked."""
        try:
            ours = compute()
        except UNKNOWN as error:
            self.missing(f"{what}: {error}")
        else:
            self.check(ours == expected, f"{what} is {ours}, expected {expected}")

    @property
    def clean(self) -> bool:
        return not (self.failed or self.unknown or self.unreadable)
