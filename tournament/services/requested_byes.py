"""Byes that players request in rounds of their own stage, limited by `bye.requested` and `byes_refused`."""

from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState
from tournament.event.profile import ruleset_in_force
from tournament.models import Entry, Round, Tournament
from tournament.results.wording import bye_words
from tournament.rulesets import REQUESTED, requestable_byes, rounds_and_cut
from tournament.services.entries import find_unmerged_entry
from tournament.services.stage_entries import carried_numbers, usual_stage

PLAYS = (Entry.Status.PLAYING, Entry.Status.WAITLISTED, Entry.Status.REGISTERED)
ZERO = "zero"
REQUESTS = ("request bye", "request own bye")  # kinds of the actions by which staff and players request byes
REQUESTED_RESULTS = tuple(f"{kind}_bye" for kind in REQUESTED)


class OwnRounds(NamedTuple):
    """The Swiss rounds of a player's stage: how many are paired (drafts included), published, and planned."""

    paired: int
    published: int
    planned: int

    def still_open(self, *, by_player: bool = False) -> range:
        """The rounds for which a bye can be requested: not yet published ones, or `by_player` not yet paired ones."""
        return range(1 + (self.paired if by_player else self.published), self.planned + 1)


def find_own_rounds(entry: Entry) -> OwnRounds:
    """Return the rounds of an entry's latest Swiss stage; for the waitlist, of the usual stage."""
    tournament = entry.tournament
    every = list(tournament.stages.order_by("number"))
    stages = [stage for stage in every if stage.is_swiss]
    if not stages:  # a bracket alone, recorded elsewhere
        return OwnRounds(0, 0, 0)
    own = set(entry.stage_entries.values_list("stage", flat=True))
    inside = [stage for stage in stages if stage.pk in own]
    if not inside:
        inside = [usual_stage(stages, set(tournament.rounds.values_list("stage", flat=True)))]
    stage = inside[-1]
    numbers = carried_numbers(stages, stage)
    states = list(tournament.rounds.filter(stage__number__in=numbers).values_list("state", flat=True))
    paired, published = len(states), len(states) - states.count(Round.State.DRAFT)
    if stages != every or any(other.carries and stage.number in other.sources for other in stages):
        return OwnRounds(paired, published, paired)  # the bracket or another day follows
    planned = tournament.rounds_planned
    if not planned:
        players = stage.stage_entries.filter(entry__house=False).count()
        planned = rounds_and_cut(ruleset_in_force(tournament), players)[0]
    return OwnRounds(paired, published, max(planned, paired))


def requested_results(round_: Round) -> dict[str, str]:
    """Return {player: result} for requested byes in a Swiss round, except for players with an awarded bye."""
    numbers = carried_numbers(list(round_.tournament.stages.all()), round_.stage)
    before = round_.tournament.rounds.filter(stage__number__in=numbers, number__lt=round_.number)
    position = before.count() + 1
    entries = Entry.objects.filter(stage_entries__stage=round_.stage, awarded_byes__lt=position)
    rows = entries.exclude(requested_byes=[]).values_list("code", "requested_byes")
    return {code: f"{bye['kind']}_bye" for code, byes in rows for bye in byes if bye["round"] == position}


@service(REQUESTS[0])
def request_bye(log: Log, code: str, number: int, kind: str = "") -> None:
    """Request a bye of this kind in round `number` of the player's own stage; "" cancels the request."""
    apply_request(log, find_unmerged_entry(log.tournament, code), number, kind)


def apply_request(log: Log, entry: Entry, number: int, kind: str) -> None:
    """Request a bye, or withdraw the request (""), as part of a larger action."""
    rounds = find_own_rounds(entry)
    if entry.house or entry.status not in PLAYS:
        raise WrongState(_("%(name)s is not playing. Reinstate the player first."), name=entry.name)
    if 1 <= number <= rounds.published:
        raise published_refusal(entry, number)
    if kind and kind != requested_kind(entry, number):
        _check_rules(log.tournament, entry, rounds, number, kind)
    others = [bye for bye in entry.requested_byes if bye["round"] != number]
    byes = [*others, {"round": number, "kind": kind}] if kind else others
    log.set(entry, requested_byes=sorted(byes, key=lambda bye: bye["round"]))


def published_refusal(entry: Entry, number: int) -> WrongState:
    text = _("Round %(round)s is already published. Correct what it counts as for %(name)s instead.")
    return WrongState(text, round=number, name=entry.name)


def requested_kind(entry: Entry, number: int) -> str:
    return next((bye["kind"] for bye in entry.requested_byes if bye["round"] == number), "")


def is_committed(entry: Entry, rounds: OwnRounds, number: int) -> bool:
    """Whether it is too late to give up a bye with points in a last round (US Chess: irrevocable byes)."""
    rules = ruleset_in_force(entry.tournament)["bye"]
    kept = requested_kind(entry, number) not in ("", ZERO) and bool(rules.get("requested_last_before"))
    return kept and _is_over(rules, rounds, number)


def _is_over(rules: dict[str, Any], rounds: OwnRounds, number: int) -> bool:
    is_last = number > rounds.planned - (rules.get("requested_not_last") or 0)
    return is_last and rounds.paired >= (rules.get("requested_last_before") or 0)


def _check_rules(tournament: Tournament, entry: Entry, rounds: OwnRounds, number: int, kind: str) -> None:
    if not 1 <= number <= rounds.planned:
        text = _(
            "There is no round %(round)s: %(planned)s are planned. Plan more rounds in the settings first."
        )
        raise Refused(text, round=number, planned=rounds.planned)
    if entry.awarded_byes >= number:
        text = _("%(name)s already has an awarded bye in round %(round)s.")
        raise WrongState(text, name=entry.name, round=number)
    profile = ruleset_in_force(tournament)
    rules, words = profile["bye"], bye_words(f"{kind}_bye")
    if kind not in requestable_byes(profile):
        raise Refused(_("This ruleset does not allow this bye on request: %(bye)s."), bye=words)
    if kind == ZERO:
        return
    most = rules.get("requested_max")
    others = [bye for bye in entry.requested_byes if bye["kind"] != ZERO and bye["round"] != number]
    if most is not None and len(others) >= most:
        text = ngettext(
            "This ruleset allows a player %(count)s half-point or full-point bye on request.",
            "This ruleset allows a player %(count)s half-point or full-point byes on request.",
            most,
        )
        raise Refused(text, count=most)
    if _is_over(rules, rounds, number):
        text = _("Under this ruleset only a zero-point bye can be requested for round %(round)s.")
        if before := rules.get("requested_last_before"):
            text = _(
                "%(bye)s in round %(round)s: the request had to be in before round %(before)s was paired."
            )
        raise Refused(text, round=number, before=before, bye=words.capitalize())
