"""Setting up: a new event by name and game, its settings on one page, and its end."""

import datetime as dt
import html
import re

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.actionlog.fold import state_at
from tournament.archive.load import dump_event
from tournament.errors import NotFound
from tournament.forms.event_settings import SettingsForm
from tournament.history.describe import describe_actions
from tournament.models import Action, Staff, Tournament
from tournament.rulebooks.games import GAMES, usual_ruleset
from tournament.rulesets import presets
from tournament.services.entries import add_entries
from tournament.services.event_deletion import delete_event
from tournament.services.event_settings import change_settings
from tournament.services.events import archive_event, create_tournament, finish_tournament
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
HIDDEN = re.compile(r'<input type="hidden" name="(seen|key)" value="([^"]*)"')
NEW = {"name": "Friday night", "game": "Pokémon", "key": "abc"}


@pytest.fixture
def owner(client):
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def page(answer) -> str:
    return answer.content.decode()


def sent(tournament, **changed):
    """What the settings page would send if its button were pressed, with some fields changed."""
    form = SettingsForm(tournament=tournament, suggested=(5, 8), players=24)
    data = {name: form[name].value() for name in form.fields}
    return {
        name: value for name, value in {**data, **changed}.items() if value is not None and value is not False
    } | ({"listed": "False"} if data["listed"] is False and "listed" not in changed else {})


def save(client, tournament, **changed):
    tournament.refresh_from_db()
    return client.post(f"/t/{tournament.slug}/desk/settings/", sent(tournament, **changed))


# --- a new event


def test_name_and_game_are_enough_and_the_form_is_done_once(client, owner):
    for _ in range(2):
        answer = client.post("/new/", NEW)
        assert (answer.status_code, answer["Location"]) == (303, "/t/friday-night/desk/players/")
    tournament = Tournament.objects.get()
    assert (tournament.game, tournament.ruleset.key, tournament.listed) == ("Pokémon", "pokemon", True)
    assert Staff.objects.get(tournament=tournament, user=owner).role == "owner"
    assert client.post("/new/", {**NEW, "name": "Other"}).status_code == 409
    assert Tournament.objects.count() == 1


def test_every_game_that_is_offered_has_a_ruleset_that_ships():
    for name, _words, key in GAMES:
        assert key in presets() and usual_ruleset(name) == key


@pytest.mark.parametrize(
    ("game", "ruleset"),
    [("MTG", "mtr"), ("yu-gi-oh!", "yugioh"), ("chess960 or Chess", "fide"), ("Go", "go_mcmahon"), ("Gogo", "cardeio"),
     ("", "cardeio"), ("ONE PIECE", "bandai")],
)  # fmt: skip
def test_the_game_says_the_usual_ruleset(client, owner, game, ruleset):
    client.post("/new/", {"name": "Cup", "game": game})
    assert Tournament.objects.get().ruleset.key == ruleset


def test_a_new_event_may_say_more(client, owner):
    more = {"ruleset": "mtr", "rounds_planned": 6, "cut": 8, "best_of": 1, "round_minutes": 50, "team": "on",
            "venue": "Town hall", "starts_at": "2026-11-28T10:30", "time_zone": "Europe/Berlin",
            "listed": "False"}  # fmt: skip
    client.post("/new/", {**NEW, **more})
    tournament = Tournament.objects.get()
    assert (tournament.rounds_planned, tournament.cut, tournament.best_of) == (6, 8, 1)
    assert (tournament.team, tournament.venue, tournament.listed) == (True, "Town hall", False)
    assert tournament.starts_at.isoformat() == "2026-11-28T09:30:00+00:00"


def test_nonsense_about_an_event_gets_a_4xx_and_makes_none(client, owner):
    for field, values in {
        "name": ["", "\x00", "x" * 999],
        "game": ["\x00", "x" * 81],
        "ruleset": ["no such", "\x00"],
        "rounds_planned": ["-1", "99999999999", "x"],
        "cut": ["1", "65", "-2"],
        "best_of": ["2", "x"],
        "starts_at": ["yesterday", "9999999-01-01", "0001-01-01T00:00", "9999-12-31T23:59"],
        "time_zone": ["Mars/Olympus", "../etc", "localtime"],
        "listed": ["perhaps"],
    }.items():
        for value in values:
            assert client.post("/new/", {**NEW, field: value}).status_code == 422, (field, value)
    assert client.post("/new/", {**NEW, "name": "\u202e\u200b"}).status_code == 400
    assert "data-own-zone" not in page(client.post("/new/", {"time_zone": "UTC"}))  # what was sent stays
    assert not Tournament.objects.exists()


