import pytest

from standings.bracket.cut import make_cut
from standings.preview.rule_change import compute_effect
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.standings.views.test_standings import club
from tournament.results.slip import Slip
from tournament.services.results import record_result

FLOOR = {"percentages.match_floor": "1/3"}


@pytest.fixture
def owner(client):
    user = UserFactory()
    client.force_login(user)
    return user


def running(owner, **fields):
    return club(4, 1, owner=owner, **fields)


def address(tournament):
    return f"/t/{tournament.slug}/desk/rules/"


def fields_of(client, tournament, **query):
    return page(client, address(tournament), **query).form("Save").fields


def ask(client, tournament, changes, **more):
    return Page(client.post(address(tournament), {**fields_of(client, tournament), **changes, **more}))


def confirm(client, shown, reason="The league decided so."):
    form = shown.form("Change the rules")
    return Page(client.post(form.action, {**form.fields, "reason": reason}))


def titles_in(part) -> list[str]:
    return [step["data-title"] for step in part.soup.select("#order [data-step]")]


def test_before_round_one_the_owner_changes_fields_at_once_or_takes_another_ruleset(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner)
    wrong = ask(client, tournament, {"percentages.match_floor": "two"})
    assert wrong.status == 422 and "exact share" in wrong
    for floor, overrides in (("1/3", {"percentages": {"match_floor": "1/3"}}), ("33/100", {})):
        assert ask(client, tournament, {"percentages.match_floor": floor}).status == 303
        tournament.refresh_from_db()
        assert tournament.overrides == overrides and tournament.profile is None
    assert "Cumulative" in page(client, address(tournament), ruleset="twixt:1")
    twixt = fields_of(client, tournament, ruleset="twixt:1")
    assert client.post(address(tournament), twixt).status_code == 303
    tournament.refresh_from_db()
    assert tournament.ruleset.key == "twixt" and tournament.overrides == {}


def test_after_round_one_the_effect_is_shown_and_confirmed_once_with_a_reason(client, owner):
    tournament = running(owner)
    revision = tournament.revision
    unchanged = ask(client, tournament, {})
    assert unchanged.status == 422 and "Nothing would change" in unchanged
    draw = ask(client, tournament, {"match_points.draw": "2"})
    assert "Nothing is saved yet" in draw and "ranks change" in draw
    assert draw.all(".changes li") == ["Match points for a draw: was 1 → is 2"]
    effect = ask(client, tournament, FLOOR)
    again = confirm(client, effect, reason=" ")
    assert again.status == 422 and "Nothing is saved yet" in again
    tournament.refresh_from_db()
    assert tournament.revision == revision
    assert [confirm(client, effect).status for _ in range(2)] == [303, 303]
    told = "Changed after round 1: Minimum match-win %. Reason: The league decided so."
    for shown in (address(tournament), f"/t/{tournament.slug}/standings/", f"/t/{tournament.slug}/rules/"):
        assert told in page(client, shown), shown
    data = client.get(f"/t/{tournament.slug}/standings.json").json()["rule_changes"]
    assert [change["reason"] for change in data] == ["The league decided so."]
    assert confirm(client, ask(client, tournament, {"percentages.match_floor": ""})).status == 303
    tournament.refresh_from_db()
    assert tournament.profile["percentages"]["match_floor"] is None
    another = fields_of(client, tournament, ruleset="dci1999:1")
    assert confirm(client, Page(client.post(address(tournament), another))).status == 303
    tournament.refresh_from_db()
    assert tournament.ruleset.key == "dci1999"


def test_a_result_that_comes_in_between_shows_the_effect_again(client, owner):
    tournament = running(owner)
    RoundFactory(tournament=tournament)
    first = ask(client, tournament, {"match_points.win": "5"})
    record_result(tournament, 2, 1, Slip("played", 0, 2))
    again = confirm(client, first)
    assert again.status == 409 and "Something changed while you were looking" in again
    assert "The league decided so." in again
    tournament.refresh_from_db()
    assert "rule_changes" not in tournament.profile
    assert confirm(client, again).status == 303


def test_buttons_move_a_tiebreak_and_save_nothing(client, owner):
    tournament = running(owner)
    revision = tournament.revision
    moved = ask(client, tournament, {}, do="down-1")
    assert titles_in(moved)[:3] == ["Match points", "Game-win %", "Opponents' match-win %"]
    down = {**fields_of(client, tournament), "do": "down-1"}
    part = Page(client.post(f"{address(tournament)}order/", down))
    assert titles_in(part)[1] == "Game-win %" and not part.all("html")
    tournament.refresh_from_db()
    assert tournament.revision == revision
    effect = Page(client.post(address(tournament), moved.form("Save").fields))
    assert "Standings order" in effect and confirm(client, effect).status == 303
    tournament.refresh_from_db()
    order = [step["metric"] for step in tournament.profile["tiebreaks"]]
    assert order[:3] == ["match_points", "game_win_pct", "opp_match_win_pct"]


