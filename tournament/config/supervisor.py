"""The first process of a server keeps its workers running: `python -m tournament.config.supervisor`.

A worker that dies is replaced at once, however often, while the others go on. SIGHUP replaces one after the other, each
when its successor is ready: an update without a pause. SIGTERM and Ctrl-C stop them all. Only the standard library is
loaded here, so that there is little that can fail.
"""

import os
import queue
import signal
import subprocess
import sys
import threading

WORKERS = 2 if os.name == "posix" else 1  # elsewhere two processes cannot listen on one port
READY = b"ready\n"  # what a worker says
COMMAND = [sys.executable, "-m", "tournament.config.worker"]
STARTS_WITHIN = 60.0  # s
STOPS_WITHIN = 20.0  # s
LONGEST_PAUSE = 2.0  # s, before a worker that could not start is tried again


class Worker:
    """A process that serves. `events` gets it when it has ended."""

    def __init__(self, events: "queue.SimpleQueue[object]") -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe)  # noqa: S603 (our own words)
        self.answers = threading.Event()  # it is ready, or has ended
        self.is_ready = False
        threading.Thread(target=self._watch, args=(events,), daemon=True).start()

    def _watch(self, events: "queue.SimpleQueue[object]") -> None:
        assert self.process.stdout
        self.is_ready = self.process.stdout.readline() == READY
        self.answers.set()
        self.process.wait()
        events.put(self)

    def let_go(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()

    def end(self) -> None:
        """Wait until it has ended; kill it where that takes too long."""
        try:
            self.process.wait(STOPS_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Supervisor:
    def __init__(self) -> None:
        self.events: queue.SimpleQueue[object] = queue.SimpleQueue()
        self.workers: list[Worker] = []
        self.was_ready = False
        self.failures = 0  # workers in a row that ended before they were ready
        self.stops = False

    def run(self) -> int:
        """Keep WORKERS running until a signal ends it; the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, lambda *_: self.events.put(self._replace_all))
        for _ in range(WORKERS):
            self._start()
        while not self.stops:
            event = self.events.get()
            if isinstance(event, Worker):
                self._replace(event)
            elif callable(event):
                event()
        for worker in self.workers:
            worker.let_go()
        for worker in self.workers:
            worker.end()
        return 0 if self.was_ready or any(worker.is_ready for worker in self.workers) else 1

    def _stop(self, *_signal: object) -> None:
        self.stops = True
        self.events.put(None)

    def _start(self) -> None:
        self.workers.append(Worker(self.events))

    def _replace(self, dead: Worker) -> None:
        """Start another in its place; give up where none has ever been ready."""
        if dead not in self.workers:
            return  # it was let go
        self.workers.remove(dead)
        self.was_ready |= dead.is_ready
        self.failures = 0 if dead.is_ready else self.failures + 1
        if not self.was_ready and not any(worker.is_ready for worker in self.workers):
            return self._stop() if self.failures >= WORKERS else None
        say(f"A worker has ended ({how_ended(dead.process.returncode)}); another takes its place.")
        pause = min(LONGEST_PAUSE, 0.2 * 2**self.failures) if self.failures else 0
        threading.Timer(pause, self.events.put, [self._start]).start()

    def _replace_all(self) -> None:
        """Replace each worker when another is ready; keep the old ones where the new ones cannot start."""
        for old in list(self.workers):
            new = Worker(self.events)
            new.answers.wait(STARTS_WITHIN)
            if self.stops or not new.is_ready:
                new.process.kill()
                return None if self.stops else say("The new workers could not start; the old ones go on.")
            self.workers[self.workers.index(old)] = new
            old.let_go()
            old.end()


def how_ended(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(Supervisor().run())
