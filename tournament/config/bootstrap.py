"""From a bare Python to a running command: create a virtual environment, install packages, then run Django or pytest.

Uses only the standard library until the packages are there, in the tested versions of constraints.txt. A stamp in
`.venv` says what was installed from which lists. It stays empty until that is done, so an interrupted set-up is
repeated. An environment without a stamp belongs to someone else, and is neither changed nor removed.
"""

import hashlib
import importlib.metadata
import importlib.util
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

BASE_DIR = Path(__file__).resolve().parents[2]
PROJECT, CONSTRAINTS = BASE_DIR / "pyproject.toml", BASE_DIR / "constraints.txt"
STAMP = "swiss-setup.json"
AGAIN = "then run the same command again"
NO_NETWORK = "NewConnectionError|NameResolution|Network is unreachable|Temporary failure|timed out"


class SetupError(Exception):
    """Set-up cannot go on; the message is one line that says what to do."""


def main(argv: list[str]) -> int:
    """Run one command line; return the exit code. In a virtual environment, another process replaces this one."""
    command = argv[1] if len(argv) > 1 else ""
    try:
        python = ready_python("dev" if command == "test" else "")
    except SetupError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"Set-up cannot read or write {error.filename}: {error.strerror}. "
            "Copy the program to a folder of your own, or run this once as the owner of that one.",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print("Stopped; the next start begins the set-up again.", file=sys.stderr)
        return 130
    if python != Path(sys.executable):
        return become([str(python), str(BASE_DIR / "manage.py"), *argv[1:]])
    return run_tests(argv[2:]) if command == "test" else run_django(argv)


def run_installed() -> int:
    if sys.argv[1:2] == ["test"]:
        print("The tests are in the source: run python3 manage.py test there.", file=sys.stderr)
        return 2
    return run_django(sys.argv)


def ready_python(extra: str) -> Path:
    """Return this interpreter, or that of `.venv`, with the packages for `extra` installed. Raises SetupError."""
    own, here, wanted = BASE_DIR / ".venv", Path(sys.prefix), requirements(extra)
    if (here != own or not is_ours(own)) and has_all(wanted):
        return Path(sys.executable)  # somebody's environment, or the whole machine's, as in a container
    python = Path(sys.executable) if here == own else python_in(own)
    if not is_stamped(own, extra):
        with one_at_a_time(BASE_DIR / ".venv.lock"):
            if not is_stamped(own, extra):
                make_environment(own)
                install(python, wanted)
                write_stamp(own, stamp_for(extra))
    return python


def requirements(extra: str) -> list[str]:
    table = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    return [*table["dependencies"], *(table["optional-dependencies"][extra] if extra else [])]


def name_in(requirement: str) -> str:
    return re.split(r"[\[<>=~! ]", requirement, maxsplit=1)[0]


def tested_versions() -> set[str]:
    """Return the lines of constraints.txt, such as `django==5.2.19`, without platform markers."""
    return {line.split()[0] for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if "==" in line}


def has_all(wanted: Sequence[str]) -> bool:
    tested = tested_versions()
    try:
        return all(f"{name}=={importlib.metadata.version(name)}" in tested for name in map(name_in, wanted))
    except importlib.metadata.PackageNotFoundError:
        return False


# --- the stamp ---------------------------------------------------------------------------------------------


def stamp_for(extra: str) -> dict[str, str]:
    """Return the stamp's content: digest of the package lists, Python's version, and the installed group."""
    lists = "\n".join([*requirements("dev"), *sorted(tested_versions())])
    digest = hashlib.sha256(lists.encode()).hexdigest()
    return {"dependencies": digest, "python": platform.python_version(), "extra": extra}


def read_stamp(home: Path) -> dict[str, str]:
    stamp: dict[str, str] = {}
    if python_in(home).exists():
        with suppress(OSError, ValueError):
            stamp = json.loads((home / STAMP).read_text(encoding="utf-8"))
    return stamp


def is_ours(home: Path) -> bool:
    return (home / STAMP).exists()


def is_stamped(home: Path, extra: str) -> bool:
    return read_stamp(home) in (stamp_for(extra), stamp_for("dev"))


def write_stamp(home: Path, stamp: dict[str, str]) -> None:
    """Replace the stamp atomically: by {} before anything is changed, by `stamp_for` as the last step."""
    aside = home / (STAMP + ".new")
    aside.write_text(json.dumps(stamp, sort_keys=True) + "\n", encoding="utf-8")
    aside.replace(home / STAMP)


# --- the environment ---------------------------------------------------------------------------------------


