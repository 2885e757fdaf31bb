import pytest

from tournament.services.decklists import MOST_LINES, is_too_long, read_deck


@pytest.mark.parametrize(
    ("line", "cards"),
    [
        ("4 Lightning Bolt", 4),
        ("4x Lightning Bolt", 4),
        ("4 x Lightning Bolt", 4),
        ("12× Mountain", 12),
        ("  4\tLightning Bolt  ", 4),
        ("0 Forest", 0),
        ("Lightning Bolt", 0),
        ("1996 World Champion", 0),  # a name, not 1,996 cards
        ("4", 0),
        ("4x4 Truck", 0),
        ("-4 Bolt", 0),
    ],
)
def test_a_line_counts_as_many_cards_as_it_begins_with(line, cards):
    assert read_deck(line).main == cards


@pytest.mark.parametrize("heading", ["Sideboard", "sideboard:", "SIDE BOARD", "SB:", "Sideboard (15)"])
def test_what_follows_the_heading_is_the_sideboard(heading):
    deck = read_deck(f"Deck\n20 Mountain\n\n{heading}\n3 Smash to Smithereens\n2x Pyroblast")
    assert (deck.main, deck.sideboard, deck.uncounted) == (20, 5, [])


def test_sideboard_lines_may_stand_anywhere_and_what_is_not_counted_is_named():
    deck = read_deck("SB: 2 Pyroblast\n20 Mountain\nsb:1 Duress")
    assert (deck.main, deck.sideboard) == (20, 3)
    assert [line.text for line in deck.main_lines] == ["20 Mountain"]
    deck = read_deck("Creatures\n4 Goblin Guide\n\nLightning Bolt x4\nSideboard\nall my Duresses")
    assert [(line.number, line.text) for line in deck.uncounted] == [
        (1, "Creatures"),
        (4, "Lightning Bolt x4"),
        (6, "all my Duresses"),
    ]
    assert not is_too_long("1 Island\n" * MOST_LINES)
    assert is_too_long("1 Island\n" * (MOST_LINES + 1))
    assert not is_too_long("ü" * 10_000) and is_too_long("ü" * 10_001)  # bytes, not letters
