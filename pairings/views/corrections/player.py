"""Corrections about a player: the time in the event, a round without an opponent, an entry that is missing."""

from collections.abc import Iterator

from django.http import HttpResponse
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.forms.participation import ByeForm, MissingEntryForm, ParticipationForm
from pairings.views.corrections.flow import CorrectionPage, about_player, correct
from tournament.access.fetch import DESK
from tournament.actionlog.match_facts import match_facts, read_match
from tournament.event.table_plan import table_name
from tournament.models import Entry, Match, Round, Tournament
from tournament.results.wording import player_result, result_words
from tournament.services.corrections import byes_of, correct_bye
from tournament.services.entries import entry_of
from tournament.services.participation import (
    Participation,
    add_missing_entry,
    correct_participation,
    participation_of,
    rounds_of,
    stages_to_begin_in,
)
from tournament.services.rounds import match_alone
from tournament.text.display_names import names_of
from tournament.views.rounds import round_address
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, see_other, staff_view


@staff_view("GET", "POST", roles=DESK)
def player(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    """From which round to which a player is in the event; links to all else about the player that can be wrong."""
    entry = entry_of(tournament, code)
    back = reverse("entry", args=[tournament.slug, code])
    if entry.house or entry.status == Entry.Status.MERGED:
        return see_other(back)
    names, stages, rounds = names_of(tournament), [], rounds_of(entry)
    now = participation_of(entry, rounds)
    # A second press of the button still names the session that the player is in by then.
    if "stage" in request.POST or not entry.stage_entries.exists():
        stages = stages_to_begin_in(tournament)
        rounds = _posted_rounds(tournament)
        now = Participation(rounds[0].number if rounds else 1)
    form = ParticipationForm(form_data(request), entry=entry, now=now, rounds=rounds, stages=stages)
    page = CorrectionPage(
        _("Correct %(name)s") % {"name": names[code]},
        _("Time in the event"),
        "",
        back,
        links=[
            *_round_links(tournament, entry, names),
            (f"{back}#name", _("The name")),
            (reverse("merge-entry", args=[tournament.slug, code]), _("The player is registered twice")),
        ],
        note=_(
            "Rounds that are new to the player count as missed. A round in progress is repaired on the next page. "
            "A match stays: first correct who sat there."
        ),
        seats=True,
    )
    return correct(request, tournament, page, form, correct_participation, code)


def _round_links(tournament: Tournament, entry: Entry, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """For each published round of a player the page that corrects what happened in it."""
    slug, code = tournament.slug, entry.code
    matches = Match.objects.filter(seats__entry=entry).exclude(round__state=Round.State.DRAFT)
    swiss = set(tournament.rounds.filter(swiss=True).values_list("number", flat=True))
    for key, (fact, _pk, _version) in match_facts(matches).items():
        number = int(key.split("/")[1])
        other = (fact.b if fact.a == code else fact.a) or ""
        values = {
            "round": number,
            "table": table_name(tournament, fact.table),
            "result": player_result(fact, code, names.get(other, "")).sentence,
        }
        if fact.table:
            text = _("Round %(round)s, table %(table)s: %(result)s") % values
            yield reverse("correct", args=[slug, number, fact.table]), text
            if number in swiss:
                text = _("Round %(round)s, table %(table)s: a wrong player sat here") % values
                yield reverse("correct-seats", args=[slug, number, fact.table]), text
        elif number in swiss:
            yield reverse("correct-bye", args=[slug, number, code]), _("Round %(round)s: %(result)s") % values


@staff_view("GET", "POST", roles=DESK)
def bye(request: StaffRequest, tournament: Tournament, number: int, code: str) -> HttpResponse:
    """What a Swiss round in which a player had no opponent counts as."""
    match = match_alone(tournament, number, code)
    if match.round.state == Round.State.DRAFT:
        return see_other("draft", tournament.slug, number)
    name = names_of(tournament)[code]
    form = ByeForm(form_data(request), results=byes_of(tournament), now=match.result or "")
    page = CorrectionPage(
        _("Correct round %(round)s: %(name)s without an opponent") % {"round": number, "name": name},
        _("The round"),
        f"{name} {result_words(read_match(match))}",
        round_address(tournament, number),
        links=[(reverse("correct-player", args=[tournament.slug, code]), about_player(name))],
    )
    return correct(request, tournament, page, form, correct_bye, number, code)


@staff_view("GET", "POST", roles=DESK)
def missing_player(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """A player who was there and is not in the event; before round 1 players are simply added."""
    rounds = _posted_rounds(tournament)
    if not rounds:
        return see_other("add-player", tournament.slug)
    form = MissingEntryForm(form_data(request))
    form.offer(rounds, stages_to_begin_in(tournament))
    page = CorrectionPage(
        _("Add a missing player"),
        _("The player"),
        "",
        resolve_url("corrections", tournament.slug),
        note=_("Each round counts as missed until you correct who sat at the player's table."),
        seats=True,
    )
    return correct(request, tournament, page, form, add_missing_entry)


def _posted_rounds(tournament: Tournament) -> list[Round]:
    """The published Swiss rounds in which players begin, in order."""
    posted = tournament.rounds.filter(swiss=True, stage__carries=False).exclude(state=Round.State.DRAFT)
    return list(posted.order_by("number"))
