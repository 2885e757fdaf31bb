import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from tests.conftest import FULL, THOROUGH, empty
from tests.factories import TWO_NIL, TournamentFactory, enter_results
from tests.journeys.play import Play
from tests.pages import Page
from tests.steps import complete_round
from tests.tournament.views.phones import known
from tournament.models import Seat, Tournament
from tournament.public import response_cache as module
from tournament.public.response_cache import Policy, ResponseCacheMiddleware, response_cache
from tournament.results.shorthand import parse_slip
from tournament.services.entries import change_entry
from tournament.services.event_settings import change_settings
from tournament.services.reports import report_result
from tournament.services.results import record_result
from tournament.services.self_service import change_player_link

pytestmark = pytest.mark.django_db


STEPS = 40 if FULL else 14 if THOROUGH else 8  # three a comparison


@pytest.mark.long
@pytest.mark.parametrize("ruleset", ["cardeio", "fide"])
def test_whatever_is_done_an_answer_given_again_is_what_the_page_says(ruleset):
    play, client = Play(ruleset), Client()
    marks: dict[str, str] = {}
    for _ in range(STEPS):
        for _ in range(3):
            play.take_a_step()
        addresses = addresses_of(play.tournament) + [f"{path}?v={mark}" for path, mark in marks.items()]
        given = {address: answer_of(client, address) for address in addresses}
        empty()
        for address, answer in given.items():
            assert answer == answer_of(client, address), address
            if "?" not in address and answer[0] == 200 and (mark := mark_in(answer[1])):
                marks[address] = mark
        given_again = {address: answer_of(client, address) for address in addresses}
        assert given_again == given


def addresses_of(tournament: Tournament) -> list[str]:
    event = f"/t/{tournament.slug}/"
    code = tournament.entries.order_by("pk").values_list("code", flat=True).last()
    last = tournament.rounds.count() or 1
    ends = "now/ players/ standings/ standings/table/ bracket/ bracket/tree/".split()
    ends += [f"rounds/{last}/", f"rounds/{last}/pairings/", f"players/{code}/", f"players/{code}/now/"]
    return [event + end for end in ends]


def answer_of(client: Client, address: str) -> tuple[int, str, dict[str, str]]:
    response = client.get(address)
    headers = {name: text for name, text in response.items() if name != "X-Request-ID"}
    return response.status_code, response.content.decode(), headers


def mark_in(page: str) -> str:
    found = Page(page).soup.select("[data-v]")
    return str(found[0]["data-v"]) if found else ""


@pytest.fixture
def event() -> Tournament:
    return TournamentFactory(entries=8, published=True)


def code_at(tournament: Tournament, table: int, side: str = "a") -> str:
    return Seat.objects.get(match__round__tournament=tournament, match__table=table, side=side).entry.code


def own_page(tournament: Tournament, table: int) -> str:
    return f"/t/{tournament.slug}/players/{code_at(tournament, table)}/now/"


def test_an_answer_costs_one_query_until_something_changes(client, event, django_assert_num_queries):
    for address in addresses_of(event):
        first = answer_of(client, address)
        with django_assert_num_queries(1):
            assert answer_of(client, address) == first


def test_whatever_a_phone_has_seen_a_part_is_made_once(client, event, django_assert_num_queries):
    address = own_page(event, 1)
    part = answer_of(client, f"{address}?v=older")
    assert part[0] == 200
    with django_assert_num_queries(2):
        assert answer_of(client, f"{address}?v=oldest") == part
        assert answer_of(client, f"{address}?v={mark_in(part[1])}")[:2] == (204, "")
    empty()
    assert answer_of(client, f"{address}?v={mark_in(part[1])}")[:2] == (204, "")
    assert answer_of(client, f"{address}?v=older") == part


def test_a_result_makes_only_the_phones_of_its_table_ask_anew(client, event, django_assert_num_queries):
    mine, other, everyone = own_page(event, 1), own_page(event, 2), f"/t/{event.slug}/rounds/1/"
    for address in (mine, other, everyone):
        client.get(address)
    record_result(event, 1, 1, TWO_NIL)
    for address in (other, everyone):
        with django_assert_num_queries(1):
            client.get(address)
    assert "2–0" in client.get(mine).content.decode()


