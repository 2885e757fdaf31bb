"""The roles that may open and post to every page, read by `test_permissions`.

A new address needs its name here, or the build fails: who may GET it, who may POST to it (405 for everybody where
nobody may), and where it needs more: `at` (which event), the parts of the address, and a body that means something.
"""

from dataclasses import dataclass, field
from typing import Any

OWNER = frozenset({"owner"})
DESK = OWNER | {"scorekeeper"}
STAFF = DESK | {"judge"}
DECK_READERS = OWNER | {"judge"}
SIGNED_IN = STAFF | {"stranger"}
PLAYER = frozenset({"player"})  # holds the key of P0001 in each event, and has no account
EVERYBODY = SIGNED_IN | PLAYER | {"nobody"}
NONE: frozenset[str] = frozenset()
ROLES = ("owner", "scorekeeper", "judge", "stranger", "player", "nobody")


@dataclass(frozen=True)
class Page:
    get: frozenset[str] = NONE
    post: frozenset[str] = NONE
    at: str = "running"  # or "drafted", "done", "bracket", "finished": the events of test_access.world
    args: dict[str, Any] = field(default_factory=dict)  # parts of the address, where the usual do not fit
    send: dict[str, Any] = field(default_factory=dict)  # body of a POST, query of a GET
    gone: int = 404  # what a signed-in person gets who is no member: there is no such page
    login: bool = True  # whether who is not signed in is sent to sign in, or finds nothing there
    absent: bool = False  # 404 is right for members too: what is asked for need not be there

    @property
    def methods(self) -> tuple[tuple[str, frozenset[str]], ...]:
        return ("GET", self.get), ("POST", self.post)


USUAL: dict[str, Any] = {
    "number": 2,
    "table": 1,
    "code": "P0001",
    "what": "drop",
    "metric": "opp_match_win_pct",
    "key": "league-rules",
    "other": "P0002",
    "version": 1,
    "name": "0001-no-such",
}
PAIR = {"a": "P0001", "b": "P0002"}


def each(names: str, **facts: Any) -> dict[str, Page]:
    return {name: Page(**facts) for name in names.split()}


