"""Why are two players not paired? Why does a player not have the bye?"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from pairings.forms.players import PlayerField, TwoPlayersForm
from tournament.web.layouts import button, helper_of


class WhyNotForm(TwoPlayersForm):
    """Two players, or one and the bye, which cleans to ""."""

    a = PlayerField(label=_("Player"), bye=True)
    b = PlayerField(label=_("Other player, or “bye”"), bye=True)

    helper = helper_of("a", "b", button(_("Why not?"), "btn-outline-secondary"), tag=False)
