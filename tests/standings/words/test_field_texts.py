import pytest

from standings.words.formats import value_of


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
