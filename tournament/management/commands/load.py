from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.archive import read_file
from tournament.archive.load import load_event
from tournament.management.base import PlainCommand
from tournament.models import Match
from tournament.rulesets.rule_fields import fide_warning


class Command(PlainCommand):
    help = "Load an archive (or the one inside a published event) into the database: all of it or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        parser.add_argument("--slug", default="", help="the event's address, where the file's own is taken")

    def run(self, **options: Any) -> None:
        event = read_file(options["file"])
        tournament = load_event(event, slug=options["slug"])
        if warning := fide_warning(event.profile, event.starts_at):
            self.stderr.write(warning)
        document: dict[str, Any] = {
            "slug": tournament.slug,
            "entries": tournament.entries.count(),
            "rounds": tournament.rounds.count(),
        }
        lines = [f"Loaded as /t/{tournament.slug}/"]
        if odd := Match.objects.filter(round__tournament=tournament, odd=True).count():
            document["odd"] = odd
            text = ngettext(
                "%(count)s odd result, kept as recorded: these rules have no such result",
                "%(count)s odd results, kept as recorded: these rules have no such results",
                odd,
            )
            lines.append(text % {"count": odd})
        if event.ignored:
            document["ignored"] = event.ignored
            names = ", ".join(event.ignored)
            lines.append(_("Ignored, because this version has nothing like it: %(names)s") % {"names": names})
        self.emit(document, "\n".join(lines))
