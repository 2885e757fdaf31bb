import pytest
from django.test import Client

from pairings.draft.services import draft_next_round
from tests.browser import eventually
from tests.conftest import finish_background_work
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.pages import Page, page
from tests.push_service import Receiver, push_service
from tests.steps import complete_round
from tests.tournament.views.desk import key
from tests.tournament.views.phones import known, text
from tests.tournament.web.test_push import NOT_PUBLIC
from tournament import push
from tournament.access.codes import personal_code
from tournament.access.player_link import known_key
from tournament.archive.load import dump_event
from tournament.models import PushSubscription, Tournament
from tournament.push import MOST_PHONES
from tournament.results.shorthand import parse_slip
from tournament.services.anonymity import anonymize_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import delete_event
from tournament.services.reports import report_result
from tournament.services.rounds import publish_round
from tournament.services.self_service import make_links, renew_link
from tournament.services.undo import undo_action

transactional = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def site(settings) -> None:
    settings.HTTPS, settings.SITE_URL = True, "https://events.example.org"


@pytest.fixture
def service(monkeypatch):
    with push_service(monkeypatch) as running:
        yield running


def ask(client, own: str, phone: Receiver, **fields):
    return client.post(f"{own}push/", {**phone.sent, **fields})


def test_a_phone_asks_stops_and_asks_again_and_is_in_no_log_and_no_archive(client):
    event = TournamentFactory(entries=2)
    own, phone, before = known(client, event), Receiver("/tell-no-one"), Tournament.objects.get().revision
    assert "Tell me when I am paired" in page(client, own)
    for _ in range(2):
        assert ask(client, own, phone).status_code == 303
    assert PushSubscription.objects.get().entry.code == "P0001"
    assert phone.endpoint in text(client.get(own))
    event.refresh_from_db()
    assert event.revision == before and "tell-no-one" not in str(dump_event(event))
    assert ask(client, own, phone, stop="on").status_code == 303
    assert not PushSubscription.objects.exists()


def test_what_is_no_subscription_is_refused_with_one_line(client, settings):
    own = known(client, TournamentFactory(entries=2))
    for endpoint in filter(None, NOT_PUBLIC):
        answer = ask(client, own, Receiver(), endpoint=endpoint)
        assert answer.status_code == 422 and "not the address of a push service" in Page(answer), endpoint
    assert "no usable keys" in Page(ask(client, own, Receiver(), p256dh="AAAA"))
    assert ask(client, own, Receiver("/" + "x" * 600)).status_code == 422
    settings.HTTPS = False
    assert "Tell me when I am paired" not in page(client, own)
    assert ask(client, own, Receiver()).status_code == 409
    assert not PushSubscription.objects.exists()


def test_only_the_newest_phones_of_a_player_are_told(client):
    own = known(client, TournamentFactory(entries=2))
    for number in range(MOST_PHONES + 2):
        ask(client, own, Receiver(f"/phone-{number}"))
    told = PushSubscription.objects.values_list("endpoint", flat=True)
    assert [endpoint[-1] for endpoint in told] == ["2", "3", "4", "5", "6"]


@pytest.mark.parametrize("end", ["forget", "forget all", "new link", "revoked", "anonymous", "deleted"])
def test_a_phone_is_told_no_more_once_it_is_not_the_players(client, end):
    event = TournamentFactory(entries=2)
    own, phone, other = known(client, event), Receiver("/here"), Receiver("/there")
    for each in (phone, other):
        ask(client, own, each)
    left = 0
    if end.startswith("forget"):
        left = 0 if end == "forget all" else 1
        client.post(f"{own}forget/", {"endpoint": phone.endpoint} if left else {})
    elif end == "new link":
        renew_link(event, "P0001")
    elif end == "revoked":
        known(client, event)  # another key
    elif end == "anonymous":
        anonymize_entry(event, "P0001")
    else:
        delete_event(event, event.name)
    assert PushSubscription.objects.count() == left


@transactional
def test_a_new_round_tells_each_phone_what_its_public_page_says(client, service):
    event = TournamentFactory(entries=3, reporting="on")
    phones = {code: Receiver(f"/{code}") for code in ("P0001", "P0002", "P0003")}
    for code, phone in phones.items():
        ask(client, known(client, event, code), phone)
    draft_next_round(event)
    finish_background_work()
    assert service.taken == []  # a draft is no one's business
    publish_round(event, 1)
    eventually(lambda: len(service.taken) == 3)
    told = {code: service.texts(phone) for code, phone in phones.items()}
    for code, [words] in told.items():
        assert page(client, f"/t/{event.slug}/players/{code}/").all(f'[data-announce="{words}"]')
    assert sorted(words.split()[2] for [words] in told.values()) == ["bye.", "table", "table"]


