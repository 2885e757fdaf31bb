"""The cut, computed from the current standings and stored as an elimination stage with its seeds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from standings.bracket import open_matches
from standings.engine.bracket.cut import Cut, CutRule
from standings.engine.metrics import METRICS
from standings.engine.ranking import SHARED, STAGE, Ranking, find_deciding_step
from standings.engine.records import Outcomes, count_outcomes
from standings.table.places import build_event_bracket, find_elimination_stage, find_qualifiers
from standings.table.swiss import compute_standings, count_open_rounds
from standings.words.formats import format_value
from standings.words.metrics import list_step_titles
from tournament.actionlog.change import Log, hash_body
from tournament.actionlog.fold import fold
from tournament.actionlog.match_facts import unlocked_seats
from tournament.actionlog.service import service
from tournament.errors import Refused, WrongState
from tournament.event import types
from tournament.event.display_names import load_names
from tournament.event.profile import ruleset_in_force
from tournament.event.read import build_event, load_event_values, load_state
from tournament.event.types import Event
from tournament.models import Action, Entry, Flag, Match, Round, Stage, StageEntry, Tournament
from tournament.rulesets import uses_alternates
from tournament.services.drops import drop_entry
from tournament.services.rounds import complete_open_rounds, is_being_played, remove_round
from tournament.services.stage_entries import list_person_entries
from tournament.services.stages import list_last_stages
from tournament.services.standings_hooks import LOSES, WAITS

SMALLEST, LARGEST = 2, 64


def compute_cut(tournament: Tournament, rule: CutRule | int) -> Cut:
    return find_qualifiers(count_open_rounds(load_event_values(tournament, paired=False)), rule)


def make_cut(
    tournament: Tournament,
    rule: CutRule | int,
    *,
    lengths: tuple[int, ...] = (),
    ends_at: str | None = None,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Complete the last Swiss round and make the bracket of the best players.

    `rule`: a number is the size of the ruleset's cut; `lengths`: best of how many games, per round; `ends_at`: when the
    bracket must be over (ISO). Raises Refused for an impossible cut, WrongState if a table is outstanding or there is a
    bracket already.
    """
    size = rule if isinstance(rule, int) else rule.size
    if not SMALLEST <= size <= LARGEST:
        raise Refused(_("A cut must have %(least)s to %(most)s players."), least=SMALLEST, most=LARGEST)
    cut = compute_cut(tournament, rule)
    plan = {"best_of": list(lengths), "ends_at": ends_at}
    return save_cut(tournament, size, plan, cut, tournament.revision, actor=actor, key=key)


@service("cut", computed=("cut", "revision"))
def save_cut(log: Log, size: int, plan: dict[str, Any], cut: Cut, revision: int) -> None:
    """Store the cut as computed at `revision`: the elimination stage, its seeds, and its open matches."""
    tournament = log.tournament
    if tournament.stages.filter(kind=Stage.Kind.ELIMINATION).exists():
        raise WrongState(_("The bracket is already set."))
    if tournament.revision != revision:
        raise WrongState(
            _("Something changed since you opened this page. Check the standings and cut again.")
        )
    swiss = list(tournament.stages.order_by("number"))
    for stage in swiss:
        complete_open_rounds(log, stage)
    if not tournament.rounds.exists():
        raise WrongState(_("Play a Swiss round first."))
    _check_size(cut, size)
    number = swiss[-1].number + 1
    last = list_last_stages(tournament)
    begun = set(tournament.rounds.values_list("stage_id", flat=True))
    if idle := next((s for s in last if s.pk not in begun and s.stage_entries.exists()), None):
        words = _("Session %(number)s has players but has not started. Play it, or move them first.")
        raise WrongState(words, number=idle.number)
    sources = [stage.number for stage in last if stage.pk in begun]
    stage = log.add(Stage, f"stages/{number}", {"kind": "elimination", "sources": sources, **plan})
    for name, codes in (("seed", cut.qualifiers), ("alternate", cut.alternates)):
        for place, code in enumerate(codes, start=1):
            log.add(StageEntry, f"stages/{number}/entries/{code}", {name: place})
    log.set(tournament, cut=size)
    open_matches.settle_bracket(log, stage)


def _check_size(cut: Cut, size: int) -> None:
    inside = len(cut.qualifiers)
    if inside < SMALLEST:
        raise WrongState(_("A bracket needs at least 2 players who can still play."))
    if inside < size:
        words = _("Only %(inside)s players can still play. Cut to %(inside)s: the top seeds get byes.")
        raise Refused(words, inside=inside)
    if inside > LARGEST:
        words = _("%(inside)s players would advance, but a bracket can have at most %(most)s.")
        raise Refused(words, inside=inside, most=LARGEST)


