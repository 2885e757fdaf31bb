"""Who may open and post to every page of the site: one line an address, read by `test_access`.

A new address needs a line here, or the build fails: its name, who may GET it, who may POST to it (405 for everybody
where nobody may), and where it needs more: `at` (which event), the parts of the address, and a body that means
something.
"""

from dataclasses import dataclass, field
from typing import Any

OWNER = frozenset({"owner"})
DESK = OWNER | {"scorekeeper"}
STAFF = DESK | {"judge"}
SIGNED_IN = STAFF | {"stranger"}
PLAYER = frozenset({"player"})  # holds the key of P0001 in each event, and has no account
EVERYBODY = SIGNED_IN | PLAYER | {"nobody"}
NONE: frozenset[str] = frozenset()
ROLES = ("owner", "scorekeeper", "judge", "stranger", "player", "nobody")


@dataclass(frozen=True)
class Page:
    """One address: who may do what there."""

    get: frozenset[str] = NONE
    post: frozenset[str] = NONE
    at: str = "running"  # or "drafted", "done", "bracket", "finished": the events of test_access.world
    args: dict[str, Any] = field(default_factory=dict)  # parts of the address, where the usual do not fit
    send: dict[str, Any] = field(default_factory=dict)  # body of a POST, query of a GET
    gone: int = 404  # what a signed-in person gets who is no member: there is no such page
    login: bool = True  # whether who is not signed in is sent to sign in, or finds nothing there
    absent: bool = False  # 404 is right for members too: what is asked for need not be there


USUAL: dict[str, Any] = {
    "number": 2,
    "table": 1,
    "code": "P0001",
    "what": "drop",
    "metric": "opp_match_win_pct",
    "key": "north-league-league-rules",
    "other": "P0002",
    "version": 1,
    "name": "0001-no-such",
}
PAIR = {"a": "P0001", "b": "P0002"}

