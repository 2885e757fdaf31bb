"""Every address everybody may open, on an event with everything that could leak: nothing private is in any answer.

The addresses come from the table of access, which is checked against the resolver: one that is new needs a line
here too.
"""

import re
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import resolve, reverse

from standings.bracket.cut import make_cut
from tests.conftest import empty
from tests.factories import RoundFactory, RulesetFactory, TournamentFactory, UserFactory, enter_results
from tests.steps import complete_round
from tests.tournament.access.access_table import EVERYBODY, PAGES
from tests.tournament.access.test_permissions import parts_of
from tournament.access.codes import personal_code
from tournament.actionlog.change import open_action
from tournament.models import Penalty, Staff, Tournament
from tournament.public import responses
from tournament.public.response_cache import response_cache
from tournament.services.decklists import hand_in_decklist, release_decklists
from tournament.services.entries import add_entries, change_entry, change_personal_fields
from tournament.services.event_settings import change_announcement, change_settings
from tournament.services.self_service import send_message
from tournament.services.staff import create_invite

pytestmark = pytest.mark.django_db

SURNAMES = "Okonkwo Oyelaran Featherstone Lindqvist Vegamonte Thorvaldsen".split()
PEOPLE = [f"{first} {last}" for first, last in zip("Kim Kim Ada Bo Sol Eli".split(), SURNAMES, strict=True)]
STAFF = ["olga-the-owner", "sam-the-scorekeeper", "jude-the-judge"]
CODE, METRIC = "P0001", "opp_match_win_pct"

# What is the same for everybody and may be kept by anybody: each address with what it is asked for.
SHARED: dict[str, list[dict]] = {
    "public-event": [{}],
    "public-now": [{}, {"v": "old"}],
    "manifest": [{}, {"start": "me"}],
    "public-round": [{}, {"by": "table"}],
    "public-pairings": [{}, {"by": "table"}],
    "standings": [{}, {"by": "name"}, {"by": "place"}, {"after": 1}],
    "standings-json": [{}, {"after": 1}],
    "standings-csv": [{}, {"after": 1}],
    "standings-table": [{}, {"by": "name"}],
    "standing": [{}, {"after": 1}],
    "standings-number": [{}, {"after": 1}],
    "bracket": [{}, {"round": "1"}, {"round": "all"}],
    "screen": [{}, {"theme": "dark"}],
}
SHARED |= {
    name: [{}]
    for name in """
    public-players player player-now player-decklist public-clock prizes proof rules
    standings-number-json standings-derivation standings-inside standing-row screen-part screen-of screen-of-part
    bracket-tree bracket-print bracket-csv bracket-json
    """.split()
}
# Rendered for who asks, or of no event: no page of these tells anything private either.
OTHERS: dict[str, list[dict]] = {"home": [{}, {"q": "vegamonte"}]}
OTHERS |= {
    name: [{}]
    for name in """
    healthz readyz prometheus schema help server-time service-worker site-logo account_signup account_login
    account_reset_password account_reset_password_done account_reset_password_from_key account_confirm_email
    mfa_authenticate register player-key me me-entry report-slip slip-report me-found me-confirm me-link me-drop
    me-message invite metrics rulesets ruleset-words ruleset ruleset-version ruleset-json
    """.split()
}
KEY = "league-rules"
ARGS = {
    "name": "no-such",
    "number": 2,
    "table": 1,
    "what": "pairings",
    "code": CODE,
    "metric": METRIC,
    "other": "P0002",
    "version": 1,
}


