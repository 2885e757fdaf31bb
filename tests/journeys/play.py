"""An event played by chance: at each turn one step that some organizer could take, in any order and at any time."""

import contextlib
import datetime as dt
import random
import zoneinfo
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.utils import timezone

from pairings.draft.edits import swap_players
from pairings.draft.services import add_house_opponent, draft_next_round, round_choice
from pairings.repair.page import repair_page
from pairings.repair.services import apply_repair
from standings.bracket.cut import compute_cut, make_cut, undo_cut
from standings.bracket.results import (
    correct_bracket_result,
    decide_match,
    record_bracket_result,
    record_repeat_game,
)
from tests import factories, steps
from tests.chance import SEED
from tournament.errors import Refused
from tournament.event.profile import ruleset_in_force
from tournament.models import Match, Penalty, Round, Tournament
from tournament.results.slip import Slip, turn_slip, usual_slips
from tournament.services import (
    clock,
    corrections,
    decklists,
    drops,
    entries,
    event_settings,
    events,
    judging,
    reports,
    requested_byes,
    results,
    rounds,
    self_service,
    undo,
)
from tournament.services.rulesets import change_rules

LONGEST = 5  # Swiss rounds
Steps = dict[str, Callable[["Play"], object]]
STEPS: Steps = {}
ONWARD = ("pair", "publish", "fill", "repair", "play_the_bracket")


def step(function: Callable[["Play"], object]) -> Callable[["Play"], object]:
    """A step of the play. It may be refused, or find nothing to do."""
    STEPS[function.__name__] = function
    return function


class Play:
    """One event and the dice; `taken` counts the steps that wrote something."""

    def __init__(self, ruleset: str, seed: int = SEED, **fields: Any):
        print(f"Play({ruleset!r}, {seed})")  # shown where a test fails
        self.chance = random.Random(seed)
        self.tournament = factories.TournamentFactory(
            entries=0, ruleset=ruleset, name=f"Random {seed}", **fields
        )
        Tournament.objects.update(seed=self.chance.randbytes(16).hex())
        self.taken: Counter[str] = Counter()
        register(self)

    def take_a_step(self, steps: Steps | None = None, turns: Sequence[str] = ()) -> str:
        """Take any of the steps, by default those by which an event goes on more often. Answers which."""
        steps, turns = steps or STEPS, turns or [*STEPS, *ONWARD, *ONWARD]
        before, name = self.tournament.revision, self.chance.choice(turns)
        with contextlib.suppress(Refused):
            steps[name](self)
        self.tournament.refresh_from_db()
        self.taken[name] += self.tournament.revision > before
        return name

    def code(self, **wanted: Any) -> str:
        codes = self.tournament.entries.filter(house=False, **wanted).order_by("code")
        return self.one(codes.values_list("code", flat=True))

    def one(self, rows: Any) -> Any:
        rows = list(rows)
        if not rows:
            raise Refused("There is none.")
        return self.chance.choice(rows)

    def match(self, **wanted: Any) -> Match:
        matches = Match.objects.filter(round__tournament=self.tournament, table__isnull=False, **wanted)
        return self.one(matches.select_related("round").order_by("round__number", "table"))

    def slip(self, match: Match) -> Slip:
        slips = usual_slips(results.match_rules(match, ruleset_in_force(self.tournament)))
        others = [Slip("intentional_draw")] * match.round.swiss + [Slip("forfeit", winner="a")]
        drop = self.chance.choice(["a", "b", "ab"]) if self.chance.random() < 0.05 else ""
        return replace(self.chance.choice([*slips, *slips, *others]), drops=drop)

    def open_round(self, state: str = "published") -> Round:
        return self.one(self.tournament.rounds.filter(state=state, stage__kind="swiss"))


@step
def register(play: Play) -> None:
    few = play.tournament.entries.count() < 4
    names = [f"Player {n}" for n in range(play.chance.randint(5, 9) if few else 1)]
    entries.add_entries(play.tournament, names, reason="the train was late")


@step
def limit_players(play: Play) -> None:
    playing = play.tournament.entries.filter(status="playing").count()
    capacity = play.chance.choice([None, playing, playing + 2])
    event_settings.change_registration(play.tournament, capacity=capacity)


