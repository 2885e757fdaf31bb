"""Fixtures for tests of real servers."""

import shutil
import sqlite3

import pytest
from django.db import connection


@pytest.fixture(scope="module")
def var(tmp_path_factory, django_db_setup, django_db_blocker):
    """The servers' folder; their database is a copy of the tests' empty one."""
    folder = tmp_path_factory.mktemp("var")
    with django_db_blocker.unblock():
        source = sqlite3.connect(connection.settings_dict["NAME"])
    with sqlite3.connect(folder / "swiss.sqlite3") as copy:
        source.backup(copy)
    source.close()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
