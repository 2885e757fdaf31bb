"""The rules of an event at the desk: the owner changes them, after round 1 only what was shown, with a reason."""

import html
import re

import pytest

from standings.rulesets.change import confirm_change, effect_of
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.steps import complete_round
from tests.tournament.views.desk import key
from tournament.models import Staff
from tournament.results.slip import Slip
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db

BY_TIME = {"tiebreaks": [{"metric": m} for m in ("match_points", "cumulative", "random")]}
FLOOR = {"percentages.match_floor": "1/3"}


@pytest.fixture
def owner(client):
    user = UserFactory()
    client.force_login(user)
    return user


def running(owner, players=4, rounds=1, **fields):
    tournament = TournamentFactory(entries=players, rounds=rounds, owner=owner, **fields)
    complete_round(tournament, rounds)
    return tournament


def address(tournament):
    return f"/t/{tournament.slug}/desk/rules/"


def fields_of(text):
    """Everything the form on the page would send, as the browser sends it."""
    form = text[
        text.index('class="panel rules-form"') if "rules-form" in text else text.rindex("<form method") :
    ]
    sent: dict[str, list[str]] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = (re.search(rf'{what}="([^"]*)"', tag) for what in ("name", "value"))
        ticked = "on" if 'type="checkbox"' in tag else ""
        if name and (not ticked or "checked" in tag):
            sent.setdefault(name[1], []).append(html.unescape(value[1]) if value else ticked)
    for name, inner in re.findall(r'<select name="([^"]+)".*?>(.*?)</select>', form, re.S):
        match = re.search(r'<option value="([^"]*)" selected', inner)
        sent.setdefault(name, []).append(match[1] if match else "")
    sent.pop("csrfmiddlewaretoken", None)
    return sent


def ask(client, tournament, changes, **more):
    """Fill in the form, change some fields, send it."""
    sent = fields_of(client.get(address(tournament)).content.decode())
    return client.post(address(tournament), {**sent, **changes, **more})


def confirm(client, tournament, response, reason="The league decided so."):
    """Send the confirmation that stands on the page."""
    sent = fields_of(response.content.decode())
    return client.post(address(tournament) + "change/", {**sent, "reason": reason})


def test_before_round_one_the_owner_changes_fields_at_once(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner)
    assert ask(client, tournament, FLOOR).status_code == 303
    tournament.refresh_from_db()
    assert tournament.overrides == {"percentages": {"match_floor": "1/3"}} and tournament.profile is None
    assert ask(client, tournament, {"percentages.match_floor": "33/100"}).status_code == 303
    tournament.refresh_from_db()
    assert tournament.overrides == {}


def test_before_round_one_another_ruleset_is_taken(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner)
    page = client.get(address(tournament), {"ruleset": "twixt:1"}).content.decode()
    assert "Cumulative" in page
    assert client.post(address(tournament), fields_of(page)).status_code == 303
    tournament.refresh_from_db()
    assert tournament.ruleset.key == "twixt" and tournament.overrides == {}


def test_rulesets_to_take_say_how_sure_they_are_and_unverified_ones_stand_apart(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner)
    text = client.get(f"/t/{tournament.slug}/desk/rules/").content.decode()
    groups = text.split('<select name="ruleset"')[1].split("</select>")[0].split("<optgroup")
    assert "Magic DCI 1999 · from the publisher" in groups[1]
    assert 'label="Unverified: check before you rely on them"' in groups[-1] and "Altered" in groups[-1]


def test_what_is_wrong_stands_at_its_field_and_nothing_is_saved(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner)
    response = ask(client, tournament, {"percentages.match_floor": "two"})
    assert response.status_code == 422 and "exact share" in response.content.decode()
    tournament.refresh_from_db()
    assert tournament.overrides == {}


def test_after_round_one_the_effect_is_shown_and_nothing_saved(client, owner):
    tournament = running(owner)
    revision = tournament.revision
    text = ask(client, tournament, {"match_points.draw": "2"}).content.decode()
    assert "Nothing is saved yet" in text and "ranks change" in text
    assert re.search(r"Match points for a draw</strong>:\s*<del>.*?1</del>.*?2</ins>", text, re.S)
    tournament.refresh_from_db()
    assert tournament.revision == revision


def test_confirming_what_was_shown_changes_the_rules_with_the_reason(client, owner):
    tournament = running(owner)
    response = ask(client, tournament, FLOOR)
    assert confirm(client, tournament, response).status_code == 303
    tournament.refresh_from_db()
    assert tournament.profile["rule_changes"][0]["reason"] == "The league decided so."
    for page in (address(tournament), f"/t/{tournament.slug}/standings/", f"/t/{tournament.slug}/rules/"):
        text = client.get(page).content.decode()
        assert "Changed after round 1: Minimum match-win %. Reason: The league decided so." in text, page
    data = client.get(f"/t/{tournament.slug}/standings.json").json()["rule_changes"]
    assert [change["reason"] for change in data] == ["The league decided so."]


