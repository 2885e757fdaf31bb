"""Player links that staff hand out: the same whenever they are printed, and dead once another is made."""

import pytest

from tests.factories import TournamentFactory
from tournament.access.player_link import entry_of_key, fresh_player_key, hash_of, known_key
from tournament.archive.load import dump_event
from tournament.history.describe import describe_actions
from tournament.models import Tournament
from tournament.services.anonymity import anonymize_entry
from tournament.services.drops import drop_entry
from tournament.services.player_links import make_links, renew_link
from tournament.services.self_service import change_player_link

pytestmark = pytest.mark.django_db


def key_of(tournament: Tournament, code: str = "P0001") -> str:
    """The key of an entry's link as the database stands, "" where the app cannot know it."""
    event = Tournament.objects.get(pk=tournament.pk)
    return known_key(event, event.entries.get(code=code))


def test_everyone_without_a_link_gets_one_and_the_same_each_time_it_is_asked_for():
    tournament = TournamentFactory(entries=3)
    assert make_links(tournament).number == tournament.revision
    keys = [key_of(tournament, f"P000{n}") for n in (1, 2, 3)]
    assert len(set(keys)) == 3
    assert [entry_of_key(tournament, key).code for key in keys] == ["P0001", "P0002", "P0003"]
    assert make_links(tournament) is None
    assert [key_of(tournament, f"P000{n}") for n in (1, 2, 3)] == keys


def test_a_link_from_before_goes_on_working_and_cannot_be_known():
    tournament, old = TournamentFactory(entries=2), fresh_player_key()
    change_player_link(tournament, "P0001", key_hash=hash_of(old))
    make_links(tournament)
    assert entry_of_key(tournament, old).code == "P0001"
    assert key_of(tournament) == "" and key_of(tournament, "P0002")


@pytest.mark.parametrize("first", ["derived", "own"])
def test_a_new_link_ends_the_one_before(first):
    tournament, old = TournamentFactory(entries=1), fresh_player_key()
    if first == "own":
        change_player_link(tournament, "P0001", key_hash=hash_of(old))
    else:
        make_links(tournament)
        old = key_of(tournament)
    renew_link(tournament, "P0001")
    assert entry_of_key(tournament, old) is None
    assert entry_of_key(tournament, key_of(tournament)).code == "P0001"


@pytest.mark.parametrize("end", ["revoked", "anonymous"])
def test_a_link_that_was_ended_never_comes_back(end):
    tournament = TournamentFactory(entries=1)
    make_links(tournament)
    old = key_of(tournament)
    if end == "revoked":
        change_player_link(tournament, "P0001", key_hash="")
    else:
        anonymize_entry(tournament, "P0001")
    assert key_of(tournament) == "" and entry_of_key(tournament, old) is None
    make_links(tournament)
    assert key_of(tournament) not in ("", old) and entry_of_key(tournament, old) is None


def test_who_has_dropped_gets_no_link_and_keeps_one_that_was_there():
    tournament = TournamentFactory(entries=2)
    drop_entry(tournament, "P0001")
    make_links(tournament)
    assert key_of(tournament) == ""
    drop_entry(tournament, "P0002")
    assert key_of(tournament, "P0002")


def test_the_same_player_of_another_event_has_another_link():
    one, other = TournamentFactory(entries=1), TournamentFactory(entries=1)
    make_links(one)
    make_links(other)
    assert key_of(one) != key_of(other)
    assert entry_of_key(other, key_of(one)) is None


def test_another_secret_of_the_site_knows_no_link_and_keeps_those_that_work(settings):
    tournament = TournamentFactory(entries=1)
    make_links(tournament)
    old = key_of(tournament)
    settings.SECRET_KEY = "another one"
    assert key_of(tournament) == "" and entry_of_key(tournament, old).code == "P0001"


def test_no_file_holds_the_secret_a_key_or_a_hash_and_the_log_only_says_that_links_changed():
    tournament = TournamentFactory(entries=2)
    make_links(tournament)
    row = tournament.entries.get(code="P0001")
    text = dump_event(tournament, with_seed=True)
    for secret in (tournament.link_secret, key_of(tournament), row.key_hash):
        assert len(secret) >= 32
        assert secret not in text
        assert secret not in str(list(tournament.actions.values_list("changes", flat=True)))
    [line] = describe_actions(tournament, tournament.actions.filter(kind="player links"))
    assert line.sentence.count("player link changed") == 2