@step
def admit(play: Play) -> None:
    entries.admit_entry(play.tournament, play.code(status="waitlisted"))


@step
def remove(play: Play) -> None:
    entries.remove_entry(play.tournament, play.code(seats=None))


@step
def prohibit(play: Play) -> None:
    entries.prohibit_pair(play.tournament, play.code(), play.code(), lift=play.chance.random() < 0.6)


@step
def drop(play: Play) -> None:
    if play.tournament.entries.filter(status="playing").count() > 4:
        steps.confirmed(drops.drop_entry, play.tournament, play.code(status="playing"))


@step
def drop_at_a_table(play: Play) -> None:
    if play.tournament.entries.filter(status="playing").count() > 4:
        match = play.match(round__state="published")
        steps.confirmed(
            results.drop_from_table,
            play.tournament,
            match.round.number,
            match.table,
            play.chance.choice("ab"),
        )


@step
def disqualify(play: Play) -> None:
    if play.tournament.entries.filter(status="playing").count() > 5:
        steps.confirmed(drops.disqualify_entry, play.tournament, play.code(status="playing"), "marked cards")


@step
def sit_out(play: Play) -> None:
    """Request a bye for a round to come, withdraw one, or try what the rules do not allow."""
    event_settings.change_registration(play.tournament, self_byes=play.chance.random() < 0.7)
    request = play.one([requested_byes.request_bye, self_service.request_own_bye])
    number = play.tournament.rounds.count() + play.chance.randint(0, 2)
    request(play.tournament, play.code(), number, play.one(["half", "zero", "zero", "full", ""]))


@step
def reinstate(play: Play) -> None:
    steps.confirmed(drops.reinstate_entry, play.tournament, play.code(status__in=("dropped", "disqualified")))


@step
def pair(play: Play) -> None:
    tournament, house = play.tournament, None
    if tournament.rounds.exclude(state="draft").count() >= LONGEST:
        return
    if round_choice(tournament).asks_house and play.chance.random() < 0.5:
        add_house_opponent(tournament, "Director")
        tournament.refresh_from_db()
        house = tournament.entries.filter(house=True).order_by("-code").first().code
    draft = tournament.rounds.filter(state="draft").first()
    if draft and play.chance.random() < 0.7:
        return
    draft_next_round(tournament, again=draft and draft.number, house=house)


@step
def swap(play: Play) -> None:
    draft = play.open_round("draft")
    swap_players(play.tournament, draft.number, play.code(), play.code(), seen=draft.revision, reason="kin")


@step
def discard(play: Play) -> None:
    rounds.discard_draft(play.tournament, play.open_round("draft").number)


@step
def publish(play: Play) -> None:
    rounds.publish_round(play.tournament, play.open_round("draft").number)


@step
def fill(play: Play) -> None:
    number = play.open_round().number
    while (match := play.match(round__number=number, result=None)) is not None:
        results.record_result(play.tournament, number, match.table, play.slip(match))


@step
def forfeit(play: Play) -> None:
    match = play.match(round__stage__kind="swiss")
    slip = Slip("forfeit", winner=play.chance.choice(["a", "b", ""]))
    if match.round.state == Round.State.PUBLISHED:
        results.record_result(play.tournament, match.round.number, match.table, slip)
    else:
        corrections.correct_result(play.tournament, match.round.number, match.table, slip, reason="no-show")


@step
def decide_what_a_forfeit_is(play: Play) -> None:
    rules = {"pairing": {"forfeits_are_meetings": play.chance.random() < 0.5}}
    if play.tournament.profile is not None:
        change_rules(play.tournament, None, rules, revision=play.tournament.revision, reason="by the board")


@step
def enter(play: Play) -> None:
    match = play.match(round__state="published", round__stage__kind="swiss")
    results.record_result(play.tournament, match.round.number, match.table, play.slip(match))


@step
def clear(play: Play) -> None:
    match = play.match(round__state="published", result__isnull=False)
    results.clear_result(play.tournament, match.round.number, match.table)


@step
def extend(play: Play) -> None:
    match = play.match(round__state="published", result=None)
    results.extend_table(play.tournament, match.round.number, match.table, 5)


