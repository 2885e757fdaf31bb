"""The server process: `python -m tournament.config.server`, as `manage.py serve` runs it.

Granian starts the workers and replaces one that dies. On SIGHUP it replaces all of them one after the other, for an
update without downtime. SIGTERM and Ctrl-C stop them. Workers are spawned rather than forked, so that they load the new
code.
"""

import contextlib
import multiprocessing
import os
import signal
import socket
import stat
import sys
import threading
import time
from functools import partial
from typing import Any

from django.conf import settings
from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels

WORKERS = 2 if os.name == "posix" else 1  # elsewhere two processes cannot listen on one port
CONNECTIONS = 4096  # for each worker: a phone keeps its own between two polls
OPEN_FILES = 200  # besides connections
BACKLOG = 2048  # connections that are not accepted yet
IDLE_TIMEOUT = 20  # s, also for the headers of a request: phones poll every 10 to 15 s
UNREAD_TIMEOUT = 30  # s in which a client reads none of its response; then it is disconnected
MAX_HEADERS = 64 * 1024  # bytes
STOP_TIMEOUT = 5  # s, for requests that a stopping worker has begun
MAX_FAILED_STARTS = 3


def main() -> int:
    multiprocessing.set_start_method("spawn")
    start_seconds = multiprocessing.RawValue("d")
    connections = raise_connection_limit()
    failed_starts = 0
    while failed_starts < MAX_FAILED_STARTS:
        server = Granian(
            "",
            address=settings.LISTEN_HOST,
            port=settings.LISTEN_PORT,
            interface=Interfaces.RSGI,
            workers=WORKERS,
            loop=Loops.asyncio,
            http=HTTPModes.http1,
            websockets=False,
            backlog=BACKLOG,
            backpressure=connections,
            http1_settings=HTTP1Settings(
                header_read_timeout=IDLE_TIMEOUT * 1000, max_buffer_size=MAX_HEADERS
            ),
            log_level=LogLevels.error,
            log_dictconfig=settings.LOGGING,
            respawn_failed_workers=True,
            workers_kill_timeout=STOP_TIMEOUT,
        )
        server.on_reload(partial(set_reload_delay, server, start_seconds))
        start_seconds.value = 0
        # The server exits when a worker dies within seconds of its start.
        with contextlib.suppress(SystemExit):
            server.serve(target_loader=partial(load_reader, start_seconds), wrap_loader=False)
        if server.interrupt_signal:
            return 0
        failed_starts = 0 if start_seconds.value else failed_starts + 1
    return 1


def set_reload_delay(server: Any, start_seconds: Any) -> None:
    """Let an old worker serve until its replacement is ready: as long as a worker took to start, plus 2 s."""
    server.respawn_interval = 2 + start_seconds.value


def raise_connection_limit() -> int:
    """Allow this process and its workers enough open files; return how many connections a worker may have."""
    if os.name != "posix":
        return CONNECTIONS
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + OPEN_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return max(128, soft - OPEN_FILES)
    return CONNECTIONS


# --- in a worker -----------------------------------------------------------------------------------------


def load_reader(start_seconds: Any) -> Any:
    """Return the RSGI application after loading all views, so that the first request need not wait for them."""
    started = time.monotonic()
    threading.Thread(target=stop_with_parent, daemon=True).start()
    from django.urls import get_resolver

    from tournament.config.rsgi import reader

    get_resolver().url_patterns  # noqa: B018
    if sys.platform == "linux":
        threading.Thread(target=disconnect_slow_readers, daemon=True).start()
    start_seconds.value = time.monotonic() - started
    return reader


def stop_with_parent() -> None:
    """Stop this worker if the server has been killed, because it would keep the port."""
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_TIMEOUT)
    os._exit(0)


def disconnect_slow_readers() -> None:
    """Set a timeout on the listening socket, which connections inherit. Slow readers would hold them for good."""
    while not any(map(_set_unread_timeout, map(int, os.listdir("/proc/self/fd")))):
        time.sleep(0.05)


def _set_unread_timeout(number: int) -> bool:
    with contextlib.suppress(OSError):
        if stat.S_ISSOCK(os.fstat(number).st_mode):
            with socket.socket(fileno=os.dup(number)) as sock:
                if sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_TIMEOUT * 1000)
                    return True
    return False


if __name__ == "__main__":
    sys.exit(main())