@transactional
def test_reports_that_differ_tell_both_players(client, service):
    event = TournamentFactory(entries=2)
    change_settings(event, reporting="on")
    phones = {code: Receiver(f"/{code}") for code in ("P0001", "P0002")}
    RoundFactory(tournament=event)
    for code, phone in phones.items():
        ask(client, known(client, event, code), phone)
    report_result(event, "P0001", 1, parse_slip("20"), key=key())
    report_result(event, "P0002", 1, parse_slip("20"), key=key())
    for phone in phones.values():
        eventually(lambda phone=phone: "The reports differ. Call a judge." in service.texts(phone))
    for slip in ("21", "20") * 3:  # back and forth
        report_result(event, "P0001", 1, parse_slip(slip), key=key())
    finish_background_work()
    assert [len(service.texts(phone)) for phone in phones.values()] == [1, 1]


@transactional
@pytest.mark.parametrize("way", ["code", "link"])
def test_the_other_phones_of_a_player_hear_of_a_new_one(client, service, way):
    event = TournamentFactory(entries=2)
    make_links(event)
    first, others = Receiver("/first"), Receiver("/others")
    link = f"/t/{event.slug}/key/{known_key(event, event.entries.get(code='P0001'))}/"
    client.get(link)
    ask(client, f"/t/{event.slug}/me/P0001/", first)
    ask(client, known(client, event, "P0002"), others)
    client.get(link)  # the same phone again
    if way == "link":
        Client().get(link)
    else:
        entry = event.entries.get(code="P0001")
        Client().post(f"/t/{event.slug}/me/P0001/this-is-me/", {"key": key(), "code": personal_code(entry)})
    eventually(lambda: len(service.texts(first)) == 1)
    assert "Another phone now opens your page." in service.texts(first)[0] and not service.texts(others)


@pytest.mark.long
@transactional
def test_a_push_service_that_hangs_holds_no_round(client, service, monkeypatch):
    monkeypatch.setattr(push, "SECONDS", 2)
    service.waits = 60
    event = TournamentFactory(entries=60)
    for code in event.entries.values_list("code", flat=True):
        ask(client, known(client, event, code), Receiver(f"/{code}"))
    draft_next_round(event)
    publish_round(event, 1)
    waiting = push.THREADS._threads._work_queue
    assert not waiting.empty() or not service.taken  # 60 phones still wait: the round does not
    assert "Round 1" in text(client.get(f"/t/{event.slug}/"))
    eventually(waiting.empty)
    most = push.MOST_SLOW + 2 * push.THREADS._threads._max_workers
    assert len(service.taken) <= most  # the others are not waited for


@transactional
@pytest.mark.parametrize(("status", "left"), [(201, 1), (404, 0), (410, 0), (429, 1), (500, 1)])
def test_a_phone_that_is_gone_is_forgotten(client, service, status, left):
    service.status = status
    event = TournamentFactory(entries=2)
    ask(client, known(client, event), Receiver())
    RoundFactory(tournament=event)
    eventually(lambda: service.taken)
    eventually(lambda: PushSubscription.objects.count() == left)


@transactional
def test_a_draft_and_its_round_tell_a_phone_once(client, service, monkeypatch):
    event = TournamentFactory(entries=4)
    ask(client, known(client, event), Receiver())
    later: list[tuple] = []
    with monkeypatch.context() as patch:
        patch.setattr(push.THREADS, "submit", lambda *work: later.append(work))
        draft_next_round(event)
        published = publish_round(event, 1)
    assert len(later) == 1  # the draft is no news, however late a thread comes to it
    undo_action(event, published.number)
    [(notify, *about)] = later
    notify(*about)
    assert service.taken == []  # taken down before anyone was told


@transactional
def test_what_others_do_tells_no_one(client, service):
    event = TournamentFactory(entries=4)
    ask(client, known(client, event), Receiver())
    RoundFactory(tournament=event)
    eventually(lambda: len(service.taken) == 1)
    enter_results(event, 1)
    complete_round(event, 1)
    finish_background_work()
    assert len(service.taken) == 1
