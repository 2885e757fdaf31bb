"""Snapshots: archives as files outside the database, written after a publication or completion has been committed."""

import contextlib
import logging
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from tournament import archive
from tournament.actionlog.fold import Change, state_at
from tournament.archive.format import open_whole
from tournament.errors import NotFound
from tournament.event import read
from tournament.event.read import build_event, read_person
from tournament.event.types import Event
from tournament.models import Action, Tournament

logger = logging.getLogger("tournament.log")

MOST = 50  # of one event; the oldest go first
PAPER = "html"  # suffix of paper copies beside the snapshots
FILE = re.compile(r"(?P<number>\d{4,})-(?P<occasion>[a-z0-9-]+)\.(?P<kind>json|html)")
BY_HAND, BEFORE_RESTORE = "by-hand", "before-restore"


@dataclass(frozen=True)
class Snapshot:
    """One file. `number`: its last action; `occasion`: "round-4-published", "cut", "by-hand", …"""

    path: Path
    number: int
    occasion: str
    size: int
    at: datetime

    @property
    def name(self) -> str:
        return self.path.stem


def root() -> Path:
    return Path(settings.VAR_DIR) / "snapshots"


def snapshot_folder(tournament: Tournament) -> Path:
    """Return the event's folder, which need not exist. Raises ValueError for an unsafe slug."""
    if not re.fullmatch(r"[-a-zA-Z0-9_]+", tournament.slug):
        raise ValueError(f"no folder can be called {tournament.slug!r}")
    return root() / tournament.slug


def addresses_with_files() -> list[str]:
    """Return slugs that have files, even if their event was deleted: whoever takes such a slug could read them."""
    with contextlib.suppress(OSError):
        return [folder.name for folder in root().iterdir()]
    return []


def list_snapshots(tournament: Tournament, kind: str = "json") -> list[Snapshot]:
    """List the event's snapshots, newest first, or its other files of that `kind`."""
    snapshots = []
    folder = snapshot_folder(tournament)
    for path in folder.iterdir() if folder.is_dir() else ():
        if (found := FILE.fullmatch(path.name)) and found["kind"] == kind:
            facts = path.stat()
            at = datetime.fromtimestamp(facts.st_mtime, UTC)
            number, occasion = int(found["number"]), found["occasion"]
            snapshots.append(Snapshot(path, number, occasion, facts.st_size, at))
    return sorted(snapshots, key=lambda one: (one.number, one.at), reverse=True)


def find_occasion(changes: Iterable[Change]) -> str:
    """Return what an action finished, completed or published, such as "round-4-complete"; "" if nothing."""
    occasions = set()
    for change in changes:
        if "personal" in change:
            continue
        before, after = change["before"] or {}, change["after"] or {}
        kind, *names = change["fact"].split("/")
        if kind == "tournament" and after.get("state") == "finished":
            occasions.add((1, "finished"))
        elif kind == "stages" and not before and after.get("kind") == "elimination":
            occasions.add((2, "cut"))
        elif kind == "rounds" and len(names) == 1:
            if after.get("state") == "complete":
                occasions.add((3, f"round-{names[0]}-complete"))
            elif after.get("state") == "published" and before.get("state") in (None, "draft"):
                occasions.add((4, f"round-{names[0]}-published"))
    return min(occasions)[1] if occasions else ""


def keep_snapshot(tournament: Tournament, action: Action) -> None:
    """Write a snapshot if the action published or completed something. Called for each committed action."""
    occasion = find_occasion(action.changes)
    if occasion:
        try:
            write_snapshot(tournament, action.number, occasion)
        except OSError as error:
            logger.error("%s #%s: no snapshot was written: %s", tournament.slug, action.number, error)


def write_snapshot(tournament: Tournament, number: int, occasion: str) -> Path:
    """Write the event as it was after action `number`; delete the oldest files beyond `MOST`. Raises OSError."""
    text = archive.canonical(event_after(tournament, number), with_seed=True)
    return write_beside(tournament, f"{number:04d}-{occasion}", "json", text, MOST)


def write_beside(tournament: Tournament, name: str, kind: str, text: str, most: int) -> Path:
    """Write a file of that `kind` to the event's folder; delete the oldest files beyond `most`. Raises OSError."""
    folder = snapshot_folder(tournament)
    for part in (root(), folder):
        part.mkdir(mode=0o700, parents=True, exist_ok=True)  # names and secret seeds: for its owner only
    path = folder / f"{name}.{kind}"
    write_whole(path, text)
    for old in list_snapshots(tournament, kind)[most:]:
        old.path.unlink(missing_ok=True)
    return path


def read_snapshot(tournament: Tournament, snapshot: Snapshot) -> Event:
    """Return the event in the file, with today's names. Raises NotFound for a damaged or missing file."""
    try:
        event = archive.read_file(snapshot.path)
    except (archive.ArchiveError, OSError) as error:
        raise NotFound(_("This snapshot cannot be read: its file is damaged. Use another one.")) from error
    for row in tournament.entries.filter(code__in=event.entries):
        event.entries[row.code] = event.entries[row.code].replace(**read_person(row))
    return event


def event_after(tournament: Tournament, number: int) -> Event:
    """Return the whole event as it was after action `number`, with today's names."""
    event = read.load_whole_event(tournament)
    if tournament.revision == number:
        return event
    people = read.read_state(tournament)[1] | read.load_decklist_texts(tournament)
    earlier = build_event(tournament, state_at(tournament, number), people)
    earlier.log = tuple(action for action in event.log if action.number <= number)
    return earlier


def write_whole(path: Path, text: str) -> None:
    with open_whole(path) as file:
        file.write(text.encode())


def delete_snapshots(tournament: Tournament) -> None:
    folder = snapshot_folder(tournament)
    if folder.is_dir():
        shutil.rmtree(folder)


def is_snapshot_missing(tournament: Tournament) -> bool:
    """Whether a running event has no snapshot of its last publication and none taken since."""
    if tournament.state != Tournament.State.RUNNING or not root().is_dir():
        return False
    published = tournament.actions.filter(kind="publish", number__gt=tournament.baseline_number)
    last = published.order_by("-number").values_list("number", flat=True).first()
    newest = next(iter(list_snapshots(tournament)), None)
    return last is not None and (newest is None or newest.number < last)
