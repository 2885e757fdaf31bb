"""Servers that a test starts for itself: the site in a process of its own, a proxy that ends TLS, and PostgreSQL."""

import contextlib
import http.client
import http.server
import itertools
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import trustme

ROOT = Path(__file__).resolve().parents[1]
PASSED_ON = set("host content-type content-length cookie origin referer user-agent accept-encoding".split())


def free_port() -> int:
    """A port that no one has, below those that systems give to connections: a server may start there again.

    Workers of one run look in places of their own: what one has found is not taken before its server starts.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 8
    while True:
        port = 20_000 + worker * 1500 + next(_looked_at) % 1500
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


_looked_at = itertools.count(os.getpid())


@contextlib.contextmanager
def serving(var: Path, **env: str) -> Iterator[str]:
    """`manage.py serve` with nothing of ours in its environment, until it answers; what it printed."""
    with server(var, **env):
        yield (var / f"said-{env['PORT']}").read_text()


MANAGE = (sys.executable, str(ROOT / "manage.py"))


@contextlib.contextmanager
def server(var: Path, program: Sequence[str] = MANAGE, **env: str) -> Iterator[subprocess.Popen]:
    """The same as a process, the first of a group of its own."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    port = env["PORT"]
    output = var / f"said-{port}"
    with output.open("w") as out:
        process = subprocess.Popen(
            [*program, "serve"],
            env={**environment, "VAR_DIR": str(var), **env},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        answers(process, f"http://127.0.0.1:{port}/healthz", output)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()


def answers(server: subprocess.Popen, address: str, output: Path) -> None:
    """Wait until the server answers there, or say why it ended."""
    while server.poll() is None:
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            urllib.request.urlopen(address).close()
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(timeout=0.1)
    raise AssertionError(output.read_text())


def workers_of(server: subprocess.Popen) -> list[int]:
    """The processes that serve, by their parent (which has another child, to clean up after them)."""
    command = ["pgrep", "-P", str(server.pid), "-f", "spawn_main"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split()]


def is_up(port: int, within: float) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        with contextlib.suppress(OSError, http.client.HTTPException):
            here = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            here.request("GET", "/healthz")
            if here.getresponse().status == 200:
                return True
        time.sleep(0.02)
    return False


@contextlib.contextmanager
def tls_before(port: int, at: int) -> Iterator[None]:
    """A proxy with a certificate nobody knows, on localhost: https at `at`, http to `port` behind it."""

    class Proxy(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            sent = {name: value for name, value in self.headers.items() if name.lower() in PASSED_ON}
            behind = http.client.HTTPConnection("127.0.0.1", port)
            behind.request(self.command, self.path, body, {**sent, "X-Forwarded-Proto": "https"})
            answer = behind.getresponse()
            content = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD" and answer.status not in (204, 304):
                self.wfile.write(content)
            behind.close()

        do_GET = do_POST = do_HEAD = forward

        def log_message(self, *args: object) -> None:
            """Nobody reads it."""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("localhost").configure_cert(context)
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", at), Proxy)
    proxy.daemon_threads = True
    proxy.socket = context.wrap_socket(proxy.socket, server_side=True)
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        proxy.shutdown()
        proxy.server_close()


def address_said(text: str) -> str:
    return re.search(r"Serving on (\S+)/ ", text)[1]


BIN = max(
    Path("/usr/lib/postgresql").glob("*/bin"),
    default=Path("/usr/bin"),
    key=lambda path: float(path.parent.name),
)


class Postgres:
    """A server of its own. `run` starts its programs as the account that may run it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.account = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []

    def run(self, program: str, *args: str) -> None:
        command = [*self.account, str(BIN / program), *args]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder.parent)

    def init(self) -> None:
        self.run("initdb", "-A", "trust", "-U", "postgres", "-D", str(self.folder))

    def follow(self, primary: "Postgres") -> None:
        where = ["-h", "127.0.0.1", "-p", str(primary.port), "-U", "postgres"]
        self.run(
            "pg_basebackup", *where, "-D", str(self.folder), "--write-recovery-conf", "--checkpoint", "fast"
        )

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder.parent}"
        self.run("pg_ctl", "start", "-w", "-D", str(self.folder), "-l", f"{self.folder}.log", "-o", options)

    def stop(self, how: str = "immediate") -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self.run("pg_ctl", "stop", "-D", str(self.folder), "-m", how)

    def ask(self, statement: str, database: str = "postgres") -> Any:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as here:
            answer = here.execute(statement)
            return answer.fetchone() if answer.description else None

    def url(self, name: str) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/{name}"
