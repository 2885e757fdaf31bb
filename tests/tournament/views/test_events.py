import datetime as dt

import pytest
from django.core.management import call_command
from django.forms import BooleanField
from django.utils import timezone

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.pages import Page, page, press
from tournament.actionlog.fold import state_at
from tournament.archive.load import dump_event
from tournament.errors import NotFound
from tournament.event.games import GAMES, usual_ruleset
from tournament.event.read import load_event_values
from tournament.forms.event_settings import MOMENTS, TOPICS, SettingsForm
from tournament.history.describe import describe_actions
from tournament.models import Action, Staff, Tournament
from tournament.rulesets import presets
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_settings
from tournament.services.events import archive_event, copy_event, delete_event, finish_tournament
from tournament.services.rulesets import change_rules
from tournament.services.undo import undo_action
from tournament.views.events import same_time_later

NEW = {"name": "Friday night", "game": "Pokémon", "key": "abc"}


@pytest.fixture
def owner(client):
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def desk(client, tournament, part="settings") -> Page:
    return page(client, f"/t/{tournament.slug}/desk/{part}/")


def topic_of(changed) -> str:
    return next(topic for topic, names in TOPICS.items() if changed.keys() <= {*names, "seen"})


def sent(tournament, **changed):
    form = SettingsForm(topic=topic_of(changed), tournament=tournament, players=24)
    with timezone.override(tournament.time_zone):
        data = {name: form[name].value() for name in form.fields}
    data = {
        name: f"{value:%Y-%m-%dT%H:%M}" if name in MOMENTS and value else value
        for name, value in data.items()
    }
    data |= changed
    boxes = {name for name, field in form.fields.items() if isinstance(field, BooleanField)}
    off = {name for name in boxes if data[name] is False}
    return {name: value for name, value in data.items() if value is not None and name not in off}


def post(client, tournament, sent):
    topic = topic_of({name: value for name, value in sent.items() if name != "key"})
    return client.post(f"/t/{tournament.slug}/desk/settings/{topic}/", sent)


def save(client, tournament, **changed):
    tournament.refresh_from_db()
    return post(client, tournament, sent(tournament, **changed))


# --- a new event


def test_name_and_game_are_enough_and_the_form_is_done_once(client, owner):
    for _ in range(2):
        answer = client.post("/new/", NEW, follow=True)
        assert answer.redirect_chain == [("/t/friday-night/desk/players/", 303)]
        assert "Play! Pokemon TCG rules and rounds of 50 minutes. Add your players." in Page(answer)
    tournament = Tournament.objects.get()
    assert (tournament.game, tournament.ruleset.key, tournament.listed) == ("Pokémon", "pokemon", True)
    assert Staff.objects.get(tournament=tournament, user=owner).role == "owner"
    assert client.post("/new/", {**NEW, "name": "Other"}).status_code == 409
    assert Tournament.objects.count() == 1


def test_every_game_that_is_offered_has_a_ruleset_that_ships():
    for name, _words, key in GAMES:
        assert key in presets() and usual_ruleset(name) == key


@pytest.mark.parametrize(
    ("fields", "ruleset", "minutes"),
    [
        ({"game": "MTG"}, "mtr", 50),
        ({"game": "yu-gi-oh!"}, "yugioh", 50),
        ({"game": "chess960 or Chess"}, "fide", None),
        ({"game": "Gogo"}, "cardeio", None),
        ({"game": "ONE PIECE"}, "bandai", None),
        ({"game": "Magic", "ruleset": "cardeio"}, "cardeio", 50),
        ({"ruleset": "dci1999"}, "dci1999", 50),
        ({"game": "Magic", "round_minutes": 35}, "mtr", 35),
    ],
)
def test_the_game_says_the_usual_ruleset_and_round_length(client, owner, fields, ruleset, minutes):
    client.post("/new/", {"name": "Cup", **fields})
    tournament = Tournament.objects.get()
    assert (tournament.ruleset.key, tournament.round_minutes) == (ruleset, minutes)


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
        "name": ["", "\x00", "x" * 999, "\u202e\u200b"],
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
    assert not Tournament.objects.exists()


def test_the_chosen_rules_are_told_in_words(client, owner):
    assert "Magic DCI 1999 · from the publisher's own text" in page(client, "/new/")
    words = page(client, "/rulesets/words/", ruleset="dci1999", game="Chess")
    assert "Magic DCI 1999" in words and "at least 33%" in words and "Win 3, draw 1, loss 0" in words
    assert "FIDE" in page(client, "/rulesets/words/", game="Chess")
    came_back = Page(client.post("/new/", {"game": "Magic"}))  # without a name, and without JavaScript
    assert "Magic MTR (Feb 2026): usual for this game" in came_back.all("option")
    assert client.get("/rulesets/words/?ruleset=nothing").status_code == 404


