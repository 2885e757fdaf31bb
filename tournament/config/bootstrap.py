"""From a bare Python to a running command: virtual environment, packages in it, then Django or pytest.

Only the standard library until the packages are there. A stamp in the environment says what was installed for
which list of dependencies; it is written last, so an interrupted set-up leaves none and is begun again.
"""

import hashlib
import importlib.metadata
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parents[2]
STAMP = "swiss-setup.json"
AGAIN = "then run the same command again"


class SetupError(Exception):
    """Set-up cannot go on; the message is one line that says what to do."""


def main(argv: list[str]) -> int:
    """Run one command line; returns the exit code. Becomes another process for a virtual environment."""
    command = argv[1] if len(argv) > 1 else ""
    try:
        python = ready_python("dev" if command == "test" else "")
        if python != Path(sys.executable):
            return become([str(python), str(BASE_DIR / "manage.py"), *argv[1:]])
    except SetupError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped; the next start begins the set-up again.", file=sys.stderr)
        return 130
    return run_tests(argv[2:]) if command == "test" else run_django(argv)


def run_installed() -> int:
    """The command `swiss-tournament` of an installed wheel: as `manage.py`, but everything it needs is there."""
    if sys.argv[1:2] == ["test"]:
        print("The tests are in the source: run python3 manage.py test there.", file=sys.stderr)
        return 2
    return run_django(sys.argv)


def ready_python(extra: str) -> Path:
    """The interpreter to use, with everything installed: this one, or that of `.venv` (made when needed).

    `extra` is "" for running the app or "dev" for the tools of the tests as well. SetupError if it cannot be.
    """
    own = BASE_DIR / ".venv"
    inside = sys.prefix != sys.base_prefix
    wanted = requirements(extra)
    if Path(sys.prefix) != own and has_all(wanted):
        return Path(sys.executable)  # somebody's environment, or the whole machine's, as in a container
    home = Path(sys.prefix) if inside else own
    python = Path(sys.executable) if inside else python_in(own)
    if is_stamped(home, extra):
        return python
    if inside:
        print("Installing what is missing into this virtual environment …", file=sys.stderr, flush=True)
    else:
        make_environment(home)
    install(python, wanted)
    write_stamp(home, extra)
    return python


def requirements(extra: str, project: Path = BASE_DIR / "pyproject.toml") -> list[str]:
    """The dependencies in pyproject.toml, with those of the optional group `extra`."""
    table = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    return [*table["dependencies"], *(table["optional-dependencies"][extra] if extra else [])]


def has_all(wanted: Sequence[str]) -> bool:
    """Whether this interpreter has a package of every wanted name, and Django in the wanted series."""
    try:
        for line in wanted:
            version = importlib.metadata.version(re.split(r"[\[<>=~! ]", line, maxsplit=1)[0])
            series = re.fullmatch(r"django~=(\d+\.\d+)\..*", line)
            if series and not version.startswith(series[1] + "."):
                return False
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


# --- the stamp ---------------------------------------------------------------------------------------------


def stamp_for(extra: str) -> dict[str, str]:
    """What the stamp says: digest of the dependency lists, Python's version, and the installed group."""
    digest = hashlib.sha256("\n".join(requirements("dev")).encode()).hexdigest()
    return {"dependencies": digest, "python": ".".join(map(str, sys.version_info[:3])), "extra": extra}