@pytest.fixture
def secrets() -> list[str]:
    """Everything that must not be told, of the event at `/t/gathering/`."""
    owner, scorekeeper, judge = (UserFactory(username=name) for name in STAFF)
    tournament = TournamentFactory(entries=0, owner=owner, name="Gathering", slug="gathering")
    add_entries(tournament, PEOPLE)
    change_settings(tournament, name_privacy="initial")
    for role, user in (("scorekeeper", scorekeeper), ("judge", judge)):
        Staff.objects.create(tournament=tournament, user=user, role=role)
    player = UserFactory(username="kims-account")
    with open_action(tournament, "entry") as log:
        for entry in log.tournament.entries.all():
            code = entry.code
            once = {"contact": f"{code}@mail.example", "alias": f"fox-{code}", "external_id": f"DCI-{code}"}
            log.set_personal(entry, **{name: f"was-{text}" for name, text in once.items()})
            log.set_personal(entry, **once, notes="owes-a-fee", key_hash=code.encode().hex() * 6)
        log.set_personal(log.tournament.entries.get(code=CODE), user=player)
    change_entry(tournament, CODE, labels=["club Nord"])
    for _ in range(2):
        enter_results(tournament, number := RoundFactory(tournament=tournament).number)
        complete_round(tournament, number)
    key = create_invite(tournament, "judge", actor=owner)
    send_message(tournament, CODE, "my-opponent-cheats", number=1)
    change_settings(tournament, decklist_rule="late")
    for cards in ("60 Not-Played", "60 Mountain"):
        hand_in_decklist(tournament, CODE, cards)
    release_decklists(tournament, True)
    with open_action(tournament, "penalty", actor=owner, reason="slow-play-again") as log:
        fact = {"entry": CODE, "round": 1, "kind": "warning", "reason": "late-to-the-table"}
        log.add(Penalty, "penalties/1", fact)
    make_cut(tournament, 4, actor=owner)
    change_announcement(tournament, "Lunch until 14:30", actor=owner)
    TournamentFactory(entries=2, owner=owner, name="Hidden-one", slug="hidden", listed=False)
    draft = TournamentFactory(entries=2, owner=owner, name="Draft-one", slug="draft")
    Tournament.objects.filter(pk=draft.pk).update(state="draft")
    hashes = list(tournament.entries.values_list("key_hash", flat=True))
    hashes += list(tournament.invites.values_list("key_hash", flat=True))
    words = "@mail.example owes-a-fee fox-P DCI-P kims-account my-opponent-cheats slow-play-again Not-Played"
    words += " late-to-the-table Hidden-one Draft-one"
    codes = map(personal_code, tournament.entries.all())
    return [*words.split(), *SURNAMES, *STAFF, *hashes, *codes, key, tournament.seed]


def url_of(name: str, fields: dict) -> str:
    own = {**PAGES[name].args, **({"key": KEY} if name.startswith("ruleset") else {})}
    parts = {**ARGS, **own, "slug": "gathering"}
    address = reverse(name, kwargs={part: parts[part] for part in parts_of(name)})
    return f"{address}?{urlencode(fields)}" if fields else address


def url_name(url: str) -> str:
    return resolve(url.split("?")[0]).url_name or ""


def asked_for(table: dict[str, list[dict]]) -> list[str]:
    return [url_of(name, fields) for name, every in table.items() for fields in every]


def test_no_public_address_is_missing_from_this_test():
    everybodys = {name for name, page in PAGES.items() if page.get == EVERYBODY}
    assert everybodys - {*SHARED, *OTHERS} == set()


def test_no_answer_to_everybody_tells_anything_private(client, secrets):
    RulesetFactory(owner=UserFactory(username="paula-the-owner"), published="First version.")
    secrets.append("paula-the-owner")
    leaks = {}
    extra = [f"/t/gathering/players/?q={name}" for name in ("kim", "vega", "thor")]
    extra += ["/t/gathering/standings/?label=club+Nord", "/t/gathering/nothing/"]
    for url in [*asked_for(SHARED), *asked_for(OTHERS), *extra]:
        answer = client.get(url)
        assert answer.status_code < 500, url
        assert answer.status_code == 200 or url in extra or url_name(url) in OTHERS, url
        page = answer.content.decode() + str(answer.headers)
        if words := [word for word in secrets if word in page]:
            leaks[url] = words
    assert leaks == {}


