"""Why are two players not paired? Why does a player not have the bye?"""

from __future__ import annotations

from crispy_forms.helper import FormHelper
from django.utils.translation import gettext_lazy as _

from pairings.forms.players import PlayerField, TwoPlayersForm
from tournament.web.layouts import button, helper_of


class WhyNotForm(TwoPlayersForm):
    """Two players, or one and the bye, which cleans to ""."""

    a = PlayerField(label=_("Player"), bye=True)
    b = PlayerField(label=_("Other player, or “bye”"), bye=True)

    @property
    def helper(self) -> FormHelper:
        """The two players and the button."""
        return helper_of("a", "b", button(_("Why not?"), "btn-outline-secondary"), tag=False)
