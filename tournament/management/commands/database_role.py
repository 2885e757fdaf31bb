"""A database account that can run the app, and nothing more."""

from typing import Any

from django.core.management.base import CommandParser
from django.db import connection

from tournament.actionlog.database_role import grant_rows
from tournament.management.base import PlainCommand


class Command(PlainCommand):
    help = (
        "Let a PostgreSQL role run the app without owning its tables; run it as their owner, after migrate."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="the role; it is made if it is not there")

    def run(self, **options: Any) -> None:
        name = options["name"]
        is_new = grant_rows(name)
        lines = [
            f"{name} may read and write rows; it cannot empty tables, change them or take off their guards"
        ]
        if is_new:
            lines.append(f"set its password: \\password {name} in psql")
        with connection.cursor() as cursor:  # DATABASE_URL need not name it
            cursor.execute("SELECT current_user")
            (owner,) = cursor.fetchone()
        lines.append(f"name it in DATABASE_URL to serve; go on running migrate as {owner}")
        self.emit({"role": name, "new": is_new, "owner": owner}, "\n".join(lines))
