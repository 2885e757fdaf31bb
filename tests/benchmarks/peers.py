"""Other programs beside this one: their times, and how many of their numbers are not the rule's, and why."""

import json
import shutil
import subprocess
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from standings.engine import Record, Result, chain_of, tally
from standings.engine.field import Field
from standings.engine.scoring import Scoring
from tests.benchmarks.events import results
from tests.benchmarks.floats import columns_in_floats
from tournament.rulesets import resolve

PACKAGES = ("tournament-organizer@4.1.1", "swiss-pairing@1.4.3")
SCRIPT = Path(__file__).with_suffix(".mjs")
SIZES = ((100, 7), (500, 9))
FLOOR = {"floor": "33/100"}
COLUMNS = {"opp_match_win_pct": FLOOR, "game_win_pct": {}, "opp_game_win_pct": FLOOR}  # DCI 1999


def field_of(records: dict[str, Record], key: str) -> Field:
    return Field(records, Scoring(resolve(key)))


def pairs_floats_confuse(records: dict[str, Record]) -> tuple[int, int]:
    """(entries with equal points, exactly equal opponents' %, and unequal floats; all so equal).

    Carde.io's opponents' match-win %, summed by NumPy in the order of the rounds.
    """
    field = field_of(records, "cardeio")
    exact = field.column("opp_match_win_pct", FLOOR | {"include_byes": False}).numbers.parts
    points, floats, *_ = columns_in_floats(records)
    seen: dict[tuple, set] = {}
    members: dict[tuple, int] = {}
    for facts in zip(points.tolist(), exact, floats.tolist(), strict=True):
        seen.setdefault(facts[:2], set()).add(facts[2])
        members[facts[:2]] = members.get(facts[:2], 0) + 1
    tied = {key: count for key, count in members.items() if count > 1}
    return sum(count for key, count in tied.items() if len(seen[key]) > 1), sum(tied.values())


def greatest_difference(records: dict[str, Record]) -> float:
    """Between the exact columns of Carde.io and the floats: that both are the same sums."""
    field, profile = field_of(records, "cardeio"), resolve("cardeio")
    exact = [
        field.column(step.key, step.params).numbers for step in chain_of(profile) if step.key != "random"
    ]
    return max(
        abs(part / numbers.whole - value)
        for numbers, floats in zip(exact, columns_in_floats(records), strict=True)
        for part, value in zip(numbers.parts, floats.tolist(), strict=True)
    )


def compare() -> None:
    """Both programs of npm on the same events as this engine. Skipped with a line where node is not there."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        print("\nnode or npm is not installed: no comparison with programs from npm")
        return
    with tempfile.TemporaryDirectory() as folder:
        quiet = {"cwd": folder, "capture_output": True, "text": True, "timeout": 300}
        installed = subprocess.run([npm, "install", "--no-audit", "--no-fund", *PACKAGES], **quiet)  # type: ignore[call-overload]
        if installed.returncode:
            print(f"\nnpm could not install {' and '.join(PACKAGES)}: no comparison with them")
            return
        shutil.copy(SCRIPT, folder)
        for size in SIZES:
            _compare(*size, Path(folder) / SCRIPT.name)


def plain(players: int, rounds: int) -> list[tuple[int, list[Result]]]:
    """Only what the other programs know: matches played, and byes; nobody twice against the same."""
    kept, met = [], set()
    for number, lines in results(players, rounds)[0]:
        here = []
        for line in lines:
            pair = frozenset((line.a, line.b))
            if line.result == "bye" or (line.result == "played" and pair not in met):
                here.append(line)
                met.add(pair)
        kept.append((number, here))
    return kept


def _compare(players: int, rounds: int, script: Path) -> None:
    played = plain(players, rounds)
    records = tally(played)
    question = {
        "players": list(records),
        "rounds": [[[line.a, line.b, *line.games] for line in lines] for _, lines in played],
    }
    answer = subprocess.run(
        [shutil.which("node") or "node", str(script)], input=json.dumps(question), capture_output=True, text=True,
        cwd=script.parent, timeout=600, check=True,
    )  # fmt: skip
    theirs: dict[str, Any] = json.loads(answer.stdout)
    print(f"\n{len(records)} players × {rounds} rounds, played matches and byes only")
    _organizer(records, theirs["organizer"])
    _swiss(records, theirs["swiss"])


def _organizer(records: dict[str, Record], facts: dict[str, Any]) -> None:
    start = time.process_time()
    field = field_of(records, "dci1999")
    ours = {key: field.column(key, params).numbers for key, params in COLUMNS.items()}
    seconds = time.process_time() - start
    print(
        f"  tournament-organizer {facts['ms']:8.1f} ms; all these columns here, exact: {seconds * 1000:.1f} ms"
    )
    bare = {key: field_of(records, "dci1999").column(key) for key in COLUMNS}
    for i, key in enumerate(COLUMNS):
        values = {entry: facts["values"][entry][i] for entry in records}
        exact = dict(zip(records, (Fraction(p, ours[key].whole) for p in ours[key].parts), strict=True))
        wrong = [
            entry for entry in records if abs(exact[entry] - Fraction(values[entry])) > Fraction(1, 10**9)
        ]
        floor = [e for e in wrong if abs(bare[key][e] - Fraction(values[e])) < Fraction(1, 10**9)]
        inexact = sum(Fraction(values[entry]) != bare[key][entry] for entry in records)
        print(
            f"    {key:18} {len(wrong):4} differ, {len(floor)} of them for want of the 0.33 minimum; "
            f"{inexact} are not the exact number"
        )


def _swiss(records: dict[str, Record], facts: dict[str, Any]) -> None:
    start = time.process_time()
    field = field_of(records, "uscf")
    ours = field.column("modified_median").numbers
    seconds = time.process_time() - start
    print(f"  swiss-pairing        {facts['ms']:8.1f} ms; modified median here: {seconds * 1000:.1f} ms")
    exact = dict(zip(records, (Fraction(part, ours.whole) for part in ours.parts), strict=True))
    wrong = [entry for entry in records if exact[entry] != Fraction(facts["values"][entry])]
    half = Fraction(field.rounds, 2)
    level = {entry for entry in wrong if field.value("match_points", entry) == half}
    free = {entry for entry, record in records.items() if any(line.is_bye for line in record.rounds)}
    byes = sum(
        entry in free or any(line.opponent in free for line in records[entry].rounds)
        for entry in wrong
        if entry not in level
    )
    print(
        f"    modified_median    {len(wrong):4} differ: {len(level)} have half of the points (both ends are to go, it "
        f"drops none), {byes} others had a bye (an opponent with 0) or met who had one (worth a draw)"
    )
