"""Machines of a trial: PostgreSQL servers, web processes and other programs of its own, on free ports."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.served import ROOT, free_port

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
        with suppress(subprocess.CalledProcessError):
            self.run("pg_ctl", "stop", "-D", str(self.folder), "-m", how)

    def ask(self, statement: str, database: str = "postgres") -> Any:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as here:
            answer = here.execute(statement)
            return answer.fetchone() if answer.description else None

    def url(self, name: str) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/{name}"


class Web:
    """One `manage.py serve`, as on a machine of its own."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.port, self.folder = free_port(), folder
        self.env = {**os.environ, **env, "PORT": str(self.port), "VAR_DIR": str(folder)}
        self.output = folder.with_suffix(".log").open("a")

    def start(self) -> None:
        command = [sys.executable, str(ROOT / "manage.py"), "serve"]
        self.process = subprocess.Popen(
            command, env=self.env, stdout=self.output, stderr=self.output, start_new_session=True
        )

    def wait(self) -> None:
        for _ in range(600):
            with suppress(OSError):
                here = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                here.request("GET", "/readyz")
                if here.getresponse().status == 200:
                    return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise SystemExit(self.folder.with_suffix(".log").read_text())

    def kill(self) -> None:
        """As a power cut would: the server and its workers at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def program(*command: str, env: dict[str, str] | None = None) -> Iterator[None]:
    """Another program in the background, until the end of the block."""
    process = subprocess.Popen(
        command, env={**os.environ, **(env or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)
