from tests.look.bootstrap import PART, WHOLE, make_part, part_of


def test_the_part_that_pages_load_is_that_which_they_use():
    assert PART.read_text() == make_part(), "python -m tests.look.bootstrap"


def test_it_is_a_fifth_of_the_whole():
    assert PART.stat().st_size < WHOLE.stat().st_size / 5


def test_a_rule_stays_where_every_class_of_it_is_known():
    sheet = "a{b:c}.x,.x .y,:not(.y,.x){d:e}.y{f:g}@media print{.y{h:i}}@media screen{.x{j:k}}@font-face{l:m}"
    assert part_of(sheet, {"x"}) == "a{b:c}.x{d:e}@media screen{.x{j:k}}@font-face{l:m}"
