"""Random events through the services, under each ruleset: the log, the tables and the file always agree."""

import json
import random

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from pairings.draft.services import add_house_opponent, draft_next_round, needs_house_choice
from standings.bracket.cut import cut_of, make_cut
from standings.bracket.results import record_bracket_result
from tests import factories, steps
from tests.conftest import CI
from tournament import archive
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.archive.load import dump_event, load_event
from tournament.errors import Refused
from tournament.event import read
from tournament.results.slip import Slip, usual_slips
from tournament.services import drops, events, results, rounds, undo
from tournament.services import entries as registering

pytestmark = pytest.mark.django_db
RULESETS = ["dci1999", "mtr_jp", "mtr", "cardeio", "twixt", "melee_default"]


class RollBack(Exception):
    """Takes an example's rows away again."""


class Play:
    """One event, played by chance: every step is a service an organizer could call."""

    def __init__(self, ruleset: str, seed: int):
        self.chance = random.Random(seed)
        self.tournament = factories.TournamentFactory(entries=0, ruleset=ruleset, name=f"Random {seed}")
        self.empty = without_log(dump_event(self.tournament))
        registering.add_entries(self.tournament, [f"P {n}" for n in range(self.chance.randint(4, 13))])

    def codes(self, status: str = "playing") -> list[str]:
        entries = self.tournament.entries.filter(status=status, house=False)
        return list(entries.values_list("code", flat=True))

    def swiss_round(self) -> None:
        chance, tournament = self.chance, self.tournament
        house = None
        if needs_house_choice(tournament) and chance.random() < 0.5:
            add_house_opponent(tournament, "Director")
            house = tournament.entries.filter(house=True).order_by("-code").first().code
        draft_next_round(tournament, house=house)
        number = tournament.rounds.order_by("-number").first().number
        if chance.random() < 0.3:
            draft_next_round(tournament, again=number, house=house)
        rounds.publish_round(tournament, number)
        self.fill(number)
        if chance.random() < 0.3:
            self.late()
        if chance.random() < 0.4 and len(self.codes()) > 4:
            drops.drop_entry(tournament, chance.choice(self.codes()))
        if chance.random() < 0.2 and self.codes("dropped"):
            drops.reinstate_entry(tournament, chance.choice(self.codes("dropped")))

    def fill(self, number: int) -> None:
        """Results at every table, some entered twice, corrected or undone."""
        for match in self.tournament.rounds.get(number=number).matches.exclude(table=None).order_by("table"):
            allowed = results.rules_of(match, self.tournament.profile)
            slips = [*usual_slips(allowed), Slip("intentional_draw"), Slip("forfeit", winner="a")]
            results.record_result(self.tournament, number, match.table, self.chance.choice(slips))
            if self.chance.random() < 0.2:
                results.record_result(self.tournament, number, match.table, self.chance.choice(slips))
            if self.chance.random() < 0.1:
                last = steps.undo_last(self.tournament)
                undo.undo_action(self.tournament, last.number)  # and undo the undo

    def late(self) -> None:
        try:
            registering.add_entries(self.tournament, ["Late"])
        except Refused:
            registering.add_entries(self.tournament, ["Late"], reason="the train was late")

    def bracket(self) -> None:
        most = len(cut_of(self.tournament, 8).qualifiers)
        make_cut(self.tournament, self.chance.choice([n for n in (2, 3, 4, 5, 8) if n <= most]))
        while match := (
            self.tournament.rounds.filter(swiss=False)
            .filter(matches__result=None)
            .values_list("number", "matches__table")
            .order_by("number", "matches__table")
            .first()
        ):
            row = results.match_at(self.tournament, *match)
            slips = usual_slips(results.rules_of(row, self.tournament.profile))
            record_bracket_result(self.tournament, *match, self.chance.choice(slips))
        events.finish_tournament(self.tournament)

    def whole(self) -> None:
        for _ in range(self.chance.randint(1, 3)):
            self.swiss_round()
        if self.chance.random() < 0.7:
            self.bracket()


def without_log(text: str) -> dict:
    """The archive but its log and what only a log explains."""
    data = json.loads(text)
    data.pop("log", None)
    return data


def check_agreement(tournament) -> None:
    """Tables hold every invariant, the log rebuilds them, and the file gives itself back."""
    assert integrity.check(tournament) == []
    now, _names = read.read_state(tournament)
    assert state_at(tournament) == now
    text, slug = dump_event(tournament, with_seed=True), tournament.slug
    tournament.slug = "the-original"
    tournament.save(update_fields=["slug"])
    copy = load_event(archive.event_of(json.loads(text)))
    assert dump_event(copy, with_seed=True) == text
    assert integrity.check(copy) == []
    copy.slug, tournament.slug = "the-copy", slug
    copy.save(update_fields=["slug"])
    tournament.save(update_fields=["slug"])


def undo_everything(tournament) -> None:
    for _ in range(1000):
        if undo.last_undoable_action(tournament) is None:
            return
        steps.undo_last(tournament)


@pytest.mark.parametrize("ruleset", RULESETS)
@settings(max_examples=8 if CI else 1)
@given(seed=st.integers(0, 2**32))
def test_whatever_is_played_log_tables_and_file_agree(ruleset, seed):
    with pytest.raises(RollBack), transaction.atomic():
        play = Play(ruleset, seed)
        play.whole()
        check_agreement(play.tournament)
        undo_everything(play.tournament)
        assert integrity.check(play.tournament) == []
        assert without_log(dump_event(play.tournament)) == play.empty
        raise RollBack
