import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from django.core.handlers.wsgi import WSGIRequest

from tests.log_lines import logged
from tournament.config import rsgi
from tournament.errors import REFUSED

NEVER = None


class Headers(dict):
    """Names in lower case, as granian has them; `more`: those that come twice."""

    def items(self):
        for name, text in super().items():
            for each in text if isinstance(text, list) else [text]:
                yield name, each


def scope(method="POST", path="/login/", client="10.0.0.7:4000", **headers):
    return SimpleNamespace(
        method=method,
        path=path,
        query_string="a=%00",
        client=client,
        server="127.0.0.1:8000",
        scheme="http",
        http_version="1.1",
        headers=Headers({"host": "127.0.0.1", **{name.replace("__", "-"): t for name, t in headers.items()}}),
    )


class Proto:
    """Granian's side of a request. The body arrives in these pieces, each after `pause`; None never arrives."""

    def __init__(self, *pieces, pause=0):
        self.pieces, self.pause, self.answer = pieces, pause, None

    async def __aiter__(self):
        for piece in self.pieces:
            await asyncio.sleep(self.pause)
            if piece is NEVER:
                await asyncio.Event().wait()
            yield piece
        yield b""

    def response_bytes(self, status, headers, body):
        self.answer = status, dict(headers), body.decode()


@pytest.fixture
def ask(monkeypatch):
    """Send requests, given as (scope, proto), at once; what Django was given is in `seen`."""
    seen = []

    def application(environ, start_response):
        seen.append(environ)
        start_response("200 OK", [("Content-Length", "2")])
        return Closed([environ["wsgi.input"].read()])

    class Closed(list):
        def close(self):
            pass

    monkeypatch.setattr(rsgi, "application", application)

    def send(*requests):
        async def all_of_them():
            reader = rsgi.RequestReader()
            await asyncio.gather(*(reader.__rsgi__(*request) for request in requests))
            return reader

        with ThreadPoolExecutor(1) as thread:  # a browser's loop may run in this one
            return thread.submit(asyncio.run, all_of_them()).result()

    send.seen = seen
    return send


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(rsgi, "BODY_TIMEOUT", 0.2)
    monkeypatch.setattr(rsgi, "DRAIN_TIMEOUT", 0.2)


def refusals(ask):
    return [environ.get(REFUSED) for environ in ask.seen]


def test_a_whole_body_reaches_django_and_a_get_waits_for_none(ask):
    form, get = Proto(b"user", b"name=ada"), Proto(NEVER)
    ask((scope(content__length="12"), form), (scope("GET", content__length="100"), get))
    assert form.answer == (200, {"Content-Length": "2"}, "username=ada")
    assert get.answer[2] == "" and refusals(ask) == [None, None]


def test_a_body_that_stops_is_refused_after_a_while_and_holds_no_thread(ask, monkeypatch):
    monkeypatch.setattr(rsgi, "BODY_TIMEOUT", 1)
    stalled = [(scope(content__length="100"), Proto(b"user", NEVER)) for _ in range(50)]
    silent = [(scope(content__length="100"), Proto(NEVER)) for _ in range(50)]
    quick = Proto(b"abc")
    ask(*stalled, *silent, (scope(content__length="3"), quick))
    assert quick.answer[2] == "abc"
    assert refusals(ask) == [None] + [408] * 100


def test_a_body_that_goes_on_may_take_longer_and_one_that_drips_may_not(ask, monkeypatch):
    monkeypatch.setattr(rsgi, "BODY_TIMEOUT", 1)
    monkeypatch.setattr(rsgi, "MIN_BODY_RATE", 100)  # bytes a second
    steady, drip = Proto(*[b"x" * 100] * 6, pause=0.25), Proto(*[b"x"] * 600, pause=0.05)
    ask((scope(content__length="600"), steady), (scope(content__length="600"), drip))
    assert steady.answer[2] == "x" * 600
    assert sorted(refusals(ask), key=bool) == [None, 408]


@pytest.mark.parametrize("pieces", [(NEVER,), (b"x" * 2**20,) * 6, (b"x" * 2**20,) * 40])
def test_a_body_too_large_is_refused_without_being_kept(ask, impatient, pieces):
    ask((scope(content__length=str(900 * 2**20)), Proto(*pieces)))
    assert refusals(ask) == [413]
    assert ask.seen[0]["CONTENT_LENGTH"] == "0" and ask.seen[0]["wsgi.input"].read() == b""


def test_many_large_bodies_at_once_leave_room_for_results(ask, impatient, monkeypatch):
    monkeypatch.setattr(rsgi, "MAX_BUFFERED", 100_000)
    large = scope(content__length="60000")
    huge = scope(content__length=str(900 * 2**20))  # weighs nothing: it is not kept
    stalled = [(each, Proto(NEVER)) for each in (huge, large, large, large)]
    ask(*stalled, (large, Proto(b"x" * 60_000)), (scope(content__length="3"), Proto(b"abc")))
    assert sorted(refusals(ask), key=lambda status: status or 0) == [None, 408, 413, 503, 503, 503]
    reader = ask((large, Proto(b"x" * 60_000)))
    assert reader.buffered == 0 and refusals(ask)[-1] is None