def python_in(home: Path) -> Path:
    return home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make_environment(home: Path) -> None:
    if (home / "pyvenv.cfg").exists() and not is_ours(home):
        raise SetupError(
            f"{home} is a virtual environment of your own, and lacks tested versions of packages. Delete it, {AGAIN}."
        )
    if read_stamp(home).get("python") == platform.python_version() or home == Path(sys.prefix):
        print(f"Installing the tested packages into {home.name} …", file=sys.stderr, flush=True)
        write_stamp(home, {})
        return
    print(f"Setting up {home.name} (first start only, about a minute) …", file=sys.stderr, flush=True)
    try:
        if home.exists():
            shutil.rmtree(home)
    except OSError as error:
        raise SetupError(f"{home} is incomplete and cannot be removed. Delete it, {AGAIN}.") from error
    if importlib.util.find_spec("ensurepip") is None:
        raise SetupError(f"This Python has no ensurepip. {advice_for_venv()}")
    home.mkdir()
    write_stamp(home, {})
    result = run([sys.executable, "-m", "venv", str(home)])
    if result.returncode:
        shutil.rmtree(home, ignore_errors=True)
        lines = (result.stdout + result.stderr).split("\n")
        reason = next((line for line in reversed(lines) if line.strip()), f"exit code {result.returncode}")
        raise SetupError(f"{home.name} could not be made: {reason.strip().rstrip('.')}. {advice_for_venv()}")


def advice_for_venv() -> str:
    major, minor = sys.version_info[:2]
    return f"On Debian or Ubuntu: apt install python{major}.{minor}-venv (or python3-venv), {AGAIN}."


def install(python: Path, wanted: Sequence[str]) -> None:
    options = ["--quiet", "--disable-pip-version-check", "--retries", "2", "--timeout", "20"]
    command = [str(python), "-m", "pip", "install", *options, "--constraint", str(CONSTRAINTS), *wanted]
    result = run(command)
    if result.returncode:
        raise SetupError(why_pip_failed(result.stderr + result.stdout))


def why_pip_failed(output: str) -> str:
    if re.search(NO_NETWORK, output):
        return f"Could not download the packages: no network. Connect this machine, {AGAIN}."
    if "No space left" in output:
        return f"Could not install the packages: the disk is full. Free some space, {AGAIN}."
    errors = re.findall(r"^ERROR: (.*)", output, re.MULTILINE)
    reason = errors[-1].strip().rstrip(".") if errors else "pip failed"
    if re.search(r"Permission denied|Read-only file system", reason):
        return f"Could not install the packages: {reason}."
    return f"Could not install the packages: {reason}. Check the network and the package index, {AGAIN}."


def run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (our own words)


# --- simultaneous starts ------------------------------------------------------------------------------------


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Hold a lock of this machine, which ends with its process. Raises OSError if the lock file cannot be created."""
    with lock.open("a") as file:
        if not is_locked(file):
            print("Waiting for another start of this program …", file=sys.stderr, flush=True)
        while not is_locked(file):
            time.sleep(0.1)
        yield


def is_locked(file: IO[str]) -> bool:
    """Lock the file unless another process has it. Returns True, too, on a disk that does not support locks."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError | PermissionError)
    return True


# --- the command -------------------------------------------------------------------------------------------


def become(command: list[str]) -> int:
    """Replace this process by another one. On Windows, run it and wait instead."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "nt":
        return subprocess.call(command)  # noqa: S603 (our own words)
    os.execv(command[0], command)  # noqa: S606 (our own words)


def run_tests(args: list[str]) -> int:
    os.chdir(BASE_DIR)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # saves each worker seconds at the start
    chosen = any(re.match(r"-n|--numprocesses|--dist|--pdb|--co", arg) for arg in args)
    aimed = any(not arg.startswith("-") and (BASE_DIR / arg.split("::")[0]).exists() for arg in args)
    workers = [] if chosen or aimed else ["-n", str(min(os.cpu_count() or 1, 4)), "--dist", "worksteal"]
    return become([sys.executable, "-m", "pytest", *workers, *args])


def run_django(argv: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
    sys.path.insert(0, str(BASE_DIR))
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    if argv[1:] == ["--version"]:
        from tournament import __version__

        print(__version__)
        return 0
    # Write archives and tables as UTF-8, whatever the machine's locale.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        execute_from_command_line(argv)
    except ImproperlyConfigured as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    except (OperationalError, ProgrammingError) as error:  # Django's own commands do not catch them
        from tournament.config.database_errors import why_database_failed

        if "--traceback" in argv:
            raise
        print(why_database_failed(error), file=sys.stderr)
        return 2
    except OSError as error:
        if not error.filename or "--traceback" in argv:
            raise
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
