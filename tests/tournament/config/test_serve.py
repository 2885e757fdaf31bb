"""`manage.py serve` under attack and when its processes die: others are answered, and it comes back by itself."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from tests.pages import Page
from tests.served import MANAGE, free_port, is_up, server, workers_of
from tournament.config import rsgi
from tournament.config import server as server_process

pytestmark = [
    pytest.mark.only_on("sqlite"),
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found by their parent"),
]
PASSWORD = "correct horse battery"
NEW = {"password1": PASSWORD, "password2": PASSWORD}
FORM = "application/x-www-form-urlencoded"
SOON = 30  # s: a busy machine is no failure


class Visitor:
    def __init__(self, port, address="127.0.0.1"):
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", port, timeout=SOON, source_address=(address, 0)
        )
        self.cookies = {}

    def ask(self, method, path, body=None, **headers):
        headers |= {"Cookie": "; ".join(f"{name}={text}" for name, text in self.cookies.items())}
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        for line in answer.headers.get_all("Set-Cookie", ()):
            name, _, cookie = line.partition(";")[0].partition("=")
            self.cookies[name] = cookie
        return answer.status, text

    def token(self, path):
        return Page(self.ask("GET", path)[1]).soup.select_one('[name="csrfmiddlewaretoken"]')["value"]

    def send(self, path, **fields):
        body = urlencode({"csrfmiddlewaretoken": self.token(path), **fields})
        return self.ask("POST", path, body, **{"Content-Type": FORM})[0]

    def begin(self, length, body=b"", path="/login/"):
        """A socket on which a form has begun, whose rest is still to come."""
        self.token(path)
        cookie = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nContent-Type: {FORM}\r\n"
        return opened(self.connection.port, f"{head}Content-Length: {length}\r\n\r\n".encode() + body)


def opened(port, sent):
    sock = socket.create_connection(("127.0.0.1", port), timeout=SOON)
    sock.sendall(sent)
    return sock


def deaf(port):
    """A socket that asks for more than fits on the way, and reads nothing."""
    sock = socket.socket()
    sock.settimeout(SOON)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # or the system would take in megabytes
    sock.connect(("127.0.0.1", port))
    sock.sendall(b"GET /static/admin/js/vendor/jquery/jquery.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 100)
    return sock


def status_on(sock):
    """The status that comes back on a socket; None where it is closed without one."""
    with contextlib.suppress(ConnectionError):
        line = sock.recv(4096).partition(b"\r\n")[0]
        return int(line.split()[1]) if line else None


@pytest.fixture(scope="module")
def site(var):
    """A server, and connections on which slow people have begun to send something."""
    port = free_port()
    with server(var, PORT=str(port)) as process:
        visitor = Visitor(port)
        assert Visitor(port).send("/signup/", **NEW | {"username": "keeper"}) == 302
        slow = [visitor.begin(1000, b"csrf") for _ in range(3 * 2 * rsgi.THREADS - 1)]
        begun = time.monotonic()  # before the last one, whose time is then not over sooner
        slow.append(visitor.begin(1000, b"csrf"))
        unread = deaf(port)
        yield SimpleNamespace(port=port, process=process, slow=slow, unread=unread, begun=begun)
        for sock in (*slow, unread):
            sock.close()


# --- under attack ----------------------------------------------------------------------------------------


@pytest.mark.long
def test_bodies_that_do_not_come_and_people_who_do_not_read_keep_no_one_waiting(site):
    page = b"GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 150
    with contextlib.ExitStack() as unread:
        for _ in range(2 * rsgi.THREADS + 2):
            unread.enter_context(opened(site.port, page))
        visitor = Visitor(site.port)
        assert [visitor.ask("GET", path)[0] for path in ("/healthz", "/", "/login/")] == [200, 200, 200]
        assert visitor.send("/signup/", **NEW | {"username": "another"}) == 302


def test_what_is_too_large_is_refused_before_it_is_sent_and_after(site):
    head = "POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\n"
    announced = opened(site.port, f"{head}Content-Length: {900 * 2**20}\r\n\r\n".encode())
    sent = Visitor(site.port).ask("POST", "/login/", b"x" * (8 * 2**20), **{"Content-Type": FORM})
    assert sent[0] == 413 and "The server accepts at most 3 MB." in sent[1]
    assert status_on(announced) == 413
    assert status_on(opened(site.port, f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())) == 411


@pytest.mark.parametrize(
    ("request_line", "host", "status"),
    [
        ("GET / HTTP/1.1", "", 400),
        ("GET http://127.0.0.1/ HTTP/1.1", "", 400),
        ("GET /static/site.css HTTP/1.1", "", 400),
        ("GET /healthz HTTP/1.1", "Host:\r\n", 400),
        ("GET /healthz HTTP/1.0", "", 200),
        (f"GET /?q={'x' * 17_000} HTTP/1.1", "Host: 127.0.0.1\r\n", 414),
        (f"GET /static/{'x' * 17_000} HTTP/1.1", "Host: 127.0.0.1\r\n", 414),
        ("POST /login/ HTTP/1.1", f"Host: 127.0.0.1\r\nContent-Length: {'9' * 5000}\r\n", 400),
    ],
)
def test_a_request_without_a_host_or_with_too_long_an_address_is_refused(site, request_line, host, status):
    with opened(site.port, f"{request_line}\r\n{host}\r\n".encode()) as sock:
        assert status_on(sock) == status


def test_a_form_that_breaks_off_does_nothing(site):
    visitor = Visitor(site.port)
    new = NEW | {"csrfmiddlewaretoken": visitor.token("/signup/"), "username": "half", "next": "/new/"}
    body = urlencode(new).encode()
    sock = visitor.begin(len(body) + 1, body, "/signup/")
    sock.shutdown(socket.SHUT_WR)
    assert status_on(sock) in (None, 400)
    assert Visitor(site.port).send("/login/", username="half", password=PASSWORD) == 422


HOSTILE_LINES = [
    b"GET /%ff%00 HTTP/1.1",
    b"GET /\xff HTTP/1.1",
    b"GET /?q=%00%ff HTTP/1.1",
    b"OPTIONS * HTTP/1.1",
    b"\0",
]
HOSTILE_HEADERS = [
    b"X: \xff\xfe",
    b"X: \0",
    b'Cookie: hall_session="\\000"',
    b"X: " + b"a" * 200_000,
    b"Range: x",
]


@pytest.mark.parametrize("request_line", HOSTILE_LINES)
@pytest.mark.parametrize("header", HOSTILE_HEADERS, ids=lambda header: header[:10])
def test_hostile_bytes_are_no_error_of_ours(site, request_line, header):
    with opened(site.port, request_line + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n" + header + b"\r\n\r\n") as sock:
        status = status_on(sock)
        assert status is None or status < 500


@pytest.mark.long
def test_guessing_passwords_slows_neither_phones_nor_a_scorekeeper_down(site):
    stop, answers = threading.Event(), []

    def guess():
        visitor = Visitor(site.port)
        token = visitor.token("/login/")
        while not stop.is_set():
            name = f"u{len(answers)}{time.monotonic()}"
            body = urlencode({"csrfmiddlewaretoken": token, "username": name, "password": "guess"})
            answers.append(visitor.ask("POST", "/login/", body, **{"Content-Type": FORM})[0])

    guessers = [threading.Thread(target=guess) for _ in range(5)]
    for each in guessers:
        each.start()
    try:
        while len(answers) < 5:
            time.sleep(0.05)
        assert Visitor(site.port, "127.0.0.2").send("/login/", username="keeper", password=PASSWORD) == 302
        assert Visitor(site.port).ask("GET", "/healthz")[0] == 200
    finally:
        stop.set()
        for each in guessers:
            each.join()
    assert set(answers) <= {422, 429, 503} and 503 in answers


@pytest.mark.long
def test_slow_bodies_are_refused_in_the_end(site):
    assert {status_on(sock) for sock in site.slow} == {408}
    assert time.monotonic() - site.begun >= rsgi.BODY_TIMEOUT


@pytest.mark.long
@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system keeps such connections")
def test_who_does_not_read_is_let_go_in_the_end(site):
    time.sleep(max(0, site.begun + 1.5 * server_process.UNREAD_TIMEOUT - time.monotonic()))
    with pytest.raises(ConnectionResetError):
        while site.unread.recv(65536):
            """Requests on their way are kept."""


# --- when something dies ---------------------------------------------------------------------------------


@pytest.mark.long
def test_six_workers_killed_within_seconds_are_replaced(site, var):
    for _time in range(6):
        for pid in workers_of(site.process)[-1:]:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.5)
    assert is_up(site.port, SOON)
    wait_for(lambda: len(workers_of(site.process)) == 2)
    for pid in workers_of(site.process):
        os.kill(pid, signal.SIGKILL)
    assert is_up(site.port, SOON)
    assert site.process.poll() is None
    said = (var / f"said-{site.port}").read_text()
    assert " ERROR _granian: Unexpected exit from worker-" in said and "[ERROR]" not in said


@pytest.mark.parametrize(
    ("starts", "served"),
    [
        ([False] * 3, 3),  # it never starts
        ([True, False, False, True, False, False, False], 7),
    ],
)
def test_a_server_whose_workers_cannot_start_gives_up(monkeypatch, starts, served):
    runs = iter(starts)

    class Server:
        interrupt_signal = False

        def __init__(self, *args, **kwargs):
            pass

        def on_reload(self, hook):
            pass

        def serve(self, target_loader, wrap_loader):
            nonlocal served
            served -= 1
            target_loader.args[0].value = 1.5 if next(runs) else 0
            raise SystemExit(1)

    monkeypatch.setattr(server_process, "Granian", Server)
    monkeypatch.setattr(server_process.multiprocessing, "set_start_method", lambda method: None)
    assert server_process.main() == 1 and served == 0


@pytest.mark.long
def test_workers_are_replaced_without_losing_a_request(site, var):
    assert is_up(site.port, SOON)
    wait_for(lambda: len(workers_of(site.process)) == 2)
    before, lost, done, stop = workers_of(site.process), [], [], threading.Event()

    def ask_healthz():
        try:
            return Visitor(site.port).ask("GET", "/healthz")[0]
        except ConnectionError:  # it was opened just as its worker left: browsers and proxies ask again
            return Visitor(site.port).ask("GET", "/healthz")[0]

    def ask():
        while not stop.is_set():
            try:
                done.append(ask_healthz())
            except Exception as error:
                lost.append(error)

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for each in asking:
        each.start()
    try:
        site.process.send_signal(signal.SIGHUP)
        wait_for(
            lambda: len(workers_of(site.process)) == 2 and not set(workers_of(site.process)) & set(before),
            2 * SOON,
        )
    finally:
        stop.set()
        for each in asking:
            each.join()
    assert lost == [] and set(done) == {200} and len(done) > 20
    assert "panic" not in (var / f"said-{site.port}").read_text()


@pytest.mark.long
def test_a_killed_server_leaves_no_one_behind_and_the_next_one_starts(site, var):
    left = workers_of(site.process)
    assert len(left) == 2
    site.process.kill()
    site.process.wait()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left))
    with server(var, PORT=str(site.port)) as again:
        assert Visitor(site.port).ask("GET", "/healthz")[0] == 200
        again.terminate()
        assert again.wait(timeout=SOON) == 0


@pytest.mark.long
def test_two_starts_at_once_on_a_new_database_serve_both_and_on_one_port_the_first(tmp_path):
    one, other = free_port(), free_port()
    said = [tmp_path / name for name in ("one", "again", "other")]
    environment = {"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path)}
    with contextlib.ExitStack() as stack:
        starts = []
        for port, file in zip((one, one, other), said, strict=True):
            out = stack.enter_context(file.open("w"))
            env = {**environment, "PORT": str(port)}
            starts.append(subprocess.Popen([*MANAGE, "serve"], env=env, stdout=out, stderr=out))
            stack.callback(starts[-1].wait)
            stack.callback(starts[-1].terminate)
        wait_for(lambda: any(start.poll() is not None for start in starts[:2]))
        assert is_up(one, 4 * SOON) and is_up(other, SOON)
        refused = next(number for number, start in enumerate(starts) if start.poll() is not None)
        assert refused in (0, 1) and starts[refused].poll() == 2
        assert f"Port {one} on 127.0.0.1 cannot be used" in said[refused].read_text()
        assert starts[1 - refused].poll() is starts[2].poll() is None


def wait_for(condition, within=SOON):
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
