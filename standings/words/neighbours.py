"""What separates two rows of the standings, in one sentence."""

from __future__ import annotations

from django.utils.translation import gettext as _

from standings.engine.ranking.deciding_step import SHARED, STAGE


def neighbour_in_words(
    name: str, is_below: bool, why: str, column: str = "", mine: str = "", theirs: str = ""
) -> str:
    """Why a row stands above the row of `name`, which `is_below` it, or below it otherwise.

    `why`: as in `standings.engine.ranking.deciding_step`; `mine` and `theirs`: the values in the `column`.
    """
    if why == SHARED:
        sentence = _("Tied with %(name)s on everything: the rank is shared.")
    elif why == STAGE and is_below:
        sentence = _("Above %(name)s: only one of the two is in the later stage.")
    elif why == STAGE:
        sentence = _("Below %(name)s: only one of the two is in the later stage.")
    elif is_below:
        sentence = _("Above %(name)s on %(column)s: %(mine)s vs. %(theirs)s.")
    else:
        sentence = _("Below %(name)s on %(column)s: %(mine)s vs. %(theirs)s.")
    return sentence % {"name": name, "column": column, "mine": mine, "theirs": theirs}