def test_the_chosen_rules_are_told_in_words(client, owner):
    text = page(client.get("/new/"))
    assert "Magic DCI 1999 · from the publisher&#x27;s own text" in text
    html = page(client.get("/rulesets/words/?ruleset=dci1999&game=Chess"))
    assert "Magic DCI 1999" in html and "the 33% minimum" in html and "Win 3, draw 1, loss 0" in html
    assert "FIDE" in page(client.get("/rulesets/words/?game=Chess"))
    assert client.get("/rulesets/words/?ruleset=nothing").status_code == 404


# --- settings


def test_nothing_is_suggested_for_nobody(client, owner):
    text = page(client.get(f"/t/{TournamentFactory(entries=0, owner=owner).slug}/desk/settings/"))
    assert "for 0 players" not in text and "by the number of players" in text


def test_every_setting_is_on_one_page_and_is_saved(client, owner):
    tournament = TournamentFactory(
        entries=24,
        owner=owner,
        game="Magic",
        starts_at="2026-11-27T17:00:00+00:00",
        time_zone="Europe/Berlin",
    )
    text = page(client.get(f"/t/{tournament.slug}/desk/settings/"))
    assert (
        "If empty, 5: the ruleset&#x27;s number for 24 players." in text and "ruleset default: top 8" in text
    )
    assert 'value="2026-11-27T18:00"' in text
    fields = {"name": "Saturday", "game": "Chess", "venue": "Gym", "starts_at": "2026-11-28T10:00",
              "time_zone": "Europe/London", "rounds_planned": 7, "cut": 0, "round_minutes": 50, "best_of": 1,
              "team": "on", "first_table": 11, "table_plan": "1-16, Stream", "skip_tables": "13, 15-17",
              "capacity": 30, "feature_rule": "rotate", "vary_tables": "",
              "decklist_rule": "late", "decklists_until": "2026-11-28T09:30", "deck_least": 40, "deck_most": 60,
              "sideboard_most": 0, "reporting": "staff",
              "name_privacy": "initial", "listed": "False", "hold_standings": "on",
              "judge_results": "on", "judge_clock": "on", "judge_drops": False}  # fmt: skip
    answer = save(client, tournament, **fields)
    assert answer["Location"] == f"/t/{tournament.slug}/desk/settings/"
    tournament.refresh_from_db()
    now = {name: getattr(tournament, name) for name in fields}
    assert now == {**fields, "starts_at": dt.datetime(2026, 11, 28, 10, tzinfo=dt.UTC), "team": True,
                   "decklists_until": dt.datetime(2026, 11, 28, 9, 30, tzinfo=dt.UTC),
                   "vary_tables": False, "listed": False, "hold_standings": True, "judge_results": True,
                   "judge_clock": True,
                   "skip_tables": [13, 15, 16, 17]}  # fmt: skip
    assert 'value="13, 15-17"' in page(client.get(f"/t/{tournament.slug}/desk/settings/"))
    log = page(client.get(f"/t/{tournament.slug}/desk/log/"))
    assert "venue none → Gym" in log and "tables to skip none → 13, 15, 16, 17" in log
    assert "start 2026-11-27 17:00 → 2026-11-28 10:00" in log  # on the clock of London, where it is now


def test_saving_what_is_there_changes_nothing(client, owner):
    tournament = TournamentFactory(
        entries=2,
        owner=owner,
        listed=False,
        skip_tables=[3],
        starts_at="2026-11-27T17:00:31+00:00",
        decklists_until="2026-11-27T16:00:31+00:00",
    )
    assert save(client, tournament).status_code == 303
    assert not tournament.actions.filter(kind="settings").exists()


