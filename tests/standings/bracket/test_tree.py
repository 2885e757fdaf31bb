import pytest

from standings.bracket.tree import build_tree, list_podium, place_ranges, split_into_pages
from standings.table.places import build_event_bracket, rank_final_places
from standings.words.bracket import Tree
from tests.standings.engine import builders
from tests.standings.engine.builders import event
from tournament.event.types import Event, Match, Round, Stage

NAMES = {"A": "Ada", "B": "Bo", "C": "Cleo", "D": "Dee"}


def match_in(diagram: Tree, slot: str):
    return next(match for match in diagram.matches if match.slot == slot)


def match(a: str, b: str, result="played", games=None, table=None, **more) -> Match:
    example = builders.match(a, b, result, games, **more)
    example.table = table
    return example


SEMIS = [
    match("A", "D", games=(2, 1, 0), table=1, slot="W1.1"),
    match("B", "C", games=(0, 2, 0), table=2, slot="W1.2"),
]
FINAL = match("A", "C", games=(0, 2, 0), table=1, slot="F.1")


def bracket(*rounds, seeds="ABCD", open_last=False, preset="cardeio", **elimination) -> Event:
    stages = [Stage(1), Stage(2, "elimination", (1,), seeds=tuple(seeds))]
    example = event(*((2, matches) for matches in rounds), stages=stages, preset=preset,
                 overrides={"elimination": elimination} if elimination else None)  # fmt: skip
    if open_last and example.rounds:
        example.rounds[-1].status = "published"
    return example


def tree(example: Event) -> Tree:
    names = {code: NAMES.get(code, code) for code in example.entries}
    reseed = bool(example.profile["elimination"].get("reseed"))
    return build_tree(build_event_bracket(example), names, {}, reseed=reseed)


def line_sentences(*matches, **about) -> list[str]:
    return [tie.sentence for tie in tree(bracket(list(matches), **about)).matches]


def test_a_match_is_one_sentence_from_the_winners_side_or_says_its_table_or_whom_it_awaits():
    assert line_sentences(*SEMIS) == [
        "Semifinal 1: Ada, seed 1, beat Dee, seed 4, 2–1.",
        "Semifinal 2: Cleo, seed 3, beat Bo, seed 2, 2–0.",
        "Final: Ada, seed 1, plays Cleo, seed 3.",
    ]
    semis = [match("A", "D", None, table=1, slot="W1.1"), match("B", "C", None, table=2, slot="W1.2")]
    assert line_sentences(*semis, open_last=True) == [
        "Semifinal 1: Ada, seed 1, plays Dee, seed 4, table 1.",
        "Semifinal 2: Bo, seed 2, plays Cleo, seed 3, table 2.",
        "Final: winner of Semifinal 1 vs. winner of Semifinal 2, not started.",
    ]


def test_games_and_points_stand_by_their_players():
    diagram = tree(bracket([match("D", "A", games=(1, 2, 0), slot="W1.1")]))
    upper, lower = match_in(diagram, "W1.1").sides
    assert (upper.name, upper.games, upper.won) == ("Ada", "2", True)
    assert (lower.name, lower.games, lower.out) == ("Dee", "1", True)
    assert match_in(diagram, "W1.1").sentence == "Semifinal 1: Ada, seed 1, beat Dee, seed 4, 2–1."
    diagram = tree(
        bracket([match("A", "D", games=(0, 1, 0), score=("388", "412"), slot="W1.1")], preset="scrabble")
    )
    assert [end.games for end in match_in(diagram, "W1.1").sides] == ["388", "412"]
    assert match_in(diagram, "W1.1").sentence.endswith("Dee, seed 4, beat Ada, seed 1, 412–388.")


def test_a_walkover_a_double_loss_and_nobody_are_said_as_such():
    lines = line_sentences(
        match("A", "D", "forfeit", winner="b", slot="W1.1"), match("B", "C", "double_loss", slot="W1.2")
    )
    assert lines == [
        "Semifinal 1: Dee, seed 4, beat Ada, seed 1 by forfeit.",
        "Semifinal 2: no one advances, Bo, seed 2, vs. Cleo, seed 3: double loss.",
        "Final: Dee, seed 4, has a bye.",
    ]
    nobody = match("A", "D", "forfeit", slot="W1.1")
    assert "double no-show" in line_sentences(nobody)[0]
    assert line_sentences(nobody, match("B", "C", "double_loss", slot="W1.2"))[2] == "Final: no one plays."


def test_repeat_games_and_decisions_are_told_with_who_moved_first():
    draw = {"games": (0, 0, 1), "first": "a", "table": 1}
    lines = line_sentences(
        match(
            "A", "D", **draw, slot="W1.1", replays=({"games": (0, 0, 1)}, {"games": (0, 1, 0), "first": "b"})
        ),
        match("B", "C", **draw, slot="W1.2", decided="higher_seed", winner="a"),
        preset="twixt",
    )
    assert lines[:2] == [
        (
            "Semifinal 1: Dee, seed 4, beat Ada, seed 1: drew 0–0–1; repeat game drawn 0–0–1; "
            "repeat game won 1–0. Ada moved first."
        ),
        "Semifinal 2: Bo, seed 2, advances over Cleo, seed 3: drew 0–0–1; the higher seed advances. Bo moved first.",
    ]
    final = match(
        "B", "D", **draw, slot="F.1", replays=({"games": (0, 0, 1)},), decided="tiebreak", winner="b"
    )
    assert line_sentences(final, preset="twixt")[-1] == (
        "Final: Dee, seed 4, advances over Bo, seed 2: drew 0–0–1; repeat game drawn 0–0–1; "
        "decided on tiebreakers. Bo moved first."
    )