PAGES: dict[str, Page] = {
    # everybody's
    "healthz": Page(get=EVERYBODY, post=EVERYBODY),
    "readyz": Page(get=EVERYBODY, post=EVERYBODY),
    "server-time": Page(get=EVERYBODY),
    "home": Page(get=EVERYBODY),
    "site-logo": Page(get=EVERYBODY, absent=True),
    "sign-up": Page(get=EVERYBODY, post=EVERYBODY),
    "login": Page(get=EVERYBODY, post=EVERYBODY),
    "logout": Page(post=EVERYBODY),
    "resend": Page(get=SIGNED_IN),
    "account": Page(get=SIGNED_IN, post=SIGNED_IN),
    "account-mail": Page(post=SIGNED_IN, absent=True),
    "forgotten": Page(get=EVERYBODY, post=EVERYBODY, absent=True),
    "reset-password": Page(
        get=EVERYBODY, post=EVERYBODY, args={"uid": "MQ", "token": "no-such"}, absent=True
    ),
    "new-event": Page(get=SIGNED_IN, post=SIGNED_IN),
    "template": Page(get=SIGNED_IN, post=SIGNED_IN, args={"pk": 999_999}, absent=True),
    "remove-template": Page(post=SIGNED_IN, args={"pk": 999_999}, absent=True),
    "ruleset-words": Page(get=EVERYBODY),
    "schema": Page(get=EVERYBODY, args={"name": "archive.json"}),
    "remove-demo": Page(get=OWNER, post=OWNER, gone=403),
    # an event for everybody
    "public-event": Page(get=EVERYBODY),
    "public-now": Page(get=EVERYBODY),
    "public-round": Page(get=EVERYBODY),
    "public-pairings": Page(get=EVERYBODY),
    "public-players": Page(get=EVERYBODY),
    "player": Page(get=EVERYBODY),
    "player-now": Page(get=EVERYBODY),
    "standings": Page(get=EVERYBODY),
    "standings-json": Page(get=EVERYBODY),
    "standings-csv": Page(get=EVERYBODY),
    "standings-table": Page(get=EVERYBODY),
    "standing": Page(get=EVERYBODY),
    "standings-number": Page(get=EVERYBODY),
    "standings-number-json": Page(get=EVERYBODY),
    "standings-derivation": Page(get=EVERYBODY),
    "standings-inside": Page(get=EVERYBODY, args={"key": "match_win_pct"}),
    "rules": Page(get=EVERYBODY),
    "rules-part": Page(get=EVERYBODY),
    "bracket": Page(get=EVERYBODY, at="bracket"),
    "bracket-tree": Page(get=EVERYBODY, at="bracket"),
    "bracket-screen": Page(get=EVERYBODY, at="bracket"),
    "bracket-screen-tree": Page(get=EVERYBODY, at="bracket"),
    "screen": Page(get=EVERYBODY),
    "screen-part": Page(get=EVERYBODY),
    "screen-of": Page(get=EVERYBODY, args={"what": "pairings"}),
    "screen-of-part": Page(get=EVERYBODY, args={"what": "pairings"}),
    "bracket-print": Page(get=EVERYBODY, at="bracket"),
    "bracket-csv": Page(get=EVERYBODY, at="bracket"),
    "bracket-json": Page(get=EVERYBODY, at="bracket"),
    "proof": Page(get=EVERYBODY),
    # a player's own, by the key this device holds
    "register": Page(get=EVERYBODY, post=EVERYBODY),
    "player-key": Page(get=EVERYBODY, args={"key": "0" * 32}, absent=True),
    "me": Page(get=EVERYBODY),
    "me-entry": Page(get=PLAYER, login=False),
    "me-link": Page(get=PLAYER, login=False),
    "me-check-in": Page(post=PLAYER, login=False),
    "me-drop": Page(get=PLAYER, post=PLAYER, login=False),
    "me-byes": Page(get=PLAYER, post=PLAYER, login=False),
    "me-message": Page(get=PLAYER, post=PLAYER, login=False),
    "me-forget": Page(post=PLAYER, login=False),
    # an event's desk
    "desk": Page(get=STAFF),
    "announcement": Page(get=OWNER, post=OWNER, send={"text": "Lunch"}),
    "event-settings": Page(get=OWNER, post=OWNER),
    "copy-event": Page(get=OWNER, post=OWNER),
    "rehearsal": Page(get=OWNER, post=OWNER, send={"players": 6}),
    "save-template": Page(post=OWNER, send={"name": "Weekly"}),
    "archive-event": Page(get=OWNER, post=OWNER, send={"archived": "on"}),
    "delete-event": Page(get=OWNER, post=OWNER),
    "desk-screens": Page(get=STAFF, post=OWNER, send={"screens": ["clock"], "screen_seconds": 9}),
    "exports": Page(get=STAFF),
    "export-entries": Page(get=STAFF),
    "export-pairings": Page(get=STAFF),
    "export-standings": Page(get=STAFF),
    "export-archive": Page(get=STAFF),
    "export-copy": Page(get=STAFF),
    "snapshots": Page(get=OWNER, post=OWNER),
    "snapshot": Page(get=OWNER, post=OWNER, absent=True),
    "snapshot-file": Page(get=OWNER, absent=True),
    "restore-new": Page(post=OWNER, absent=True),
    "finish": Page(post=OWNER, at="done"),
    "reopen": Page(post=OWNER, at="finished"),
    "log": Page(get=STAFF),
    "undo": Page(post=DESK),
    "entries": Page(get=STAFF, post=DESK, send={"names": "Late Lee"}),
    "entry": Page(get=STAFF),
    "add-player": Page(get=DESK, post=DESK, send={"name": "Late Lee"}),
    "import": Page(get=DESK, post=DESK),
    "seeding": Page(get=DESK, post=DESK),
    "seed-by-rating": Page(post=DESK),
    "prohibited-pairs": Page(get=DESK, post=DESK),
    "known-players": Page(get=DESK, post=DESK, absent=True),
    "check-in": Page(get=DESK, post=DESK, send={"code": "P0001"}),
    "no-shows": Page(get=DESK, post=DESK),
    "anonymize": Page(get=OWNER, post=OWNER),
    "entry-change": Page(post=STAFF),
    "entry-link": Page(post=DESK),
    "registration": Page(get=DESK, post=DESK),
    "close-registration": Page(get=DESK, post=DESK),
    "poster": Page(get=DESK),
    "player-messages": Page(get=STAFF),
    "message-done": Page(post=STAFF, absent=True),
    "desk-round": Page(get=STAFF),
    "desk-status": Page(get=STAFF),
    "print": Page(get=STAFF),
    "print-slips": Page(get=STAFF),
    "print-list": Page(get=STAFF, args={"what": "pairings-by-name"}),
    "event-print": Page(get=STAFF),
    "event-print-list": Page(get=STAFF, args={"what": "seatings"}),
    "place-cards": Page(get=STAFF),
    "take-over": Page(get=DESK),
    "find-slip": Page(get=STAFF, send={"q": "2-1-AA"}),
    "scan-slip": Page(get=STAFF, args={"check": "AA"}),
    "desk-rows": Page(get=STAFF),
    "match-row": Page(get=STAFF),
    "slip": Page(get=DESK),
    "result": Page(get=DESK, post=DESK, send={"slip": "20", "version": 0}),
    "box": Page(post=DESK, send={"text": "1 20"}),
    "walk": Page(get=DESK, post=DESK, send={"table": 1, "slip": "20", "version": 0}),
    "walk-rows": Page(get=DESK),
    "verify": Page(get=DESK, post=DESK, send={"text": "1 20"}),
    "reopen-round": Page(post=OWNER, at="done"),
    "correct": Page(get=DESK, post=DESK, at="done", send={"a": 2, "b": 0, "version": 0}),
    "correct-seats": Page(get=DESK, post=DESK, at="done", send=PAIR),
    "corrections": Page(get=DESK),
    "correct-missing": Page(get=DESK, post=DESK, send={"name": "Late Lee", "joined": 1}),
    "correct-player": Page(get=DESK, post=DESK, send={"joined": 1}),
    "correct-bye": Page(get=DESK, post=DESK, absent=True, send={"result": "missed"}),
    "merge-entry": Page(get=DESK, post=DESK, send={"other": "P0002"}),
    "game-points": Page(get=DESK, post=DESK, absent=True),
    "pair": Page(get=DESK, post=DESK, at="done"),
    "rounds-check": Page(get=STAFF),
    "rounds-check-part": Page(get=STAFF),
    "draft": Page(get=STAFF, at="drafted"),
    "swap": Page(get=DESK, post=DESK, at="drafted", send=PAIR),
    "swap-part": Page(get=DESK, at="drafted", send=PAIR),
    "lock-table": Page(post=DESK, at="drafted"),
    "coin-toss": Page(post=DESK, at="drafted"),
    "first-move": Page(post=DESK, at="drafted"),
    "move-match": Page(post=DESK, at="drafted"),
    "prohibit-pair": Page(post=DESK, at="drafted", send=PAIR),
    "publish": Page(post=DESK, at="drafted"),
    "pair-again": Page(post=DESK, at="drafted"),
    "discard": Page(post=DESK, at="drafted"),
    "why-not": Page(get=STAFF, send=PAIR),
    "why-not-part": Page(get=STAFF, send=PAIR),
    "repair": Page(get=DESK, post=DESK),
    "repair-changes": Page(get=STAFF, absent=True),
    "desk-standings": Page(get=STAFF),
    "desk-rules": Page(get=STAFF, post=OWNER),
    "desk-rules-order": Page(post=OWNER),
    "change-rules": Page(post=OWNER),
    "manual-order": Page(get=OWNER, post=OWNER, at="done"),
    "stages": Page(get=DESK, post=DESK),
    "desk-cut": Page(get=DESK, post=DESK, at="done"),
    "undo-cut": Page(post=DESK, at="bracket"),
    "desk-bracket": Page(get=STAFF, at="bracket"),
    "bracket-result": Page(post=DESK, at="bracket", args={"number": 3}),
    "bracket-decision": Page(post=DESK, at="bracket", args={"number": 3}),
    "bracket-first": Page(post=DESK, at="bracket", args={"number": 3}),
    # an event's staff
    "staff": Page(get=STAFF),
    "invite-staff": Page(post=OWNER, send={"role": "judge", "people": 1, "hours": 24}),
    "revoke-invite": Page(post=OWNER, absent=True, send={"invite": 1}),
    "staff-member": Page(post=OWNER, send={"username": "judge", "role": "scorekeeper"}),
    "transfer": Page(post=OWNER, send={"username": "judge"}),
    "entry-staff": Page(post=DESK, send={"username": "judge"}),
    "leave-staff": Page(post=STAFF),
    "invite": Page(get=EVERYBODY, post=EVERYBODY, args={"key": "NO-SUCH"}, absent=True),
    # rulesets
    "metrics": Page(get=EVERYBODY),
    "rulesets": Page(get=EVERYBODY),
    "publisher": Page(get=EVERYBODY, args={"slug": "north-league"}),
    "publisher-members": Page(post=OWNER, args={"slug": "north-league"}),
    "ruleset": Page(get=EVERYBODY, args={"key": "mtr"}),
    "ruleset-version": Page(get=EVERYBODY, args={"key": "mtr"}),
    "ruleset-json": Page(get=EVERYBODY, args={"key": "mtr"}),
    "ruleset-from-file": Page(get=SIGNED_IN, post=SIGNED_IN),
    "copy-ruleset": Page(get=SIGNED_IN, post=SIGNED_IN, args={"key": "mtr"}),
    "ruleset-draft": Page(get=OWNER, post=OWNER),
    "ruleset-order": Page(post=OWNER),
    "ruleset-preview": Page(post=OWNER),
    "ruleset-upload": Page(post=OWNER),
    "discard-draft": Page(post=OWNER),
    "publish-ruleset": Page(get=OWNER, post=OWNER),
    "try-order": Page(get=SIGNED_IN),
    "try-more": Page(get=SIGNED_IN),
    "try-event": Page(get=SIGNED_IN),
}
