import ast
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tournament.config import bootstrap

ROOT = Path(__file__).resolve().parents[3]
MANAGE = ROOT / "manage.py"


def finished(code: int, output: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.CompletedProcess([], code, stdout="", stderr=output)


def a_whole_environment(home: Path, extra: str = "") -> Path:
    python = bootstrap.python_in(home)
    python.parent.mkdir(parents=True)
    python.touch()
    bootstrap.write_stamp(home, bootstrap.stamp_for(extra))
    return home


@pytest.fixture
def commands(monkeypatch) -> list[list[str]]:
    commands: list[list[str]] = []

    def run(command):
        commands.append(list(command))
        return finished(0)

    monkeypatch.setattr(bootstrap, "run", run)
    return commands


@pytest.fixture
def checkout(tmp_path, monkeypatch) -> Path:
    """A folder of ours on a machine without any package of ours; one is wanted."""
    monkeypatch.setattr(bootstrap, "BASE_DIR", tmp_path)
    monkeypatch.setattr(bootstrap, "requirements", lambda extra: ["no-such-package"])
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    return tmp_path


# --- Python -----------------------------------------------------------------------------------------------


def test_manage_is_readable_by_old_pythons():
    tree = ast.parse(MANAGE.read_text(encoding="ascii"), feature_version=(3, 4))
    modern = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr)
    assert not [node for node in ast.walk(tree) if isinstance(node, modern)]


def test_an_old_python_is_told_what_to_install():
    run_it = f"runpy.run_path({str(MANAGE)!r}, run_name='__main__')"
    script = f"import runpy, sys; sys.version_info = (3, 8, 2); {run_it}"
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert process.returncode == 2
    assert process.stdout == ""
    assert process.stderr.count("\n") == 1
    assert "Python 3.11 or newer is required, and this is Python 3.8" in process.stderr


# --- the stamp --------------------------------------------------------------------------------------------


def test_the_stamp_says_for_what_an_environment_was_set_up(tmp_path, monkeypatch):
    home = a_whole_environment(tmp_path / "venv")
    assert bootstrap.is_stamped(home, "")
    monkeypatch.setattr(bootstrap, "requirements", lambda extra: ["django~=5.2.99"])
    assert not bootstrap.is_stamped(home, ""), "other dependencies"
    monkeypatch.undo()
    monkeypatch.setattr(bootstrap, "tested_versions", lambda: {"django==5.2.99"})
    assert not bootstrap.is_stamped(home, ""), "other versions"
    monkeypatch.undo()
    stamp = json.loads((home / bootstrap.STAMP).read_text())
    bootstrap.write_stamp(home, {**stamp, "python": "3.11.0rc1"})
    assert not bootstrap.is_stamped(home, ""), "another Python"
    (home / bootstrap.STAMP).unlink()
    assert not bootstrap.is_stamped(home, "")


def test_the_tools_of_the_tests_include_the_app_but_not_the_reverse(tmp_path):
    assert bootstrap.is_stamped(a_whole_environment(tmp_path / "dev", "dev"), "")
    assert not bootstrap.is_stamped(a_whole_environment(tmp_path / "app", ""), "dev")


# --- the packages -----------------------------------------------------------------------------------------


def test_each_package_has_a_tested_version_and_it_is_the_one_installed_here():
    lines = bootstrap.CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; [\w ><=!.'()]+)?", line)] == []
    assert len(bootstrap.tested_versions()) == len(lines) > 70
    assert bootstrap.has_all(bootstrap.requirements("dev"))


def test_somebodys_environment_needs_the_tested_versions(monkeypatch):
    wanted = bootstrap.requirements("")
    versions = {"granian": "2.8.0"}
    version = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: versions.get(name) or version(name))
    assert not bootstrap.has_all(wanted)
    versions.clear()
    assert bootstrap.has_all(wanted)


# --- the environment --------------------------------------------------------------------------------------


def test_a_half_made_environment_is_made_anew(tmp_path, commands):
    home = tmp_path / ".venv"
    (home / "lib").mkdir(parents=True)
    (home / "lib" / "torn").touch()
    bootstrap.make_environment(home)
    assert not (home / "lib").exists()
    assert [str(home)] == [command[-1] for command in commands]
    (home / "pyvenv.cfg").touch()
    bootstrap.make_environment(home)  # interrupted again, so begun again
    assert [str(home)] * 2 == [command[-1] for command in commands]
    assert not (home / "pyvenv.cfg").exists()


def test_an_environment_with_old_packages_is_kept_and_its_stamp_emptied_first(tmp_path, commands):
    home = a_whole_environment(tmp_path / ".venv")
    bootstrap.make_environment(home)
    assert commands == []
    assert bootstrap.python_in(home).exists()
    assert bootstrap.is_ours(home) and bootstrap.read_stamp(home) == {}


