"""Rulesets and who owns them: copies, drafts, versions; who changed what; what running events keep."""

import copy
import json

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, connection, transaction

from tests.factories import PublisherFactory, RoundFactory, RulebookFactory, TournamentFactory, UserFactory
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.profile import profile_of, profile_with_overrides
from tournament.event.read import whole_event_of
from tournament.models import Publisher, Rulebook, RulebookAction, Ruleset, Tournament
from tournament.rulebooks.library import newest_of, newest_rulesets, rules_before_draft, uses_of
from tournament.rulesets import presets, resolve
from tournament.services.event_rules import change_rules
from tournament.services.events import create_tournament
from tournament.services.publishers import remove_member, set_member
from tournament.services.rulebooks import FaultyRules, copy_ruleset, discard_draft, publish_draft, save_draft

pytestmark = pytest.mark.django_db


def changed(book: Rulebook, **fields) -> dict:
    """The book's draft with some top fields merged over it."""
    draft = copy.deepcopy(book.draft or rules_before_draft(book))
    for name, value in fields.items():
        draft[name] = {**draft[name], **value} if isinstance(value, dict) else value
    return draft


def save(book: Rulebook, **fields) -> None:
    save_draft(book, changed(book, **fields), seen=book.draft_revision, actor="ada")


def refused_by_database(write) -> str:
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        write()
        connection.check_constraints()
    return str(error.value)


def test_every_shipped_ruleset_has_a_rulebook_without_publisher_and_a_key_without_hyphen():
    books = Rulebook.objects.filter(publisher=None)
    assert set(books.values_list("key", flat=True)) == set(presets())
    assert not [key for key in presets() if "-" in key]
    assert Ruleset.objects.filter(rulebook__publisher=None).count() == len(presets())


@pytest.mark.parametrize("best_of", [None, 1, 5])
def test_a_version_in_the_database_completes_like_the_shipped_file(best_of):
    for ruleset in newest_rulesets():
        if (
            best_of is None or ruleset.profile["best_of_swiss"] != "exactly_2"
        ):  # which fixes the games of a bye
            overrides = {"percentages": {"match_floor": "1/3"}}
            ours = profile_with_overrides(ruleset, overrides, best_of)
            assert ours == resolve(ruleset.key, overrides=overrides, best_of=best_of)


def test_what_follows_from_a_field_an_event_changes_follows_again():
    points = profile_with_overrides(
        newest_of(RulebookFactory(published="First version.")), {"match_points": {"win": "2"}}
    )["match_points"]
    assert [points[name] for name in ("bye", "awarded_bye", "requested_full", "forfeit_win")] == ["2"] * 4


def test_a_copy_is_a_draft_that_says_the_same_and_knows_where_it_is_from():
    book = RulebookFactory()
    assert book.key == "north-league-league-rules" and book.name == "League rules"
    assert newest_of(book) is None and book.copied_from.key == "dci1999"
    assert book.draft["based_on"] == "dci1999" and book.draft["confidence"] == "house"
    assert book.draft["percentages"]["match_floor"] == "33/100"
    assert "bye" not in book.draft["match_points"]  # follows from the win
    paths = [change["path"] for change in book.actions.get().changes]
    assert paths == ["name", "confidence", "based_on"]


def test_a_copy_asked_for_twice_is_there_once_and_another_of_that_name_is_refused():
    of = PublisherFactory()
    first = RulebookFactory(publisher=of)
    assert RulebookFactory(publisher=of) == first
    with pytest.raises(Refused, match="another name"):
        RulebookFactory(publisher=of, copied="fide")
    save(first, match_points={"win": "2"})
    with pytest.raises(Refused, match="another name"):
        RulebookFactory(publisher=of)
    assert RulebookFactory(publisher=PublisherFactory(name="South League")).key == "south-league-league-rules"
    assert RulebookFactory(publisher=of, name="League, rules").key == "north-league-league-rules-2"


