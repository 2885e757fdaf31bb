from tests.journeys.play import Play, step
from tournament.models import Penalty
from tournament.services import clock, judging


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
            lambda event: clock.set_clock(event, number, left="12:30"),
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