def read_stamp(home: Path) -> dict[str, str]:
    """The stamp of an environment; {} where its set-up did not come to its end."""
    if not python_in(home).exists():
        return {}
    try:
        stamp: dict[str, str] = json.loads((home / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp


def is_stamped(home: Path, extra: str) -> bool:
    """Whether the environment was set up to the end for these dependencies ("dev" includes the app's own)."""
    return read_stamp(home) in (stamp_for(extra), stamp_for("dev"))


def is_whole(home: Path) -> bool:
    """Whether an earlier set-up of the environment with this version of Python came to its end."""
    return read_stamp(home).get("python") == stamp_for("")["python"]


def write_stamp(home: Path, extra: str) -> None:
    """The last step of a set-up, in one piece."""
    aside = home / (STAMP + ".new")
    aside.write_text(json.dumps(stamp_for(extra), sort_keys=True) + "\n", encoding="utf-8")
    aside.replace(home / STAMP)


# --- the environment ---------------------------------------------------------------------------------------


def python_in(home: Path) -> Path:
    """The interpreter of a virtual environment."""
    return home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make_environment(home: Path) -> None:
    """Make the virtual environment, unless a whole one is there and only its packages are old."""
    print(f"Setting up {home.name} (first start only, about a minute) …", file=sys.stderr, flush=True)
    if is_whole(home):
        (home / STAMP).unlink()  # from here on it is half-made until the packages are in
        return
    if home.exists():
        try:
            shutil.rmtree(home)
        except OSError as error:
            raise SetupError(f"{home} is incomplete and cannot be removed. Delete it, {AGAIN}.") from error
    result = run(environment_command(home))
    if result.returncode:
        shutil.rmtree(home, ignore_errors=True)
        raise SetupError(f"{home.name} could not be made: {last_line(result)}. {advice_for_venv()}")


def environment_command(home: Path) -> list[str]:
    """The command that makes a virtual environment with what this Python has. SetupError if none."""
    has = importlib.util.find_spec
    if has("ensurepip") is not None:
        return [sys.executable, "-m", "venv", str(home)]
    if has("virtualenv") is not None:
        return [sys.executable, "-m", "virtualenv", "--quiet", str(home)]
    if has("pip") is not None and has("venv") is not None:
        return [sys.executable, "-m", "venv", "--without-pip", str(home)]
    raise SetupError(f"This Python has no ensurepip. {advice_for_venv()}")


def advice_for_venv() -> str:
    """What to install where Python comes without ensurepip, as on Debian and Ubuntu."""
    major, minor = sys.version_info[:2]
    return f"On Debian or Ubuntu: apt install python{major}.{minor}-venv (or python3-venv), {AGAIN}."


def install(python: Path, wanted: Sequence[str]) -> None:
    """Install the packages into the environment of `python`, with its own pip or, without one, with ours."""
    options = ["--quiet", "--disable-pip-version-check", "--retries", "2", "--timeout", "20"]
    pip = [str(python), "-m", "pip"]
    if run([*pip, "--version"]).returncode:
        pip = [sys.executable, "-m", "pip", "--python", str(python)]
    result = run([*pip, "install", *options, *wanted])
    if result.returncode:
        raise SetupError(why_pip_failed(result.stderr + result.stdout))


def why_pip_failed(output: str) -> str:
    """One line out of pip's many: no network, no room, or pip's own last error."""
    if re.search(
        r"NewConnectionError|NameResolution|Network is unreachable|Temporary failure|timed out", output
    ):
        return f"Could not download the packages: no network. Connect this machine, {AGAIN}."
    if "No space left" in output:
        return f"Could not install the packages: the disk is full. Free some space, {AGAIN}."
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    reason = errors[-1].rstrip(".") if errors else "pip failed"
    return f"Could not install the packages: {reason}. Check the network and the package index, {AGAIN}."


def run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """A command to its end, its output kept."""
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (our own words)


def last_line(result: "subprocess.CompletedProcess[str]") -> str:
    """The last thing a failed command said."""
    lines = [line for line in (result.stdout + "\n" + result.stderr).splitlines() if line.strip()]
    return lines[-1].strip().rstrip(".") if lines else f"exit code {result.returncode}"


# --- what was asked for ------------------------------------------------------------------------------------


def become(command: list[str]) -> int:
    """Turn this process into another one (Windows cannot, and waits for it instead)."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "nt":
        return subprocess.call(command)  # noqa: S603 (our own words)
    os.execv(command[0], command)  # noqa: S606 (our own words)


def run_tests(args: list[str]) -> int:
    """pytest, on several cores unless told otherwise or aimed at single tests.

    Compiled modules are kept even where the environment says not to: reading the tests again takes each worker seconds.
    """
    os.chdir(BASE_DIR)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    chosen = any(re.match(r"-n|--numprocesses|--dist|--pdb|--co", arg) for arg in args)
    aimed = any(not arg.startswith("-") and (BASE_DIR / arg.split("::")[0]).exists() for arg in args)
    workers = [] if chosen or aimed else ["-n", str(min(os.cpu_count() or 1, 4)), "--dist", "worksteal"]
    return become([sys.executable, "-m", "pytest", *workers, *args])


def run_django(argv: list[str]) -> int:
    """Any Django command, ours included; a wrong setting is one line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
    sys.path.insert(0, str(BASE_DIR))
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    if argv[1:] == ["--version"]:
        from tournament import __version__

        print(__version__)
        return 0
    # Archives and tables are UTF-8 wherever they are written to, whatever the machine's own habit.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        execute_from_command_line(argv)
    except ImproperlyConfigured as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
