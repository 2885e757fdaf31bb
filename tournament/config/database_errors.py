import os
import re
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import connection

# Reasons why PostgreSQL refuses a connection, and what to do.
REFUSALS = {
    r"^database .* does not exist": "Create it with createdb, or name another in DATABASE_URL.",
    r"^role .* does not exist": "Create it with createuser, or name another in DATABASE_URL.",
    r"password": "Correct the user and the password in DATABASE_URL.",
}
UNANSWERED = re.compile("refused|timed? ?out|no route|unreachable|resolve|not known|no such file", re.I)
OUT_OF_DATE = re.compile("no such (table|column)|(relation|column) .* does not exist", re.I)


def why_database_failed(error: Exception) -> str:
    """Return why the database cannot be used and what to do; for any other error its own text."""
    text = " ".join(str(error).split())
    database = settings.DATABASES["default"]
    if OUT_OF_DATE.search(text):
        return f"The tables of this version are not there: run migrate first ({text})."
    if connection.vendor == "sqlite" and re.search("unable to open|readonly", text):
        why = _why_not_written(Path(database["NAME"])) or text
        return f"The database {database['NAME']} cannot be written: {why}. Set VAR_DIR to a folder of this account."
    if connection.vendor != "postgresql" or connection.connection is not None:
        return text
    reason = re.split("failed: ", text.partition(" Is the server running")[0])[-1]
    if fatal := re.search(r"FATAL: +(.+?)(?: connection to server| Multiple connection attempts|$)", text):
        reason = fatal[1]
    if UNANSWERED.search(reason):
        where = f"{database['HOST'] or 'this machine'}:{database['PORT'] or 5432}"
        return (
            f"No database server answers at {where} ({reason}). Start it, correct DATABASE_URL, "
            "or unset that to use SQLite."
        )
    advice = next((advice for said, advice in REFUSALS.items() if re.search(said, reason)), "")
    return f"The database server refuses the connection: {reason}. {advice}".strip()


def _why_not_written(path: Path) -> str:
    try:
        with suppress(FileNotFoundError):  # its folder is not there: the next line says why
            os.close(os.open(path, os.O_RDWR | os.O_CREAT))
            return ""
        path.parent.mkdir(parents=True)
    except OSError as error:
        return error.strerror or ""
    return ""