PAGES: dict[str, Page] = {
    # everybody's
    **each(
        """
        healthz readyz server-time service-worker home help metrics rulesets ruleset-words me me-found report-slip
        public-event public-now manifest public-clock public-round public-pairings public-players player player-now
        standings standings-json standings-csv standings-table standing standing-row standings-number
        standings-number-json standings-derivation rules screen screen-part prizes proof
        """,
        get=EVERYBODY,
    ),
    **each("bracket bracket-tree bracket-print bracket-csv bracket-json", get=EVERYBODY, at="bracket"),
    **each("prometheus site-logo player-decklist", get=EVERYBODY, absent=True),
    **each("account_signup account_login register me-confirm", get=EVERYBODY, post=EVERYBODY),
    "mfa_authenticate": Page(get=SIGNED_IN, post=SIGNED_IN),  # or after the password
    "account_logout": Page(post=EVERYBODY),
    "account_reset_password": Page(get=EVERYBODY, post=EVERYBODY, absent=True),
    "account_reset_password_done": Page(get=EVERYBODY),
    "account_reset_password_from_key": Page(
        get=EVERYBODY, post=EVERYBODY, args={"uidb36": "MQ", "key": "no-such"}, absent=True
    ),
    "account_confirm_email": Page(get=EVERYBODY, post=EVERYBODY, args={"key": "no-such"}, absent=True),
    "invite": Page(get=EVERYBODY, post=EVERYBODY, args={"key": "NO-SUCH"}, absent=True),
    "player-key": Page(get=EVERYBODY, args={"key": "0" * 32}, absent=True),
    "slip-report": Page(get=EVERYBODY, post=EVERYBODY, args={"check": "AAAA"}, absent=True),
    "schema": Page(get=EVERYBODY, args={"name": "archive.json"}),
    "standings-inside": Page(get=EVERYBODY, args={"key": "match_win_pct"}),
    **each("screen-of screen-of-part", get=EVERYBODY, args={"what": "pairings"}),
    **each("ruleset ruleset-version ruleset-json", get=EVERYBODY, args={"key": "mtr"}),
    # an account's own
    **each("account account-data mfa_index mfa_list_webauthn", get=SIGNED_IN),
    **each("mfa_view_recovery_codes mfa_download_recovery_codes", get=SIGNED_IN, absent=True),
    **each(
        """
        account_change_password account_reauthenticate mfa_activate_totp mfa_generate_recovery_codes mfa_add_webauthn
        delete-account new-event ruleset-from-file
        """,
        get=SIGNED_IN,
        post=SIGNED_IN,
    ),
    **each("account_email mfa_deactivate_totp", get=SIGNED_IN, post=SIGNED_IN, absent=True),
    "mfa_remove_webauthn": Page(get=SIGNED_IN, post=SIGNED_IN, args={"pk": 1}, absent=True),
    "copy-ruleset": Page(get=SIGNED_IN, post=SIGNED_IN, args={"key": "mtr"}),
    # a player's own, by the key this device holds
    **each("me-entry me-link me-data me-data-file", get=PLAYER, login=False),
    **each("me-check-in me-undo-drop me-push me-forget", post=PLAYER, login=False),
    **each("me-drop me-byes me-decklist me-message me-call me-report", get=PLAYER, post=PLAYER, login=False),
    # for all staff of an event
    **each(
        """
        desk desk-now export-entries export-pairings export-standings export-archive log
        entry player-messages desk-round desk-status desk-clock clock-controls desk-rows match-row
        print-slips place-cards
        judge judge-tables judge-table deck-checks decklists penalties drop-requests
        desk-standings staff
        """,
        get=STAFF,
    ),
    "draft": Page(get=STAFF, at="drafted"),
    "desk-bracket": Page(get=STAFF, at="bracket"),
    "repair-changes": Page(get=STAFF, absent=True),
    "print-list": Page(get=STAFF, args={"what": "pairings-by-name"}),
    "event-print-list": Page(get=STAFF, args={"what": "seatings"}),
    "scan-slip": Page(get=STAFF, args={"check": "AAAA"}),
    "why-not": Page(get=STAFF, send=PAIR),
    **each("entry-change leave-staff", post=STAFF),
    **each("message-done answer-call drop-request", post=STAFF, absent=True),
    "extension": Page(post=STAFF, send={"minutes": 5}),
    "start-deck-check": Page(post=STAFF, send={"sides": "ab"}),
    "end-deck-check": Page(post=STAFF, send={"minutes": 0}),
    "undo-at-table": Page(post=STAFF, absent=True, send={"number": 999_999}),
    "penalty": Page(
        get=STAFF,
        post=STAFF,
        send={"player": "P0001", "code": "P0001", "kind": "warning", "infraction": "Slow play"},
    ),
    "export-decklists": Page(get=DECK_READERS),
    "decklist": Page(
        get=DECK_READERS, post=DECK_READERS, send={"text": "60 Island", "reason": "on paper", "seen": 0}
    ),
    # for those who run it
    **each(
        "export-bundle export-links print-links poster print-everything slip corrections box-reading",
        get=DESK,
    ),
    **each(
        """
        last-names import seeding prohibited-pairs no-shows entry-link registration repair stages
        """,
        get=DESK,
        post=DESK,
    ),
    **each("undo seed-by-rating revoke-link make-links accept-reports", post=DESK),
    **each("known-players game-points", get=DESK, post=DESK, absent=True),
    **each("pair desk-cut", get=DESK, post=DESK, at="done"),
    "selected-entries": Page(post=DESK, send={"codes": "P0001", "do": "paid"}),
    "entries": Page(get=STAFF, post=DESK, send={"names": "Late Lee"}),
    "add-player": Page(get=DESK, post=DESK, send={"name": "Late Lee"}),
    "check-in": Page(get=DESK, post=DESK, send={"code": "P0001"}),
    "change-clock": Page(post=DESK, args={"what": "start"}, send={"minutes": 50}),
    "result": Page(get=DESK, post=DESK, send={"slip": "20", "version": 0}),
    "box": Page(post=DESK, send={"text": "1 20"}),
    "correct": Page(get=DESK, post=DESK, at="done", send={"a": 2, "b": 0, "version": 0}),
    "correct-seats": Page(get=DESK, post=DESK, at="done", send=PAIR),
    "correct-missing": Page(get=DESK, post=DESK, send={"name": "Late Lee", "joined": 1}),
    "correct-player": Page(get=DESK, post=DESK, send={"joined": 1}),
    "correct-bye": Page(get=DESK, post=DESK, absent=True, send={"result": "missed"}),
    "merge-entry": Page(get=DESK, post=DESK, send={"other": "P0002"}),
    "swap": Page(get=DESK, post=DESK, at="drafted", send=PAIR),
    "swap-part": Page(get=DESK, at="drafted", send=PAIR),
    "prohibit-pair": Page(post=DESK, at="drafted", send=PAIR),
    **each("lock-table coin-toss first-move move-match publish pair-again discard", post=DESK, at="drafted"),
    "undo-cut": Page(post=DESK, at="bracket"),
    **each("bracket-result bracket-decision bracket-first", post=DESK, at="bracket", args={"number": 3}),
    "entry-staff": Page(post=DESK, send={"username": "judge"}),
    # an organizer's
    **each(
        """
        event-settings copy-event delete-event snapshots desk-prizes anonymize release-decklists ruleset-draft
        publish-ruleset
        """,
        get=OWNER,
        post=OWNER,
    ),
    **each("desk-rules-order change-rules ruleset-order ruleset-preview ruleset-upload", post=OWNER),
    **each("finish manual-order", get=OWNER, post=OWNER, at="done"),
    "settings-topic": Page(get=OWNER, post=OWNER, args={"topic": "place"}),
    "reopen-round": Page(post=OWNER, at="done"),
    "reopen": Page(post=OWNER, at="finished"),
    "remove-demo": Page(get=OWNER, post=OWNER, gone=403),
    "announcement": Page(get=OWNER, post=OWNER, send={"text": "Lunch"}),
    "archive-event": Page(get=OWNER, post=OWNER, send={"archived": "on"}),
    "desk-rules": Page(get=STAFF, post=OWNER),
    "event-print": Page(get=STAFF, post=OWNER, send={"screens": ["clock"], "screen_seconds": 9}),
    "snapshot": Page(get=OWNER, post=OWNER, absent=True),
    "snapshot-file": Page(get=OWNER, absent=True),
    "restore-new": Page(post=OWNER, absent=True),
    "invite-staff": Page(post=OWNER, send={"role": "judge", "people": 1, "hours": 24}),
    "revoke-invite": Page(post=OWNER, absent=True, send={"invite": 1}),
    "staff-member": Page(post=OWNER, send={"username": "judge", "role": "scorekeeper"}),
    "transfer": Page(post=OWNER, send={"username": "judge"}),
}