@pytest.mark.long
def test_a_player_with_a_display_name_only_is_nowhere_in_full(client, secrets):
    tournament = Tournament.objects.get(slug="gathering")
    change_settings(tournament, name_privacy="full")
    urls = [*asked_for(SHARED), *(f"/t/gathering/players/?q={name}" for name in ("vega", "thorv", "kim"))]
    whole = "".join(client.get(url).content.decode() for url in urls)
    assert [surname for surname in SURNAMES if surname not in whole] == []
    for entry in tournament.entries.all():
        change_personal_fields(tournament, entry.code, display_name_only=True, alias="")
    leaks = {url: name for url in urls for name in SURNAMES if name in client.get(url).content.decode()}
    assert leaks == {}
    change_personal_fields(tournament, CODE, alias="The Fox")
    assert "The Fox" in client.get("/t/gathering/standings/").content.decode()


@pytest.mark.long
def test_what_is_shared_may_be_kept_by_anybody(client, secrets):
    for url in asked_for(SHARED):
        answer = client.get(url)
        assert not answer.cookies, url
        assert "csrf" not in answer.content.decode().lower(), url
        assert answer.headers["Cache-Control"] == "public, no-cache", url
        vary = answer.headers["Vary"]
        assert "Accept-Encoding" in vary and "Cookie" not in vary, url
        marked = answer.headers.get("ETag") or re.search(r'data-v="([^"]+)"', answer.content.decode())
        assert marked, url


@pytest.mark.long
def test_under_the_address_of_its_tag_a_page_is_kept_for_good(client, secrets):
    changed = []
    for url in asked_for(SHARED):
        page = client.get(url)
        if "ETag" not in page:
            continue
        for _made_and_given_again in range(2):
            named = client.get(page["Content-Location"])
            assert named.content == page.content and not named.cookies, url
            assert (named["Cache-Control"], named["ETag"]) == (responses.FOR_GOOD, page["ETag"]), url
            assert named["Vary"] == "Accept-Encoding", url
            for other in (url, page["Content-Location"] + "0"):
                assert client.get(other)["Cache-Control"] == "public, no-cache", url
        changed.append((url, page["Content-Location"]))
    assert len(changed) > 15
    change_announcement(Tournament.objects.get(slug="gathering"), "Dinner")
    for url, named in changed:
        assert client.get(named)["Cache-Control"] == "public, no-cache", url


@pytest.mark.long
def test_who_asks_changes_nothing_on_what_is_shared(client, secrets):
    urls = asked_for(SHARED)
    nobodys = [client.get(url).content for url in urls]
    owner = Client()
    owner.force_login(Tournament.objects.get(slug="gathering").owner)
    empty()
    assert [owner.get(url).content for url in urls] == nobodys


@pytest.mark.long
def test_what_else_an_address_says_is_neither_shown_nor_kept(client, secrets):
    urls = [url for url in asked_for(SHARED) if "v=old" not in url]
    plain = {url: client.get(url).content for url in urls}
    more = ["utm=%3Cb%3Ejunk", "utm=1&utm=2", "v=1&v=2", "q=&x", "%76=3&&"]
    for url in urls:
        empty()
        for other in more:
            address = f"{url}{'&' if '?' in url else '?'}{other}"
            assert client.get(address).content == plain[url], address
        assert len(response_cache) <= 2, url  # the page, and what all players' pages have in common
        assert client.get(url).content == plain[url], url


@pytest.mark.long
def test_a_new_release_serves_no_old_page(client, secrets, monkeypatch):
    tags = {url: client.get(url).headers.get("ETag") for url in asked_for(SHARED)}
    monkeypatch.setattr(responses, "release", lambda: "another")
    empty()
    for url, tag in tags.items():
        if tag:
            assert client.get(url, headers={"If-None-Match": tag}).status_code == 200, url


@pytest.mark.parametrize("slug", ["draft", "nowhere"])
def test_an_event_that_is_not_public_answers_as_one_that_is_not_there(client, secrets, slug):
    for name in SHARED:
        url = url_of(name, {}).replace("gathering", slug)
        assert client.get(url).status_code == 404, url