def test_a_browser_that_has_the_page_hears_just_that_and_others_get_the_page(
    client, event, django_assert_num_queries
):
    address = f"/t/{event.slug}/standings/"
    tag = client.get(address)["ETag"]
    with django_assert_num_queries(1):
        answer = client.get(address, headers={"if-none-match": tag})
    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", tag)
    assert "Content-Encoding" not in answer
    empty()
    assert client.get(address, headers={"if-none-match": tag}).status_code == 304
    for _made_and_given_again in range(2):
        answer = client.get(address)
        assert answer.status_code == 200 and answer.content


@pytest.mark.parametrize(
    "conditions", [{"If-Match": '"x"'}, {"If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"}]
)
@pytest.mark.parametrize("packed", [{}, {"Accept-Encoding": "gzip"}])
def test_the_answer_to_the_condition_of_one_request_is_given_to_no_one_else(
    client, event, conditions, packed
):
    for end in ("players/", "rounds/1/", "standings/", "bracket/", "players/P0001/"):
        address = event.get_absolute_url() + end
        assert client.get(address, headers=conditions | packed).status_code == 412
        for _ in range(2):
            answer = client.get(address, headers=packed)
            assert answer.status_code == 200 and len(answer.content) > 100


@pytest.mark.parametrize("words", ["", "gzip;q=0", "gzip ; q=0.0, br", "identity"])
def test_who_refuses_gzip_gets_none_however_often_others_do(client, event, words):
    for _time in range(2):
        packed = client.get(f"/t/{event.slug}/rounds/1/", headers={"accept-encoding": "br, gzip;q=0.5"})
        assert packed["Content-Encoding"] == "gzip"
        plain = client.get(f"/t/{event.slug}/rounds/1/", headers={"accept-encoding": words})
        assert "Content-Encoding" not in plain


ENDLESS = [
    "now/?x={}",
    "now/?v=1&v={}",
    "rounds/1/?by=x{}",
    "rounds/1/?by=name&by=table&{}",
    "players/?q=p{}",
    "bracket/?round=x{}",
    "standings/?by=name&x={}",
    "standings/?label=Nord&x={}",
]


@pytest.mark.parametrize("end", ENDLESS)
def test_no_end_of_addresses_fills_the_memory(client, event, end):
    change_entry(event, "P0001", labels=["Nord"])
    for number in range(5):
        assert client.get(f"/t/{event.slug}/{end.format(number)}").status_code == 200
    assert len(response_cache) == 0


def test_an_address_is_kept_once_however_it_is_spelled(client, event, django_assert_num_queries):
    enter_results(event, 1)
    complete_round(event, 1)
    first = answer_of(client, f"/t/{event.slug}/standings/?after=1&by=name")
    with django_assert_num_queries(2):
        assert answer_of(client, f"/t/{event.slug}/standings/?by=name&after=1") == first
        assert answer_of(client, f"/t/{event.slug}/standings/?%62y=n%61me&&after=1") == first
    assert len(response_cache) == 1


def test_an_event_that_is_called_me_has_pages_as_others_have(client, django_assert_num_queries):
    address = f"/t/{TournamentFactory(slug='me').slug}/now/"
    client.cookies["any"] = "1"
    part = answer_of(client, address)
    with django_assert_num_queries(1):
        assert answer_of(client, f"{address}?v=older") == part
    assert len(response_cache) == 1


def test_a_phone_has_one_poll_kept_for_each_set_of_its_cookies(client, event):
    change_settings(event, reporting="on")
    phone, code = Client(), code_at(event, 1)
    address = f"{known(phone, event, code)}report/"
    mark = mark_in(phone.get(address).content.decode())
    for number in range(4):
        phone.cookies["other"] = str(number // 2)
        assert phone.get(f"{address}?v={mark}").status_code == 204
        assert phone.get(f"{address}?v={mark}&x={number}").status_code == 204
        assert phone.get(f"{address}?v=older{number}").status_code == 200
    assert len(response_cache) == 2


def test_an_announcement_goes_when_its_time_is_over(client, event, monkeypatch):
    address = f"/t/{event.slug}/standings/"
    Tournament.objects.filter(pk=event.pk).update(
        announcement="Lunch", announcement_until=timezone.now() + timedelta(minutes=5)
    )
    assert "Lunch" in client.get(address).content.decode()
    Tournament.objects.filter(pk=event.pk).update(announcement_until=timezone.now())
    later = timezone.now() + timedelta(minutes=6)
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)
    assert "Lunch" not in client.get(address).content.decode()


