from tournament.progress.next_step import too_many_rounds_words


def test_rounds_that_need_a_rematch_are_said():
    assert too_many_rounds_words(6, 6) == "6 players cannot play 6 rounds without rematches. The most is 5."
    assert too_many_rounds_words(2, 2) == "2 players cannot play 2 rounds without rematches. The most is 1."
    assert too_many_rounds_words(6, 5) == too_many_rounds_words(1, 1) == too_many_rounds_words(0, 3) == ""