def test_a_drawn_match_is_still_played_and_says_who_moves_first_in_the_repeat_game():
    drawn = {"games": (0, 0, 1), "first": "a", "table": 1, "slot": "W1.1"}
    once, twice = ({}, {"replays": ({"games": (0, 0, 1), "first": "b"},)})
    for replays, words in ((once, "Dee moves first"), (twice, "Ada moves first")):
        diagram = tree(bracket([match("A", "D", **drawn, **replays)], open_last=True, preset="twixt"))
        assert match_in(diagram, "W1.1").state == "open"
        said = "Ada, seed 1, plays Dee, seed 4, table 1. So far: drew 0–0–1;"
        assert said in match_in(diagram, "W1.1").sentence
        assert match_in(diagram, "W1.1").sentence.endswith(f"not decided yet. {words} in a repeat game.")


def test_a_bye_is_the_top_seeds_and_names_who_left():
    lines = line_sentences(match("B", "C", games="W", slot="W1.2"), seeds="ABC")
    assert lines[0] == "Semifinal 1: Ada, seed 1, has a bye."
    example = bracket(SEMIS[:1])
    example.entries["C"].status, example.entries["C"].dropped_after = "dropped", 0
    assert match_in(tree(example), "W1.2").sentence == "Semifinal 2: Bo, seed 2, has a bye: Cleo dropped."
    example = bracket(SEMIS)
    example.entries["A"].status, example.entries["A"].dropped_after = "dropped", 1
    assert match_in(tree(example), "F.1").sentence == "Final: Cleo, seed 3, has a bye: Ada dropped."


def test_the_match_for_place_3_stands_before_the_final():
    waiting = tree(bracket(SEMIS, third_place_match=True))
    titles = ["Semifinal 1", "Semifinal 2", "Third-place match", "Final"]
    assert [tie.title for tie in waiting.matches] == titles
    assert waiting.third.sentence == "Third-place match: Dee, seed 4, plays Bo, seed 2."


def place_labels(example: Event) -> dict[str, str]:
    names = {code: NAMES.get(code, code) for code in example.entries}
    ranges = place_ranges(rank_final_places(example), tree(example), names)
    return {line.name: line.label for line in ranges}


THIRD = match("B", "D", games=(2, 0, 0), table=2, slot="P3.1")


@pytest.mark.parametrize(
    ("rounds", "rules", "labels"),
    [
        ([SEMIS, [THIRD, FINAL]], {"third_place_match": True}, "1st, 2nd, 3rd, 4th"),
        ([SEMIS, [FINAL]], {"third_place_match": True}, "1st, 2nd, 3rd–4th, 3rd–4th"),  # that one is out
        ([SEMIS, [FINAL]], {"placement": "shared"}, "1st, 2nd, 3rd–4th, 3rd–4th"),
        ([SEMIS, []], {}, "still in, still in, 3rd–4th, 3rd–4th"),
    ],
)
def test_places_are_a_range_where_they_are_shared_or_open(rounds, rules, labels):
    example = bracket(*rounds, **rules)
    said = place_labels(example)
    assert [said[name] for name in ("Cleo", "Ada", "Bo", "Dee")] == labels.split(", ")
    ranges = place_ranges(rank_final_places(example), tree(example), NAMES)
    assert len(list_podium(ranges)) == (3 if "3rd," in labels else 4)


def test_no_place_is_named_that_nobody_has_and_no_line_where_rounds_are_seeded_anew():
    assert place_labels(bracket([match("C", "F", games="W", slot="W1.4")], seeds="ABCDEF"))["F"] == "5th–6th"
    diagram = tree(bracket(SEMIS[:1], reseed=True))
    assert not diagram.joined
    assert "winner of" not in match_in(diagram, "F.1").sentence


def big(entrants: int, over: int = 0) -> Tree:
    """A tree of so many, its first `over` rounds played by the better seed."""
    seeds = [f"s{n:02}" for n in range(1, entrants + 1)]
    example = bracket(seeds=seeds)
    for number in range(1, over + 1):
        ties = tree(example).rounds[number - 1].matches
        upper = [match(tie.sides[0].code, tie.sides[1].code, games="W", slot=tie.slot) for tie in ties]
        example.rounds.append(Round(number, 2, "complete", upper))
    return tree(example)


def test_the_halls_screen_shows_at_most_sixteen_lines_a_page_and_misses_no_match():
    for entrants in (2, 3, 8, 16, 17, 32, 64):
        for over in (0, 1, 2):
            diagram = big(entrants, min(over, len(big(entrants).rounds)))
            pages = split_into_pages(diagram)
            assert all(page.lines <= 16 for page in pages)
            slots = {tie.slot for page in pages for round_ in page.rounds for tie in round_.matches}
            current = diagram.rounds[max(diagram.current.number - 2, 0) :]
            assert slots >= {tie.slot for round_ in current for tie in round_.matches}
    assert [page.lines for page in split_into_pages(big(64))] == [16, 16, 16, 16, 8]
    assert [page.lines for page in split_into_pages(big(64, over=3))] == [16]