def test_an_event_made_again_under_its_address_or_restored_has_its_own_pages(client, event):
    address = f"/t/{event.slug}/standings/"
    assert event.name in client.get(address).content.decode()
    Tournament.objects.filter(pk=event.pk).update(name="Restored", lineage="1a2b3c4d")
    assert "Restored" in client.get(address).content.decode()
    Tournament.objects.filter(pk=event.pk).update(slug="gone")
    assert client.get(address).status_code == 404
    again = TournamentFactory(name="Another")
    Tournament.objects.filter(pk=again.pk).update(slug=event.slug)
    assert again.name in client.get(address).content.decode()


def test_a_phone_that_waits_for_the_database_holds_up_the_others_only_briefly(client, event, monkeypatch):
    address = f"/t/{event.slug}/standings/"
    first = answer_of(client, address)
    monkeypatch.setattr(module, "LONGEST_IN_LINE", 0.01)
    with module._line:
        assert answer_of(client, address) == first
    assert answer_of(client, address) == first
    assert not module._line.locked()


def test_phones_that_ask_at_once_wait_for_one_response(monkeypatch):
    made = []

    def respond(request):
        made.append(request)
        time.sleep(0.05)
        return HttpResponse("page")

    policy = Policy(lambda: "1", {})
    match = SimpleNamespace(func=SimpleNamespace(cache_policy=policy), kwargs={}, view_name="page")
    monkeypatch.setattr(module, "_find_cacheable", lambda request: match)
    middleware = ResponseCacheMiddleware(respond)
    with ThreadPoolExecutor(8) as phones:
        answers = list(phones.map(middleware, [RequestFactory().get("/") for _ in range(8)]))
    assert {answer.content for answer in answers} == {b"page"} and len(made) == 1


def test_a_page_for_no_one_is_not_kept_and_a_host_that_is_not_ours_hears_nothing(client, event):
    for address in (f"/t/{event.slug}/players/P9999/", "/t/nowhere/standings/"):
        assert [client.get(address).status_code for _ in range(2)] == [404, 404]
    assert len(response_cache) == 1  # what all players' pages of the event have in common
    address = f"/t/{event.slug}/standings/"
    client.get(address)
    assert client.get(address, headers={"host": "evil.example"}).status_code == 400


def test_an_answer_with_a_cookie_is_for_one_device_and_not_kept(event):
    request, plain, mine = RequestFactory().get(f"/t/{event.slug}/standings/"), HttpResponse(), HttpResponse()
    mine.set_cookie("mine", "secret")
    for response, kept in ((mine, 0), (plain, 1)):
        ResponseCacheMiddleware(lambda _request, answer=response: answer)(request)
        assert len(response_cache) == kept


def test_a_players_own_poll_costs_one_query_until_the_opponent_reports(event, django_assert_num_queries):
    change_settings(event, reporting="on")
    phone, other = Client(), Client()
    mine, theirs = code_at(event, 1), code_at(event, 1, "b")
    address = f"{known(phone, event, mine)}report/"
    mark = mark_in(phone.get(address).content.decode())
    for queries in (None, 1, 1):
        with django_assert_num_queries(queries) if queries else nullcontext():
            assert phone.get(f"{address}?v={mark}").status_code == 204
    record_result(event, 1, 2, TWO_NIL)
    with django_assert_num_queries(1):
        assert phone.get(f"{address}?v={mark}").status_code == 204
    assert other.get(f"{address}?v={mark}").status_code != 204  # another device learns nothing
    for slip, kind in (("20", "open"), ("21", "changed")):
        report_result(event, theirs, 1, parse_slip(slip))
        answer = phone.get(f"{address}?v={mark}")
        assert answer.status_code == 200, kind
        mark = mark_in(answer.content.decode())
        assert phone.get(f"{address}?v={mark}").status_code == 204
    change_player_link(event, mine, key_hash="")
    assert phone.get(f"{address}?v={mark}").status_code != 204  # the link was revoked
