"""Rows and whole events for tests, made through the same services as in real life."""

import datetime as dt
import json
import random
from dataclasses import replace
from typing import Any

import factory
from django.contrib.auth import get_user_model
from django.utils import timezone

from tests.event_rows import restore_or_make
from tournament.actionlog.facts import ENTRY
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.models import Action, Entry, Round, Ruleset, RulesetVersion, Tournament
from tournament.results.slip import MatchRules, Slip, slip_of_score, usual_slips
from tournament.services.entries import add_entries, add_entry
from tournament.services.events import create_tournament, delete_event, finish_tournament
from tournament.services.results import match_rules, record_result
from tournament.services.rounds import publish_round
from tournament.services.rulesets import copy_ruleset, publish_draft


class UserFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = get_user_model()
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"organizer{n}")
    password = factory.django.Password("a good long password")


class TournamentFactory(factory.Factory):
    """An event with `entries` players, P0001 on, and `rounds` rounds published with every result entered.

    Built through the services; fields it does not name go to `create_tournament`. Traits, one after the other:

    published  one more round, without results
    drafted    one more round as draft pairings
    recorded   the event comes from a file: its rounds were recorded elsewhere
    with_cut   so many of the best play the bracket
    finished   the event is over
    """

    class Meta:
        model = Tournament

    name = "Friday night"
    ruleset = "mtr"
    entries = 8
    rounds = 0
    results = 1  # the seed by which each match draws one of the usual results
    published = drafted = recorded = finished = False
    with_cut = 0
    owner = factory.SubFactory(UserFactory)

    @classmethod
    def _create(cls, model_class: type[Tournament], *args: object, **fields: Any) -> Tournament:
        return restore_or_make(_build_event, **fields)


def _build_event(
    owner, name, ruleset, entries, rounds, results, published, drafted, recorded, with_cut, finished, **fields
) -> Tournament:
    tournament = create_tournament(name, ruleset, owner=owner, **fields)
    if entries:
        add_entries(tournament, [f"Player {number:02d}" for number in range(1, entries + 1)])
    chance = random.Random(results)
    for _ in range(rounds):
        RoundFactory(tournament=tournament, results=chance)
    if published:
        RoundFactory(tournament=tournament)
    if drafted:
        RoundFactory(tournament=tournament, drafted=True)
    if recorded:
        file = dump_event(tournament, with_seed=True)
        delete_event(tournament, name)
        tournament = load_event(parse_event(json.loads(file)), owner=owner)
    if with_cut:
        from standings.bracket.cut import make_cut

        make_cut(tournament, with_cut)
    if finished:
        finish_tournament(tournament)
    tournament.refresh_from_db()
    return tournament


class RoundFactory(factory.Factory):
    """The next Swiss round, paired and published; other fields go to the pairing.

    drafted  draft pairings only
    results  a random.Random that draws every result, or True for the first player's best result everywhere
    """

    class Meta:
        model = Round

    drafted = False
    results = None

    @classmethod
    def _create(cls, model_class: type[Round], *args: object, **fields: Any) -> Round:
        from pairings.draft.services import draft_next_round

        tournament, drafted, results = (fields.pop(name) for name in ("tournament", "drafted", "results"))
        draft_next_round(tournament, **fields)
        round_ = tournament.rounds.order_by("-number").first()
        if not drafted:
            publish_round(tournament, round_.number)
            round_.refresh_from_db()
        if results:
            enter_results(tournament, round_.number, chance=None if results is True else results)
        return round_


def enter_results(tournament: Tournament, number: int, *, chance: random.Random | None = None) -> None:
    """Enter a result at every table of a Swiss round that is still out: a's best, or drawn by `chance`."""
    profile = tournament.profile
    for match in tournament.rounds.get(number=number).matches.filter(result=None).order_by("table"):
        slips = slips_of(match_rules(match, profile))
        record_result(tournament, number, match.table, chance.choice(slips) if chance else slips[0])


def slips_of(rules: MatchRules) -> list[Slip]:
    """The usual results of such a match, with points where they are recorded."""
    if rules.by_score:
        return [slip_of_score(score) for score in (("412", "388"), ("350", "350"), ("301", "420"))]
    if rules.scores:
        plain = usual_slips(replace(rules, scores=None))
        return [replace(slip, score=(str(200 * slip.a), str(200 * slip.b))) for slip in plain]
    return usual_slips(rules)


TWO_NIL = Slip("played", 2, 0)


class RulesetFactory(factory.Factory):
    """A copy of a built-in ruleset as its owner's draft; `published`: as version 1, with this note."""

    class Meta:
        model = Ruleset

    owner = factory.SubFactory(UserFactory)
    copied = "dci1999"
    name = "League rules"
    published = ""

    @classmethod
    def _create(cls, model_class: type[Ruleset], *args: object, **fields: Any) -> Ruleset:
        source = RulesetVersion.objects.filter(key=fields["copied"]).order_by("-version").first()
        ruleset = copy_ruleset(source, name=fields["name"], owner=fields["owner"])
        if fields["published"]:
            publish_draft(ruleset, seen=ruleset.revision, note=fields["published"])
        return ruleset


class EntryFactory(factory.Factory):
    """One more player of an event, added at the desk: personal fields (name, contact, …) and facts (rating, …)."""

    class Meta:
        model = Entry

    name = factory.Sequence(lambda n: f"Late player {n}")

    @classmethod
    def _create(cls, model_class: type[Entry], *args: object, **fields: Any) -> Entry:
        tournament = fields.pop("tournament")
        personal = {name: fields.pop(name) for name in ENTRY.personal if name in fields}
        add_entry(tournament, fields, personal)
        return tournament.entries.order_by("-code").first()


def lengthen_log(tournament: Tournament, count: int) -> None:
    """Add actions of staff to the log, one in twenty of which undoes the one before it; no fact changes by them."""
    before, after = ({"result": "played", "games": games} for games in ([2, 0, 0], [2, 1, 0]))
    changes = [{"fact": "rounds/1/tables/1", "before": before, "after": after}]
    first, then = tournament.revision + 1, timezone.now() - dt.timedelta(hours=1)
    Action.objects.bulk_create(
        (
            Action(
                tournament=tournament,
                number=number,
                at=then,
                actor="Sam",
                kind="result" if number % 20 else "undo",
                changes=changes,
                undoes=None if number % 20 else number - 1,
            )
            for number in range(first, first + count)
        ),
        batch_size=1000,
    )
    Tournament.objects.filter(pk=tournament.pk).update(revision=first + count - 1)
    tournament.refresh_from_db()


def correct(tournament: Tournament, number: int, table: int) -> None:
    """The other player won that table of a complete round, as a correction writes it."""
    from tournament.actionlog.change import open_action

    with open_action(tournament, "correct") as log:
        match = log.tournament.rounds.get(number=number).matches.select_related("round").get(table=table)
        wins = match.best_of // 2 + 1
        winner = "b" if match.winner == "a" else "a"
        games = [wins, 0, 0] if winner == "a" else [0, wins, 0]
        log.set(match, games=games, winner=winner, result="played")
