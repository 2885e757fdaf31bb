"""Set-up on a fresh machine: every way it can go wrong is one line that says what to do."""

import ast
import importlib.util
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tournament.config import bootstrap, env

ROOT = Path(__file__).resolve().parents[3]
MANAGE = ROOT / "manage.py"


def finished(code: int, output: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.CompletedProcess([], code, stdout="", stderr=output)


def a_whole_environment(home: Path, extra: str = "") -> Path:
    python = bootstrap.python_in(home)
    python.parent.mkdir(parents=True)
    python.touch()
    bootstrap.write_stamp(home, extra)
    return home


@pytest.fixture
def commands(monkeypatch) -> list[list[str]]:
    """What set-up would have run; everything succeeds."""
    commands: list[list[str]] = []

    def run(command):
        commands.append(list(command))
        return finished(0)

    monkeypatch.setattr(bootstrap, "run", run)
    return commands


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


def test_an_environment_without_a_stamp_is_not_finished(tmp_path):
    home = a_whole_environment(tmp_path / "venv")
    assert bootstrap.is_stamped(home, "")
    (home / bootstrap.STAMP).unlink()
    assert not bootstrap.is_stamped(home, "")


def test_the_tools_of_the_tests_include_the_app_but_not_the_reverse(tmp_path):
    assert bootstrap.is_stamped(a_whole_environment(tmp_path / "dev", "dev"), "")
    assert not bootstrap.is_stamped(a_whole_environment(tmp_path / "app", ""), "dev")


def test_changed_dependencies_make_the_stamp_stale(tmp_path, monkeypatch):
    home = a_whole_environment(tmp_path / "venv")
    monkeypatch.setattr(bootstrap, "requirements", lambda extra: ["django~=5.2.99"])
    assert not bootstrap.is_stamped(home, "")


def test_another_python_makes_the_environment_unusable(tmp_path):
    home = a_whole_environment(tmp_path / "venv")
    stamp = json.loads((home / bootstrap.STAMP).read_text())
    (home / bootstrap.STAMP).write_text(json.dumps({**stamp, "python": "3.11.0rc1"}))
    assert not bootstrap.is_whole(home)


# --- the environment --------------------------------------------------------------------------------------


def test_a_half_made_environment_is_made_anew(tmp_path, commands):
    home = tmp_path / ".venv"
    (home / "lib").mkdir(parents=True)
    (home / "lib" / "torn").touch()
    bootstrap.make_environment(home)
    assert not (home / "lib").exists()
    assert [str(home)] == [command[-1] for command in commands]


def test_an_environment_with_old_packages_is_kept_and_loses_its_stamp_first(tmp_path, commands):
    home = a_whole_environment(tmp_path / ".venv")
    bootstrap.make_environment(home)
    assert commands == []
    assert bootstrap.python_in(home).exists()
    assert not (home / bootstrap.STAMP).exists()


def test_a_python_without_ensurepip_names_the_package_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(bootstrap.SetupError, match=r"ensurepip.*apt install python3"):
        bootstrap.environment_command(Path("x"))


def test_a_python_without_ensurepip_makes_do_with_its_own_pip(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name if name in ("pip", "venv") else None)
    assert "--without-pip" in bootstrap.environment_command(Path("x"))


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (
            "NewConnectionError: [Errno 101] Network is unreachable\nERROR: No matching distribution",
            "no network",
        ),
        ("ERROR: Could not install: [Errno 28] No space left on device", "disk is full"),
        ("WARNING: x\nERROR: No matching distribution found for django~=5.2.19", "No matching distribution"),
        ("", "pip failed"),
    ],
)
def test_a_failed_installation_is_one_line_with_advice(monkeypatch, output, words):
    results = iter([finished(0), finished(1, output)])
    monkeypatch.setattr(bootstrap, "run", lambda command: next(results))
    with pytest.raises(bootstrap.SetupError) as caught:
        bootstrap.install(Path("python"), ["django"])
    assert words in str(caught.value)
    assert bootstrap.AGAIN in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_failed_set_up_leaves_no_stamp_and_exits_with_2(tmp_path, monkeypatch, capsys):
    def fail(python, wanted):
        raise bootstrap.SetupError("no network")

    monkeypatch.setattr(bootstrap, "BASE_DIR", tmp_path)
    monkeypatch.setattr(bootstrap, "requirements", lambda extra: ["no-such-package"])
    monkeypatch.setattr(bootstrap, "install", fail)
    monkeypatch.setattr(bootstrap, "run", lambda command: finished(0))
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert bootstrap.main(["manage.py", "check"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "no network"
    assert not (tmp_path / ".venv" / bootstrap.STAMP).exists()


def test_inside_somebodys_environment_that_one_is_used(tmp_path, monkeypatch, commands):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(bootstrap, "has_all", lambda wanted: False)
    assert bootstrap.ready_python("") == Path(sys.executable)
    assert [sys.executable, "-m", "pip", "install"] == commands[-1][:4]
    assert (tmp_path / bootstrap.STAMP).exists()


# --- running ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "parallel"),
    [([], True), (["-x"], True), (["-n0"], False), (["tests/test_house.py"], False)],
)
def test_the_whole_suite_runs_on_several_cores_and_a_single_file_on_one(monkeypatch, args, parallel):
    became: list[str] = []
    monkeypatch.setattr(bootstrap, "become", lambda command: became.extend(command) or 0)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert bootstrap.run_tests(args) == 0
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
    assert ("worksteal" in became) is parallel
    assert became[-len(args) :] == args if args else True


@pytest.mark.long
def test_a_taken_port_is_said_before_anything_is_served():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"Port {port} on 127.0.0.1 cannot be used" in env.port_problem("127.0.0.1", port)
        environment = {**os.environ, "PORT": str(port)}
        command = [sys.executable, str(MANAGE), "serve"]
        process = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert process.returncode == 2
    assert process.stdout == ""
    assert process.stderr.count("\n") == 1
    assert f"PORT={port + 1}" in process.stderr


def test_a_free_port_is_no_problem():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert env.port_problem("127.0.0.1", port) == ""
