import re
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.served import free_port, server
from tournament import __version__
from tournament.config import bootstrap
from tournament.config.bootstrap import python_in
from tournament.config.env import data_folder

ROOT = Path(__file__).resolve().parents[3]
APPS, PAGES = ("tournament", "standings", "pairings"), ("templates", "static")
NOT_SOURCE = shutil.ignore_patterns("__pycache__")


def pip(*args: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def wheel(tmp_path) -> Path:
    """Built as anyone would, in a copy where an earlier build had a module that is deleted by now."""
    source = tmp_path / "source"
    for name in (*APPS, *PAGES):
        shutil.copytree(ROOT / name, source / name, ignore=NOT_SOURCE)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for compiled in source.rglob("*.mo"):  # the build compiles the catalogs
        compiled.unlink()
    deleted = source / APPS[0] / "deleted_since.py"
    deleted.touch()
    pip("wheel", "--no-deps", "--wheel-dir", str(tmp_path / "earlier"), str(source))
    deleted.unlink()
    pip("wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(source))
    (built,) = tmp_path.glob("*.whl")
    return built


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_wheel_serves_by_itself_in_an_empty_environment(tmp_path, wheel):
    source = tmp_path / "source"
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == {
        *(f"{app}/{name}" for app in APPS for name in files_in(ROOT / app) if "__pycache__" not in name),
        *(f"tournament/{part}/{name}" for part in PAGES for name in files_in(source / part)),
    }
    assert wheel.name.split("-")[1] == __version__

    home = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    pip("--python", str(python_in(home)), "install", "--no-deps", "--no-index", str(wheel))
    # What it depends on is on this machine already.
    (packages,) = home.rglob("site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))

    program, port = str(python_in(home).with_name("swiss-tournament")), str(free_port())
    assert subprocess.check_output([program, "--version"], text=True).strip() == __version__
    with server(tmp_path, [program], PORT=port, HOME=str(tmp_path), VAR_DIR=""):
        site = f"http://127.0.0.1:{port}"
        page = urllib.request.urlopen(f"{site}/rulesets/").read().decode()
        for address in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
            assert urllib.request.urlopen(site + address).status == 200
        assert "/static/site." in page
        assert urllib.request.urlopen(f"{site}/readyz").read() == b"ready\n"
    data = data_folder({}, sys.platform).relative_to(Path.home())
    assert {"secret-key", "swiss.sqlite3", "static"} <= {path.name for path in (tmp_path / data).iterdir()}


@pytest.mark.parametrize(
    ("platform", "env", "folder"),
    [
        ("linux", {}, ".local/share"),
        ("linux", {"XDG_DATA_HOME": "/srv/data"}, "/srv/data"),
        ("darwin", {}, "Library/Application Support"),
        ("win32", {"LOCALAPPDATA": "/users/ann/local"}, "/users/ann/local"),
        ("win32", {}, "AppData/Local"),
    ],
)
def test_an_installed_program_keeps_its_data_where_the_system_wants_it(platform, env, folder):
    assert data_folder(env, platform) == Path.home() / folder / "swiss-tournament"


def test_an_installed_program_has_no_tests(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["swiss-tournament", "test"])
    assert bootstrap.run_installed() == 2
    assert "in the source" in capsys.readouterr().err


def test_the_newest_entry_of_the_changelog_is_this_version():
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert headings[0] == __version__