# --- an event like an earlier one


def test_last_weeks_event_is_copied_with_its_staff_and_without_its_players(client, owner):
    settings = {"game": "Magic", "venue": "Gym", "cut": 4, "table_plan": "5-6, 8-40", "capacity": 32,
                "round_minutes": 50, "listed": False, "name_privacy": "initial"}  # fmt: skip
    tournament = TournamentFactory(
        entries=8, owner=owner, time_zone="Europe/Berlin", starts_at="2026-10-23T16:00:00+00:00",
        minutes=45, **settings,
    )  # fmt: skip
    change_rules(tournament, None, {"match_points": {"draw": "0"}}, revision=tournament.revision)
    Staff.objects.create(tournament=tournament, user=UserFactory(username="bo"), role="judge")
    address = f"/t/{tournament.slug}/desk/settings/copy/"
    shown = page(client, address)
    # A Friday again, at the same time of day in winter.
    assert shown.one("[name=starts_at]")["value"].startswith("2026-11-27T18:00")
    assert "bo · judge" in shown
    sent = {"name": "Friday night", "starts_at": "2026-10-30T18:00", "key": "k"}
    for _ in range(2):
        answer = client.post(address, {**sent, "with_staff": "on"})
    assert answer["Location"] == "/t/friday-night-2/desk/players/"
    copy = Tournament.objects.get(slug="friday-night-2")
    for name in (*settings, "overrides", "ruleset_id"):
        assert getattr(copy, name) == getattr(tournament, name), name
    assert copy.starts_at.isoformat() == "2026-10-30T17:00:00+00:00"  # winter time by then
    assert copy.stages.get().minutes == 45
    assert sorted(copy.staff.values_list("user__username", "role")) == [("ada", "owner"), ("bo", "judge")]
    assert not copy.entries.exists() and Tournament.objects.count() == 2
    client.post(address, {"name": "Alone"})
    assert Tournament.objects.get(name="Alone").staff.get().user == owner


def test_a_copy_has_the_check_in_times_and_the_last_rules_of_its_event(owner):
    times = {"starts_at": "2026-10-23T16:00:00+00:00", "check_in_from": "2026-10-23T15:00:00+00:00",
             "check_in_until": "2026-10-23T15:50:00+00:00"}  # fmt: skip
    event = TournamentFactory(entries=0, owner=owner, **times)
    copy = copy_event(event, "Again", owner=owner, starts_at="2026-10-30T17:00:00+00:00")
    assert (copy.check_in_from.hour, copy.check_in_until.minute) == (16, 50)
    assert copy_event(event, "Some day", owner=owner).check_in_from is None
    tournament = TournamentFactory(entries=4, owner=owner)
    RoundFactory(tournament=tournament)
    rules = {"match_points": {"draw": "1/2"}}
    change_rules(tournament, None, rules, revision=tournament.revision, reason="asked")
    assert copy_event(tournament, "Again", owner=owner).overrides == rules
    from_file = TournamentFactory(recorded=True, entries=4, rounds=1, owner=owner)
    assert from_file.ruleset is None
    assert copy_event(from_file, "Again", owner=owner).ruleset.key == "mtr"


def test_the_newest_event_of_each_name_is_offered_to_be_copied(client, owner):
    for month in (9, 11, 10):
        TournamentFactory(entries=0, owner=owner, name="Friday", starts_at=f"2026-{month}-06T18:00:00+00:00")
    TournamentFactory(entries=0, owner=owner, name="Cup", starts_at="2026-10-07T18:00:00+00:00")
    TournamentFactory(entries=0, name="Somebody else's")
    copies = [link["href"] for link in page(client, "/new/").soup.select('a[href$="/desk/settings/copy/"]')]
    assert copies == ["/t/friday-2/desk/settings/copy/", "/t/cup/desk/settings/copy/"]


@pytest.mark.parametrize(
    ("start", "now", "following"),
    [("06 18", "21 00", "27 18"), ("20 18", "20 18", "27 18"), ("27 18", "21 00", "27 18")],
)
def test_the_next_start_is_the_same_weekday_and_time_after_now(start, now, following):
    def at(day_and_hour):
        return dt.datetime.strptime(f"2026-11-{day_and_hour}", "%Y-%m-%d %H").replace(tzinfo=dt.UTC)

    assert same_time_later(at(start), at(now)) == at(following)
    assert same_time_later(None, at(now)) is None


# --- settings