@step
def correct(play: Play) -> None:
    match = play.match(round__stage__kind="swiss")
    slip = replace(play.slip(match), drops="")
    corrections.correct_result(play.tournament, match.round.number, match.table, slip, reason="a wrong slip")


@step
def correct_seats(play: Play) -> None:
    match = play.match(round__stage__kind="swiss")
    sat = [seat.entry.code for seat in match.seats.order_by("side")]
    players = play.chance.choice([sat[::-1], [sat[0], play.code()], [play.code(), play.code()]])
    corrections.correct_seats(play.tournament, match.round.number, match.table, *players, reason="swapped")


@step
def correct_participation(play: Play) -> None:
    entry = play.tournament.entries.get(code=play.code())
    numbers = [round_.number for round_ in corrections.list_entry_rounds(entry)] or [1]
    corrections.correct_participation(
        play.tournament,
        entry.code,
        play.chance.choice(numbers[:2]),
        play.chance.choice([None, *numbers]),
        lifted=play.chance.random() < 0.5,
        reason="the drop was on the wrong slip",
    )


@step
def correct_bye(play: Play) -> None:
    alone = play.tournament.seats.filter(opponent=None, round__stage__kind="swiss").order_by("round", "entry")
    number, code = play.one(alone.values_list("round__number", "entry__code"))
    result = play.chance.choice(corrections.list_correctable_byes(play.tournament))
    corrections.correct_bye(play.tournament, number, code, result, reason="by the head judge")


@step
def add_a_missing_player(play: Play) -> None:
    if play.tournament.entries.count() < 16:
        joined = play.chance.randint(1, LONGEST)
        corrections.add_missing_entry(play.tournament, "Missing", joined, reason="not on the list")


@step
def merge(play: Play) -> None:
    corrections.merge_entries(play.tournament, play.code(), play.code(), reason="registered twice")


@step
def repair(play: Play) -> None:
    number = play.open_round().number
    page = repair_page(play.tournament, number)
    option = play.one(option for option in page.options if option.plan)
    apply_repair(
        play.tournament,
        number,
        plan=option.plan,
        added=page.added,
        removed=page.removed,
        seen=page.seen,
        reason="announced",
    )


@step
def reopen_round(play: Play) -> None:
    rounds.reopen_round(play.tournament, play.open_round("complete").number)


@step
def cut(play: Play) -> None:
    if play.tournament.rounds.count() < play.chance.randint(1, 4):
        return
    most = len(compute_cut(play.tournament, 8).qualifiers)
    make_cut(play.tournament, play.one(size for size in (2, 3, 4, 5, 8) if size <= most))


@step
def take_the_cut_back(play: Play) -> None:
    undo_cut(play.tournament)


@step
def play_the_bracket(play: Play) -> None:
    match = play.match(round__stage__kind="elimination", result=None)
    record_bracket_result(play.tournament, match.round.number, match.table, play.slip(match))


@step
def correct_the_bracket(play: Play) -> None:
    match = play.match(round__stage__kind="elimination", result__isnull=False)
    sent = (play.tournament, match.round.number, match.table, play.slip(match))
    steps.confirmed(record_bracket_result, *sent)


@step
def correct_an_old_bracket(play: Play) -> None:
    match = play.match(round__stage__kind="elimination", result__isnull=False)
    slip = replace(play.slip(match), drops="")
    steps.confirmed(
        correct_bracket_result, play.tournament, match.round.number, match.table, slip, reason="a wrong slip"
    )


@step
def decide(play: Play) -> None:
    match = play.match(round__stage__kind="elimination", result__isnull=False, winner="")
    sent = (play.tournament, match.round.number, match.table)
    if play.chance.random() < 0.5:
        record_repeat_game(*sent, play.slip(match), reason="both agree")
    else:
        how = play.chance.choice(["higher_seed", "tiebreak"])
        decide_match(*sent, how, winner=play.chance.choice("ab"), reason="no time")


@step
def finish(play: Play) -> None:
    if play.tournament.rounds.count() < play.chance.randint(1, 4):
        return
    events.finish_tournament(play.tournament)


@step
def reopen(play: Play) -> None:
    events.reopen_tournament(play.tournament)


