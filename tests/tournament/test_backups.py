import contextlib
import json
import os
import random
import re
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder

from tests.factories import TournamentFactory, slips_of
from tournament import archive, backups
from tournament.archive.snapshots import event_after
from tournament.errors import Refused
from tournament.models import Match, Tournament
from tournament.services.results import match_rules, record_result

ROOT = Path(__file__).resolve().parents[2]
POSTGRES = "postgresql" in django_settings.DATABASES["default"]["ENGINE"]
WRITERS = 4


def manage(*args, **env):
    command = [sys.executable, str(ROOT / "manage.py"), *map(str, args)]
    known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(command, capture_output=True, text=True, env={**known, **env}, check=False)


@contextlib.contextmanager
def other_database(folder):
    """The environment of an installation of its own, with a database that is still empty."""
    env = {"VAR_DIR": str(folder)}
    if not POSTGRES:
        yield env
        return
    known = connection.settings_dict
    name = f"{known['NAME']}_restored"
    server = {"host": known["HOST"], "port": known["PORT"] or None, "user": known["USER"]}
    server |= {"password": known["PASSWORD"] or None, "dbname": "postgres"}
    with psycopg.connect(**server, autocommit=True) as all_:
        all_.execute(f'DROP DATABASE IF EXISTS "{name}"')
        all_.execute(f'CREATE DATABASE "{name}"')
        try:
            url = f"postgres://{known['USER']}:{known['PASSWORD']}@{known['HOST']}:{known['PORT'] or 5432}/{name}"
            yield {**env, "DATABASE_URL": url}
        finally:
            all_.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextlib.contextmanager
def writing(tournament):
    """Scorekeepers who enter and change results without a pause; how many they have entered."""
    done, stop, problems = [0] * WRITERS, threading.Event(), []
    tables = list(Match.objects.filter(round__tournament=tournament, table__isnull=False).order_by("table"))

    def work(number):
        chance, own = random.Random(number), Tournament.objects.get(pk=tournament.pk)
        try:
            while not stop.is_set():
                match = chance.choice(tables[number::WRITERS])
                slip = chance.choice(slips_of(match_rules(match, own.profile)))
                record_result(own, 1, match.table, slip)
                done[number] += 1
        except Exception as error:
            problems.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    try:
        while not all(done) and not problems:
            stop.wait(0.01)
        yield done
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert problems == []


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_backup_taken_while_four_write_restores_to_one_moment_of_the_event(tmp_path):
    tournament = TournamentFactory(entries=32, published=True, slug="saturday")
    file = tmp_path / "saturday.backup"
    with writing(tournament) as done:
        before = sum(done)
        call_command("backup", str(file), verbosity=0)
        while sum(done) <= before + WRITERS:
            pass  # they go on
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with other_database(tmp_path / "other") as env:
        process = manage("restore", file, "--json", **env)
        assert (process.returncode, process.stderr) == (0, "")
        [event] = json.loads(process.stdout)["events"]
        assert event["problems"] == event["different"] == []
        restored = manage("dump", "saturday", "--with-seed", **env).stdout
        # Its log goes on with numbers that the other's log gave to other changes: no page of one is the other's.
        lineage = manage("shell", "-v", "0", "-c", "print(Tournament.objects.get().lineage)", **env).stdout
        assert re.fullmatch("[0-9a-f]{8}\n", lineage)
    tournament.refresh_from_db()
    assert before < event["actions"] < tournament.revision
    assert restored == archive.canonical(event_after(tournament, event["actions"]), with_seed=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "saturday.backup"]


# --- files that are refused --------------------------------------------------------------------------------


@pytest.fixture
def event():
    return TournamentFactory(entries=4, slug="saturday")


def refused(path, *args):
    """Return the command's one-line refusal of a file."""
    with pytest.raises(CommandError) as error:
        call_command("restore", str(path), *args)
    assert error.value.returncode == 2
    assert Tournament.objects.get().slug == "saturday"
    return str(error.value)


@pytest.fixture
def plain(tmp_path, event):
    file = tmp_path / "plain"
    call_command("backup", str(file), verbosity=0)
    return file