def test_every_setting_is_saved_in_its_topic_with_undo_and_said_in_the_list(client, owner):
    tournament = TournamentFactory(
        entries=24,
        owner=owner,
        game="Magic",
        starts_at="2026-11-27T17:00:00+00:00",
        time_zone="Europe/Berlin",
    )
    shown = desk(client, tournament, "settings/rounds")
    assert "If empty, 5: the ruleset's number for 24 players." in shown and "ruleset default: top 8" in shown
    assert desk(client, tournament, "settings/place").form("Save")["starts_at"] == "2026-11-27T18:00"
    assert shown.all('a[href$="/desk/settings/prizes/"]') and len(shown.all("main .btn.primary")) == 1
    empty = TournamentFactory(entries=0, owner=owner)
    assert "If empty, 5" not in desk(client, empty, "settings/rounds")
    fields = {"name": "Saturday", "game": "Chess", "venue": "Gym", "starts_at": "2026-11-28T10:00",
              "time_zone": "Europe/London", "rounds_planned": 7, "cut": 0, "round_minutes": 50, "best_of": 1,
              "team": "on", "table_plan": "1-12, 14, Stream", "vary_tables": "False",
              "decklist_rule": "late", "decklists_until": "2026-11-28T09:30", "deck_least": 40, "deck_most": 60,
              "sideboard_most": 0, "reporting": "staff",
              "name_privacy": "initial", "listed": "False", "hold_standings": "on",
              "judge_results": "on"}  # fmt: skip
    for topic, names in TOPICS.items():
        answer = save(client, tournament, **{name: fields[name] for name in names if name in fields})
        assert answer["Location"] == f"/t/{tournament.slug}/desk/settings/{topic}/"
    tournament.refresh_from_db()
    now = {name: getattr(tournament, name) for name in fields}
    assert now == {**fields, "starts_at": dt.datetime(2026, 11, 28, 10, tzinfo=dt.UTC), "team": True,
                   "decklists_until": dt.datetime(2026, 11, 28, 9, 30, tzinfo=dt.UTC),
                   "vary_tables": False, "listed": False, "hold_standings": True, "judge_results": True,
                   }  # fmt: skip
    log = desk(client, tournament, "log")
    assert "venue: none → Gym" in log and "Table plan: none → 1-12, 14, Stream" in log
    assert "start: 27 Nov 2026, 17:00 → 28 Nov 2026, 10:00" in log  # on the clock of London, where it is now
    shown = desk(client, tournament)
    values = ["Saturday, Gym, Sat, 28 Nov 2026, 10:00", "7 Swiss rounds, 50 minutes, no cut",
              "1-12, 14, Stream, in score order", "first name and initial, not listed, standings hidden"]  # fmt: skip
    assert set(values) <= set(shown.all(".folds .val"))
    save(client, tournament, reporting="off")
    back = press(client, desk(client, tournament), "Undo")
    assert "Settings and staff" in back.all("h1") and "staff accept what both report" in back.all(
        ".folds .val"
    )
    assert client.get(f"/t/{tournament.slug}/desk/settings/nonsense/").status_code == 404


def test_saving_settings_changes_only_what_was_changed_and_shows_both_values_of_a_conflict(client, owner):
    seconds = {"starts_at": "2026-11-27T17:00:31+00:00", "decklists_until": "2026-11-27T16:00:31+00:00"}
    tournament = TournamentFactory(entries=2, owner=owner, listed=False, **seconds)
    for unchanged in ({"name": tournament.name}, {"decklist_rule": "off"}):
        assert save(client, tournament, **unchanged).status_code == 303
    assert not tournament.actions.filter(kind="settings").exists()
    tournament = TournamentFactory(entries=2, owner=owner)
    mine = sent(tournament, venue="Gym")
    change_settings(tournament, game="Chess", round_minutes=40)
    assert post(client, tournament, mine).status_code == 303
    tournament.refresh_from_db()
    assert (tournament.venue, tournament.game, tournament.round_minutes) == ("Gym", "Chess", 40)
    tournament = TournamentFactory(entries=2, owner=owner, time_zone="Europe/Berlin")
    mine = sent(tournament, venue="Gym")
    change_settings(tournament, venue="School", game="Chess")
    both = Page(post(client, tournament, mine))
    assert both.status == 409 and "venue School Gym" in both
    tournament.refresh_from_db()
    assert tournament.venue == "School"
    form = both.form("Save")
    assert (form["venue"], form["game"], form["time_zone"]) == ("School", "Chess", "Europe/Berlin")
    assert press(client, both, "Save", venue="Gym").status == 200
    tournament.refresh_from_db()
    assert (tournament.venue, tournament.game) == ("Gym", "Chess")


@pytest.mark.parametrize(
    ("key", "words"), [("fide", "ruleset default: no, in score order"), ("mtr", "ruleset default: yes")]
)
def test_whether_tables_vary_follows_the_ruleset_until_the_event_says(client, owner, key, words):
    tournament = TournamentFactory(entries=2, owner=owner, ruleset=key)
    [chosen] = desk(client, tournament, "settings/tables").all("[name=vary_tables] option[selected]")
    assert chosen.startswith(words)
    for says, varies in (("", key == "mtr"), ("True", True), ("False", False), ("", key == "mtr")):
        save(client, tournament, vary_tables=says)
        assert load_event_values(tournament).varies_tables is varies