@service("undo cut")
def undo_cut(log: Log) -> None:
    """Remove the bracket. Raises WrongState if one of its rounds has begun."""
    stage = log.tournament.stages.filter(kind=Stage.Kind.ELIMINATION).order_by("number").last()
    if stage is None:
        raise WrongState(_("There is no bracket."))
    matches = Match.objects.filter(round__stage=stage, table__isnull=False)
    if matches.filter(result__isnull=False).exists():
        raise WrongState(_("The bracket has results. Undo those first."))
    if any(is_being_played(round_) for round_ in stage.rounds.all()):
        raise WrongState(_("The bracket is being played. Undo the start of its round in the log first."))
    for round_ in stage.rounds.order_by("-number"):
        with unlocked_seats(round_):
            log.unseat(round_)
        remove_round(log, round_)
    for place in stage.stage_entries.select_related("stage", "entry"):
        log.remove(place)
    log.remove(stage)


MOST_ALTERNATES = 8  # on the page


class CutLine(NamedTuple):
    rank: int
    name: str
    record: Outcomes
    points: str
    why: str = ""  # the reason for being passed over


class CutPreview(NamedTuple):
    qualifiers: list[CutLine]  # in seed order
    alternates: list[CutLine]  # the first few, if the ruleset uses them
    passed_over: list[CutLine]
    decided: str  # what separated the last qualifier
    out: int  # outstanding tables


def preview_cut(event: Event, names: Mapping[str, str], rule: CutRule | int) -> CutPreview:
    """Preview a cut after the complete rounds. `rule`: a size, or the ruleset's cut."""
    ranking = compute_standings(event)
    cut = find_qualifiers(event, rule, ranking=ranking)
    last = max((ranking.row(code).rank for code in cut.qualifiers), default=0)
    able = {*cut.qualifiers, *cut.alternates}
    alternates = cut.alternates if uses_alternates(event.profile) else []

    def build_preview_line(code: str) -> CutLine:
        row, record = ranking.row(code), count_outcomes(ranking.views[code].now.records[code])
        why = "" if code in able else _why(event.entries[code])
        return CutLine(row.rank, names[code], record, _value(event, ranking, code, 0), why)

    return CutPreview(
        [build_preview_line(code) for code in cut.qualifiers],
        [build_preview_line(code) for code in alternates[:MOST_ALTERNATES]],
        [build_preview_line(row.entry) for row in ranking if row.rank <= last and row.entry not in able],
        _decided(event, ranking, names, cut),
        sum(m.result is None for r in event.rounds if r.status == "complete" for m in r.matches),
    )


def _value(event: Event, ranking: Ranking, code: str, step: int) -> str:
    unit = METRICS[ranking.steps[step].key].unit
    return format_value(ranking.row(code).values[step], unit, event.profile.get("display") or {})


def _why(entry: types.Entry) -> str:
    if entry.status == "dropped":
        return _("dropped")
    if entry.house:
        return _("house opponent")
    if entry.status != "playing":
        return _("not playing")
    return _("already in under another entry, or not in the last session")


def _decided(event: Event, ranking: Ranking, names: Mapping[str, str], cut: Cut) -> str:
    if not cut.qualifiers or not cut.alternates:
        return ""
    last, first = cut.qualifiers[-1], cut.alternates[0]
    values = {"last": names[last], "first": names[first]}
    decision = find_deciding_step(ranking, last, first)
    if decision.why == STAGE:
        return _("%(last)s qualifies ahead of %(first)s because of the later stage.") % values
    if decision.why == SHARED:
        return _("Nothing separates %(last)s from %(first)s: they share the rank.") % values
    values |= {
        "title": list_step_titles(ranking.steps)[decision.step],
        "a": _value(event, ranking, last, decision.step),
        "b": _value(event, ranking, first, decision.step),
    }
    return _("%(last)s qualifies ahead of %(first)s on %(title)s: %(a)s vs. %(b)s.") % values


class ChangedQualifiers(NamedTuple):
    """Players who would be in the bracket by the current standings, and players who would be out."""

    into: list[str]
    out: list[str]


def find_changed_qualifiers(event: Event, names: Mapping[str, str]) -> ChangedQualifiers | None:
    """Compare the bracket with one made from the current Swiss results; None if they agree. Changes nothing."""
    stage = find_elimination_stage(event)
    if stage is None or not stage.seeds:
        return None
    seeds = list(stage.seeds)
    now = find_qualifiers(event, CutRule(len(seeds)), stay=seeds).qualifiers
    into, out = ([names[c] for c in a if c not in b] for a, b in ((now, seeds), (seeds, now)))
    return ChangedQualifiers(into, out) if into or out else None