def test_a_published_version_is_whole_and_says_who_when_and_why():
    book = RulebookFactory()
    save(book, match_points={"win": "2"})
    version = publish_draft(book, seen=book.draft_revision, note="A win is worth 2.", actor="ada")
    assert (version.key, version.version, version.name) == (book.key, 1, "League rules")
    assert version.profile["match_points"]["bye"] == "2"
    assert (version.profile["key"], version.profile["version"]) == (book.key, 1)
    assert version.published_by == "ada" and version.published_at and version.note == "A win is worth 2."
    assert book.draft is None
    last = book.actions.last()
    assert (last.kind, last.actor, last.reason) == ("publish", "ada", "A win is worth 2.")
    assert {"path": "match_points.win", "before": "3", "after": "2"} in last.changes


def test_the_log_says_who_changed_what_in_which_order():
    book = RulebookFactory(published="First version.")
    save(book, match_points={"win": "2"})
    save(book, match_points={"win": "4"})
    discard_draft(book, seen=book.draft_revision, actor="bo")
    actions = list(book.actions.values_list("number", "kind", "actor"))[2:]
    assert actions == [(3, "draft", "ada"), (4, "draft", "ada"), (5, "discard", "bo")]
    win = [action.changes[0] for action in book.actions.all()][2:]
    assert [(change["before"], change["after"]) for change in win] == [("3", "2"), ("2", "4"), ("4", "3")]


def test_saving_what_is_there_already_changes_nothing():
    book = RulebookFactory(published="First version.")
    before = book.revision
    save(book)
    assert book.draft is None and book.revision == before
    save(book, match_points={"win": "2"})
    save_draft(book, changed(book), seen=0, actor="bo")  # the same again, from an old page
    assert book.revision == before + 1


def test_of_two_editors_the_second_sees_both_and_overwrites_nothing():
    book = RulebookFactory()
    theirs, mine = Rulebook.objects.get(pk=book.pk), Rulebook.objects.get(pk=book.pk)
    save(theirs, match_points={"win": "2"})
    with pytest.raises(Conflict) as conflict:
        save_draft(mine, changed(mine, match_points={"draw": "0"}), seen=mine.draft_revision, actor="bo")
    assert conflict.value.theirs == {"match_points.win": "2", "match_points.draw": "1"}
    assert conflict.value.yours == {"match_points.win": "3", "match_points.draw": "0"}
    book.refresh_from_db()
    assert book.draft["match_points"]["win"] == "2" and book.draft["match_points"]["draw"] == "1"


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"tiebreaks": [{"metric": "opp_match_win_pct"}, {"metric": "random"}]}, "tiebreaks[0].metric"),
        ({"tiebreaks": [{"metric": "match_points"}]}, "tiebreaks[0].metric"),
        ({"tiebreaks": [{"metric": "match_points", "params": {"x": 1}}, {"metric": "random"}]},
         "tiebreaks[0].params.x"),
        ({"percentages": {"match_cap": "1/4"}}, "percentages.match_cap"),
        ({"percentages": {"match_floor": 0.33}}, "percentages.match_floor"),
        ({"rounds_table": [{"min": 2, "max": 8, "rounds": 3}, {"min": 10, "max": None, "rounds": 4}]},
         "rounds_table[1].min"),
        ({"best_of_swiss": "seven"}, ""),
        ({"name": " "}, "name"),
        ({"source": "x" * 1001}, "source"),
        ({"tiebreaks": [{"metric": "match_points", "label": "x" * 61}, {"metric": "random"}]},
         "tiebreaks[0].label"),
        ({"tiebreaks": [{"metric": "match_points"}] * 30 + [{"metric": "random"}]}, "tiebreaks"),
        ({"rounds_table": [{"min": n, "max": n, "rounds": 1} for n in range(61)]}, "rounds_table"),
        ({"house_rule": True}, "house_rule"),
        ({"open_fields": ["match_points.wins"]}, "open_fields"),
    ],
)  # fmt: skip
def test_a_draft_nobody_could_use_is_refused_by_the_path_of_its_field(fields, path):
    book = RulebookFactory()
    with pytest.raises(FaultyRules) as refused:
        save(book, **fields)
    assert path in [at for at, _message in refused.value.faults]
    book.refresh_from_db()
    assert book.draft_revision == 1


