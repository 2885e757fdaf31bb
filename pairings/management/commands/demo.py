"""`manage.py demo`: `serve` with three events to look at."""

from pairings.simulation.demo import seed
from tournament.management.commands import serve


class Command(serve.Command):
    help = "Serve from this machine with demo events (created on the first start)."

    def prepare(self) -> None:
        """Seed the demo events unless they are there, and say who can sign in."""
        for line in seed():
            self.stdout.write(line)
