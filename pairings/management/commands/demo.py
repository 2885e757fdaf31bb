"""`manage.py demo`: `serve` with three events to look at."""

from pairings.simulation.demo import seed_demo_events
from tournament.management.commands import serve


class Command(serve.Command):
    help = "Serve from this machine with demo events (created on the first start)."

    def prepare(self) -> None:
        for line in seed_demo_events():
            self.stdout.write(line)