def test_a_third_and_0_33_are_kept_as_they_were_written():
    book = RulebookFactory()
    save(book, percentages={"match_floor": "1/3", "game_floor": "0.33"})
    version = publish_draft(book, seen=book.draft_revision, note="Other minimums.", actor="ada")
    shares = version.profile["percentages"]
    assert (shares["match_floor"], shares["game_floor"]) == ("1/3", "0.33")


def test_publishing_needs_a_draft_that_was_seen_a_change_and_a_note():
    book = RulebookFactory(published="First version.")
    with pytest.raises(WrongState, match="The draft is gone"):
        publish_draft(book, seen=book.draft_revision, note="Again.", actor="ada")
    save(book, match_points={"win": "2"})
    with pytest.raises(Conflict, match="Review it first"):
        publish_draft(book, seen=book.draft_revision - 1, note="Blind.", actor="ada")
    with pytest.raises(Refused, match="what changed and why"):
        publish_draft(book, seen=book.draft_revision, note="  ", actor="ada")
    save(book, match_points={"win": "3"})
    with pytest.raises(WrongState, match="Nothing changed since version 1"):
        publish_draft(book, seen=book.draft_revision, note="Nothing.", actor="ada")
    assert book.versions.count() == 1


def test_the_only_draft_there_is_cannot_be_discarded():
    book = RulebookFactory()
    with pytest.raises(WrongState, match="exists only as this draft"):
        discard_draft(book, seen=book.draft_revision, actor="ada")


def test_a_running_event_keeps_its_copy_when_a_new_version_is_published():
    book = RulebookFactory(published="First version.")
    running, waiting = (
        TournamentFactory(entries=4, ruleset=book.key),
        TournamentFactory(entries=4, ruleset=book.key),
    )
    RoundFactory(tournament=running)
    save(book, match_points={"win": "2"})
    publish_draft(book, seen=book.draft_revision, note="A win is worth 2.", actor="ada")
    assert profile_of(Tournament.objects.get(pk=running.pk))["match_points"]["win"] == "3"
    assert profile_of(Tournament.objects.get(pk=waiting.pk))["match_points"]["win"] == "3"
    later = TournamentFactory(entries=4, ruleset=book.key)
    assert profile_of(later)["match_points"]["bye"] == "2"
    assert profile_of(later)["version"] == 2


def test_an_event_under_a_publishers_rules_is_one_portable_file():
    from tournament.archive.read import event_of as event_in
    from tournament.archive.write import canonical

    book = RulebookFactory(published="First version.")
    tournament = TournamentFactory(
        entries=4, ruleset=book.key, overrides={"match_points": {"draw": "0"}}, best_of=1
    )
    text = canonical(whole_event_of(tournament))
    assert json.loads(text)["ruleset"]["profile"]["key"] == book.key
    again = event_in(json.loads(text))
    assert again.profile == profile_of(tournament)
    assert (again.profile["bye_games"], again.profile["match_points"]["draw"]) == ([1, 0, 0], "0")


def test_organizers_change_only_what_the_publisher_leaves_open():
    book = RulebookFactory()
    save(book, open_fields=["match_points.draw", "tiebreaks"])
    publish_draft(book, seen=book.draft_revision, note="First.", actor="ada")
    tournament = TournamentFactory(entries=0, ruleset=book.key, overrides={"match_points": {"draw": "0"}})
    with pytest.raises(Refused, match="does not allow changes to: Match points for a win"):
        change_rules(
            tournament, None, {"match_points": {"draw": "0", "win": "2"}}, revision=tournament.revision
        )
    with pytest.raises(Refused, match="Minimum match-win %"):
        create_tournament("Other", book.key, overrides={"percentages": {"match_floor": "1/3"}})
    assert not Tournament.objects.filter(name="Other").exists()
    change_rules(tournament, None, {"match_points": {"draw": "1/2"}}, revision=tournament.revision)
    assert profile_of(tournament)["match_points"]["draw"] == "1/2"