def test_a_second_press_that_meets_the_first_halfway_is_answered_as_the_first(client, owner, monkeypatch):
    tournament = running(owner)
    review = ask(client, tournament, FLOOR)
    answers = []

    def compute_after_the_other_press(*args):
        if not answers:
            answers.append(None)
            answers[0] = confirm(client, review).answer
        return compute_effect(*args)

    monkeypatch.setattr("standings.preview.rule_change.compute_effect", compute_after_the_other_press)
    answers.append(confirm(client, review).answer)
    assert {(answer.status_code, answer["Location"]) for answer in answers} == {(303, address(tournament))}
    assert tournament.actions.filter(kind="rules").count() == 1


@pytest.mark.long
def test_hostile_posts_and_a_forged_confirmation_change_nothing(client, owner):
    tournament = running(owner)
    revision = tournament.revision
    filled = fields_of(client, tournament)
    for sent in (
        {"ruleset": "nothing:1"},
        {"steps-TOTAL_FORMS": "9999", "do": "up-x"},
        {"steps-0-metric": "nothing", "match_points.win": "∞", "percentages.match_floor": "1/0"},
        {"key": "<b>", "match_points.win": "4"},
    ):
        assert client.post(address(tournament), {**filled, **sent}).status_code in (200, 422), sent
    assert client.post(address(tournament), {}).status_code == 422
    for sent in ({}, {"change": "x", "reason": "So."}, {"reason": "So.", "digest": "0"}):
        assert client.post(f"{address(tournament)}change/", sent).status_code == 400
    tournament.refresh_from_db()
    assert tournament.revision == revision
    confirm(client, ask(client, tournament, FLOOR), reason="<script>alert(1)</script>")
    text = client.get(f"/t/{tournament.slug}/standings/").content.decode()
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text


def test_the_owner_moves_a_pairing_criterion_and_its_place_is_kept_with_the_event(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner, ruleset="twixt")
    moved = ask(client, tournament, {"do": "up-pairing.criteria-3"})
    assert client.post(address(tournament), moved.form("Save").fields).status_code == 303
    tournament.refresh_from_db()
    order = ["repeats", "score_difference", "fold", "not_same_side_all_rounds", "alternate_sides"]
    assert tournament.overrides == {"pairing": {"criteria": order}}
    told = "small score differences → top half against bottom half → no one on the same side"
    assert told in page(client, f"/t/{tournament.slug}/rules/")


def test_a_bracket_stays_as_it_is_drawn_and_what_it_goes_by_is_fixed(client, owner):
    tournament = running(owner, ruleset="twixt")
    make_cut(tournament, 4)
    places = tournament.stages.get(kind="elimination").stage_entries.order_by("seed")
    seeds = list(places.values_list("seed", "entry__code"))
    sent = fields_of(client, tournament)
    assert "pairing.criteria-0-word" in sent and "bye.to" in sent
    assert not [name for name in sent if name.startswith("elimination.")]
    assert not {"cut.alternates", "drop.walkover"} & set(sent)
    sent |= {"elimination.draw_rule": ["higher_seed"], "elimination.colours-TOTAL_FORMS": ["0"]}
    assert "Nothing would change" in Page(client.post(address(tournament), sent))
    part = Page(client.post(f"{address(tournament)}order/", {**sent, "do": "up-elimination.colours-1"}))
    assert part.status == 400 and "does not allow changes" in part
    effect = ask(client, tournament, {"match_points.win": "5"})
    assert "The bracket, its seeds and its matches." in effect
    assert confirm(client, effect).status == 303
    assert list(places.values_list("seed", "entry__code")) == seeds


@pytest.mark.long
def test_the_version_of_fides_rules_is_shown_changed_and_warned_of(client, owner):
    starts_at = "2024-06-01T10:00:00+00:00"
    tournament = TournamentFactory(entries=4, owner=owner, ruleset="fide", starts_at=starts_at)
    public = f"/t/{tournament.slug}/rules/"
    warning = "FIDE's rules on the date of this event (2024-06-01) are those of 2023, not these."
    for told in (page(client, address(tournament)), page(client, public)):
        assert "2023 to February 2026" in told and warning not in told and "Changed from" not in told
    assert ask(client, tournament, {"fide_version": "2009"}).status == 303
    tournament.refresh_from_db()
    assert tournament.overrides == {"fide_version": 2009}
    assert page(client, address(tournament)).words.count(warning) == 2  # once for what was saved
    RoundFactory(tournament=tournament)
    assert warning in page(client, public)
    effect = ask(client, tournament, {"fide_version": ""})
    assert "2009 to 2022" in effect and confirm(client, effect).status == 303
    tournament.refresh_from_db()
    assert tournament.profile["fide_version"] == 2023
    assert warning not in page(client, address(tournament))