@pytest.mark.django_db  # the end of a request looks after its connections
@pytest.mark.parametrize(
    ("status", "words"),
    [
        (413, "The server accepts at most 3 MB."),
        (408, "did not arrive in time"),
        (411, "does not say how long it is"),
        (400, "This server does not answer at that address."),
        (503, "Too much is being sent at once. Wait 10 seconds"),
    ],
)
@pytest.mark.parametrize("htmx", [{}, {"hx__request": "true"}])
def test_a_refusal_is_a_page_of_the_site_that_says_what_to_do(status, words, htmx, caplog):
    proto = Proto()
    rsgi.answer(scope(content__length="9", **htmx), proto, status)
    got, headers, page = proto.answer
    assert got == status and words in page
    assert page.lstrip().startswith("<p") == bool(htmx)
    assert headers.get("Retry-After") == ("10" if status == 503 else None)
    assert {"Content-Security-Policy", "X-Content-Type-Options"} <= set(headers)
    assert not caplog.records


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/static/site.css"])
def test_an_address_too_long_is_one_warning(path):
    proto, asked = Proto(), scope("GET", path=path)
    asked.query_string = "v=" + "x" * 20_000
    with logged() as streams:
        rsgi.answer(asked, proto, b"")
    status, _headers, page = proto.answer
    assert status == 414 and "This address is too long" in page
    (line,) = streams["text"].getvalue().splitlines()
    assert " WARNING " in line and "xxx" not in line


def test_a_bug_outside_django_is_granians_500(ask, monkeypatch):
    monkeypatch.setattr(rsgi, "application", lambda *_: {}["a bug"])
    with pytest.raises(KeyError):
        ask((scope(content__length="1"), Proto(b"x")))


def test_requests_come_to_django_in_wsgis_words():
    asked = scope(
        path="/t/café/\0",
        client="[::1]:4000",
        content__type="text/plain",
        content__length="4",
        cookie=["a=1", "b=2"],
        x__forwarded__for=["1.1.1.1", "2.2.2.2"],
        x_forwarded_proto="https",  # with an underscore: it must not pass for the proxy's
    )
    asked.query_string = "q=日本"
    environ = rsgi.build_environ(asked, b"body")
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/t/café/\0"
    assert WSGIRequest(environ).GET["q"] == "日本"
    assert (environ["SERVER_NAME"], environ["SERVER_PORT"]) == ("127.0.0.1", "8000")
    assert (environ["CONTENT_TYPE"], environ["HTTP_COOKIE"]) == ("text/plain", "a=1; b=2")
    assert environ["HTTP_X_FORWARDED_FOR"] == "1.1.1.1,2.2.2.2" and "HTTP_X_FORWARDED_PROTO" not in environ
    assert environ["wsgi.input"].read() == b"body"
    addresses = {
        "10.0.0.7:4000": "10.0.0.7",
        "[::ffff:10.0.0.7]:4000": "10.0.0.7",
        "[2a00::7]:4000": "2a00::7",
    }
    for client, address in addresses.items():
        assert rsgi.build_environ(scope(client=client), b"")["REMOTE_ADDR"] == address


FORM = "multipart/form-data; boundary=----WebKitFormBoundaryq7"


@pytest.mark.parametrize(
    ("sent", "given"),
    [
        ("application/x-www-form-urlencoded; charset=UTF-8", "application/x-www-form-urlencoded"),
        (FORM, FORM),
        ('Multipart/Form-Data; charset=utf-7; boundary="a b"', "Multipart/Form-Data; boundary=a"),
        ("multipart/form-data", "multipart/form-data"),
        ("application/json; a*<5>=x; charset*=nope''x", "application/json"),
        ("a; " + ";" * 60_000, ""),
        ("application/x" + ";" * 60_000 + FORM, "application/x"),
        ("text/html" + " " * 60_000 + "; boundary=x", "text/html"),
        ("", ""),
    ],
)
def test_of_a_content_type_django_reads_no_parameter_but_the_boundary(sent, given):
    words = rsgi.build_environ(scope(content__type=sent, content__length="3"), b"a=b")
    assert words["CONTENT_TYPE"] == given
    assert rsgi.build_environ(scope("GET", content__type=sent), b"")["CONTENT_TYPE"] == ""


def test_an_unknown_header_is_remembered_only_so_often(monkeypatch):
    monkeypatch.setattr(rsgi, "_header_names", {})
    for number in range(300):
        rsgi.build_environ(scope("GET", **{f"x{number}": "1"}), b"")
    assert len(rsgi._header_names) == 200
