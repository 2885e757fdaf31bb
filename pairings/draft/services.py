"""Pairing as a write: read and computed outside the lock, saved under it only if nothing moved.

House opponents play where the number of players is odd, so that no one sits out. They are never ranked, cut or given
a bye. Source: ClineCON.
"""

from typing import Any

from django.utils.translation import gettext as _

from pairings.draft.compute import compute_draft, next_round_in
from pairings.engine.gc_pause import pause_gc
from pairings.question.field import codes_to_pair, given_byes
from tournament.actionlog.change import do_once
from tournament.actionlog.service import service
from tournament.errors import NotFound, WrongState
from tournament.event.read import event_of
from tournament.models import Action, Entry, StageEntry, Tournament
from tournament.results.wording import bye_words
from tournament.services.rounds import save_draft
from tournament.text.clean import clean_name
from tournament.text.display_names import names_in, sort_by_name


@pause_gc()
def draft_next_round(
    tournament: Tournament,
    *,
    house: str | None = None,
    again: int | None = None,
    flight: int | None = None,
    seen: int | None = None,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Complete the open round and draft the next one, in one step.

    house    the code of a house opponent, who plays where the number of players is odd
    again    the number of a draft to replace, with the next attempt's seed; it stays where that is refused
    flight   the number of the stage to pair, where several are played side by side
    seen     the revision of the replaced draft that the page showed

    Raises WrongState where a table waits for its result, nobody or only one plays, no pairing exists or the
    bracket is set; NotFound for an unknown house opponent; Conflict where the draft is no longer the one seen.
    """
    request = {"house": house, "again": again, "flight": flight, "seen": seen}
    body = {name: value for name, value in request.items() if value is not None}

    def draft() -> Action | None:
        computed = compute_draft(tournament, house=house, again=again, flight=flight)
        return save_draft(tournament, computed, **request, actor=actor, key=key)

    return do_once(tournament, "draft", key, [body, ""], draft)


def needs_house_choice(tournament: Tournament, flight: int | None = None) -> bool:
    """Whether the next round's number of players is odd and the ruleset allows a house opponent instead of the bye."""
    try:
        event, stage, number = next_round_in(event_of(tournament), flight)
    except WrongState:
        return False  # no Swiss round follows: pairing says why
    odd = len(codes_to_pair(event, stage, number)) % 2 == 1
    return odd and bool(event.profile["bye"].get("house_opponent"))


def next_byes_of(tournament: Tournament, flight: int | None = None) -> list[str]:
    """Who sits out the next round, each with the bye in words; none where no Swiss round can follow yet."""
    event = event_of(tournament)
    try:
        event, stage, number = next_round_in(event, flight)
    except WrongState:
        return []
    byes, names = given_byes(event, stage, number), names_in(event)
    return [f"{names[code]} ({bye_words(byes[code])})" for code in sort_by_name({c: names[c] for c in byes})]


@service("house")
def add_house_opponent(log: Any, name: str, flight: int | None = None) -> None:
    """Register a house opponent, in the Swiss stage of that number (None: the last stage).

    Raises WrongState for an empty name, NotFound where there is no such stage.
    """
    name = clean_name(name)
    if not name:
        raise WrongState(_("Who is the house opponent? Enter a name."))
    stage = log.tournament.stages.filter(**({"number": flight} if flight else {})).last()
    if stage is None:
        raise NotFound(_("There is no session %(number)s in this event."), number=flight)
    number = log.tournament.entries.filter(house=True).count() + 1
    code = f"H{number:02d}"
    log.add(Entry, f"entries/{code}", {"house": True}, {"name": name})
    log.add(StageEntry, f"stages/{stage.number}/entries/{code}", {})
