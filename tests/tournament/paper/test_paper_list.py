import pytest

from tournament.paper.paper_list import PaperColumn, PaperList, cut_stack
from tournament.templatetags.desk import name_size


@pytest.mark.parametrize("tables", [1, 7, 8, 9, 33, 199, 200, 600])
@pytest.mark.parametrize("per_sheet", [8, 6, 4])
def test_piles_put_on_each_other_are_in_table_order(tables, per_sheet):
    sheets = cut_stack(range(1, tables + 1), per_sheet)
    assert len(sheets) == -(-tables // per_sheet)
    piles = [[sheet[place] for sheet in sheets if place < len(sheet)] for place in range(per_sheet)]
    assert [table for pile in piles for table in pile] == list(range(1, tables + 1))
    # Only the last sheets lack a slip, and only at their end: every pile is cut from the same place.
    assert sorted(map(len, sheets), reverse=True) == list(map(len, sheets))


def test_many_columns_and_wide_letters_are_in_smaller_print():
    def print_of(rounds: int, cell: str) -> str:
        columns = [PaperColumn("Rank"), PaperColumn("Player", "name")]
        columns += [PaperColumn(str(number)) for number in range(1, rounds + 1)]
        return PaperList("Crosstable", columns, [["1200", "Kim Lee", *[cell] * rounds]]).print

    assert [print_of(3, "W1200"), print_of(9, "W1200"), print_of(15, "W1200")] == ["", "tight", "tightest"]
    assert print_of(9, "W12") == ""
    assert name_size("i" * 30) == ""
    assert name_size("W" * 12) == ""
    assert [name_size(letter * 30) for letter in ("W", "寿", "Ж", "A")] == ["small"] * 4
    assert name_size("W" * 80) == "tiny"
