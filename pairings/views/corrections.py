"""The correction pages: enter the corrected facts, see the effect, then save with a reason."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.corrections.effect import (
    CorrectionEffect,
    CorrectionWords,
    effect_of_correction,
    is_open,
    rounds_after,
)
from pairings.engine.pair import pause_gc
from pairings.forms.corrections import (
    ByeForm,
    CorrectionForm,
    MergeForm,
    MissingEntryForm,
    ParticipationForm,
    ResultCorrectionForm,
    SeatsCorrectionForm,
    TableForm,
)
from standings.bracket.open_matches import load_stage_bracket
from standings.bracket.results import correct_bracket_result
from tournament.access.permissions import DESK
from tournament.actionlog.change import hash_body
from tournament.actionlog.match_facts import match_facts, read_match
from tournament.errors import Refused, WrongState
from tournament.event.display_names import (
    MERGED,
    distinct_names,
    find_names,
    is_by_last_name,
    listed_name,
    load_names,
    sort_by_name,
)
from tournament.event.profile import ruleset_in_force
from tournament.event.read import load_event_values
from tournament.event.rounds import match_at, match_title, round_name, solo_match
from tournament.event.table_plan import table_name
from tournament.models import Action, Entry, Match, Round, Staff, Tournament
from tournament.results.desk_rows import DeskRow
from tournament.results.desk_sheet import load_desk_sheet
from tournament.results.wording import player_result, result_words
from tournament.services.corrections import (
    Participation,
    add_missing_entry,
    check_seats_are_facts,
    correct_bye,
    correct_participation,
    correct_result,
    correct_seats,
    find_participation,
    list_correctable_byes,
    list_entry_rounds,
    merge_entries,
    stages_to_begin_in,
)
from tournament.services.entries import find_entry, find_unmerged_entry
from tournament.services.results import match_rules
from tournament.views.results import initial_slip
from tournament.views.rounds import round_address
from tournament.web.keyed_forms import KeyedForm, fresh_key
from tournament.web.staff_pages import (
    StaffRequest,
    form_data,
    read_words,
    report_success,
    see_other,
    staff_view,
)

MOST_FOUND = 25  # more letters narrow them
Service = Callable[..., Action | None]
PREVIEW_REASON = "–"  # a preview needs none
PART = "other_tables"  # what the page of an effect fetches by itself; without JavaScript by a button


class CorrectionPage(NamedTuple):
    title: str  # of the page
    what: str  # the heading over the form, such as "The result"
    saved: str  # the saved value; "" if the form shows it
    back: str  # URL of the page the user came from and returns to
    links: list[tuple[str, str]] = []  # (URL, text) of related corrections
    version: int | None = None  # of the saved value being corrected
    refusal: str = ""  # why there is nothing to correct here; the links say where
    note: str = ""  # what does not change, below the form
    seats: bool = False  # whether it may change who plays in a round, which then may need a repair


def about_player(name: str) -> str:
    return _("%(name)s: drop, late entry, other rounds, name") % {"name": name}


@pause_gc()
def correct(
    request: StaffRequest,
    tournament: Tournament,
    page: CorrectionPage,
    form: CorrectionForm,
    service: Service,
    *about: Any,
) -> HttpResponse:
    """Show the effect of `service(tournament, *about, …)`, then save exactly that; 409 if the effect has changed."""
    effect, message = None, page.refusal
    if form.is_understood() and not page.refusal:
        fields = {**form.fields_for_service(), "actor": request.user}

        def preview() -> Action | None:
            reason = form.whole_reason or PREVIEW_REASON
            return service(tournament, *about, **fields, reason=reason, preview=True)

        save, ruling = "save" in request.POST, {"actor": request.user, "reason": form.whole_reason}
        keyed = tournament.actions.sent_as(form.cleaned_data["key"])
        if save and not form.errors and keyed.exists():
            if form.submit(service, tournament, *about, **ruling):
                return _saved(request, tournament, page, form.result)
            form.show_again(key=fresh_key())
            return _page(request, tournament, page, form, effect, message)
        at_once = save and form.whole_reason and not form.errors
        if at_once and (action := _save_what_was_shown(form, service, tournament, *about, **ruling)):
            return _saved(request, tournament, page, action)
        try:
            effect = effect_of_correction(tournament, preview, newcomer=form.newcomer)
        except Refused as error:
            form.refuse(error)
        if effect is None and not form.refusal:
            message = _("That is saved already. Nothing would change.")
        elif effect and save and not form.errors:
            expects = hash_body(effect.action.changes)
            if not form.whole_reason:
                form.add_error("reason", _("Say why it is corrected."))
            elif form.cleaned_data["digest"] != effect.digest:
                message = _(
                    "This is not what you were shown before. Review what would change now, then save."
                )
            elif form.submit(service, tournament, *about, **ruling, expects=expects) and form.result:
                return _saved(request, tournament, page, form.result)
    return _page(request, tournament, page, form, effect, message)


def _save_what_was_shown(form: CorrectionForm, service: Service, *about: Any, **ruling: Any) -> Action | None:
    """Save if nothing was written since the effect was shown, else return None because the effect may differ."""
    number, _colon, expects = form.cleaned_data["shown"].partition(":")
    if not (number.isdecimal() and expects):
        return None
    exactly = {"key": form.cleaned_data["key"], "expects": expects, "expects_number": int(number)}
    try:
        return service(*about, **form.fields_for_service(), **ruling, **exactly)
    except Refused:
        return None


def _page(
    request: StaffRequest,
    tournament: Tournament,
    page: CorrectionPage,
    form: CorrectionForm,
    effect: CorrectionEffect | None,
    message: str,
) -> HttpResponse:
    context: dict[str, Any] = {"tournament": tournament, "page": page, "form": form, "message": message}
    context["draft"] = tournament.rounds.filter(state=Round.State.DRAFT).first()
    if form.is_bound:
        form.show_again(version=page.version, digest="", shown="")
    if effect is not None:
        shown = f"{effect.action.number}:{hash_body(effect.action.changes)}"
        form.show_again(digest=effect.digest, shown=shown)
        form.focus_on_reason()
        words = CorrectionWords(tournament, effect)
        context |= {"effect": effect, "words": words, "compared": PART in request.POST}
    if request.htmx:
        return render(request, "pairings/corrections/_other_tables.html", context)
    refused = page.refusal or (effect is not None and message)
    status = form.status if form.errors else 409 if refused else 200
    return render(request, "pairings/corrections/correct.html", context, status=status)


def _saved(
    request: StaffRequest, tournament: Tournament, page: CorrectionPage, action: Action
) -> HttpResponse:
    """Confirm the correction, and continue to the repair if an open round was paired from the old facts."""
    message = _("Corrected. An organizer or scorekeeper can undo it in the log.")
    rounds = rounds_after(load_event_values(tournament), action.changes, own=page.seats)
    playing = next((round_.number for round_ in rounds if is_open(round_)), None)
    if playing is None:
        return report_success(request, message, page.back)
    return report_success(request, message, "repair", tournament.slug, playing)


@staff_view("GET", roles=DESK)
def corrections(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    form = TableForm(tournament, request.GET if "table" in request.GET else None)
    if form.is_valid():
        return see_other("correct", tournament.slug, form.cleaned_data["round"], form.cleaned_data["table"])
    words, names = read_words(request.GET), load_names(tournament, merged=False)
    codes = [words.upper()] if words.upper() in names else find_names(names, words)
    context = {
        "tournament": tournament,
        "form": form,
        "words": words,
        "found": [(code, names[code]) for code in codes[:MOST_FOUND]],
        "more": len(codes) > MOST_FOUND,
    }
    return render(request, "pairings/corrections/index.html", context, status=422 if form.errors else 200)


@staff_view("GET", "POST", roles=DESK)
def result(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    match = match_at(tournament, number, table)
    swiss = match.round.swiss
    back = (round_address(tournament, number, table),) if swiss else ("desk-bracket", tournament.slug)
    if match.result is None or match.round.state not in (Round.State.PUBLISHED, Round.State.COMPLETE):
        return see_other(*back)
    row = load_desk_sheet(tournament, match.round.number).row(table)
    form = ResultCorrectionForm(
        form_data(request),
        rules=match_rules(match, ruleset_in_force(tournament)),
        initial=initial_slip(row, match),
    )
    form.name_players(row)
    names = {"round": number, "table": row.table_name, "a": row.a.name, "b": row.b.name if row.b else ""}
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
    title = match_title(match.slot, load_stage_bracket(match.round.stage).rounds)
    return _("Correct the result: %(match)s") % {"match": title}


def _links(tournament: Tournament, row: DeskRow, *, swiss: bool) -> list[tuple[str, str]]:
    players = [
        (resolve_url("correct-player", tournament.slug, player.code), about_player(player.name))
        for player in (row.a, row.b)
        if player
    ]
    if not swiss:
        return players
    seats = resolve_url("correct-seats", tournament.slug, row.round, row.table)
    return [(seats, _("The wrong player sat here")), *players]


@staff_view("GET", "POST", roles=DESK)
def seats(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    match = match_at(tournament, number, table)
    fact, names, refusal = read_match(match), load_names(tournament, merged=False), ""
    try:
        check_seats_are_facts(match.round)
    except WrongState as error:
        refusal = str(error)
    here = {code: names[code] for code in match.round.seats.values_list("entry__code", flat=True)}
    form = SeatsCorrectionForm(fact, names, sort_by_name(here), form_data(request))
    links = [(reverse("correct", args=[tournament.slug, number, table]), _("The result is wrong"))]
    if form.is_bound and form.is_valid():  # players who were not there are corrected first
        text = _("%(name)s: time in the event, other rounds, the name")
        links += [
            (reverse("correct-player", args=[tournament.slug, code]), text % {"name": names[code]})
            for code in (form.cleaned_data["a"], form.cleaned_data.get("b"))
            if code and code not in here
        ]
    page = CorrectionPage(
        _("Correct %(round)s, table %(table)s")
        % {"round": round_name(match.round).label, "table": table_name(tournament, table, match.round)},
        _("Who sat here"),
        " ".join(filter(None, (names[fact.a], result_words(fact) or "–", names.get(fact.b or "")))),
        round_address(tournament, number, table),
        links,
        refusal=refusal,
        note=_("The result stays with the table. A player who dropped on the slip stays dropped."),
    )
    return correct(request, tournament, page, form, correct_seats, number, table)


@staff_view("GET", "POST", roles=DESK)
def player(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    entry = find_entry(tournament, code)
    back = reverse("entry", args=[tournament.slug, code])
    if entry.house or entry.status == Entry.Status.MERGED:
        return see_other(back)
    names, stages, rounds = load_names(tournament), [], list_entry_rounds(entry)
    now = find_participation(entry, rounds)
    # A repeated request names a session the player has been in since the first one.
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
            "Rounds you add count as missed. You can repair a round in progress on the next page. "
            "To remove a round that was played, first correct who sat at that table."
        ),
        seats=True,
    )
    return correct(request, tournament, page, form, correct_participation, code)


def _round_links(tournament: Tournament, entry: Entry, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    slug, code = tournament.slug, entry.code
    matches = Match.objects.filter(seats__entry=entry).exclude(round__state=Round.State.DRAFT)
    rounds = {round_.number: round_ for round_ in tournament.rounds.all()}
    for key, (fact, _pk, _version) in match_facts(matches).items():
        number = int(key.split("/")[1])
        other = (fact.b if fact.a == code else fact.a) or ""
        values = {
            "round": round_name(rounds[number], tournament).title,
            "table": table_name(tournament, fact.table, rounds[number]),
            "result": player_result(fact, code, names.get(other, "")).sentence,
        }
        if fact.table:
            text = _("%(round)s, table %(table)s: %(result)s") % values
            yield reverse("correct", args=[slug, number, fact.table]), text
            if rounds[number].swiss:
                text = _("%(round)s, table %(table)s: the wrong player sat here") % values
                yield reverse("correct-seats", args=[slug, number, fact.table]), text
        elif rounds[number].swiss:
            yield reverse("correct-bye", args=[slug, number, code]), _("%(round)s: %(result)s") % values


@staff_view("GET", "POST", roles=DESK)
def bye(request: StaffRequest, tournament: Tournament, number: int, code: str) -> HttpResponse:
    match = solo_match(tournament, number, code)
    if match.round.state == Round.State.DRAFT:
        return see_other("draft", tournament.slug, number)
    name = load_names(tournament)[code]
    form = ByeForm(form_data(request), results=list_correctable_byes(tournament), now=match.result or "")
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
    posted = tournament.rounds.filter(swiss=True, stage__carries=False).exclude(state=Round.State.DRAFT)
    return list(posted.order_by("number"))


@staff_view("GET", "POST", roles=DESK)
def merge(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    find_unmerged_entry(tournament, code)
    names = _names_before(tournament, KeyedForm(request.POST))
    houses = tournament.entries.filter(house=True).values_list("code", flat=True)
    page = CorrectionPage(
        _("Merge another entry into %(name)s (%(code)s)") % {"name": names[code], "code": code},
        _("Registered twice"),
        "",
        reverse("entry", args=[tournament.slug, code]),
        note=_(
            "This entry stays and gets the rounds that the other one played. Contact, alias and notes are filled in "
            "where this one has none. Membership number and player link are not taken over."
        ),
    )
    codes = [other for other in sort_by_name(names) if other not in {code, *houses}]
    form = MergeForm({other: listed_name(names[other]) for other in codes}, form_data(request))
    return correct(request, tournament, page, form, merge_entries, code)


def _names_before(tournament: Tournament, form: KeyedForm) -> dict[str, str]:
    """Return {code: name} of unmerged entries. For a repeated form: as they were before it was first submitted."""
    key = form.cleaned_data["key"] if form.is_valid() else ""
    action = tournament.actions.sent_as(key).first()
    merged = [
        change["fact"].removeprefix("entries/")
        for change in (action.changes if action else ())
        if (change.get("after") or {}).get("status") == MERGED
    ]
    rows = tournament.entries.filter(~Q(status=MERGED) | Q(code__in=merged))
    by_last = is_by_last_name(tournament)
    return distinct_names(
        (code, name, "", last if by_last else "")
        for code, name, last in rows.values_list("code", "name", "last_name")
    )