def follow_status(log: Log, entry: Entry) -> None:
    """Update the bracket after a drop, a disqualification or a reinstatement; WrongState if it is too late for that.

    If the round has begun, the player loses the match. Before it, the next alternate takes the seed of a player who has
    not played yet, if the ruleset has alternates; otherwise `drop.walkover` decides who has the bye.
    """
    place = find_bracket_place(entry)
    if place is None or log.tournament.state == Tournament.State.FINISHED:
        return
    stage, profile = place.stage, ruleset_in_force(log.tournament)
    if entry.status != Entry.Status.PLAYING:
        coming = find_next_match(stage, entry.code)
        if coming and coming.round and coming.has_begun:
            log.set(entry, dropped_after=coming.round.number)
            if coming.match is not None:
                open_matches.forfeit_match(log, coming.match, entry)
        elif uses_alternates(profile) and place.seed and not _has_played(entry, stage):
            _replace(log, place)
        log.advice = _(
            "If the round is being played, start it on the bracket page first: then the opponent wins."
        )
    open_matches.settle_bracket(log, stage)
    altered = open_matches.altered_matches(log.changes) if entry.status == Entry.Status.PLAYING else []
    if any(before.result is not None for _number, before in altered):
        words = _("Bracket matches have been played since %(name)s left. The player can no longer come back.")
        raise WrongState(words, name=entry.name)


class DropRequest(NamedTuple):
    """A player's request to leave the bracket, and what a drop would change now."""

    flag: Flag
    name: str
    effect: str
    # Each match of other players that would change, as a sentence before and after.
    changes: list[tuple[str, str]]
    expects: str  # what confirms them


def drop_request_context(tournament: Tournament) -> dict[str, Any]:
    """Return the requests that staff have not settled, oldest first; one query if there are none."""
    flags = tournament.flags.filter(kind=Flag.Kind.DROP, done=False).select_related("entry__tournament")
    flags = flags.order_by("number")
    requests = [_drop_request(tournament, flag, flag.entry) for flag in flags if flag.entry]
    mark = str(tournament.revision) if requests else ""
    return {"tournament": tournament, "requests": requests, "mark": mark}


def _drop_request(tournament: Tournament, flag: Flag, entry: Entry) -> DropRequest:
    name, effect = load_names(tournament)[entry.code], find_drop_effect(entry)
    if effect != WAITS:
        return DropRequest(flag, name, effect, [], "")
    state, people = load_state(tournament)
    action = drop_entry(tournament, entry.code, preview=True)
    changes = action.changes if action else []
    fold(state, changes)
    bracket = build_event_bracket(build_event(tournament, state, people))
    words = open_matches.altered_in_words(tournament, changes, bracket) if bracket else []
    return DropRequest(flag, name, effect, words, hash_body(changes))


def find_bracket_place(entry: Entry) -> StageEntry | None:
    places = StageEntry.objects.filter(entry=entry, stage__kind=Stage.Kind.ELIMINATION)
    return places.select_related("stage__tournament").first()


class NextMatch(NamedTuple):
    """A player's next match in the bracket. Fields are None until the match and its round exist."""

    round: Round | None
    match: Match | None

    @property
    def has_begun(self) -> bool:
        return self.round is not None and is_being_played(self.round)


def find_next_match(stage: Stage, code: str) -> NextMatch | None:
    for slot in open_matches.load_stage_bracket(stage).matches.values():
        if not slot.done and code in (slot.a, slot.b, *slot.gone):
            rounds = stage.rounds.filter(number=open_matches.last_round_before(stage) + slot.round)
            matches = Match.objects.filter(round__in=rounds, slot=slot.slot, seats__entry__code=code)
            return NextMatch(rounds.first(), matches.select_related("round__tournament").first())
    return None


def find_drop_effect(entry: Entry) -> str:
    """Return whether a player's drop by phone WAITS for staff or LOSES the match; "" outside a bracket."""
    place = find_bracket_place(entry)
    if place is None or (coming := find_next_match(place.stage, entry.code)) is None:
        return ""
    return LOSES if coming.has_begun else WAITS


def _has_played(entry: Entry, stage: Stage) -> bool:
    seats = entry.seats.filter(round__stage=stage, opponent__isnull=False)
    return seats.filter(match__result__isnull=False).exists()


def _replace(log: Log, place: StageEntry) -> None:
    waiting = place.stage.stage_entries.filter(alternate__isnull=False, entry__status=Entry.Status.PLAYING)
    others = place.stage.stage_entries.exclude(seed=None).exclude(pk=place.pk)
    seeded = set(others.values_list("entry", flat=True))
    for alternate in waiting.select_related("entry__tournament").order_by("alternate"):
        if any(entry.pk in seeded for entry in list_person_entries(alternate.entry)):
            continue  # a person takes one place
        seed = place.seed
        log.set(place, seed=None)
        log.set(alternate, seed=seed, alternate=None)
        return
