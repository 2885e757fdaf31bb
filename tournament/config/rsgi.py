"""The door of the server: requests come in whole, and threads in which Django answers them.

Granian hands over a request as soon as its headers are there; its body may come slowly, or never. A thread that waited
for it would serve no one else, so the event loop waits, for thousands at once: each body has its size and its time.
What is not let in is refused by a page of the site (`RefuseMiddleware`). Answers go back in one piece, so no thread
waits for someone who reads slowly.
"""

import asyncio
import contextlib
import io
import queue
import re
import sys
import threading
from collections.abc import Callable, Coroutine
from contextvars import Context
from functools import partial
from typing import Any

from django.conf import settings

from tournament.config.wsgi import application
from tournament.errors import REFUSED

THREADS = 8  # with 2, a phone's poll waited 3 s behind writers
PATIENCE = 10  # s, for the beginning of a body
SLOWEST = 16 * 1024  # bytes a second, of a body that goes on
SMALL = 16 * 1024  # bytes: results and all other forms that people fill in
MOST_HELD = 64 * 1024 * 1024  # bytes: of all larger bodies, until they are answered
LONGEST_ADDRESS = 16 * 1024  # characters; as an address to send someone back to, Django refuses more
READ_AWAY, READ_AWAY_WITHIN = 16 * 1024 * 1024, 2  # bytes, s: of a body too large, so that its sender listens

LONGEST_TYPE = 300  # characters of a Content-Type; browsers send half as many at most
_MEDIA = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_BOUNDARY = re.compile(r""";\s*boundary="?([\w'()+,./:=?-]{1,70})""", re.ASCII | re.IGNORECASE)

_ENVIRON = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
}
_names = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}  # of headers, in WSGI's words


class Door:
    """The RSGI application: takes requests in and has them answered."""

    def __init__(self) -> None:
        self.work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.held = 0

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        for number in range(THREADS):
            threading.Thread(target=self._answer_requests, name=f"answers-{number}", daemon=True).start()

    def _answer_requests(self) -> None:
        while True:
            self.work.get()()

    async def __rsgi__(self, scope: Any, proto: Any) -> None:
        if not has_body(scope):
            if asyncio._get_running_loop() is None:  # in a thread, see `Loop`
                return answer(scope, proto, b"")
            return await self._answer_in_thread(scope, proto, b"")
        length = length_of(scope)
        weight = length if SMALL < length <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE else 0
        self.held += weight
        try:
            body = await self._read(proto, length)
            if body is None:
                return proto.response_bytes(400, [], b"")
            await self._answer_in_thread(scope, proto, body)
        finally:
            self.held -= weight

    async def _answer_in_thread(self, scope: Any, proto: Any, body: bytes | int) -> None:
        done: asyncio.Future[None] = self.loop.create_future()

        def finish(error: BaseException | None) -> None:
            if error and not done.cancelled():
                done.set_exception(error)
            elif not done.cancelled():
                done.set_result(None)

        def work() -> None:
            error = None
            try:
                answer(scope, proto, body)
            except BaseException as raised:
                error = raised
            self.loop.call_soon_threadsafe(finish, error)

        self.work.put(work)
        await done

    async def _read(self, proto: Any, length: int) -> bytes | int | None:
        """The body of that length (-1: not said), or the status that refuses it; None where it broke off."""
        if length < 0:
            return 411  # a body that breaks off could not be told from one that is whole
        if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            await self._read_away(proto)
            return 413
        if length > SMALL and self.held > MOST_HELD:
            return 503
        chunks, size, begun = [], 0, self.loop.time()
        try:
            async with asyncio.timeout_at(begun + PATIENCE) as timer:
                async for chunk in proto:
                    chunks.append(chunk)
                    size += len(chunk)
                    timer.reschedule(begun + PATIENCE + size / SLOWEST)
        except TimeoutError:
            return 408
        return b"".join(chunks) if size == length else None

    async def _read_away(self, proto: Any) -> None:
        """Read the beginning of a body that is too large: many programs listen to an answer only after sending."""
        size = 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(READ_AWAY_WITHIN):
                async for chunk in proto:
                    size += len(chunk)
                    if not chunk or size > READ_AWAY:
                        return


