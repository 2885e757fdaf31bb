from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct

from tournament.schemas.kinds import Exact, SomeGames, exact_number, fault_in, with_null


class Row(Struct, forbid_unknown_fields=True):
    """A row. What the class says of itself is no expectation."""

    least: Annotated[int, Meta(ge=0, le=10)]
    kind: Literal["a", "b"] = "a"
    exact: Exact | None = None
    games: Annotated[tuple[SomeGames, SomeGames], Meta(description="a list of 2 numbers")] | None = None
    score: tuple[Exact, Exact] | None = None
    name: Annotated[str, Meta(min_length=1, max_length=5)] | None = None
    rest: dict[str, Any] | None = None
    length: Literal[1, 3, "many"] = 1
    flag: bool = False


class Table(Struct):
    rows: Annotated[list[Row], Meta(min_length=1, max_length=3)]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (None, ("", "must be an object, not null")),
        ({}, ("rows", "is missing: expected a list of 1 to 3")),
        ({"rows": []}, ("rows", "must be a list of 1 to 3")),
        ({"rows": [[]]}, ("rows[0]", "must be an object")),
        ({"rows": [{}]}, ("rows[0].least", "is missing: expected a whole number from 0 to 10")),
        ({"rows": [{"least": 11}]}, ("rows[0].least", "must be a whole number from 0 to 10, not 11")),
        ({"rows": [{"least": True}]}, ("rows[0].least", "must be a whole number from 0 to 10, not true")),
        ({"rows": [{"least": 1, "kind": "c"}]}, ("rows[0].kind", "'c' is not one of a, b")),
        ({"rows": [{"least": 1, "length": 2}]}, ("rows[0].length", "2 is not one of 1, 3, many")),
        ({"rows": [{"least": 1, "games": [1, -1]}]}, ("rows[0].games", "[1, -1] is not a list of 2 numbers")),
        ({"rows": [{"least": 1, "score": [1]}]}, ("rows[0].score", "must be a list of 2")),
        ({"rows": [{"least": 1, "name": "x" * 6}]}, ("rows[0].name", "must be text of 1 to 5 characters")),
        ({"rows": [{"least": 1, "rest": []}]}, ("rows[0].rest", "must be an object")),
        ({"rows": [{"least": 1, "flag": 1}]}, ("rows[0].flag", "must be true or false, not 1")),
        ({"rows": [{"least": 1, "x": 1}]}, ("rows[0].x", "unknown key")),
        ({"rows": [{"least": 1}, {"least": 1, "score": ["1", "x"]}]},
         ("rows[1].score[1]", "'x' is not an exact number such as \"3\" or \"1/2\"")),
    ],
)  # fmt: skip
def test_a_fault_has_its_path_and_says_what_was_expected(value, fault):
    assert fault_in(value, Table) == fault


def test_a_sound_value_has_no_fault():
    assert fault_in({"rows": [{"least": 1, "exact": "1/2", "rest": {"any": 1}}]}, Table) is None


def test_exact_numbers_are_integers_and_texts_of_one_form():
    for text in ("1/0", "1/00", "", "x", "1e9", "1e999999999", "3\n", " 3", "1.5.2", "٣", "9" * 16):
        assert exact_number(text) is None and fault_in(text, Exact), text
    assert not any(exact_number(value) is not None for value in (True, 1.5, None, [1]))
    for text in ("3", "-1/2", "+7", "0.33", "1/03", 5):
        assert exact_number(text) is not None and fault_in(text, Exact) is None, text


@pytest.mark.parametrize(
    ("schema", "also_null"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"enum": ["a"], "default": "a"}, {"enum": ["a", None], "default": "a"}),
        ({"$ref": "#/x", "default": 1}, {"anyOf": [{"$ref": "#/x"}, {"type": "null"}], "default": 1}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
         {"type": ["string", "null"], "default": None}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]},
         {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
    ],
)  # fmt: skip
def test_a_schema_that_allows_null_too(schema, also_null):
    assert with_null(schema) == also_null
