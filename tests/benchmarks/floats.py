"""The sums of Carde.io's columns in NumPy's floats, from the same records, lists to arrays included."""

from standings.engine import Record

FLOOR = 0.33


def columns_in_floats(records: dict[str, Record]):
    """(points, opponents' match-win %, game-win %, opponents' game-win %) as arrays, in the records' order."""
    import numpy as np

    at = {entry: i for i, entry in enumerate(records)}
    n = len(at)
    lines = [(i, line) for i, record in enumerate(records.values()) for line in record.rounds]
    me = np.array([i for i, _ in lines])
    met = np.array([n if line.opponent is None else at[line.opponent] for _, line in lines])
    bye = np.array([line.opponent is None and line.kind != "missed" for _, line in lines])
    points = np.array([_points(line.kind, line.outcome) for _, line in lines], dtype=float)
    games = np.array([line.games for _, line in lines], dtype=float)
    made, most = games @ np.array([3.0, 0.0, 1.0]), games.sum(axis=1) * 3

    def total(values, where=slice(None)):
        return np.bincount(me[where], weights=values[where], minlength=n)

    def share(part, whole):
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(whole > 0, np.maximum(part / whole, FLOOR), FLOOR)

    def mean_over_opponents(shares):
        seen = np.append(shares, 0.0)[met]
        counted = total((met < n).astype(float))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(counted > 0, total(seen) / counted, FLOOR)

    ones, played = np.ones(len(lines)), ~bye
    return (
        total(points),
        mean_over_opponents(share(total(points, played), total(ones, played) * 3)),
        share(total(made), total(most)),
        mean_over_opponents(share(total(made, played), total(most, played))),
    )


def _points(kind: str, outcome: str) -> int:
    """Match points by Carde.io: a bye is a win unless it was asked for with less."""
    if kind in ("half", "zero", "missed"):
        return 0
    return {"W": 3, "D": 1, "L": 0}[outcome]


def sums_in_floats(records: dict[str, Record]) -> list[int]:
    """Positions of the entries, best first."""
    import numpy as np

    points, opponents, games, opponents_games = columns_in_floats(records)
    return np.lexsort((-opponents_games, -games, -opponents, -points)).tolist()