@step
def undo_the_last(play: Play) -> None:
    if undo.find_last_undoable(play.tournament, "owner")[0]:
        steps.confirmed(steps.undo_last, play.tournament)


@step
def undo_any(play: Play) -> None:
    latest = play.tournament.revision
    steps.confirmed(
        undo.undo_action,
        play.tournament,
        play.chance.randint(max(2, latest - play.chance.choice([5, 20, 200])), latest),
    )


def _in_three_hours(event):
    later = timezone.localtime(timezone.now() + dt.timedelta(hours=3), zoneinfo.ZoneInfo(event.time_zone))
    return f"{later:%H:%M}"


@step
def change_clock(play: Play) -> None:
    number = play.match(round__state="published").round.number
    change = play.one(
        [
            lambda event: clock.start_clock(event, number, play.chance.randint(1, 90)),
            lambda event: clock.pause_clock(event, number),
            lambda event: clock.resume_clock(event, number),
            lambda event: clock.stop_clock(event, number),
            lambda event: clock.add_minutes(event, number, play.one([-5, -1, 1, 5])),
            lambda event: clock.change_length(event, number, play.chance.randint(1, 90)),
            lambda event: clock.set_clock(event, number, ends=_in_three_hours(event)),
        ]
    )
    change(play.tournament)


@step
def penalize(play: Play) -> None:
    """A penalty of any kind but the last: a game or match loss changes a result, now or in the next match."""
    kinds = [kind for kind in Penalty.Kind.values if kind != Penalty.Kind.DISQUALIFICATION]
    judging.give_penalty(play.tournament, play.code(), play.one(kinds), "slow play", judge="lena")


@step
def check_decks(play: Play) -> None:
    match = play.match(round__state="published")
    if judging.open_checks_at(match):
        minutes = play.chance.randint(0, 9)
        judging.end_deck_check(play.tournament, match.round.number, match.table, minutes)
    else:
        judging.start_deck_check(play.tournament, match.round.number, match.table, play.one(["a", "b", "ab"]))


@step
def call(play: Play) -> None:
    if play.chance.random() < 0.5:
        judging.call_judge(play.tournament, play.code(status="playing"))
        return
    number = play.one(play.tournament.flags.filter(kind="call").values_list("number", flat=True))
    play.one([judging.answer_call, judging.settle_call])(play.tournament, number, actor="lena")


@step
def report(play: Play) -> None:
    if play.chance.random() < 0.3:
        reporting = play.one(["off", "staff", "on", "on"])
        event_settings.change_settings(play.tournament, reporting=reporting)
    match = play.match(round__state="published", round__stage__kind="swiss", seats__opponent__isnull=False)
    number, side = match.round.number, play.one("ab")
    code = match.seats.get(side=side).entry.code
    slip = replace(play.slip(match), drops="")
    if play.chance.random() < 0.2:
        reports.withdraw_report(play.tournament, code, number)
    elif play.chance.random() < 0.3:
        reports.accept_reports(play.tournament, number, play.one([None, match.table]))
    else:
        reports.report_result(play.tournament, code, number, slip)
        other = match.seats.exclude(side=side).get().entry.code
        if play.chance.random() < 0.5:
            reports.confirm_report(play.tournament, other, number, turn_slip(slip))


@step
def drop_by_phone(play: Play) -> None:
    if play.tournament.entries.filter(status="playing").count() > 4:
        self_service.drop_self(play.tournament, play.code(status="playing"))
    self_service.undo_own_drop(play.tournament, play.code(status="dropped"))


@step
def hand_in_a_decklist(play: Play) -> None:
    if play.chance.random() < 0.3:
        rule = play.one(["off", "on", "late", "late"])
        event_settings.change_settings(play.tournament, decklist_rule=rule)
    text, code = f"{play.chance.randint(40, 60)} Mountain", play.code()
    if play.chance.random() < 0.2:
        decklists.release_decklists(play.tournament, play.chance.random() < 0.5)
    elif play.chance.random() < 0.3:
        decklists.enter_decklist(play.tournament, code, text, actor="lena", reason="on paper")
    else:
        decklists.hand_in_decklist(play.tournament, code, text)
