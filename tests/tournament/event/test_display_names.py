from tournament.event.display_names import distinct_names, find_names


def test_equal_names_are_counted_by_code_and_names_from_right_to_left_stand_alone():
    names = distinct_names(
        (code, name, "playing")
        for code, name in (("P0002", "Ada Ruiz"), ("P0001", "ada  ruiz"), ("P0003", "Bo"))
    )
    assert names == {"P0001": "ada  ruiz (1 of 2)", "P0002": "Ada Ruiz (2 of 2)", "P0003": "Bo"}
    names = distinct_names(
        (code, name, "playing") for code, name in (("P1", "علي"), ("P2", "علي"), ("P3", "Bo"))
    )
    assert names == {"P1": "\u2068علي\u2069 (1 of 2)", "P2": "\u2068علي\u2069 (2 of 2)", "P3": "Bo"}
    assert find_names(names, "علي") == ["P1", "P2"]
    assert distinct_names([("P1", "דן כהן", "playing", "כהן")])["P1"].listed == "\u2068כהן, דן\u2069"


def test_three_letters_of_any_word_find_a_name_whatever_its_accents_and_none_nobody():
    names = {"P1": "Bo Adams", "P2": "Adam Zed", "P3": "Madam"}
    assert find_names(names, "ada") == ["P2", "P1"]
    names = {"P1": "Łukasz Żółć", "P2": "José Ñu", "P3": "ＡＢＣ"}
    assert find_names(names, "jose nu") == ["P2"]
    assert find_names(names, "zo") == find_names(names, "luk") == ["P1"]
    assert find_names(names, "abc") == ["P3"]
    assert find_names({"P1": "Ada"}, "  ") == []