def test_settings_no_event_can_have_are_refused_in_words(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner)
    for field, value, words in (
        ("table_plan", "A 4-1", "“A 4-1” is not a block of tables. Enter blocks such as A 1-16"),
        ("table_plan", "A 1-4, 4", "two tables have the number 4"),
        ("round_minutes", "601", "Enter a whole number from 1 to 600."),
        ("time_zone", "Mars", "Unknown time zone"),
        ("seen", "[1", "did not arrive intact"),
        ("name", "\u2066", "Enter an event name"),
    ):
        answer = save(client, tournament, **{field: value})
        assert 400 <= answer.status_code < 500 and words in Page(answer), (field, value)
    assert save(client, tournament, seen='{"starts_at": 7, "venue": [], "cut": {}}').status_code < 500
    assert not tournament.actions.filter(kind="settings").exists()


def test_settings_fixed_by_round_one_or_by_the_end_say_so(client, owner):
    tournament = TournamentFactory(entries=4, owner=owner, published=True)
    fixed = desk(client, tournament, "settings/rounds")
    assert fixed.words.count("Fixed when round 1 was published.") == 2
    finish = page(
        client, desk(client, tournament, "settings/end").one('a[href$="/desk/settings/finish/"]')["href"]
    )
    assert "Round 1: 2 tables are outstanding" in finish
    assert save(client, tournament, best_of="1", cut="4").status_code == 303
    tournament.refresh_from_db()
    assert (tournament.best_of, tournament.cut) == (None, 4)
    tournament = TournamentFactory(entries=4, rounds=2, owner=owner)
    finish_tournament(tournament)
    assert save(client, tournament, name="Friday, the first").status_code == 303
    assert save(client, tournament, cut="4").status_code == 409
    tournament.refresh_from_db()
    assert (tournament.name, tournament.cut) == ("Friday, the first", None)


# --- the end


def test_an_event_goes_for_good_when_its_name_is_typed(client, owner):
    tournament = TournamentFactory(entries=6, rounds=2, owner=owner)
    other = TournamentFactory(entries=3, owner=owner, name="Other")
    asked = desk(client, tournament, "delete")
    assert {"6 players", "2 published rounds"} <= set(asked.all("li"))
    address = f"/t/{tournament.slug}/desk/settings/delete/"
    for typed in ("", "friday night", "Other"):
        assert client.post(address, {"name": typed}).status_code == 422
    same = Tournament.objects.get(pk=tournament.pk)
    answer = client.post(address, {"name": f" {tournament.name} "}, follow=True)
    assert f"{tournament.name} is deleted." in Page(answer)
    assert [t.pk for t in Tournament.objects.all()] == [other.pk]
    assert set(Action.objects.values_list("tournament", flat=True)) == {other.pk}
    assert client.get(address).status_code == 404
    for late in (lambda: add_entries(same, ["Late"]), lambda: delete_event(same, same.name)):
        with pytest.raises(NotFound, match="has been deleted"):
            late()


def test_the_owner_archives_an_event_after_a_question_as_a_fact_that_no_file_holds(client, owner):
    tournament = TournamentFactory(owner=owner, entries=4, rounds=1, finished=True, self_registration=True)
    archive = desk(client, tournament, "settings/end").one('a[href$="/desk/settings/archive/"]')["href"]
    for question, answer, sentence, state in (
        ("Archive Friday night?", {"archived": "True"}, "event archived", True),
        ("Take Friday night out of the archive?", {}, "event taken out of the archive", False),
    ):
        asked = page(client, archive)
        assert question in asked and bool(asked.all("[name=archived][value=True]")) == state
        for _twice in range(2):
            sent_key = asked.soup.select("main [name=key]")[0]["value"]
            assert client.post(archive, {**answer, "key": sent_key}).status_code == 303
        tournament.refresh_from_db()
        assert tournament.archived is state and not tournament.self_registration
        last = describe_actions(tournament, [tournament.actions.latest("number")])[0].sentence
        assert last.lower().startswith(sentence)
    assert tournament.actions.filter(kind="archive").count() == 2
    tournament = TournamentFactory(owner=owner, entries=4, rounds=1, finished=True)
    archive_event(tournament, actor=owner)
    assert '"archived"' not in dump_event(tournament).split('"log":')[0]
    assert state_at(tournament)["tournament"]["archived"] is True
    call_command("replay", tournament.slug)
    undo_action(tournament, tournament.revision, actor=owner)
    tournament.refresh_from_db()
    assert not tournament.archived