def test_two_people_who_change_different_settings_do_not_undo_each_other(client, owner):
    tournament = TournamentFactory(entries=2, owner=owner)
    mine = sent(tournament, venue="Gym")
    change_settings(tournament, round_minutes=40)
    assert client.post(f"/t/{tournament.slug}/desk/settings/", mine).status_code == 303
    tournament.refresh_from_db()
    assert (tournament.venue, tournament.round_minutes) == ("Gym", 40)


def test_the_same_setting_changed_by_two_shows_both_values_and_saves_neither(client, owner):
    tournament = TournamentFactory(entries=2, owner=owner)
    mine = sent(tournament, venue="Gym")
    change_settings(tournament, venue="School", cut=4)
    answer = client.post(f"/t/{tournament.slug}/desk/settings/", mine)
    assert answer.status_code == 409
    assert re.search("venue.*School.*Gym", page(answer), re.DOTALL)
    tournament.refresh_from_db()
    assert tournament.venue == "School"
    assert re.search(
        '<option value="4"[^>]* selected', page(answer)
    )  # what only the other one changed is kept
    again = {name: html.unescape(value) for name, value in HIDDEN.findall(page(answer))}
    assert (
        client.post(f"/t/{tournament.slug}/desk/settings/", {**mine, **again, "cut": "4"}).status_code == 303
    )
    tournament.refresh_from_db()
    assert (tournament.venue, tournament.cut) == ("Gym", 4)


def test_settings_no_event_can_have_are_refused_in_words(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner)
    for field, value, words in (
        ("capacity", "3", "4 players already have a spot"),
        ("skip_tables", "3-1", "Enter table numbers such as 3, 7, 12-15."),
        ("skip_tables", "1-9999", "Enter at most 500 tables"),
        ("skip_tables", "²", "Enter table numbers"),
        ("table_plan", "A 4-1", "“A 4-1” is not a block of tables. Enter blocks such as A 1-16"),
        ("table_plan", "A 1-4, 4", "two tables have the number 4"),
        ("first_table", "0", "Enter a whole number from 1 to"),
        ("round_minutes", "601", "Enter a whole number from 1 to 600."),
        ("first_table", "", "required"),
        ("time_zone", "Mars", "Unknown time zone"),
        ("seen", "[1", "did not arrive intact"),
        ("name", "\u2066", "Enter an event name"),
    ):
        answer = save(client, tournament, **{field: value})
        assert 400 <= answer.status_code < 500 and words in page(answer), (field, value)
    assert save(client, tournament, seen='{"starts_at": 7, "venue": [], "cut": {}}').status_code < 500
    assert not tournament.actions.filter(kind="settings").exists()


def test_six_players_are_told_that_they_cannot_play_six_rounds(client, owner):
    tournament = TournamentFactory(entries=6, owner=owner, rounds_planned=6)
    assert f"/t/{tournament.slug}/desk/rounds-check/part/" in page(
        client.get(f"/t/{tournament.slug}/desk/settings/")
    )
    part = page(client.get(f"/t/{tournament.slug}/desk/rounds-check/part/"))
    assert "6 players cannot play 6 rounds without rematches" in part


def test_the_rules_are_fixed_and_told_so_once_round_one_is_published(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner)
    RoundFactory(tournament=tournament)
    text = page(client.get(f"/t/{tournament.slug}/desk/settings/"))
    assert text.count("Fixed when round 1 was published.") == 2
    assert save(client, tournament, best_of="1", venue="Gym").status_code == 303
    tournament.refresh_from_db()
    assert (tournament.best_of, tournament.venue) == (None, "Gym")


def test_the_settings_lead_to_the_prizes_and_to_what_the_end_waits_for(client, owner):
    tournament = TournamentFactory(entries=4, published=True, owner=owner)
    page = client.get(f"/t/{tournament.slug}/desk/settings/").content.decode()
    assert f'href="/t/{tournament.slug}/desk/prizes/"' in page
    assert f'href="/t/{tournament.slug}/desk/finish/"' in page and "Round 1: 2 tables" not in page
    assert (
        "Round 1: 2 tables are outstanding"
        in client.get(f"/t/{tournament.slug}/desk/finish/").content.decode()
    )


