"""Reading the rounds of an archive: who sat where, and what the slips said."""

from __future__ import annotations

from tournament.archive.checks import ArchiveError, Node, games_at, score_at, seated, shown
from tournament.event.pairing_record import PairingRecord
from tournament.event.types import ALONE, PAIRED, ROUND_STATES, Event, Match, Round, Stage
from tournament.rulesets import wins_needed

SIDES = ("a", "b")
DECIDED = ("higher_seed", "tiebreak")


def rounds_at(items: list, event: Event) -> list[Round]:
    """The file's `rounds`, numbered from 1 in its order. Raises ArchiveError."""
    found: list[Round] = []
    stages = {stage.number: stage for stage in event.stages}
    open_stages: set[int] = set()
    for index, item in enumerate(items):
        node = Node(item, f"rounds[{index}]")
        node.whole("number", least=1)
        stage = stages.get(node.whole("stage", 1, least=1))
        if stage is None:
            raise ArchiveError(node.at("stage"), f"there is no stage {shown(node.get('stage'))}")
        status = node.one_of("status", ROUND_STATES, "complete")
        if stage.number in open_stages and stage.kind == "swiss":
            raise ArchiveError(node.path, "an earlier round of this Swiss stage is not complete")
        if status != "complete":
            open_stages.add(stage.number)
        round_ = Round(
            number=index + 1,
            stage=stage.number,
            status="published" if status == "repairing" else status,
            pairing=PairingRecord.from_json(node.inner("pairing")),
        )
        place_in_stage = 1 + sum(earlier.stage == stage.number for earlier in found)
        for place, match in enumerate(node.listed("matches")):
            at = Node(match, f"{node.at('matches')}[{place}]")
            read = _match(at, round_, event)
            _check_result(read, at, wins_needed(event.length_in(stage, place_in_stage, read.slot)))
            round_.matches.append(read)
        _check_seats(round_, node)
        _check_bracket(round_, stage, node)
        round_.extensions = _extensions(node, {match.table for match in round_.matches})
        round_.matches.sort(key=lambda match: (match.table is None, match.table or 0, match.a))
        node.done()
        found.append(round_)
    return found


def _match(node: Node, round_: Round, event: Event) -> Match:
    a = seated(node, "a", event)
    b = seated(node, "b", event) if node.get("b") is not None else None
    result = node.one_of("result", PAIRED if b else ALONE)
    if a == b:
        raise ArchiveError(node.path, f"{shown(a)} cannot meet itself")
    if result is None and (b is None or round_.status == "complete"):
        raise ArchiveError(node.at("result"), "a bye, and every match of a complete round, needs a result")
    match = Match(
        table=node.whole("table", least=1),
        a=a,
        b=b,
        result=result,
        games=games_at(node),
        winner=node.one_of("winner", SIDES),
        first=node.one_of("first", SIDES),
        score=score_at(node),
        game_order=node.text("game_order", longest=40),
        slot=node.text("slot", longest=12),
        replays=tuple(
            _replay(Node(r, f"{node.at('replays')}[{i}]")) for i, r in enumerate(node.listed("replays"))
        ),
        decided=node.one_of("decided", DECIDED),
        waived=_waiver(node),
        reports=tuple(node.objects("reports")),
    )
    node.done()
    return match


def _check_result(match: Match, node: Node, needed: int) -> None:
    """Games and winner must be there where the result does not give them, and only there."""
    if match.result == "played" and match.games is None:
        raise ArchiveError(node.at("games"), "a played match needs its games")
    if match.result is None and match.games is not None:
        raise ArchiveError(node.at("result"), "games without a result")
    if match.b and match.games and min(match.games[:2]) >= needed:
        raise ArchiveError(node.at("games"), f"both sides cannot have the {needed} games that win the match")
    if match.b is None and match.score and match.score[1] != "0":
        raise ArchiveError(f"{node.at('score')}[1]", "there is no opponent to score points")
    if match.decided and not match.winner:
        raise ArchiveError(node.at("winner"), "a decided match needs its winner")
    if match.winner and not match.decided and match.result != "forfeit":
        if not (match.result == "played" and match.games and _ahead(match.games) == match.winner):
            raise ArchiveError(node.at("winner"), "only a forfeit or a decided match names its winner")
        match.winner = None  # the games say so already


def _ahead(games: tuple[int, int, int]) -> str | None:
    return None if games[0] == games[1] else SIDES[games[0] < games[1]]


def _replay(node: Node) -> dict:
    replay: dict = {"games": list(games_at(node) or (0, 0, 0))}
    if first := node.one_of("first", SIDES):
        replay["first"] = first
    node.done()
    return replay


def _waiver(node: Node) -> dict | None:
    if node.get("waived") is None:
        return None
    inner = Node(node.get("waived"), node.at("waived"))
    waiver = {"rule": inner.needed("rule", longest=20), "reason": inner.needed("reason", longest=200)}
    inner.done()
    return waiver


def _check_seats(round_: Round, node: Node) -> None:
    """Nobody sits twice in a round, no table and no bracket slot stands twice."""
    seen: set[str] = set()
    tables: set[int | None] = set()
    slots: set[str | None] = set()
    for index, match in enumerate(round_.matches):
        path = f"{node.at('matches')}[{index}]"
        for code in filter(None, (match.a, match.b)):
            if code in seen:
                raise ArchiveError(path, f"{shown(code)} is seated twice in this round")
            seen.add(code)
        if match.table in tables:
            raise ArchiveError(f"{path}.table", f"table {match.table} appears twice")
        if match.slot and match.slot in slots:
            raise ArchiveError(f"{path}.slot", f"{shown(match.slot)} appears twice")
        tables |= {match.table} - {None}
        slots |= {match.slot} - {None}


def _check_bracket(round_: Round, stage: Stage, node: Node) -> None:
    """Where a bracket has its seeds, only they and its alternates play in it."""
    if not stage.seeds:
        return
    inside = {*stage.seeds, *stage.alternates}
    for index, match in enumerate(round_.matches):
        for key, code in (("a", match.a), ("b", match.b)):
            if code is not None and code not in inside:
                raise ArchiveError(
                    f"{node.at('matches')}[{index}].{key}",
                    f"{shown(code)} is not a seed or alternate of this stage",
                )


def _extensions(node: Node, tables: set[int | None]) -> tuple[dict, ...]:
    """Minutes given to single tables, by table."""
    found: dict[int, dict] = {}
    for index, item in enumerate(node.listed("extensions")):
        inner = Node(item, f"{node.at('extensions')}[{index}]")
        table = inner.whole("table", least=1)
        if table is None or table not in tables or table in found:
            raise ArchiveError(
                inner.at("table"), f"{shown(table)} is not a table of this round, or appears twice"
            )
        minutes = inner.whole("minutes")
        if minutes is None:
            raise ArchiveError(inner.at("minutes"), "a time extension needs its minutes")
        reason = inner.text("reason", "", longest=200)
        found[table] = {"table": table, "minutes": minutes, "reason": reason}
        inner.done()
    return tuple(found[table] for table in sorted(found))
