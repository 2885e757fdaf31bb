"""`manage.py demo`: `serve` with three events to look at."""

from tournament.management.commands import serve


class Command(serve.Command):
    help = "Serve from this machine with demo events (seeded once)."

    def prepare(self) -> None:
        """Seed the demo events unless they are there, and say who can sign in."""
        from pairings import demo

        for line in demo.seed():
            self.stdout.write(line)