def test_an_environment_that_someone_else_made_is_never_removed(tmp_path, commands):
    home = tmp_path / ".venv"
    home.mkdir()
    (home / "pyvenv.cfg").touch()
    with pytest.raises(bootstrap.SetupError, match="Delete it"):
        bootstrap.make_environment(home)
    assert (home / "pyvenv.cfg").exists() and commands == []


def test_a_python_without_ensurepip_names_the_package_to_install(tmp_path, commands, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(bootstrap.SetupError, match=r"ensurepip.*apt install python3"):
        bootstrap.make_environment(tmp_path / ".venv")
    assert commands == [] and not (tmp_path / ".venv").exists()


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("NewConnectionError: Network is unreachable\nERROR: No matching distribution", "no network"),
        ("ERROR: Could not install: [Errno 28] No space left on device", "disk is full"),
        ("ERROR: Could not install: [Errno 30] Read-only file system: '/x/lib'", "file system: '/x/lib'.$"),
        ("WARNING: x\nERROR: No matching distribution found for django~=5.2.19", "No matching .* Check"),
        ("", "pip failed"),
    ],
)
def test_a_failed_installation_is_one_line_with_advice(monkeypatch, output, words):
    monkeypatch.setattr(bootstrap, "run", lambda command: finished(1, output))
    with pytest.raises(bootstrap.SetupError, match=words) as caught:
        bootstrap.install(Path("python"), ["django"])
    assert "\n" not in str(caught.value)
    assert (bootstrap.AGAIN in str(caught.value)) == ("Read-only" not in output)


def test_a_failed_set_up_leaves_an_empty_stamp_and_exits_with_2(checkout, commands, monkeypatch, capsys):
    def fail(python, wanted):
        raise bootstrap.SetupError("no network")

    monkeypatch.setattr(bootstrap, "install", fail)
    assert bootstrap.main(["manage.py", "check"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "no network"
    assert bootstrap.is_ours(checkout / ".venv")
    assert json.loads((checkout / ".venv" / bootstrap.STAMP).read_text()) == {}


def test_an_environment_of_ones_own_is_used_where_it_has_everything(checkout, commands, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(checkout / "mine"))
    assert bootstrap.ready_python("") == bootstrap.python_in(checkout / ".venv")
    assert commands[-1][-1] == "no-such-package"
    commands.clear()
    monkeypatch.setattr(bootstrap, "requirements", lambda extra: [])  # now it is all there
    assert bootstrap.ready_python("") == Path(sys.executable)
    assert commands == []


def test_of_two_starts_at_once_one_sets_up_and_the_other_waits(checkout, monkeypatch, capsys):
    home, waits, ran = checkout / ".venv", threading.Event(), []

    def run(command):
        ran.append(command)
        if "venv" in command:
            python = bootstrap.python_in(home)
            python.parent.mkdir(parents=True)
            python.touch()
            assert waits.wait(20)
        return finished(0)

    monkeypatch.setattr(bootstrap, "run", run)
    monkeypatch.setattr(bootstrap.time, "sleep", lambda seconds: waits.set())
    with ThreadPoolExecutor(2) as starts:
        pythons = [start.result() for start in [starts.submit(bootstrap.ready_python, "") for _ in "ab"]]
    assert pythons == [bootstrap.python_in(home)] * 2
    for part in ("venv", "no-such-package"):
        assert len([command for command in ran if part in command]) == 1
    assert "Waiting for another start" in capsys.readouterr().err


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path):
    lock = tmp_path / "lock"
    script = (
        "import sys; from pathlib import Path; from tournament.config.bootstrap import one_at_a_time\n"
        f"with one_at_a_time(Path({str(lock)!r})): print(flush=True); sys.stdin.read()"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdin=pipe, stdout=pipe) as process:
        process.stdout.readline()
        with lock.open() as file:
            assert not bootstrap.is_locked(file)
            process.kill()
            process.wait()
            assert bootstrap.is_locked(file)


def test_a_folder_that_cannot_be_written_is_said_in_one_line(checkout, monkeypatch, capsys):
    no_folder = checkout / "file"
    no_folder.touch()
    monkeypatch.setattr(bootstrap, "BASE_DIR", no_folder)
    assert bootstrap.main(["manage.py", "check"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"Set-up cannot read or write {no_folder}/.venv.lock: " in line and "Copy the program" in line


# --- running ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "parallel"),
    [(["-x"], True), (["-n0"], False), (["tests/test_house.py"], False)],
)
def test_the_whole_suite_runs_on_several_cores_and_a_single_file_on_one(monkeypatch, args, parallel):
    became: list[str] = []
    monkeypatch.setattr(bootstrap, "become", lambda command: became.extend(command) or 0)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert bootstrap.run_tests(args) == 0
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
    assert ("worksteal" in became) is parallel
    assert became[-1:] == args