@pytest.mark.django_db
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such files")
def test_a_backup_takes_the_place_of_no_database_device_or_link(tmp_path, event):
    (tmp_path / "link").symlink_to(tmp_path / "other")
    os.mkfifo(tmp_path / "pipe")
    places = [tmp_path / "pipe", tmp_path / "link", tmp_path]
    if not POSTGRES:
        name = connection.settings_dict["NAME"]
        places += [Path(name), Path(f"{name}-wal")]
    inodes = [place.lstat().st_ino for place in places if place.exists()]
    for place in places:
        with pytest.raises(CommandError, match=r"is not a file|is the database itself"):
            call_command("backup", str(place))
    assert [place.lstat().st_ino for place in places if place.exists()] == inodes
    assert (tmp_path / "link").is_symlink() and not (tmp_path / "other").exists()


@pytest.mark.django_db
def test_a_file_that_is_no_backup_of_ours_is_refused(tmp_path, event):
    for content in (b"", b"{}", b"PGD", b"SQLite format", b"\x00" * 9999):
        file = tmp_path / "foreign"
        file.write_bytes(content)
        assert "is not a backup made by this program" in refused(file)
    assert "No such file" in refused(tmp_path / "absent")
    other = tmp_path / "other"
    if POSTGRES:
        other.write_bytes(b"SQLite format 3\x00" + b"\x00" * 100)
        assert "This is a backup of SQLite" in refused(other)
        (tmp_path / "dump").write_bytes(b"PGDMP" + b"\x01" * 100)
        assert "not a backup made by this program" in refused(tmp_path / "dump", "--replace")
        return
    other.write_bytes(b"PGDMP" + b"\x00" * 100)
    assert "This is a backup of PostgreSQL" in refused(other)
    with sqlite3.connect(tmp_path / "phone book") as file:
        file.execute("CREATE TABLE people (name)")
    assert "not a backup made by this program" in refused(tmp_path / "phone book", "--replace")


