import pytest

from tests.factories import TournamentFactory
from tournament.access.codes import personal_code
from tournament.access.player_link import entry_of_key, fresh_player_key, hash_key, known_key
from tournament.archive.load import dump_event
from tournament.history.describe import describe_actions
from tournament.models import Tournament
from tournament.services.anonymity import anonymize_entry
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entry, remove_entry
from tournament.services.self_service import change_player_link, make_links, renew_link
from tournament.services.undo import undo_action


def key_of(tournament: Tournament, code: str = "P0001") -> str:
    """The key of an entry's link as the database stands, "" where the app cannot know it."""
    event = Tournament.objects.get(pk=tournament.pk)
    return known_key(event, event.entries.get(code=code))


def test_everyone_who_plays_and_has_no_link_gets_one_and_the_same_each_time_it_is_asked_for():
    tournament, other, old = TournamentFactory(entries=4), TournamentFactory(entries=1), fresh_player_key()
    drop_entry(tournament, "P0003")
    change_player_link(tournament, "P0004", key_hash=hash_key(old))
    assert make_links(tournament).number == tournament.revision
    keys = [key_of(tournament, f"P000{n}") for n in (1, 2, 3, 4)]
    assert keys[0] != keys[1] and keys[2:] == ["", ""], "no link, and one that the app cannot know"
    assert [entry_of_key(tournament, key).code for key in (*keys[:2], old)] == ["P0001", "P0002", "P0004"]
    make_links(other)
    assert entry_of_key(other, keys[0]) is None and key_of(other) != keys[0]
    drop_entry(tournament, "P0002")
    assert make_links(tournament) is None
    assert [key_of(tournament, f"P000{n}") for n in (1, 2, 3, 4)] == keys


@pytest.mark.parametrize(
    "end",
    [
        lambda event: renew_link(event, "P0001"),
        lambda event: change_player_link(event, "P0001", key_hash=""),
        lambda event: anonymize_entry(event, "P0001"),
    ],
)
@pytest.mark.parametrize("first", ["derived", "own"])
def test_a_link_that_was_ended_never_comes_back(first, end):
    tournament, old = TournamentFactory(entries=1), fresh_player_key()
    if first == "own":
        change_player_link(tournament, "P0001", key_hash=hash_key(old))
    else:
        make_links(tournament)
        old = key_of(tournament)
    end(tournament)
    assert entry_of_key(tournament, old) is None
    make_links(tournament)
    assert entry_of_key(tournament, key_of(tournament)).code == "P0001" and key_of(tournament) != old
    assert entry_of_key(tournament, old) is None


def test_what_a_removed_player_holds_opens_nothing_of_the_next_one():
    tournament = TournamentFactory(entries=1)
    make_links(tournament)
    held = key_of(tournament), personal_code(tournament.entries.get())
    removal = remove_entry(tournament, "P0001")
    undo_action(tournament, removal.number)
    assert entry_of_key(tournament, held[0]).code == "P0001"
    remove_entry(tournament, "P0001")
    add_entry(tournament, {}, {"name": "Bob Wirt"})
    make_links(tournament)
    assert entry_of_key(tournament, held[0]) is None
    assert tournament.entries.get().code == "P0001" and personal_code(tournament.entries.get()) != held[1]


def test_no_file_or_log_holds_a_secret_and_another_secret_of_the_site_keeps_the_links_that_work(settings):
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
    old = key_of(tournament)
    settings.SECRET_KEY = "another one"
    assert key_of(tournament) == "" and entry_of_key(tournament, old).code == "P0001"
