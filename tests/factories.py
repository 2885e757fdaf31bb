"""Rows and whole events for tests, made through the same services as in real life."""

from __future__ import annotations

import random

import factory
from django.contrib.auth import get_user_model

from tournament.models import Tournament
from tournament.services.creating import create_tournament
from tournament.services.registering import add_entries
from tournament.services.results import record_result
from tournament.services.rounds import publish_round
from tournament.slips import Slip, usual_scores


class UserFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = get_user_model()
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"organizer{n}")
    password = factory.django.Password("a good long password")


def event(
    players: int = 8, ruleset: str = "mtr", owner=None, name: str = "Friday night", **fields
) -> Tournament:
    """An open event with that many players, P0001 on."""
    tournament = create_tournament(name, ruleset, owner=owner or UserFactory(), **fields)
    if players:
        add_entries(tournament, [f"Player {number:02d}" for number in range(1, players + 1)])
    return tournament


def pair(tournament: Tournament, **kwargs) -> int:
    """Draft and publish the next round. Answers its number."""
    from pairings.services import draft_next_round

    draft_next_round(tournament, **kwargs)
    number = tournament.rounds.order_by("-number").first().number
    publish_round(tournament, number)
    return number


def play(tournament: Tournament, number: int, *, chance: random.Random | None = None) -> None:
    """Enter a result at every table of a Swiss round that is still out: a's best, or drawn by `chance`."""
    profile = tournament.profile
    for match in tournament.rounds.get(number=number).matches.filter(result=None).order_by("table"):
        from tournament.services.results import rules_of

        slips = usual_scores(rules_of(match, profile))
        record_result(tournament, number, match.table, chance.choice(slips) if chance else slips[0])


def played(players: int = 8, rounds: int = 1, *, seed: int = 1, **fields) -> Tournament:
    """A running event with that many rounds published and all their results in."""
    tournament = event(players, **fields)
    chance = random.Random(seed)
    for _ in range(rounds):
        play(tournament, pair(tournament), chance=chance)
    return tournament


TWO_NIL = Slip("played", 2, 0)