@pytest.mark.django_db
def test_a_backup_that_was_cut_off_is_refused(tmp_path, plain):
    content = plain.read_bytes()
    for length in (len(content) * 3 // 10, len(content) * 9 // 10, len(content) - 1):
        (tmp_path / "cut").write_bytes(content[:length])
        words = refused(tmp_path / "cut", "--replace")
        assert "damaged" in words or "end of file" in words


@pytest.mark.django_db
def test_an_encrypted_file_is_refused_and_says_what_to_do(tmp_path, event):
    (tmp_path / "encrypted").write_bytes(b"age-encryption.org/v1\n" + bytes(range(256)))
    assert "decrypt it with age" in refused(tmp_path / "encrypted", "--replace")


@pytest.mark.django_db
def test_a_database_that_holds_events_is_not_replaced_unasked(plain):
    assert "holds events. To replace all of it, add --replace" in refused(plain)


@pytest.mark.django_db(transaction=True)
def test_a_backup_of_a_newer_version_is_refused(tmp_path):
    migrations = MigrationRecorder(connection)
    migrations.record_applied("tournament", "9999_from_tomorrow")
    try:
        call_command("backup", str(tmp_path / "newer"), verbosity=0)
    finally:
        migrations.record_unapplied("tournament", "9999_from_tomorrow")
    TournamentFactory(entries=2, slug="saturday")
    words = refused(tmp_path / "newer", "--replace")
    assert "newer version of this program made this backup (tournament.9999_from_tomorrow)" in words


@pytest.mark.django_db(transaction=True)
def test_nothing_is_restored_while_others_use_the_database(tmp_path):
    TournamentFactory(entries=2)
    connections.close_all()
    (tmp_path / "file").touch()
    if POSTGRES:
        with psycopg.connect(backups.address()), pytest.raises(Refused, match="in use"):
            backups.replace_postgresql(tmp_path / "file")
    else:
        with contextlib.closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
            other.execute("SELECT 1 FROM tournament_tournament").fetchone()
            with pytest.raises(Refused, match="in use"):
                backups.replace_sqlite(tmp_path / "file")
    assert Tournament.objects.count() == 1


@pytest.mark.skipif(POSTGRES, reason="a damaged file is SQLite's")
@pytest.mark.django_db(transaction=True)
def test_a_damaged_database_is_what_a_backup_replaces(tmp_path, plain):
    with other_database(tmp_path / "other") as env:
        (tmp_path / "other").mkdir()
        for damage in (b"garbage", plain.read_bytes()[:100_000]):
            (tmp_path / "other" / "swiss.sqlite3").write_bytes(damage)
            process = manage("restore", plain, "--replace", **env)
            assert (process.returncode, process.stderr) == (0, "")
            assert manage("fsck", "saturday", **env).returncode == 0


@pytest.mark.skipif(POSTGRES, reason="there the dump is made again by PostgreSQL")
@pytest.mark.django_db
def test_a_backup_that_cannot_be_brought_up_leaves_the_database_as_it_was(tmp_path, plain):
    with other_database(tmp_path / "other") as env:
        assert manage("restore", plain, **env).returncode == 0
        database = tmp_path / "other" / "swiss.sqlite3"
        before = database.read_bytes()
        with contextlib.closing(sqlite3.connect(plain)) as file:
            file.execute("DROP TABLE tournament_seat")
        process = manage("restore", plain, "--replace", **env)
        assert process.returncode == 2 and "It lacks: tournament_seat." in process.stderr
        assert process.stderr.count("\n") == 1 and database.read_bytes() == before
        assert [path.name for path in (tmp_path / "other").iterdir() if "restore" in path.name] == []


@pytest.mark.skipif(POSTGRES, reason="what is spoiled is the same there")
@pytest.mark.django_db(transaction=True)
def test_an_event_whose_log_cannot_be_read_is_named_and_the_others_are_checked(tmp_path, plain):
    TournamentFactory(entries=4, slug="sunday")
    call_command("backup", str(plain), verbosity=0)
    with contextlib.closing(sqlite3.connect(plain)) as file:
        file.execute("DROP TRIGGER actions_are_never_updated")
        pick = "(SELECT id FROM tournament_tournament WHERE slug = 'saturday')"
        file.execute(f"UPDATE tournament_action SET changes = '[5]' WHERE tournament_id = {pick}")
        file.commit()
    with other_database(tmp_path / "other") as env:
        process = manage("restore", plain, **env)
        assert (process.returncode, process.stderr) == (1, "")
        assert "The log of /t/saturday/ cannot be read" in process.stdout
        assert re.search(r"(?m)^sunday .* clean$", process.stdout)
        process = manage("replay", "saturday", **env)
        assert process.returncode == 2 and process.stderr.startswith("The log of /t/saturday/ cannot be read")
        assert process.stderr.count("\n") == 1


# --- a backup is whole, or as it was -----------------------------------------------------------------------


@pytest.mark.django_db
def test_a_backup_that_fails_leaves_the_one_before(tmp_path, monkeypatch, event):
    file = tmp_path / "backup"
    file.write_text("yesterday's")

    def full_disk(handle):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(CommandError, match="No space left"):
        patch.setattr(os, "fsync", full_disk)
        call_command("backup", str(file))
    assert file.read_text() == "yesterday's"
    assert [path.name for path in tmp_path.iterdir()] == ["backup"]
    with pytest.raises(CommandError, match="nowhere"):
        call_command("backup", str(tmp_path / "nowhere" / "file"))
    if not POSTGRES:

        def full_beside_the_database(path):
            raise sqlite3.OperationalError("database or disk is full")

        with monkeypatch.context() as patch, pytest.raises(CommandError, match="disk is full"):
            patch.setattr(backups, "_refuse_damage", full_beside_the_database)
            call_command("backup", str(file))
    database = Path(connection.settings_dict["NAME"])
    assert not list(database.parent.glob(f"{database.name}.backup-*"))


@pytest.mark.django_db
@pytest.mark.skipif(not POSTGRES, reason="about PostgreSQL's programs")
def test_programs_of_postgresql_that_do_not_fit_are_named_in_words(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="pg_dump is not installed"):
        call_command("backup", str(tmp_path / "file"))
    said = "pg_dump: error: server version: 17.2; pg_dump version: 15.8 (Debian)"
    for program in ("pg_dump", "pg_restore"):
        script = (
            f"#!/bin/sh\necho '{said}' >&2\necho 'unsupported version (1.16) in file header' >&2\nexit 1\n"
        )
        (tmp_path / program).write_text(script)
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(CommandError, match=r"pg_dump failed: .*server version: 17.2; pg_dump version: 15.8"):
        call_command("backup", str(tmp_path / "file"))
    assert not (tmp_path / "file").exists()
    (tmp_path / "pg_restore").write_text(
        "#!/bin/sh\necho 'pg_restore: error: unsupported version (1.16) in file header' >&2\nexit 1\n"
    )
    (tmp_path / "newer").write_bytes(b"PGDMP and more of it")
    with pytest.raises(CommandError, match=r"pg_restore failed: .*unsupported version"):
        call_command("restore", str(tmp_path / "newer"))
    (tmp_path / "pg_dump").write_text("#!/bin/sh\necho 'PGDMP and less of it'\n")
    with pytest.raises(CommandError, match=r"pg_restore failed: .*unsupported version"):
        call_command("backup", str(tmp_path / "file"))
    assert not (tmp_path / "file").exists()