def test_a_minimum_is_taken_away_in_a_running_event_too(client, owner):
    tournament = running(owner)
    assert (
        confirm(client, tournament, ask(client, tournament, {"percentages.match_floor": ""})).status_code
        == 303
    )
    tournament.refresh_from_db()
    assert tournament.profile["percentages"]["match_floor"] is None


def test_without_a_reason_it_is_shown_again(client, owner):
    tournament = running(owner)
    response = confirm(client, tournament, ask(client, tournament, FLOOR), reason=" ")
    assert response.status_code == 422 and "Nothing is saved yet" in response.content.decode()
    tournament.refresh_from_db()
    assert "rule_changes" not in tournament.profile


def test_a_result_that_comes_in_between_shows_the_effect_again(client, owner):
    tournament = running(owner)
    number = RoundFactory(tournament=tournament).number
    first = ask(client, tournament, {"match_points.win": "5"})
    record_result(tournament, number, 1, Slip("played", 0, 2))
    again = confirm(client, tournament, first)
    assert again.status_code == 409 and "Something changed while you were looking" in again.content.decode()
    tournament.refresh_from_db()
    assert "rule_changes" not in tournament.profile
    assert "The league decided so." in again.content.decode()
    assert confirm(client, tournament, again).status_code == 303


def test_the_same_confirmation_twice_is_one_change(client, owner):
    tournament = running(owner)
    response = ask(client, tournament, FLOOR)
    for _ in range(2):
        assert confirm(client, tournament, response).status_code == 303
    tournament.refresh_from_db()
    assert len(tournament.profile["rule_changes"]) == 1


def test_buttons_move_a_tiebreak_and_save_nothing(client, owner):
    tournament = running(owner)
    revision = tournament.revision
    text = ask(client, tournament, {}, do="down-1").content.decode()
    titles = re.findall(r'data-step data-title="([^"]+)', text)
    assert titles[:3] == ["Match points", "Game-win %", "Opponents&#x27; match-win %"]
    tournament.refresh_from_db()
    assert tournament.revision == revision
    response = client.post(address(tournament), fields_of(text))
    assert "Standings order" in response.content.decode()
    assert confirm(client, tournament, response).status_code == 303
    tournament.refresh_from_db()
    order = [step["metric"] for step in tournament.profile["tiebreaks"]]
    assert order[:3] == ["match_points", "game_win_pct", "opp_match_win_pct"]


def test_the_order_moves_by_itself_with_htmx_for_the_owner_only(client, owner):
    tournament = running(owner)
    sent = fields_of(client.get(address(tournament)).content.decode())
    part = client.post(address(tournament) + "order/", {**sent, "do": "down-1"}).content.decode()
    assert re.findall(r'data-step data-title="([^"]+)', part)[1] == "Game-win %" and "<html" not in part
    client.force_login(UserFactory())
    assert client.post(address(tournament) + "order/", sent).status_code == 404


def test_nothing_changed_is_said(client, owner):
    response = ask(client, running(owner), {})
    assert response.status_code == 422 and "Nothing would change" in response.content.decode()


def test_a_second_press_that_meets_the_first_halfway_is_answered_as_the_first(client, owner, monkeypatch):
    tournament = running(owner)
    review = ask(client, tournament, FLOOR)
    answers = []

    def compute_after_the_other_press(*args):
        if not answers:
            answers.append(None)
            answers[0] = confirm(client, tournament, review)
        return effect_of(*args)

    monkeypatch.setattr("standings.rulesets.change.effect_of", compute_after_the_other_press)
    answers.append(confirm(client, tournament, review))
    assert {(answer.status_code, answer["Location"]) for answer in answers} == {(303, address(tournament))}
    assert tournament.actions.filter(kind="rules").count() == 1


def test_only_the_owner_changes_rules_and_takes_a_change_back(client, owner):
    tournament = running(UserFactory())
    Staff.objects.create(tournament=tournament, user=owner, role=Staff.Role.SCOREKEEPER)
    page = client.get(address(tournament))
    assert page.status_code == 200 and "rules-form" not in page.content.decode()
    assert client.post(address(tournament), {}).status_code == 403
    effect = effect_of(tournament, None, {"percentages": {"match_floor": "1/3"}})
    confirm_change(
        tournament, None, {"percentages": {"match_floor": "1/3"}}, digest=effect.digest, reason="So."
    )
    undo = {"number": tournament.revision, "key": key()}
    assert client.post(f"/t/{tournament.slug}/desk/undo/", undo).status_code == 403
    client.force_login(tournament.owner)
    assert client.post(f"/t/{tournament.slug}/desk/undo/", {**undo, "key": key()}).status_code == 303
    tournament.refresh_from_db()
    assert "rule_changes" not in tournament.profile
    client.logout()
    assert client.get(address(tournament)).status_code == 302


