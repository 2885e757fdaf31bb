from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_htmx.http import HttpResponseClientRedirect

from tournament.event.display_names import load_names
from tournament.event.profile import ruleset_in_force
from tournament.event.rounds import round_name
from tournament.event.table_plan import table_name
from tournament.forms.judges import PenaltyForm
from tournament.models import Action, Entry, Match, Penalty, Tournament
from tournament.services.entries import find_entry
from tournament.services.judging import find_current_match, give_penalty, list_penalties
from tournament.services.penalties import LOSSES, games_lost
from tournament.services.results import match_rules
from tournament.text import fold_name
from tournament.web.staff_pages import (
    StaffRequest,
    confirmation,
    first_error,
    form_data,
    read_words,
    report_success,
    see_other,
    staff_view,
)

MOST_FOUND = 20  # players


@staff_view("GET")
def penalties(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    words, players = read_words(request.GET), {}
    if words:
        sought, names = fold_name(words), load_names(tournament, merged=False)
        players = {code: name for code, name in names.items() if sought in fold_name(name)}
    context = {
        "words": words,
        "penalties": list_penalties(tournament, players if words else None),
        "players": list(players.items())[:MOST_FOUND],
        "more": max(len(players) - MOST_FOUND, 0),
        "may_give": tournament.state != Tournament.State.FINISHED,
    }
    return render(request, "tournament/penalties/penalties.html", context)


@staff_view("GET", "POST")
def penalty(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    code = request.POST.get("code") or request.GET.get("player", "")
    if request.method != "POST" and not code:
        return see_other("penalties", tournament.slug)
    players = _at_one_table(find_entry(tournament, code)) if code else {}
    judge = request.user.get_username()
    form = PenaltyForm(tournament, form_data(request), names=players, judge=judge, code=code)
    if form.submit(give_penalty, tournament, actor=request.user, **confirmation(request)):
        entry = find_entry(tournament, code)
        words = _done_words(entry, form.result, load_names(tournament))
        if match := find_current_match(entry):
            return report_success(
                request, words, "judge-table", tournament.slug, match.round.number, match.table
            )
        answer = report_success(request, words, "penalties", tournament.slug, undo=form.result)
        return HttpResponseClientRedirect(answer.url) if request.htmx else answer  # a whole page
    form.fields["kind"].help_text = _counts_words(tournament, code) if players else ""
    context = {
        "form": form,
        "message": first_error(form) if form.errors and not players else "",
        "earlier": [(name, list_penalties(tournament, [code])) for code, name in players.items()],
    }
    template = "_penalty.html" if request.htmx else "penalty.html"
    return render(request, f"tournament/penalties/{template}", context, status=form.status)


def _at_one_table(entry: Entry) -> dict[str, str]:
    names = load_names(entry.tournament)
    match = find_current_match(entry)
    others = match.seats.exclude(entry=entry).values_list("entry__code", flat=True) if match else ()
    return {code: names[code] for code in (entry.code, *others)}


def _counts_words(tournament: Tournament, code: str) -> str:
    if match := find_current_match(find_entry(tournament, code)):
        text = _("A game or match loss counts in the match at table %(table)s, %(round)s.")
        name = round_name(match.round, tournament).label
        return text % {"table": table_name(tournament, match.table, match.round), "round": name}
    return _("No match is in progress: a game or match loss counts in the player's next match.")


def _done_words(entry: Entry, action: Action, names: Mapping[str, str]) -> str:
    fact = next(change["after"] for change in action.changes if change["fact"].startswith("penalties/"))
    kind = Penalty.Kind(fact["kind"])
    values: dict[str, Any] = {"name": names[entry.code], "kind": kind.label}
    if kind == Penalty.Kind.DISQUALIFICATION:
        return _("%(name)s is disqualified.") % values
    words = _("%(name)s: %(kind)s recorded.") % values
    if kind not in LOSSES:
        return words
    if not fact["counts_in"]:
        return f"{words} {_('It counts in the next match.')}"
    match = entry.seats.get(round__number=fact["counts_in"], match__table__isnull=False).match
    return f"{words} {_match_words(entry, match, names)}"


def _match_words(entry: Entry, match: Match, names: Mapping[str, str]) -> str:
    opponent = match.seats.exclude(entry=entry).get()
    values: dict[str, Any] = {
        "table": table_name(entry.tournament, match.table, match.round),
        "name": names[opponent.entry.code],
    }
    if match.result:
        return _("Table %(table)s is entered as won by %(name)s.") % values
    side = "a" if opponent.side == "b" else "b"
    values["count"] = games_lost(match, match_rules(match, ruleset_in_force(entry.tournament))).get(side, 0)
    if not match.round.swiss:
        return _("Enter it on the bracket page.")
    text = ngettext(
        "Table %(table)s: this gives %(name)s %(count)s game win. Enter it with the result.",
        "Table %(table)s: this gives %(name)s %(count)s game wins. Enter them with the result.",
        values["count"],
    )
    return text % values
