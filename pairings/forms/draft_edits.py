"""A draft edited by hand: players swapped, a table locked, first moves set."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pairings.forms.players import PlayerField, PlayersForm, TwoPlayersForm
from pairings.question.public_reason import LONGEST_REASON
from tournament.event.table_plan import Venue
from tournament.forms.table_fields import TableField, use_venue
from tournament.web.keyed_forms import LARGEST, BareHiddenInput, KeyedForm, ReasonField
from tournament.web.layouts import button, helper_of

OUTLINE = "btn-outline-secondary"


class PublicReasonField(ReasonField):
    """A reason that is shown with the round."""

    def __init__(self) -> None:
        super().__init__(label=_("Reason (shown with the round)"), max_length=LONGEST_REASON)


class SeenForm(KeyedForm):
    """An edit of a draft. `seen`: the revision of the round that the page showed."""

    seen = forms.IntegerField(min_value=0, max_value=LARGEST, widget=BareHiddenInput)


class SwapPreviewForm(TwoPlayersForm):
    """Two players, to see what swapping them would cost."""

    helper = helper_of("a", "b", button(_("Preview"), OUTLINE), tag=False)


class SwapForm(TwoPlayersForm, SeenForm):
    """The swap that was previewed, and why."""

    a = PlayerField(widget=BareHiddenInput)
    b = PlayerField(widget=BareHiddenInput)
    reason = PublicReasonField()

    helper = helper_of("reason", button(_("Swap")), tag=False)


class FirstMoveForm(PlayersForm, SeenForm):
    """The player who is to move first at their table, and why."""

    player = PlayerField(label=_("Player to move first"))
    reason = PublicReasonField()

    helper = helper_of("player", "reason", button(_("Set the first move"), OUTLINE), tag=False)


class MoveMatchForm(PlayersForm, SeenForm):
    """A player whose match goes to another table, by its name or number."""

    player = PlayerField(label=_("Player"))
    table = TableField(label=_("To table"))

    helper = helper_of("player", "table", button(_("Move the match"), OUTLINE), tag=False)

    def __init__(self, names: Mapping[str, str], *args: Any, venue: Venue, **kwargs: Any) -> None:
        super().__init__(names, *args, **kwargs)
        use_venue(self, venue)


class LockForm(SeenForm):
    """The table to lock or unlock, by the code of a player who sits there."""

    player = forms.CharField(max_length=40)


class CoinTossForm(SeenForm):
    """Which side of the first table moves first."""

    side = forms.ChoiceField(choices=[("a", "a"), ("b", "b")])
