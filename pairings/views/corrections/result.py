"""The correction of a result: of any Swiss round and of the bracket, however long ago, also in a finished event."""

from functools import partial

from django.http import HttpResponse
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _

from pairings.forms.corrections import ResultCorrectionForm
from pairings.views.corrections.flow import CorrectionPage, about_player, correct
from standings.bracket.open_matches import bracket_of_stage
from standings.bracket.results import correct_bracket_result
from standings.words.bracket import title_of_slot
from tournament.access.fetch import DESK
from tournament.event.profile import profile_of
from tournament.event.table_plan import table_name
from tournament.models import Match, Round, Staff, Tournament
from tournament.results.desk_rows import DeskRow
from tournament.results.desk_sheet import desk_sheet_of
from tournament.services.corrections import correct_result
from tournament.services.results import rules_of
from tournament.services.rounds import match_at
from tournament.views.results import initial_slip
from tournament.views.rounds import round_address
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, see_other, staff_view


@staff_view("GET", "POST", roles=DESK)
def result(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """The result of a table as it should be; one that is outstanding is entered at the desk."""
    match = match_at(tournament, number, table)
    swiss = match.round.swiss
    back = (round_address(tournament, number, table),) if swiss else ("desk-bracket", tournament.slug)
    if match.result is None or match.round.state not in (Round.State.PUBLISHED, Round.State.COMPLETE):
        return see_other(*back)
    row = desk_sheet_of(tournament, match.round).row(table)
    form = ResultCorrectionForm(
        form_data(request), rules=rules_of(match, profile_of(tournament)), initial=initial_slip(row, match)
    )
    form.name_players(row)
    names = {
        "round": number,
        "table": table_name(tournament, table),
        "a": row.a.name,
        "b": row.b.name if row.b else "",
    }
    page = CorrectionPage(
        _("Correct round %(round)s, table %(table)s") % names if swiss else _bracket_title(match),
        _("The result"),
        f"{names['a']} {row.words} {names['b']}",
        resolve_url(*back),
        _links(tournament, row, swiss=swiss),
        version=row.version,
    )
    of_bracket = partial(correct_bracket_result, may_reopen=tournament.role == Staff.Role.OWNER)
    return correct(request, tournament, page, form, correct_result if swiss else of_bracket, number, table)


def _bracket_title(match: Match) -> str:
    """A bracket match is called as it is on the bracket's pages."""
    title = title_of_slot(match.slot, bracket_of_stage(match.round.stage).rounds)
    return _("Correct the result: %(match)s") % {"match": title}


def _links(tournament: Tournament, row: DeskRow, *, swiss: bool) -> list[tuple[str, str]]:
    """What else about the match can be wrong: who sat there, and all about its players."""
    players = [
        (resolve_url("correct-player", tournament.slug, player.code), about_player(player.name))
        for player in (row.a, row.b)
        if player
    ]
    if not swiss:
        return players
    seats = resolve_url("correct-seats", tournament.slug, row.round, row.table)
    return [(seats, _("A wrong player sat here")), *players]
