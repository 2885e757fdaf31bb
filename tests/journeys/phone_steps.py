from dataclasses import replace

from tests.journeys.play import Play, step
from tournament.results.slip import turn_slip
from tournament.services import decklists, event_settings, reports, self_service


@step
def report(play: Play) -> None:
    if play.chance.random() < 0.3:
        reporting = play.one(["off", "staff", "on", "on"])
        event_settings.change_settings(play.tournament, reporting=reporting)
    match = play.match(round__state="published", round__stage__kind="swiss", seats__opponent__isnull=False)
    number, side = match.round.number, play.one("ab")
    code = match.seats.get(side=side).entry.code
    slip = replace(play.slip(match), drops="")
    if play.chance.random() < 0.2:
        reports.withdraw_report(play.tournament, code, number)
    elif play.chance.random() < 0.3:
        reports.accept_reports(play.tournament, number, play.one([None, match.table]))
    else:
        reports.report_result(play.tournament, code, number, slip)
        other = match.seats.exclude(side=side).get().entry.code
        if play.chance.random() < 0.5:
            reports.confirm_report(play.tournament, other, number, turn_slip(slip))


@step
def drop_by_phone(play: Play) -> None:
    if play.tournament.entries.filter(status="playing").count() > 4:
        self_service.drop_self(play.tournament, play.code(status="playing"))
    self_service.undo_own_drop(play.tournament, play.code(status="dropped"))


@step
def hand_in_a_decklist(play: Play) -> None:
    if play.chance.random() < 0.3:
        rule = play.one(["off", "on", "late", "late"])
        event_settings.change_settings(play.tournament, decklist_rule=rule)
    text, code = f"{play.chance.randint(40, 60)} Mountain", play.code()
    if play.chance.random() < 0.2:
        decklists.release_decklists(play.tournament, play.chance.random() < 0.5)
    elif play.chance.random() < 0.3:
        decklists.enter_decklist(play.tournament, code, text, actor="lena", reason="on paper")
    else:
        decklists.hand_in_decklist(play.tournament, code, text)
