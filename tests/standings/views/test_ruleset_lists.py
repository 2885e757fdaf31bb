"""Lists of words, choices and time limits in the editor, without JavaScript: moved, added, removed, saved, refused."""

import re

import pytest

from tests.factories import RulebookFactory, UserFactory
from tests.standings.rulesets.editor import page, sent
from tournament.models import Rulebook
from tournament.rulesets import resolve

pytestmark = pytest.mark.django_db
CRITERIA = "pairing.criteria"
TWIXT = ["repeats", "score_difference", "not_same_side_all_rounds", "fold", "alternate_sides"]


@pytest.fixture
def ada(client):
    """Signed in, with a publisher of their own."""
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


@pytest.fixture
def book(ada):
    return RulebookFactory(owner=ada, copied="twixt")


def draft(client, book, data):
    return client.post(f"/rulesets/{book.key}/draft/", data)


def words_in(html, path=CRITERIA):
    """The lines of a list on a page, from the top: the word that each has, "" for a new one."""
    selects = re.findall(rf'<select name="{path}-\d+-word".*?>(.*?)</select>', html, re.S)
    return [re.search(r'value="([^"]*)" selected', options)[1] for options in selects]


def order_of(html, path=CRITERIA):
    return [int(place) for place in re.findall(rf'name="{path}-(\d+)-ORDER"', html)]


def rules_of(book):
    book.refresh_from_db()
    return book.draft


@pytest.mark.long
def test_criteria_are_moved_added_and_removed_and_nothing_is_saved_before_the_draft_is(client, book):
    data = sent(book)
    html = page(draft(client, book, {**data, "do": f"up-{CRITERIA}-3"}))
    assert words_in(html) == [
        "repeats",
        "score_difference",
        "fold",
        "not_same_side_all_rounds",
        "alternate_sides",
    ]
    assert order_of(html) == [0, 1, 3, 2, 4]
    html = page(draft(client, book, {**data, "do": f"remove-{CRITERIA}-0"}))
    assert words_in(html) == TWIXT[1:]
    html = page(draft(client, book, {**data, "do": f"add-{CRITERIA}-"}))
    assert words_in(html) == [*TWIXT, ""]
    book.refresh_from_db()
    assert book.draft_revision == 1


def test_a_list_with_a_new_line_is_saved_in_the_order_in_which_it_stands(client, book):
    more = {f"{CRITERIA}-TOTAL_FORMS": "6", f"{CRITERIA}-5-word": "labels_apart", f"{CRITERIA}-5-ORDER": "1"}
    moved = {f"{CRITERIA}-{index}-ORDER": str(index + 2) for index in range(5)}
    assert draft(client, book, {**sent(book), **more, **moved}).status_code == 303
    assert rules_of(book)["pairing"]["criteria"] == ["labels_apart", *TWIXT]
    change = book.actions.last().changes
    assert [one["path"] for one in change] == [CRITERIA]
    html = page(client.get(f"/rulesets/{book.key}/draft/"))
    assert "players who share a label kept apart → no rematches → small score differences" in html