@pytest.mark.long
def test_hostile_posts_are_refused_in_words(client, owner):
    tournament = running(owner)
    revision = tournament.revision
    filled = fields_of(client.get(address(tournament)).content.decode())
    for sent in (
        {"ruleset": "nothing:1"},
        {"steps-TOTAL_FORMS": "9999", "do": "up-x"},
        {"steps-0-metric": "nothing", "match_points.win": "∞", "percentages.match_floor": "1/0"},
        {"key": "<b>", "match_points.win": "4"},
    ):
        assert client.post(address(tournament), {**filled, **sent}).status_code in (200, 422), sent
    assert client.post(address(tournament), {}).status_code == 422
    tournament.refresh_from_db()
    assert tournament.revision == revision


def test_a_forged_confirmation_changes_nothing(client, owner):
    tournament = running(owner)
    revision = tournament.revision
    for sent in ({}, {"change": "x", "reason": "So."}, {"reason": "So.", "digest": "0"}):
        assert client.post(address(tournament) + "change/", sent).status_code == 400
    tournament.refresh_from_db()
    assert tournament.revision == revision


def test_names_and_reasons_are_written_as_text(client, owner):
    tournament = running(owner)
    confirm(client, tournament, ask(client, tournament, FLOOR), reason="<script>alert(1)</script>")
    text = client.get(f"/t/{tournament.slug}/standings/").content.decode()
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text


def test_the_bracket_stays_as_it_is_drawn(client, owner):
    from standings.bracket.cut import make_cut

    tournament = running(owner)
    make_cut(tournament, 4)
    places = tournament.stages.get(kind="elimination").stage_entries.order_by("seed")
    seeds = list(places.values_list("seed", "entry__code"))
    response = ask(client, tournament, FLOOR)
    assert "The bracket, its seeds and its matches." in response.content.decode()
    confirm(client, tournament, response)
    assert list(places.values_list("seed", "entry__code")) == seeds


def test_the_owner_moves_a_pairing_criterion_and_its_place_is_kept_with_the_event(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner, ruleset="twixt")
    html_ = ask(client, tournament, {"do": "up-pairing.criteria-3"}).content.decode()
    sent = fields_of(html_)
    sent.pop("do", None)
    assert client.post(address(tournament), sent).status_code == 303
    tournament.refresh_from_db()
    order = ["repeats", "score_difference", "fold", "not_same_side_all_rounds", "alternate_sides"]
    assert tournament.overrides == {"pairing": {"criteria": order}}
    public = client.get(f"/t/{tournament.slug}/rules/").content.decode()
    assert "small score differences → top half against bottom half → no one on the same side" in public


def test_what_the_bracket_goes_by_is_not_in_the_form_once_it_is_set(client, owner):
    from standings.bracket.cut import make_cut

    tournament = running(owner, ruleset="twixt")
    make_cut(tournament, 4)
    sent = fields_of(client.get(address(tournament)).content.decode())
    assert "pairing.criteria-0-word" in sent and "bye.to" in sent
    assert not [name for name in sent if name.startswith("elimination.")] and not {
        "cut.alternates",
        "drop.walkover",
    } & set(sent)
    sent |= {"elimination.draw_rule": ["higher_seed"], "elimination.colours-TOTAL_FORMS": ["0"]}
    answer = client.post(address(tournament), sent)
    assert "Nothing would change" in answer.content.decode()
    htmx = client.post(f"{address(tournament)}order/", {**sent, "do": "up-elimination.colours-1"})
    assert htmx.status_code == 400 and "does not allow changes" in htmx.content.decode()


def test_the_next_round_is_paired_under_the_new_rules(client, owner):
    tournament = running(owner)
    confirm(client, tournament, ask(client, tournament, {"match_points.win": "5"}))
    tournament.refresh_from_db()
    number = RoundFactory(tournament=tournament).number
    enter_results(tournament, number)
    assert number == 2 and tournament.profile["match_points"]["win"] == "5"


@pytest.mark.long
def test_the_version_of_fides_rules_is_shown_changed_and_warned_of(client, owner):
    starts_at = "2024-06-01T10:00:00+00:00"
    tournament = TournamentFactory(entries=4, rounds=0, owner=owner, ruleset="fide", starts_at=starts_at)
    pages = (address(tournament), f"/t/{tournament.slug}/rules/")
    warning = "FIDE&#x27;s rules on the date of this event (2024-06-01) are those of 2023, not these."
    for page in pages:
        text = client.get(page).content.decode()
        assert "2023 to February 2026" in text and warning not in text and "Changed from" not in text
    assert ask(client, tournament, {"fide_version": "2009"}).status_code == 303
    tournament.refresh_from_db()
    assert tournament.overrides == {"fide_version": 2009}
    assert client.get(address(tournament)).content.decode().count(warning) == 2  # once for what was saved
    RoundFactory(tournament=tournament, results=True)
    complete_round(tournament, 1)
    assert warning in client.get(pages[1]).content.decode()
    response = ask(client, tournament, {"fide_version": ""})
    assert "2009 to 2022" in response.content.decode()
    assert confirm(client, tournament, response).status_code == 303
    tournament.refresh_from_db()
    assert tournament.profile["fide_version"] == 2023
    assert warning not in client.get(address(tournament)).content.decode()
