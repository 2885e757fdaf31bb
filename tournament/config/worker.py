"""A process that serves: `python -m tournament.config.worker`, as the supervisor starts it.

It says "ready" on its standard output once it listens, and stops when its standard input ends: because the supervisor
lets go of it, or has died. So no worker outlives its supervisor, and none keeps the port.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading

from django.conf import settings
from django.urls import get_resolver
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.net import SocketSpec
from granian.server.embed import Server

from tournament.actionlog.background import finish_work
from tournament.config.rsgi import Loop, door
from tournament.config.supervisor import READY

CONNECTIONS = 4096  # a phone keeps its own between two polls
HEADERS_WITHIN = 20  # s, and as long as a connection may be idle: phones ask every 10 to 15 s
UNREAD_WITHIN = 30  # s in which a client reads none of its answer; then its connection ends
LONGEST_HEADERS = 64 * 1024  # bytes
WAITING = 2048  # connections that were not accepted yet
STOPS_WITHIN = 15  # s: a body that is coming in has its time
OPEN_FILES = 200  # besides connections


class ReadingServer(Server):
    """A server that disconnects clients who do not read their answers: each would hold its connection for good.

    Where the system has the option for it; macOS and Windows have not.
    """

    def _init_shared_socket(self) -> None:
        super()._init_shared_socket()
        if not hasattr(socket, "TCP_USER_TIMEOUT"):
            return
        holder = SocketSpec(self.bind_addr, self.bind_port, self.backlog).build()
        with socket.socket(fileno=os.dup(holder.get_fd())) as listening:  # connections inherit it
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_WITHIN * 1000)
        self._ssp, self._shd = None, holder  # type: ignore[assignment]  # as on other systems


def main() -> None:
    for name in ("SIGINT", "SIGHUP"):  # a terminal sends them to all; the supervisor knows what they mean
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    Loop.door = door
    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(serve())
    finish_work()
    os._exit(0)  # the server's own threads still run: where Python took itself apart under one, it aborted


async def serve() -> None:
    get_resolver().url_patterns  # noqa: B018  (loads all views, so that the first request need not wait for them)
    server = ReadingServer(
        door,
        address=settings.LISTEN_HOST,
        port=settings.LISTEN_PORT,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        websockets=False,
        backlog=WAITING,
        backpressure=most_connections(),
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADERS_WITHIN * 1000, max_buffer_size=LONGEST_HEADERS
        ),
        log_level=LogLevels.error,
    )
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.stop()
        loop.call_later(STOPS_WITHIN, os._exit, 0)

    def wait_for_the_end() -> None:
        with contextlib.suppress(OSError):
            while os.read(sys.stdin.fileno(), 1024):
                pass
        loop.call_soon_threadsafe(stop)

    if os.name == "posix":
        loop.add_signal_handler(signal.SIGTERM, stop)
    threading.Thread(target=wait_for_the_end, daemon=True).start()
    server.on_startup(lambda: loop.call_soon(say_ready))
    await server.serve()


def say_ready() -> None:
    """Tell the supervisor, if it is still there. What is printed later goes where errors go."""
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), READY)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())


def most_connections() -> int:
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


if __name__ == "__main__":
    main()
