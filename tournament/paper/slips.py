"""Match slips: one per table, on sheets that are cut and stacked into table order."""

from typing import NamedTuple

from django.conf import settings
from django.urls import reverse

from tournament.event.formats import points_in_words
from tournament.event.profile import ruleset_in_force
from tournament.event.table_plan import round_table_plan
from tournament.exports import draw_qr_code
from tournament.paper.paper_list import RoundPaper, cut_stack
from tournament.results.shorthand import slip_check
from tournament.results.slip import MatchRules, build_match_rules

PER_SHEET = (8, 6, 4)
# Any mask is right; to choose the best of 8 takes 4 times as long, and a round has hundreds of codes.
QR_MASK = 2


class SlipPlayer(NamedTuple):
    name: str
    points: str  # in words; "" while the standings are hidden
    first: bool  # whether the player moves first


class PaperSlip(NamedTuple):
    """The slip of a table. Its code identifies the match, not a player, because both players hold the slip."""

    table_name: str
    code: str
    qr: str
    players: list[SlipPlayer]
    rules: MatchRules

    @property
    def games(self) -> range:
        return range(1, (self.rules.best_of + 1 if self.rules.order else 1))


def build_slip_sheets(
    paper: RoundPaper, per_sheet: int, *, outstanding: bool = False
) -> list[list[PaperSlip]]:
    """Return the slips of a round in sheets of `per_sheet`. `outstanding`: only for tables without a result."""
    slug, number = paper.tournament.slug, paper.round.number
    profile, slips = ruleset_in_force(paper.tournament), []
    plan = round_table_plan(paper.tournament, paper.round)
    points = {code: points_in_words(text) for code, text in paper.public_points.items()}
    for match in paper.matches:
        fact = match.fact
        if fact.table is None or fact.b is None or (outstanding and fact.result is not None):
            continue
        check = slip_check(slug, number, fact.table, (fact.a, fact.b))
        address = reverse("slip-report", args=[slug, number, fact.table, check])
        qr = draw_qr_code(settings.SITE_URL + address, mask=QR_MASK)
        players = [
            SlipPlayer(paper.names[code], points.get(code, ""), fact.first == side)
            for code, side in ((fact.a, "a"), (fact.b, "b"))
        ]
        rules = build_match_rules(profile, fact.best_of, swiss=paper.round.swiss)
        slips.append(PaperSlip(plan.name(fact.table), f"{number}-{fact.table}-{check}", qr, players, rules))
    return cut_stack(slips, per_sheet)
