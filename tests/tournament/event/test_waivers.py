from tournament.actionlog.match_facts import MatchFact
from tournament.event.waivers import Meetings
from tournament.rulesets import resolve


def match(a, b=None):
    return MatchFact(a=a, b=b, best_of=3, result="played" if b else "bye", games=(2, 0, 0) if b else None)


def test_a_rematch_a_repeat_bye_and_a_second_bye_of_a_round_need_one():
    meetings = Meetings(resolve("mtr"))
    due = [
        meetings.add(number, match(*players), "recorded")
        for number, *players in ((1, "P1", "P2"), (1, "P3"), (1, "P4"), (2, "P2", "P1"), (2, "P3"), (3, "P5"))
    ]
    assert [waiver and waiver["rule"] for waiver in due] == [None, None, "bye", "repeat", "bye", None]