def test_who_uses_which_version_is_named_for_own_events_and_counted_for_others():
    book, me = RulebookFactory(published="First version."), UserFactory()
    mine = TournamentFactory(entries=0, ruleset=book.key, owner=me)
    TournamentFactory(entries=0, ruleset=book.key)
    TournamentFactory(entries=0, ruleset="mtr")
    save(book, match_points={"win": "2"})
    publish_draft(book, seen=book.draft_revision, note="Two.", actor="ada")
    TournamentFactory(entries=0, ruleset=book.key)
    uses = uses_of(book, me)
    assert [(v, [t.pk for t in use.visible], use.others) for v, use in sorted(uses.items())] == [
        (1, [mine.pk], 1), (2, [], 1),
    ]  # fmt: skip
    assert uses_of(book, AnonymousUser())[1] == ([], 2)
    assert len(uses_of(book, UserFactory(is_superuser=True))[1].visible) == 2


def test_a_publisher_asked_for_twice_is_there_once_and_nobody_else_takes_its_name():
    owner = UserFactory()
    of = PublisherFactory(owner=owner)
    assert PublisherFactory(owner=owner) == of
    with pytest.raises(Refused, match="Ask to become a member"):
        PublisherFactory(owner=UserFactory(), name="north LEAGUE")
    refused_by_database(lambda: Publisher.objects.create(name="NORTH League", slug="x"))
    assert (
        PublisherFactory(name="北").slug == "publisher" and PublisherFactory(name="東").slug == "publisher-2"
    )


def test_a_publisher_keeps_an_owner_and_takes_in_only_who_has_an_account():
    owner, other = UserFactory(), UserFactory()
    of = PublisherFactory(owner=owner)
    with pytest.raises(Refused, match="needs an owner"):
        remove_member(of, owner.username, actor=owner)
    with pytest.raises(Refused, match="needs an owner"):
        set_member(of, owner.username, "editor", actor=owner)
    with pytest.raises(Refused, match="There is no account “nobody”"):
        set_member(of, "nobody", "editor", actor=owner)
    with pytest.raises(Refused, match="owner or an editor"):
        set_member(of, other.username, "king", actor=owner)
    set_member(of, other.username, "editor", actor=owner)
    set_member(of, other.username, "owner", actor=owner)
    remove_member(of, owner.username, actor=other)
    assert list(of.members.values_list("user__username", "role")) == [(other.username, "owner")]


def test_the_database_itself_keeps_versions_and_their_log():
    book = RulebookFactory(published="First version.")
    of_book = {"rulebook": book}
    assert "never change" in refused_by_database(lambda: Ruleset.objects.filter(**of_book).update(note="x"))
    assert "never deleted" in refused_by_database(lambda: Ruleset.objects.filter(**of_book).delete())
    log = RulebookAction.objects.filter(**of_book)
    assert "never updated" in refused_by_database(lambda: log.update(actor="me"))
    assert "never deleted" in refused_by_database(lambda: log.delete())
    twice = {"key": book.key, "version": 1, "name": "x", "profile": {}}
    refused_by_database(lambda: Ruleset.objects.create(**of_book, **twice))
    refused_by_database(lambda: RulebookAction.objects.filter(pk=log[0].pk)._raw_delete("default"))


def test_a_copy_of_a_copy_knows_the_shipped_ruleset_it_goes_back_to():
    book = RulebookFactory(published="First version.")
    second = copy_ruleset(newest_of(book), name="Second", publisher=book.publisher, actor="ada")
    assert second.draft["based_on"] == "dci1999" and second.copied_from.key == book.key
