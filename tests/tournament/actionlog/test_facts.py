import json

import pytest
from msgspec.structs import fields

from tests.factories import TournamentFactory
from tournament.actionlog.facts import KINDS, SETTINGS, TOURNAMENT, find_kind, read_row
from tournament.actionlog.fold import load_baseline, state_at
from tournament.actionlog.match_facts import MatchFact, create_matches, match_facts, read_match, write_match
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.event.read import read_state
from tournament.event.settings import EventSettings
from tournament.models import Baseline, Round

# Columns that are neither facts nor personal: keys, copies for constraints, secrets and marks.
APART = {
    "Tournament": "slug owner demo seed lineage link_secret revision standings_revision public_revision "
    "baseline_number",
    "Stage": "tournament number",
    "StageEntry": "stage entry",
    "Entry": "tournament code",
    "Round": "tournament number swiss revision",
    "Penalty": "tournament number",
    "DeckCheck": "tournament number",
    "Decklist": "tournament number",
    "Extension": "match",
    "Report": "match source",
    "Flag": "tournament number",
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.model.__name__)
def test_a_column_is_a_fact_unless_there_is_a_reason(kind):
    columns = {column.name for column in kind.model._meta.concrete_fields if not column.primary_key}
    assert columns - set(kind.fields) - set(kind.personal) == set(APART[kind.model.__name__].split())


def test_settings_of_a_file_are_settings_of_the_event_with_the_same_defaults():
    row = read_row(TOURNAMENT, TOURNAMENT.model())
    for setting in fields(EventSettings):
        if setting.name in ("name", "slug", "seed", "state"):
            continue
        assert setting.name in (*SETTINGS, "decklists_public")  # which a service of its own releases
        default = list(setting.default) if isinstance(setting.default, tuple) else setting.default
        assert row[setting.name] == default, setting.name


@pytest.mark.django_db
def test_a_key_finds_its_row_and_the_row_its_key():
    tournament = TournamentFactory(entries=4, rounds=1)
    keys = ["tournament", "stages/1", "stages/1/entries/P0001", "entries/P0001", "rounds/1"]
    for key in keys:
        kind = find_kind(key)
        assert kind.key_of(kind.find(tournament, key)) == key
    assert find_kind("rounds/1/tables/1") is None
    extension = "rounds/1/tables/1/extension"
    assert find_kind(extension).pattern.fullmatch(extension)["match"] == "rounds/1/tables/1"


@pytest.mark.django_db
def test_a_match_comes_back_from_rows_and_log_as_it_was():
    full = MatchFact(
        "P0001", "P0002", 7, "played", games=(2, 1, 3), winner="a", first="b", score=("7", "1/2"), game_order="abd",
        slot="W1.1", replays=({"games": [1, 0, 0], "first": "a"},), decided="toss", best_of=5, draws_allowed=False,
        waived={"rule": "rematch", "reason": "asked"}, odd=True,
    )  # fmt: skip
    assert all(value != MatchFact._field_defaults.get(name) for name, value in full._asdict().items())
    tournament = TournamentFactory(entries=4)
    round_ = Round.objects.create(tournament=tournament, stage=tournament.stages.get(), number=1)
    blank = MatchFact("P0003", "P0004", 8)
    create_matches(round_, [full, blank], 1)
    created, written = round_.matches.order_by("table")
    assert read_match(created) == full
    assert round_.seats.filter(match=created, odd=True, waived=True, games_to_win=3).count() == 2
    fields = {name: value for name, value in full.to_log().items() if name not in ("a", "b")}
    write_match(written, fields | {"slot": "W1.2"})
    assert read_match(written) == full._replace(a="P0003", b="P0004", table=8, slot="W1.2")
    assert round_.seats.filter(match=written, odd=True).count() == 2
    assert list(match_facts(round_.matches)) == [full.key_in(1), blank.key_in(1)]
    assert MatchFact.from_log(7, full.to_log()) == full


GAINED = ("odd", "requested_byes", "self_byes", "archived", "repairs")


@pytest.mark.django_db
def test_a_log_from_before_these_fields_leads_to_the_same_facts():
    file = dump_event(TournamentFactory(rounds=2, results=True), with_seed=True)
    tournament = load_event(parse_event(json.loads(file)), slug="recorded")
    state = read_state(tournament)[0]
    facts = {
        key: {name: value for name, value in fact.items() if name not in GAINED}
        for key, fact in load_baseline(tournament).items()
    }
    Baseline.objects.filter(tournament=tournament).update(facts=facts)
    assert any("odd" in fact for fact in state.values())
    assert not any("odd" in fact for fact in load_baseline(tournament).values())
    assert state_at(tournament) == state
