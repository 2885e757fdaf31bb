"""The request reader: buffers a request's body before it takes one of the threads in which Django answers.

Granian hands over a request as soon as its headers are there, but its body may come slowly or never. A thread waiting
for it could serve no one else, so the event loop waits instead, for thousands at once, and limits each body in size and
time. A refused request gets a page of the site (`RefuseMiddleware`). A response is handed over in one piece, so no
thread waits for a client that reads slowly.
"""

import asyncio
import contextlib
import io
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.conf import settings

from tournament.actionlog.background import finish_work
from tournament.config.wsgi import application
from tournament.errors import REFUSED

THREADS = 8  # with 2, a phone's poll waited 3 s behind writers
BODY_TIMEOUT = 10  # s, for the beginning of a body
MIN_BODY_RATE = 16 * 1024  # bytes a second, of a body that goes on
SMALL_BODY = 16 * 1024  # bytes: results and all other forms that people fill in
MAX_BUFFERED = 64 * 1024 * 1024  # bytes: of all larger bodies, until they are answered
MAX_ADDRESS = 16 * 1024  # characters; as an address to send someone back to, Django refuses more
DRAIN_LIMIT, DRAIN_TIMEOUT = 16 * 1024 * 1024, 2  # bytes, s: read of a body too large before the answer
MAX_CONTENT_TYPE = 300  # characters of a Content-Type; browsers send half as many at most
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
_header_names = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}  # {RSGI: WSGI}


class RequestReader:
    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(THREADS, "answers")
        self.buffered = 0

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        finish_work()
        os._exit(0)  # granian's own threads still run, and Python's teardown has crashed under them

    async def __rsgi__(self, scope: Any, proto: Any) -> None:
        if not has_body(scope):
            return await self._answer(scope, proto, b"")
        length = content_length(scope)
        size = length if SMALL_BODY < length <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE else 0
        self.buffered += size
        try:
            body = await self._read(proto, length)
            if body is None:
                return proto.response_bytes(400, [], b"")
            await self._answer(scope, proto, body)
        finally:
            self.buffered -= size

    async def _answer(self, scope: Any, proto: Any, body: bytes | int) -> None:
        await asyncio.get_running_loop().run_in_executor(self.threads, answer, scope, proto, body)

    async def _read(self, proto: Any, length: int) -> bytes | int | None:
        """Return the body, the status that refuses it, or None if it was cut off. `length`: -1 if not stated."""
        if length < 0:
            return 411  # a body that breaks off could not be told from one that is whole
        if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            await self._drain(proto)
            return 413
        if length > SMALL_BODY and self.buffered > MAX_BUFFERED:
            return 503
        chunks, size, deadline = [], 0, asyncio.get_running_loop().time() + BODY_TIMEOUT
        try:
            async with asyncio.timeout_at(deadline) as timer:
                async for chunk in proto:
                    chunks.append(chunk)
                    size += len(chunk)
                    timer.reschedule(deadline + size / MIN_BODY_RATE)
        except TimeoutError:
            return 408
        return b"".join(chunks) if size == length else None

    async def _drain(self, proto: Any) -> None:
        """Read the beginning of a body that is too large, because many clients read a response only after sending."""
        size = 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_TIMEOUT):
                async for chunk in proto:
                    size += len(chunk)
                    if not chunk or size > DRAIN_LIMIT:
                        return


def has_body(scope: Any) -> bool:
    if scope.method in ("GET", "HEAD"):
        return False
    headers = scope.headers
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def content_length(scope: Any) -> int:
    length = scope.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else -1


def answer(scope: Any, proto: Any, body: bytes | int) -> None:
    """Let Django answer a request in this thread. If `body` is a number, it is the status that refuses the request."""
    started: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], _exc_info: Any = None) -> None:
        started[:] = [int(status[:3]), headers]

    response = application(build_environ(scope, body), start_response)  # type: ignore[arg-type]  # has no write()
    try:
        content = b"".join(response)
        proto.response_bytes(*started, content)
    finally:
        response.close()  # returns the database connection, after the response is on its way


def build_environ(scope: Any, body: bytes | int) -> dict[str, Any]:
    environ = _ENVIRON.copy()
    environ["REQUEST_METHOD"] = scope.method
    environ["PATH_INFO"] = _to_latin(scope.path)
    environ["QUERY_STRING"] = _to_latin(scope.query_string)
    environ["SERVER_NAME"], _, environ["SERVER_PORT"] = scope.server.rpartition(":")
    environ["SERVER_PROTOCOL"] = f"HTTP/{scope.http_version}"
    # An IPv4 address on an IPv6 socket counts as IPv4; otherwise all of them would be in one IPv6 network.
    environ["REMOTE_ADDR"] = scope.client.rpartition(":")[0].strip("[]").removeprefix("::ffff:")
    environ["wsgi.url_scheme"] = scope.scheme
    for header, text in scope.headers.items():
        name = _header_names.get(header) or _name_header(header)
        if name in environ:
            text = f"{environ[name]}{'; ' if header == 'cookie' else ','}{text}"
        environ[name] = text
    if "CONTENT_TYPE" in environ:
        environ["CONTENT_TYPE"] = clean_content_type(str(environ["CONTENT_TYPE"])) if has_body(scope) else ""
    if refused := body if isinstance(body, int) else refuse_head(scope):
        environ[REFUSED], environ["CONTENT_LENGTH"], body = refused, "0", b""
    environ["wsgi.input"] = io.BytesIO(body)  # type: ignore[arg-type]
    return environ


def refuse_head(scope: Any) -> int:
    """Return the status that refuses a request because of its first line or headers, or 0."""
    if len(scope.path) + len(scope.query_string) > MAX_ADDRESS:
        return 414
    return 400 if scope.http_version == "1.1" and "host" not in scope.headers else 0


def clean_content_type(text: str) -> str:
    """Return the Content-Type with only a multipart form's boundary; "" for other types.

    Django would parse the other parameters before our code runs: thousands of them take seconds, and an unsuitable
    charset makes it fail. All our forms are UTF-8.
    """
    text = text[:MAX_CONTENT_TYPE]
    media = _MEDIA.match(text)
    boundary = _BOUNDARY.search(text) if media and media[0].lower() == "multipart/form-data" else None
    return f"{media[0]}; boundary={boundary[1]}" if media and boundary else media[0] if media else ""


def _to_latin(text: str) -> str:
    """Return a text in the form WSGI requires: one character per byte of its UTF-8."""
    return text if text.isascii() else text.encode().decode("latin-1")


def _name_header(header: str) -> str:
    """Return a header's WSGI name. "-" and "_" look the same there, but one with "_" must not pass for the proxy's."""
    name = "HTTP_" + header.upper().replace("-", "_") if "_" not in header else "IGNORED"
    if len(_header_names) < 200:
        _header_names[header] = name
    return name


reader = RequestReader()
