"""Two editors at once, with real connections: one version, nothing overwritten unseen."""

from functools import partial

import pytest

from tests.factories import PublisherFactory, RulebookFactory, UserFactory
from tests.races.test_desks import TIMES, at_once, refusals
from tournament.models import Rulebook, Ruleset
from tournament.rulebooks.library import newest_of
from tournament.services.publishers import create_publisher, remove_member, set_member
from tournament.services.rulebooks import copy_ruleset, discard_draft, publish_draft, save_draft

pytestmark = pytest.mark.django_db(transaction=True)


def fresh(book: Rulebook) -> Rulebook:
    return Rulebook.objects.get(pk=book.pk)


def worth(book: Rulebook, win: str) -> dict:
    return {**newest_of(book).profile, "match_points": {"win": win, "draw": "1", "loss": "0"}}


def drafted(win: str = "4") -> Rulebook:
    book = RulebookFactory(published="First version.")
    save_draft(book, worth(book, win), seen=book.draft_revision, actor="ada")
    return book


def test_two_publishers_whose_names_make_one_address_get_two():
    for number in range(TIMES):
        names = (f"North League {number}", f"North-League {number}")
        answers = at_once(*(partial(create_publisher, name, owner=UserFactory()) for name in names))
        assert refusals(answers) == []
        assert {of.slug for of in answers} == {f"north-league-{number}", f"north-league-{number}-2"}


def test_two_people_publishing_make_one_version():
    of = PublisherFactory()
    for number in range(TIMES):
        book = RulebookFactory(publisher=of, name=f"Rules {number}")
        publish = [
            partial(publish_draft, fresh(book), seen=book.draft_revision, note="Mine.", actor=name)
            for name in ("ada", "bo")
        ]
        assert len(refusals(at_once(*publish))) == 1
        assert book.versions.count() == 1
        assert list(book.actions.values_list("number", flat=True)) == [1, 2]


def test_of_two_drafts_saved_at_once_one_is_refused_with_both_shown():
    book = drafted()
    for number in range(TIMES):
        book.refresh_from_db()
        wins = (f"{number + 5}", f"{number + 5}/2")
        save = [
            partial(save_draft, fresh(book), worth(book, win), seen=book.draft_revision, actor=win)
            for win in wins
        ]
        (conflict,) = refusals(at_once(*save))
        assert {conflict.theirs["match_points.win"], conflict.yours["match_points.win"]} == set(wins)
        assert fresh(book).draft_revision == book.draft_revision + 1


def test_a_draft_is_published_or_discarded_never_both():
    of = PublisherFactory()
    for number in range(TIMES):
        book = RulebookFactory(publisher=of, name=f"Rules {number}")
        publish_draft(book, seen=book.draft_revision, note="First.", actor="ada")
        save_draft(book, worth(book, "4"), seen=book.draft_revision, actor="ada")
        seen = book.draft_revision
        answers = at_once(
            partial(publish_draft, fresh(book), seen=seen, note="Second.", actor="ada"),
            partial(discard_draft, fresh(book), seen=seen, actor="bo"),
        )
        assert len(refusals(answers)) == 1
        assert fresh(book).draft is None
        assert book.versions.count() == (2 if isinstance(answers[0], Ruleset) else 1)


def test_one_copy_asked_for_twice_at_once_is_there_once():
    of, source = PublisherFactory(), Ruleset.objects.get(key="mtr")
    for number in range(TIMES):
        ask = partial(copy_ruleset, source, name=f"Copy {number}", publisher=of, actor="ada")
        first, second = at_once(ask, ask)
        assert first == second
    assert of.rulebooks.count() == TIMES


def test_one_publisher_asked_for_twice_at_once_is_there_once():
    ada, bo = UserFactory(), UserFactory()
    for number in range(TIMES):
        first, second = at_once(*[partial(PublisherFactory, owner=ada, name=f"Mine {number}")] * 2)
        assert first == second
        answers = at_once(
            partial(PublisherFactory, owner=ada, name=f"Ours {number}"),
            partial(PublisherFactory, owner=bo, name=f"Ours {number}"),
        )
        assert len(refusals(answers)) == 1


def test_two_owners_removing_each_other_leave_one():
    for _ in range(TIMES):
        ada, bo = UserFactory(), UserFactory()
        of = PublisherFactory(owner=ada, name=ada.username)
        set_member(of, bo.username, "owner", actor=ada)
        leave = [partial(remove_member, of, user.username, actor="x") for user in (ada, bo)]
        assert len(refusals(at_once(*leave))) == 1
        assert of.members.count() == 1
