from standings.engine.field import Field
from standings.engine.records import Record, Result, tally
from standings.engine.scoring import Scoring
from tournament.event.types import Entry, Event, Match, Round, Stage
from tournament.rulesets import default_games, resolve

SCORES = {"W": (2, 0, 0), "L": (0, 2, 0), "D": (1, 1, 1)}


def match(a, b=None, result="played", games=None, **more) -> Match:
    return Match(a=a, b=b, result=result, games=SCORES.get(games, games), **more)


def event(*rounds, preset="cardeio", overrides=None, entries=(), stages=None, seed="00", **facts) -> Event:
    """An event of one Swiss stage (or `stages`); rounds are lists of matches or (stage, matches)."""
    example = Event("Test", profile=resolve(preset, overrides=overrides), seed=seed)
    numbered = [r if isinstance(r, tuple) else (1, r) for r in rounds]
    seated = {e for _, matches in numbered for m in matches for e in (m.a, m.b) if e is not None}
    listed = {e for stage in stages or () for e in (*(stage.entries or ()), *stage.seeds)}
    for entry in sorted(seated | listed | set(entries)):
        example.entries[entry] = Entry(entry, entry, **facts.get(entry, {}))
    example.stages = list(stages) if stages else [Stage(1)]
    example.rounds = [Round(n, stage, "complete", [*ms]) for n, (stage, ms) in enumerate(numbered, start=1)]
    return example


def field_of(*rounds, preset="cardeio", overrides=None, house=()) -> Field:
    """A field of rounds of Results (or of tuples for Result)."""
    profile = resolve(preset, overrides=overrides)
    results = [(n, [Result(*line) for line in matches]) for n, matches in enumerate(rounds, start=1)]
    entries = {e for _, lines in results for line in lines for e in (line.a, line.b) if e is not None}
    records = {entry: Record(entry, house=entry in house) for entry in sorted(entries)}
    scoring = Scoring(profile)
    return Field(tally(results, records, scoring.games_to_win), scoring)


def played(a, b, score="W"):
    return (a, b, "played", SCORES.get(score, score))


def alone(entry, result="bye", preset="cardeio"):
    """A round without an opponent, with the games the ruleset gives."""
    return (entry, None, result, default_games(resolve(preset), result))