def has_body(scope: Any) -> bool:
    """Whether to wait for a body; one that comes with a GET is nothing to us."""
    if scope.method in ("GET", "HEAD"):
        return False
    headers = scope.headers
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def length_of(scope: Any) -> int:
    """Return the body length stated by the request, in bytes; -1 if none."""
    length = scope.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else -1


def answer(scope: Any, proto: Any, body: bytes | int) -> None:
    """Have Django answer a request, in the thread that calls. `body`: or the status that refuses it."""
    started: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], _exc_info: Any = None) -> None:
        started[:] = [int(status[:3]), headers]

    response = application(environ_of(scope, body), start_response)  # type: ignore[arg-type]  # has no write()
    try:
        content = b"".join(response)
        proto.response_bytes(*started, content)
    finally:
        response.close()  # the database connection goes back after the answer is on its way


def environ_of(scope: Any, body: bytes | int) -> dict[str, Any]:
    environ = _ENVIRON.copy()
    environ["REQUEST_METHOD"] = scope.method
    environ["PATH_INFO"] = _as_latin(scope.path)
    environ["QUERY_STRING"] = _as_latin(scope.query_string)
    environ["SERVER_NAME"], _, environ["SERVER_PORT"] = scope.server.rpartition(":")
    environ["SERVER_PROTOCOL"] = f"HTTP/{scope.http_version}"
    # An IPv4 address that came to an IPv6 socket is one of IPv4, not of the network that all of them would be.
    environ["REMOTE_ADDR"] = scope.client.rpartition(":")[0].strip("[]").removeprefix("::ffff:")
    environ["wsgi.url_scheme"] = scope.scheme
    for header, text in scope.headers.items():
        name = _names.get(header) or _name_of(header)
        if name in environ:
            text = f"{environ[name]}{'; ' if header == 'cookie' else ','}{text}"
        environ[name] = text
    if "CONTENT_TYPE" in environ:
        environ["CONTENT_TYPE"] = content_type_of(str(environ["CONTENT_TYPE"])) if has_body(scope) else ""
    if refused := body if isinstance(body, int) else status_of_head(scope):
        environ[REFUSED], environ["CONTENT_LENGTH"], body = refused, "0", b""
    environ["wsgi.input"] = io.BytesIO(body)  # type: ignore[arg-type]
    return environ


def status_of_head(scope: Any) -> int:
    """The status that refuses a request before its body is looked at; 0 for none."""
    if len(scope.path) + len(scope.query_string) > LONGEST_ADDRESS:
        return 414
    return 400 if scope.http_version == "1.1" and "host" not in scope.headers else 0


def content_type_of(text: str) -> str:
    """Return the Content-Type with only a multipart form's boundary; "" for other types.

    Django would parse the other parameters before any of our code: thousands take seconds, and a charset of the
    sender's choice can be a codec that fails. All our forms are UTF-8.
    """
    text = text[:LONGEST_TYPE]
    media = _MEDIA.match(text)
    boundary = _BOUNDARY.search(text) if media and media[0].lower() == "multipart/form-data" else None
    return f"{media[0]}; boundary={boundary[1]}" if media and boundary else media[0] if media else ""


def _as_latin(text: str) -> str:
    """A text of UTF-8 as WSGI wants it: a character for each byte."""
    return text if text.isascii() else text.encode().decode("latin-1")


def _name_of(header: str) -> str:
    """The header in WSGI's words, where "-" and "_" are the same: one with "_" must not pass for one of the proxy's."""
    name = "HTTP_" + header.upper().replace("-", "_") if "_" not in header else "IGNORED"
    if len(_names) < 200:
        _names[header] = name
    return name


class Loop(asyncio.SelectorEventLoop):
    """An event loop past which requests without a body go to a thread at once: each poll saves 0.1 ms.

    Granian hands over a request as `call_soon_threadsafe(start, coroutine, watcher)`. The coroutine of such a request
    awaits nothing when it runs in a thread. Anything else goes the usual way.
    """

    door: Door

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> Any:
        scope = getattr(args[1], "scope", None) if len(args) == 2 else None
        if scope is not None and not has_body(scope):
            return self.door.work.put(partial(_run, args[0]))
        return super().call_soon_threadsafe(callback, *args, context=context)


def _run(coroutine: Coroutine[Any, Any, None]) -> None:
    try:
        coroutine.send(None)
    except StopIteration:
        return


door = Door()
