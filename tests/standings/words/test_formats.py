from fractions import Fraction

import pytest

from standings.engine.records import Outcomes
from standings.words.formats import format_record, format_value, record_in_words, value_of
from tournament.event.numbers import format_number, format_rounded, points_in_words


@pytest.mark.parametrize(
    ("value", "places", "mode", "printed"),
    [("2797/4500", 4, "half_up", "0.6216"), ("1/8", 2, "half_up", "0.13"), ("1/8", 2, "truncate", "0.12"),
     ("-1/8", 2, "half_up", "-0.13"), ("199/2", 0, "half_up", "100")],
)  # fmt: skip
def test_numbers_are_rounded_as_the_ruleset_says(value, places, mode, printed):
    assert format_rounded(Fraction(value), places, mode) == printed


def test_shares_points_and_records_are_printed_short_or_in_words():
    assert format_value(Fraction(2, 3), "share", {"percent_places": 3}) == "66.667"
    numbers = {"12": "12", "5/2": "2.5", "0": "0", "1/3": "0.333"}
    assert {text: format_number(Fraction(text)) for text in numbers} == numbers
    assert record_in_words(Outcomes(4, 1, 1, 0)) == "4 wins, 1 loss, 1 draw"
    assert record_in_words(Outcomes(1, 0, 0, 2)) == "1 win, 0 losses, 2 rounds not played"
    assert format_record(Outcomes(3, 1, 0, 1)) == "3–1–0, 1 round not played"
    assert [points_in_words(text) for text in ("1", "2.5")] == ["1 point", "2.5 points"]


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        ("number", "-5 %", "-0.05"),
        ("number", "1/3", "1/3"),
        ("number", "25 %%", "25 %%"),
        ("choice or number", "average", "average"),
        ("choice or number", "12.5%", "0.125"),
        ("choice or opponents", "3 x 20%", {"value": "0.2", "count": 3}),
        ("worths", "bye=50 %, zero=0%", {"bye": "0.5", "zero": "0"}),
        ("text", "25 %", "25 %"),
        *(("number", odd, odd) for odd in ("1/4 %", "12,5 %", "%", "1e999999999%", "9" * 58 + " %", "٢٥ %")),
    ],
)
def test_a_percentage_is_the_decimal_it_means_wherever_a_number_is_typed(kind, typed, value):
    assert value_of(kind, typed) == value
