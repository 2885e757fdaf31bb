"""Rows and whole events for tests, made through the same services as in real life."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import factory
from django.contrib.auth import get_user_model
from django.db import transaction

from tournament import archive
from tournament.archive.load import dump_event, load_event
from tournament.models import Publisher, Rulebook, Ruleset, Tournament
from tournament.results.slip import MatchRules, Slip, slip_of_score, usual_slips
from tournament.services.entries import add_entries
from tournament.services.events import create_tournament
from tournament.services.publishers import create_publisher
from tournament.services.results import record_result
from tournament.services.rounds import publish_round
from tournament.services.rulebooks import copy_ruleset, publish_draft


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
    from pairings.draft.services import draft_next_round

    draft_next_round(tournament, **kwargs)
    number = tournament.rounds.order_by("-number").first().number
    publish_round(tournament, number)
    return number


def play(tournament: Tournament, number: int, *, chance: random.Random | None = None) -> None:
    """Enter a result at every table of a Swiss round that is still out: a's best, or drawn by `chance`."""
    profile = tournament.profile
    for match in tournament.rounds.get(number=number).matches.filter(result=None).order_by("table"):
        from tournament.services.results import rules_of

        slips = slips_of(rules_of(match, profile))
        record_result(tournament, number, match.table, chance.choice(slips) if chance else slips[0])


def slips_of(rules: MatchRules) -> list[Slip]:
    """The usual results of such a match, with points where they are recorded."""
    if rules.by_score:
        return [slip_of_score(score) for score in (("412", "388"), ("350", "350"), ("301", "420"))]
    if rules.scores:
        plain = usual_slips(replace(rules, scores=None))
        return [replace(slip, score=(str(200 * slip.a), str(200 * slip.b))) for slip in plain]
    return usual_slips(rules)


def played(players: int = 8, rounds: int = 1, *, seed: int = 1, **fields) -> Tournament:
    """A running event with that many rounds published and all their results in."""
    tournament = event(players, **fields)
    chance = random.Random(seed)
    for _ in range(rounds):
        play(tournament, pair(tournament), chance=chance)
    return tournament


_files: dict[str, str] = {}  # events already played once in this process, as archives


def recorded(players: int = 8, rounds: int = 1, *, seed: int = 1, owner=None, **fields) -> Tournament:
    """As `played`, loaded from a file after the first time: for tests that only go on from there.

    Its rounds count as recorded elsewhere, and nothing before the load can be undone.
    """
    key = json.dumps([players, rounds, seed, fields], sort_keys=True)
    if key not in _files:
        with transaction.atomic():
            _files[key] = dump_event(played(players, rounds, seed=seed, **fields), with_seed=True)
            transaction.set_rollback(True)
    event = archive.event_of(json.loads(_files[key]))
    return load_event(event, owner=owner or UserFactory(), slug=Tournament.free_slug(event.slug))


TWO_NIL = Slip("played", 2, 0)


def publisher(owner=None, name: str = "North League") -> Publisher:
    """A publisher with its owner."""
    return create_publisher(name, owner=owner or UserFactory())


def rulebook(
    owner=None, copied: str = "dci1999", name: str = "League rules", of: Publisher | None = None
) -> Rulebook:
    """A copy of a shipped ruleset, as a draft of its publisher's."""
    of = of or publisher(owner)
    source = Ruleset.objects.filter(key=copied).order_by("-version").first()
    return copy_ruleset(source, name=name, publisher=of, actor=owner or of.members.first().user)


def published(owner=None, note: str = "First version.", **fields) -> Rulebook:
    """The same, published as version 1."""
    book = rulebook(owner, **fields)
    publish_draft(book, seen=book.draft_revision, note=note, actor=owner)
    return book


def correct(tournament: Tournament, number: int, table: int) -> None:
    """The other player won that table of a complete round, as a correction writes it."""
    from tournament.actionlog.change import open_action

    with open_action(tournament, "correct") as log:
        match = log.tournament.rounds.get(number=number).matches.select_related("round").get(table=table)
        wins = match.best_of // 2 + 1
        winner = "b" if match.winner == "a" else "a"
        games = [wins, 0, 0] if winner == "a" else [0, wins, 0]
        log.set(match, games=games, winner=winner, result="played")
