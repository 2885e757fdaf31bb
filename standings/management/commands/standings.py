from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from standings.engine.ranking import list_slugs
from standings.table.sheet import final_place_by_code
from standings.table.swiss import standings_json
from tournament.archive import read_file
from tournament.event.types import Event
from tournament.management.base import PlainCommand


class Command(PlainCommand):
    help = "Rank an archive's entries after all complete rounds, or after its first N; exact fractions."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        only_one = parser.add_mutually_exclusive_group()
        only_one.add_argument("--after", type=int, metavar="N", help="count the first N rounds")
        only_one.add_argument("--final", action="store_true", help="final places after the elimination stage")

    def run(self, **options: Any) -> None:
        event = read_file(options["file"])
        if options["final"]:
            self._emit_final_places(event)
            return
        document = standings_json(event, options["after"])
        head = ["rank", "entry", "name", *list_slugs(document["columns"]), "decided by"]
        rows = [
            [row["rank"], row["entry"], event.entries[row["entry"]].name, *row["values"], row["decided_by"]]
            for row in document["rows"]
        ]
        self.emit(document, [head, *rows])

    def _emit_final_places(self, event: Event) -> None:
        places = final_place_by_code(event)
        if not places:
            raise ValueError(_("the file has no elimination stage: omit --final for the Swiss ranking"))
        rows = [{"place": row.place, "entry": code, "place_from": row.origin} for code, row in places.items()]
        lines = [[row.place, code, event.entries[code].name, row.origin] for code, row in places.items()]
        self.emit({"rows": rows}, [["place", "entry", "name", "from"], *lines])