def test_an_emptied_list_is_none_and_says_what_holds_then(client, book):
    removed = {f"{CRITERIA}-{index}-DELETE": "on" for index in range(5)}
    assert draft(client, book, {**sent(book), **removed}).status_code == 303
    assert "criteria" not in rules_of(book)["pairing"]
    html = page(client.get(f"/rulesets/{book.key}/draft/"))
    assert "If empty: rematches, byes, score differences, repeat pair-downs." in html


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        (f"{CRITERIA}-4-word", "fold", "&#x27;fold&#x27; is in the list already"),
        (f"{CRITERIA}-4-word", "moon", "not one of the available choices"),
        (f"{CRITERIA}-4-word", "", "This field is required"),
        ("elimination.colours-1-word", "not_same_all_rounds", "is in the list already"),
        ("elimination.replay.delay_s_per_move", "-1", "Enter a whole number"),
        ("elimination.replay.delay_s_per_move", "1000", "must be a whole number from 0 to 999, not 1000"),
        ("elimination.replay.min_minutes_per_player", "half an hour", "Enter a whole number"),
        ("elimination.draw_rule", "coin", "not one of the available choices"),
        ("drop.walkover", "nobody", "not one of the available choices"),
        ("bye.to", "", "This field is required"),
        ("pairing.objective", "luck", "not one of the available choices"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_nothing_is_saved(client, book, field, typed, words):
    html = page(answer := draft(client, book, {**sent(book), field: typed}))
    assert answer.status_code == 422 and "Not saved: 1 thing to fix" in html
    at = html.index(f'id="error_1_id_{field}"')
    assert words in html[at : at + 400]
    assert f'data-fault="id_{field}"' in html
    book.refresh_from_db()
    assert book.draft_revision == 1


def test_a_page_from_before_the_lists_changes_nothing_of_them(client, book):
    data = {name: value for name, value in sent(book, match_points__draw="0.4").items()
            if not name.startswith((f"{CRITERIA}-", "elimination.colours-"))}  # fmt: skip
    assert draft(client, book, data).status_code == 303
    assert rules_of(book)["match_points"]["draw"] == "0.4"
    assert (book.draft["pairing"]["criteria"], len(book.draft["elimination"]["colours"])) == (TWIXT, 3)


@pytest.mark.long
def test_a_list_out_of_all_proportion_is_refused(client, book):
    answer = draft(client, book, {**sent(book), f"{CRITERIA}-TOTAL_FORMS": "100000"})
    assert answer.status_code == 422
    assert draft(client, book, {**sent(book), f"{CRITERIA}-TOTAL_FORMS": "x"}).status_code == 422
    assert draft(client, book, {**sent(book), "do": f"up-{CRITERIA}-x"}).status_code == 200


def test_time_limits_are_whole_numbers_and_an_emptied_one_is_the_usual_one(client, book):
    prefix = "elimination.replay."
    typed = {f"{prefix}min_minutes_per_player": "", f"{prefix}delay_s_per_move": "0"}
    assert draft(client, book, {**sent(book), **typed}).status_code == 303
    rest = {"delay_s_per_move": 0, "min_remaining_minutes_for_later_rounds": 50}
    assert rules_of(book)["elimination"]["replay"] == rest
    html = page(client.get(f"/rulesets/{book.key}/draft/"))
    assert "minimum minutes for each player 20; seconds of delay per move 0;" in html


def test_choices_alternates_and_byes_are_saved_and_shown_in_words(client, book):
    data = sent(book, drop__walkover="highest_ranked_remaining_gets_bye", elimination__draw_rule="higher_seed",
                bye__to="lowest_score_group_random", pairing__objective="protect_top")  # fmt: skip
    del data["cut.alternates"]
    assert draft(client, book, data).status_code == 303
    rules = rules_of(book)
    assert rules["cut"]["alternates"] is False and rules["pairing"]["objective"] == "protect_top"
    html = page(client.get(f"/rulesets/{book.key}/draft/"))
    for words in (
        "When a player drops from the bracket, the bye goes to: the best seed still to play.",
        "A drawn bracket match: the better seed advances.",
        "It goes to a random player in the lowest score group.",
        "Score differences: the smallest from the top score group down.",
        "An alternate replaces a player who drops before playing in the bracket: no.",
    ):
        assert words in html
    assert (
        "Time limits of a repeat game: minimum minutes for each player 20" not in html
    )  # no game is repeated


@pytest.mark.parametrize("stated", [None, "balance"])
def test_what_holds_anyway_is_offered_once_and_stays_as_it_is_stated(client, ada, stated):
    book = RulebookFactory(owner=ada, copied="twixt")
    if stated:
        draft(client, book, sent(book, pairing__objective="protect_top"))
        pairing = {**book.draft["pairing"], "objective": stated}
        Rulebook.objects.filter(pk=book.pk).update(draft={**book.draft, "pairing": pairing})
        book.refresh_from_db()
    html = page(client.get(f"/rulesets/{book.key}/draft/"))
    select = html[html.index('name="pairing.objective"') :].partition("</select>")[0]
    assert select.count("<option") == 2 and f'value="{stated or ""}" selected' in select
    assert draft(client, book, sent(book, match_points__draw="0.4")).status_code == 303
    assert rules_of(book)["pairing"].get("objective") == stated


@pytest.mark.parametrize("part", [f"up-{CRITERIA}-1", f"add-{CRITERIA}-", "remove-elimination.colours-0"])
def test_a_list_answers_by_itself_without_saving(client, book, part):
    answer = client.post(f"/rulesets/{book.key}/draft/order/", {**sent(book), "do": part})
    html = page(answer)
    assert answer.status_code == 200 and html.count('class="word-list"') == 1 and 'id="order"' not in html
    book.refresh_from_db()
    assert book.draft_revision == 1


def test_the_page_of_twixt_says_what_is_done_where_its_document_is_silent(client):
    html = page(client.get("/rulesets/twixt/"))
    for words in (
        "Score differences: the smallest sum of squares: 2 pairs 1 point apart before 1 pair 2 points apart.",
        "It goes to the last player by seed in the lowest score group, because halves and neighbors leave that "
        "player over. The rules name only the score group: this is our reading.",
        "First moves in round 1: a coin toss for the first table; the other tables alternate.",
        "no rematches → small score differences → no one on the same side every round",
        "minimum minutes for each player 20; seconds of delay per move 30; minutes kept for later rounds 50.",
        "no one on the same side every round → everyone alternates sides → the better seed has precedence.",
    ):
        assert words in html
    for word in ("not_same_all_rounds&#x27;", "replay_colours", "lowest_score_group", "min_minutes"):
        assert word not in html


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("mtr", "It goes to a random player in the lowest score group."),
        ("uscf", "It goes to the last player by seed in the lowest score group, because"),
        (
            "fide",
            "In round 1 it goes to the last player by seed, later to a random player in the lowest score group.",
        ),
    ],
)
def test_every_ruleset_says_who_gets_the_bye(client, key, words):
    assert words in page(client.get(f"/rulesets/{key}/"))


def test_of_draws_in_the_bracket_one_field_decides(client):
    """FIDE's ruleset allows them in words, and its rule for them does not."""
    assert resolve("fide")["draws_allowed"]["elimination"]
    html = page(client.get("/rulesets/fide/"))
    assert "A drawn bracket match: not allowed." in html and "A bracket match may be drawn" not in html


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("mtr", "Players can request: zero-point bye."),
        ("twixt", "Players can request: zero-point bye."),
        (
            "fide",
            "Players can request: zero-point bye, half-point bye. "
            "Number of last rounds with zero-point byes only: 1.",
        ),
        ("uscf", "Other byes in these rounds, if requested before the pairing of round: 3."),
    ],
)
def test_every_ruleset_says_which_byes_players_can_request(client, key, words):
    assert words in page(client.get(f"/rulesets/{key}/"))


@pytest.mark.parametrize(("key", "said"), [("fide", True), ("uscf", True), ("mtr", False)])
def test_the_page_says_where_a_forfeit_is_no_meeting(client, key, said):
    html = page(client.get(f"/rulesets/{key}/"))
    assert ("A forfeit is no meeting: the same two can be paired again." in html) is said
    assert "First moves in round 1: not set" not in html
