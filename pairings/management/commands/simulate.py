"""`manage.py simulate`: simulate a whole event as an archive. No database."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from pairings.simulation.simulate import simulate
from tournament.archive import canonical
from tournament.management.base import PlainCommand
from tournament.progress.next_step import too_many_rounds_words
from tournament.rulesets import resolve
from tournament.rulesets.rule_fields import pairing_note


class Command(PlainCommand):
    help = "Simulate a whole event and print it as an archive."

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("--players", type=int, required=True, metavar="N")
        add("--rounds", type=int, required=True, metavar="R")
        add("--ruleset", default="mtr", metavar="KEY", help="a preset (default: mtr)")
        add("--seed", default="0", metavar="S", help="any text; the same gives the same event")
        add("--late", type=int, metavar="N", help="players who arrive for round 2 (default: 1 in 25)")
        add(
            "--awarded",
            type=int,
            metavar="N",
            help="players with an awarded bye in round 1 (default: 1 in 30)",
        )
        add("--clubs", type=int, default=0, metavar="N", help="clubs, as labels (default: none)")
        add("--no-drops", action="store_true", help="no one drops")
        add("--json", action="store_true", help="accepted but has no effect: an archive is already JSON")

    def run(self, **options: Any) -> int | None:
        players, rounds, ruleset = options["players"], options["rounds"], options["ruleset"]
        profile = resolve(ruleset)
        event = simulate(
            players,
            rounds,
            profile,
            options["seed"],
            late=options["late"],
            awarded=options["awarded"],
            clubs=options["clubs"],
            drops=not options["no_drops"],
        )
        notes = [f"{ruleset}: {note}." for note in [pairing_note(profile)] if note]
        if warning := too_many_rounds_words(players, rounds):
            notes.append(f"{warning} {_('The event has rematches.')}")
        for note in notes:
            self.stderr.write(_("Note: %(text)s") % {"text": note}, self.style.WARNING)
        self.stdout.write(canonical(event, with_seed=True), ending="")
        return None
