"""The facts each public part shows: `test_marks` changes every field there is.

A part is listed with the fields that its mark must follow. A field that is not listed does not show.
"""

ANYWHERE = (  # shown on every page, and so in each version
    "Tournament.name Tournament.time_zone Tournament.name_privacy Tournament.table_plan Tournament.listed "
    "Tournament.announcement Tournament.announcement_until"
)
NAMES = (
    "Entry.name Entry.alias Entry.last_name Entry.display_name_only Entry.status Entry.house Tournament.team"
)
CLOCK = "Round.starts_at Round.ends_at Round.seconds_left"
TABLES = "Round.table_plan"
RESULT = "Match.games Match.winner Match.result Match.score"
RANKING = f"{NAMES} {RESULT} Match.slot Entry.lot Entry.manual Entry.dropped_after Round.state Stage.kind"
HIDDEN = "Tournament.state Tournament.hold_standings"  # with the standings
PLAYER = f"{CLOCK} {TABLES} {RANKING} {HIDDEN} Entry.members Entry.captain Match.first Extension.minutes"
TREE = f"{NAMES} {RESULT} Match.first Match.slot Match.decided Round.state Stage.kind {HIDDEN}"
PLAN = "Tournament.cut Tournament.rounds_planned"
SEATS = f"{NAMES} Entry.fixed_table Round.state"
SCREEN = "Tournament.state Tournament.venue Tournament.screen_seconds Tournament.rounds_planned"

EVERYTHING = "*"
SHOWN = {
    "": EVERYTHING,  # estimates, too: its mark moves with every action
    "now/": f"{CLOCK} {TABLES} {RANKING} {HIDDEN} {PLAN} Tournament.self_registration",
    "rounds/2/pairings/": f"{CLOCK} {TABLES} {NAMES} {RESULT} Match.first Round.state Tournament.state",
    "rounds/1/proof/": f"{NAMES} Round.pairing Round.state Tournament.state",
    "players/": f"{NAMES} Round.state Tournament.state",
    "players/P0001/": f"{PLAYER} Tournament.decklists_public",
    "players/P0001/now/": PLAYER,
    "standings/table/": f"{RANKING} {HIDDEN} Tournament.cut",
    "standings.csv": f"{RANKING} {HIDDEN} Tournament.best_of Tournament.profile",
    "bracket/tree/": TREE,
    "bracket.json": TREE,
    "prizes/": f"{RANKING} {HIDDEN} Tournament.prizes Tournament.prize_split Tournament.prize_currency",
    "rules/": "Round.state Tournament.state Tournament.team Tournament.best_of Tournament.ruleset Tournament.profile",
    "screen/part/": f"{SCREEN} {CLOCK} {TABLES} {RANKING} {TREE} {SEATS} Extension.minutes Tournament.screens",
    "screen/clock/part/": f"{SCREEN} {CLOCK} {TABLES} Round.state Extension.minutes Match.result Tournament.profile",
    "screen/standings/part/": f"{SCREEN} {RANKING} {HIDDEN}",
    "screen/bracket/part/": f"{SCREEN} {TREE}",
    "screen/seats/part/": f"{SCREEN} {SEATS}",
    "manifest.webmanifest": "Tournament.state",
}


def parts_showing(field: str) -> frozenset[str]:
    """The parts that are listed with a field, such as "Entry.name"."""
    return frozenset(
        part for part, fields in SHOWN.items() if {field, EVERYTHING} & {*fields.split(), *ANYWHERE.split()}
    )