def test_a_finished_event_takes_a_new_name_but_no_new_cut(client, owner):
    tournament = TournamentFactory(entries=4, rounds=2, owner=owner)
    finish_tournament(tournament)
    assert save(client, tournament, name="Friday, the first").status_code == 303
    assert save(client, tournament, cut="4").status_code == 409
    tournament.refresh_from_db()
    assert (tournament.name, tournament.cut) == ("Friday, the first", None)


def test_the_settings_cost_the_same_at_two_players_and_at_sixty(client, owner):
    counts = []
    for players in (2, 60):
        tournament = TournamentFactory(entries=players, owner=owner)
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/t/{tournament.slug}/desk/settings/")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 10


# --- the end


def test_an_event_goes_for_good_when_its_name_is_typed(client, owner):
    tournament, other = (
        TournamentFactory(entries=6, rounds=2, owner=owner),
        TournamentFactory(entries=3, owner=owner, name="Other"),
    )
    address = f"/t/{tournament.slug}/desk/delete/"
    assert "<li>6 players</li>" in page(client.get(address)) and "2 published rounds" in page(
        client.get(address)
    )
    for typed in ("", "friday night", "Other"):
        assert client.post(address, {"name": typed}).status_code == 422
    tournament.refresh_from_db()
    answer = client.post(address, {"name": f" {tournament.name} "}, follow=True)
    assert f"{tournament.name} is deleted." in page(answer)
    assert [t.pk for t in Tournament.objects.all()] == [other.pk]
    assert set(Action.objects.values_list("tournament", flat=True)) == {other.pk}
    assert client.get(address).status_code == 404


def test_what_arrives_after_the_deletion_is_told_so(owner):
    tournament = TournamentFactory(entries=2, owner=owner)
    same = Tournament.objects.get(pk=tournament.pk)
    delete_event(tournament, tournament.name)
    for late in (lambda: add_entries(same, ["Late"]), lambda: delete_event(same, same.name)):
        with pytest.raises(NotFound, match="has been deleted"):
            late()


def test_who_is_no_owner_deletes_nothing(client, owner):
    tournament = TournamentFactory(entries=2, owner=UserFactory())
    Staff.objects.create(tournament=tournament, user=owner, role="scorekeeper")
    assert client.post(f"/t/{tournament.slug}/desk/delete/", {"name": tournament.name}).status_code == 403
    assert Tournament.objects.exists()


def test_more_places_let_those_play_who_wait(owner):
    tournament = create_tournament("Full", "mtr", owner=owner, capacity=2)
    add_entries(tournament, ["Ada", "Bo"])
    change_settings(tournament, capacity=3)
    assert tournament.capacity == 3


def test_the_owner_archives_an_event_after_a_question_and_takes_it_out_again(client, owner):
    tournament = TournamentFactory(owner=owner, entries=4, rounds=1, finished=True, self_registration=True)
    desk = f"/t/{tournament.slug}/desk/"
    assert f'"{desk}archive/"' in page(client.get(f"{desk}settings/"))
    for question, answer, sentence, state in (
        ("Archive Friday night?", {"archived": "True"}, "event archived", True),
        ("Take Friday night out of the archive?", {}, "event taken out of the archive", False),
    ):
        asked = page(client.get(f"{desk}archive/"))
        key = re.search(r'name="key" value="(\w+)"', asked)[1]
        assert question in asked and ('name="archived" value="True"' in asked) == state
        for _twice in range(2):
            assert client.post(f"{desk}archive/", {**answer, "key": key}).status_code == 303
        tournament.refresh_from_db()
        assert tournament.archived is state and not tournament.self_registration
        last = describe_actions(tournament, [tournament.actions.latest("number")])[0].sentence
        assert last.lower().startswith(sentence)
    assert tournament.actions.filter(kind="archive").count() == 2


def test_an_archived_event_is_a_fact_that_the_log_rebuilds_and_no_file_holds(owner):
    tournament = TournamentFactory(owner=owner, entries=4, rounds=1, finished=True)
    archive_event(tournament, actor=owner)
    assert '"archived"' not in dump_event(tournament).split('"log":')[0]
    assert state_at(tournament)["tournament"]["archived"] is True
    call_command("replay", tournament.slug)
    undo_action(tournament, tournament.revision, actor=owner)
    tournament.refresh_from_db()
    assert not tournament.archived
