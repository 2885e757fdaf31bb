"""What a player's page says of corrections: until the next round is published or the bracket set.

Those of the last round of an event, and of its bracket, stay.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.utils.translation import gettext as _

from tournament.history.public_corrections import PublicCorrection, corrections_in
from tournament.models import Round, Tournament
from tournament.progress.posted_rounds import latest_round_for
from tournament.text.display_names import drop_full_stop


class CorrectionNotice(NamedTuple):
    """A sentence about a corrected round; `round` None: about the player's entry."""

    round: int | None
    text: str


def notices_of(
    tournament: Tournament,
    code: str,
    corrections: Iterable[PublicCorrection],
    rounds: list[Round],
    results: Mapping[int, str],
) -> list[CorrectionNotice]:
    """What the player `code` is told, the newest round first; `results`: the player's own, in words by round."""
    mine = [each for each in corrections if _concerns(each, code)]
    notices = []
    for shown in rounds[::-1] if mine else ():
        since = _published_at(tournament, latest_round_for(shown, rounds), shown)
        for each in corrections_in(mine, shown.number)[::-1]:
            if since < each.at and any(code in match.players for match in each.matches):
                notices.append(CorrectionNotice(shown.number, _notice_text(each, shown, results)))
                break
    entry = next((each for each in mine if code in each.entries and not (each.repair or each.matches)), None)
    if entry and (not rounds or _published_at(tournament, rounds[-1], rounds[0]) < entry.at):
        notices.append(CorrectionNotice(None, _("Your entry was corrected.")))
    return notices


def _concerns(correction: PublicCorrection, code: str) -> bool:
    return code in correction.entries or any(code in match.players for match in correction.matches)


def _published_at(tournament: Tournament, latest: Round, shown: Round) -> dt.datetime:
    """When the latest round was published, or the bracket set: its rounds have no time of their own."""
    at = latest.published_at
    if shown.swiss and not latest.swiss:
        cuts = tournament.actions.filter(kind="cut").order_by("-number")
        at = cuts.values_list("at", flat=True).first()
    return at or dt.datetime.min.replace(tzinfo=dt.UTC)


def _notice_text(correction: PublicCorrection, round_: Round, results: Mapping[int, str]) -> str:
    values: dict[str, object] = {"round": round_.number}
    if correction.repair:
        return _("Round %(round)s was re-paired after it was published.") % values
    if round_.number not in results:
        return _("Round %(round)s was corrected: you are not in it anymore.") % values
    values["result"] = drop_full_stop(results[round_.number])
    return _("Round %(round)s was corrected: %(result)s.") % values
