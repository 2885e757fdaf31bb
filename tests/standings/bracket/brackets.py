import json

from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.event.read import read_state
from tournament.models import Match, Stage, Tournament


def bracket_stage(tournament: Tournament) -> Stage:
    return tournament.stages.get(kind="elimination")


def seed(tournament: Tournament, place: int) -> str:
    return bracket_stage(tournament).stage_entries.get(seed=place).entry.code


def match_at(tournament: Tournament, number: int, table: int) -> Match:
    return Match.objects.get(round__tournament=tournament, round__number=number, table=table)


def sitting(tournament: Tournament, number: int, table: int) -> list[str]:
    return [seat.entry.code for seat in match_at(tournament, number, table).seats.order_by("side")]


def reloaded(tournament: Tournament, slug: str = "again") -> Tournament:
    data = json.loads(dump_event(tournament))
    data["tournament"]["slug"] = slug
    return load_event(parse_event(data))


def is_sound(tournament: Tournament) -> bool:
    assert integrity.check(tournament) == []
    assert state_at(tournament) == read_state(tournament)[0]
    again = reloaded(tournament, f"again-{tournament.revision}")
    assert integrity.check(again) == []
    before, after = (json.loads(dump_event(event)) for event in (tournament, again))
    return after | {"tournament": before["tournament"]} == before
