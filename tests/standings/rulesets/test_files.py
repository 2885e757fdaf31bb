"""Rulesets as files: given out, taken in somewhere else, and what they changed of the rules they came from."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import RulebookFactory, TournamentFactory, UserFactory
from tests.standings.rulesets.editor import page
from tournament.models import Publisher, Rulebook
from tournament.rulebooks.library import newest_of
from tournament.services.rulebooks import publish_draft, save_draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client):
    """Signed in."""
    user = UserFactory(username="ada")
    client.force_login(user)
    return user


def changed(owner) -> Rulebook:
    """A copy of DCI 1999 in which a win is worth 2 and the minimum is 1/3, published."""
    book = RulebookFactory(owner=owner, published="First version.")
    rules = {**newest_of(book).profile}
    rules |= {"match_points": {**rules["match_points"], "win": "2"}}
    rules |= {"percentages": {**rules["percentages"], "match_floor": "1/3"}}
    save_draft(book, rules, seen=book.draft_revision, actor=owner)
    publish_draft(book, seen=book.draft_revision, note="A win is worth 2.", actor=owner)
    return book


def take_in(client, content: bytes, **data):
    data = {"name": "Taken in", "publisher_name": "South League", **data}
    return client.post("/rulesets/import/", {"file": SimpleUploadedFile("rules.json", content), **data})


def test_a_file_that_was_given_out_is_taken_in_with_what_it_changed(client, ada):
    book = changed(UserFactory())
    content = client.get(f"/rulesets/{book.key}/versions/2/json/").content
    answer = take_in(client, content)
    assert answer.status_code == 303
    rulebook = Rulebook.objects.get(publisher__name="South League")
    assert answer["Location"] == f"/rulesets/{rulebook.key}/draft/"
    version = publish_draft(rulebook, seen=rulebook.draft_revision, note="As the North plays.", actor=ada)
    apart = {"key", "name", "version"}
    ours, theirs = (
        {k: v for k, v in p.items() if k not in apart} for p in (version.profile, json.loads(content))
    )
    assert ours == theirs
    html = page(client.get(f"/rulesets/{rulebook.key}/"))
    assert "Changed from Magic DCI 1999" in html
    assert "Match points for a win" in html.split("Changed from")[1]


def test_the_same_file_sent_twice_is_taken_in_once(client, ada):
    content = client.get("/rulesets/dci1999/versions/1/json/").content
    first, second = take_in(client, content), take_in(client, content)
    assert first["Location"] == second["Location"]
    assert take_in(client, client.get("/rulesets/mtr/versions/1/json/").content).status_code in (400, 422)
    assert Rulebook.objects.filter(publisher__name="South League").count() == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n", "rules.json"),
        (b"[1]", "a single JSON object"),
        (b"{}", "is not a ruleset"),
        (b'{"match_points": {"win": "many", "draw": "1", "loss": "0"}}', "Nothing was imported"),
        (b"{" * 100_000, "rules.json"),
        (b"[" * 300_000, "bytes"),
    ],
)
def test_a_file_nobody_could_play_by_is_refused_whole(client, ada, content, words):
    answer = take_in(client, content)
    assert answer.status_code == 422
    assert words in page(answer)
    assert not Publisher.objects.filter(name="South League").exists()


def test_an_events_rules_say_what_they_changed_and_of_which(client, ada):
    book = changed(ada)
    tournament = TournamentFactory(entries=4, ruleset=book.key, owner=ada)
    html = page(client.get(f"/t/{tournament.slug}/rules/"))
    assert "Changed from Magic DCI 1999" in html
    assert "Match points for a win: 2 (was 3)" in html
    for path in (f"/t/{tournament.slug}/desk/rules/", f"/rulesets/words/?ruleset={book.key}"):
        assert "Match points for a win: 2 (was 3)" in page(client.get(path)), path
    plain = TournamentFactory(entries=4, ruleset="dci1999", owner=ada)
    assert "Changed from" not in page(client.get(f"/t/{plain.slug}/rules/"))
