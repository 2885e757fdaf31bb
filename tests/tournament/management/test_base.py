import json
import re
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from tournament.config import database_errors
from tournament.errors import Refused
from tournament.management.base import PlainCommand, one_line, table


class Command(PlainCommand):
    failure: Exception | None = None
    code: int | None = None

    def run(self, **options):
        if self.failure:
            raise self.failure
        self.emit({"name": "Zoë", "points": "7/12"}, [("Name", "Points"), ("Zoë", "7/12")])
        return self.code


def from_the_shell(command: PlainCommand, *args: str) -> int:
    try:
        command.run_from_argv(["manage.py", "plain", *args])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_a_result_is_a_table_with_numbers_to_the_right_or_json(capsys):
    assert from_the_shell(Command()) == 0
    assert capsys.readouterr().out == "Name  Points\nZoë     7/12\n"
    assert from_the_shell(Command(), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"name": "Zoë", "points": "7/12"}
    rows = [("#", "Name", "OMW"), (1, "Ada", "62.5 %"), (12, "Bo", None)]
    assert table(rows) == " #  Name     OMW\n 1  Ada   62.5 %\n12  Bo"


@pytest.mark.parametrize(
    ("failure", "line"),
    [
        (Refused("There is no event\n  named x."), "There is no event named x."),
        (FileNotFoundError(2, "No such file or directory", "x.json"), "x.json: No such file or directory"),
        (json.JSONDecodeError("Expecting value", "{", 1), "Expecting value: line 1 column 2 (char 1)"),
        (
            OperationalError("no such table: tournament_tournament"),
            "The tables of this version are not there: run migrate first (no such table: tournament_tournament).",
        ),
    ],
)
def test_an_expected_error_is_one_line(capsys, failure, line):
    command = Command()
    command.failure = failure
    assert from_the_shell(command, "--no-color") == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", line + "\n")
    from_code = Command()
    from_code.failure = failure
    with pytest.raises(CommandError, match=re.escape(line)):
        call_command(from_code)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            'connection failed: connection to server at "10.0.0.1", port 5432 failed: FATAL:  password '
            'authentication failed for user "ann"',
            'password authentication failed for user "ann". Correct the user and the password in DATABASE_URL.',
        ),
        (
            'connection failed: connection to server at "10.0.0.1", port 5432 failed: fe_sendauth: no password '
            "supplied",
            "fe_sendauth: no password supplied. Correct the user and the password in DATABASE_URL.",
        ),
        (  # of two addresses of one name the first refuses
            'connection failed: connection to server at "::1", port 5432 failed: FATAL:  no pg_hba.conf entry\n'
            "Multiple connection attempts failed. All failures were:\n- host: 'db': connection failed: Connection "
            "refused\n\tIs the server running on that host?",
            "no pg_hba.conf entry.",
        ),
        ("connection failed: FATALE: le rôle « ann » n'existe pas", "FATALE: le rôle « ann » n'existe pas."),
    ],
)
def test_a_server_that_refuses_is_quoted(monkeypatch, said, reason):
    monkeypatch.setattr(database_errors, "connection", SimpleNamespace(vendor="postgresql", connection=None))
    assert one_line(OperationalError(said)) == f"The database server refuses the connection: {reason}"


def test_a_wrong_option_is_one_line_a_bug_keeps_its_traceback_and_a_finding_is_exit_code_1(capsys):
    command = Command()
    assert from_the_shell(command, "--colour") == 2
    assert capsys.readouterr().err == "manage.py plain: error: unrecognized arguments: --colour\n"
    command.code = 1
    assert from_the_shell(command) == 1
    command.failure = KeyError("seat")
    with pytest.raises(KeyError):
        from_the_shell(command)
