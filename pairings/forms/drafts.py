"""Forms of drafts: pairing, edits by hand, the seeding."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Div
from django import forms
from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from pairings.forms.players import PlayerField, PlayersForm, TwoPlayersForm
from pairings.request.pairing_request import LONGEST_REASON
from tournament.event.table_plan import TablePlan
from tournament.forms.fields import TableField, use_plan
from tournament.services.entries import LONGEST_ORDER_REASON
from tournament.text import LONGEST_NAME
from tournament.web.keyed_forms import (
    LARGEST,
    ActForm,
    BareHiddenInput,
    CleanField,
    CodesField,
    Details,
    KeyedForm,
    SessionField,
    button,
    lay_out_form,
    link,
)

BYE, NEW = "bye", "new"
OUT, IN = "out", "in"


class PairForm(KeyedForm):
    """Pair the next round. `asks_house`: ask whether the odd player gets the bye or a house opponent.

    `houses`: code and name of each known house opponent. The buttons `absent` withdraw or pair the players who have not
    checked in; `codes` lists them as the page showed them.
    """

    house = forms.ChoiceField(label=_("Odd number of players"), required=False, widget=forms.RadioSelect)
    name = CleanField(label=_("Name of the new house opponent"), required=False, max_length=LONGEST_NAME)
    session = SessionField()
    absent = forms.ChoiceField(choices=[(OUT, OUT), (IN, IN)], required=False)
    codes = CodesField()
    asks_house = False
    action = back = ""

    def __init__(self, *args: Any, houses: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["house"]
        assert isinstance(field, forms.ChoiceField)
        known = [(code, _t("house opponent: %(name)s") % {"name": name}) for code, name in houses]
        self._buttons = [button(_("Pair"))]
        field.choices = [(BYE, _("one player gets a bye")), *known, (NEW, _("a new house opponent plays"))]

    @property
    def helper(self) -> FormHelper:
        self.fields["house"].widget.attrs["required"] = self.asks_house
        choice = ("house", "name") if self.asks_house else ()
        buttons = Div(*self._buttons, link(_("Back"), self.back), css_class="cluster")
        return lay_out_form(*choice, buttons, action=self.action)

    def ask_absent(self, codes: Sequence[str], *, enough: bool) -> None:
        """Ask about players who have not checked in. `enough`: whether the others can play without them."""
        self.initial["codes"] = codes
        text = ngettext(
            "Withdraw %(count)s no-show and pair", "Withdraw %(count)s no-shows and pair", len(codes)
        )
        leave_out = button(text % {"count": len(codes)}, name="absent", value=OUT)
        everyone = button(_("Pair everyone"), "", name="absent", value=IN)
        if codes:
            self._buttons = [leave_out, everyone] if enough else [everyone]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("house") == NEW and not data.get("name") and "name" not in self.errors:
            self.add_error("name", _("Who is the house opponent? Enter a name."))
        return data


class DraftActionForm(ActForm):
    """Publish, re-pair or discard a draft. `seen`: the draft's revision on the page."""

    seen = forms.IntegerField(required=False, min_value=0, max_value=LARGEST)


class PairAgainForm(DraftActionForm):
    codes = CodesField()


class RowsShownForm(forms.Form):
    """The filter of a draft's rows, kept in the URL so that an edit returns to the same rows."""

    show = forms.ChoiceField(choices=[("noted", "noted")], required=False, widget=BareHiddenInput)
    page = forms.IntegerField(required=False, min_value=1, max_value=LARGEST, widget=BareHiddenInput)

    def __init__(self, query: Any) -> None:
        super().__init__(query)
        self.full_clean()

    @property
    def only_notable(self) -> bool:
        return bool(self.cleaned_data.get("show"))

    @property
    def chosen_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.cleaned_data if self.cleaned_data[name]]

    @property
    def query(self) -> str:
        """The URL query that shows the same rows: "?show=noted", "?page=2" or ""."""
        values = {name: value for name, value in self.cleaned_data.items() if value}
        return f"?{urlencode(values)}" if values else ""


class SeenForm(KeyedForm):
    seen = forms.IntegerField(min_value=0, max_value=LARGEST, widget=BareHiddenInput)


class EditForm(SeenForm):
    reason = forms.CharField(
        label=_("Reason, if any (shown with the round)"), max_length=LONGEST_REASON, required=False
    )


class SwapPreviewForm(TwoPlayersForm):
    helper = lay_out_form("a", "b", button(_("Preview"), ""), method="get", tag=False)


class SwapForm(TwoPlayersForm, EditForm):
    a = PlayerField(widget=BareHiddenInput)
    b = PlayerField(widget=BareHiddenInput)

    helper = lay_out_form("reason", button(_("Swap")))


class FirstMoveForm(PlayersForm, EditForm):
    player = PlayerField(label=_("Player to move first"))

    helper = lay_out_form("player", "reason", button(_("Set the first move"), ""))


class MoveMatchForm(PlayersForm, SeenForm):
    player = PlayerField(label=_("Player"))
    table = TableField(label=_("To table"))

    helper = lay_out_form("player", "table", button(_("Move the match"), ""))

    def __init__(self, names: Mapping[str, str], *args: Any, plan: TablePlan, **kwargs: Any) -> None:
        super().__init__(names, *args, **kwargs)
        use_plan(self, plan)


class LockForm(PlayersForm, SeenForm):
    player = PlayerField(label=_("Player"))

    helper = lay_out_form("player", button(_("Lock or unlock the table"), ""))


class CoinTossForm(SeenForm):
    side = forms.ChoiceField(choices=[("a", "a"), ("b", "b")])


class ProhibitedPairForm(TwoPlayersForm, KeyedForm):
    """Two players to put on the do-not-pair list, or to remove with `lift`."""

    lift = forms.BooleanField(required=False)

    helper = lay_out_form("a", "b", button(_("Add to the do-not-pair list")))


class DraftPairForm(ProhibitedPairForm):
    """The same among the tools of a draft, whose primary button publishes it."""

    helper = lay_out_form("a", "b", button(_("Add to the do-not-pair list"), ""))


def seed_field(label: Any) -> forms.CharField:
    attrs = {"inputmode": "numeric", "size": 4, "maxlength": 4, "autocomplete": "off"}
    return forms.CharField(label=label, required=False, widget=forms.TextInput(attrs=attrs))


class SeedingForm(KeyedForm):
    """The order on the page, one hidden input per row. `up` and `down` hold the code of a player to move one seed."""

    session = SessionField()
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_ORDER_REASON,
        error_messages={"required": _("Enter a reason. It is recorded in the log.")},
    )
    # A button to move a seed, the reason, and the button that saves. The rows follow on the page.
    helper = lay_out_form(
        Details(
            _("Move by number"),
            Div(
                "from",
                "to",
                button(_("Move"), "", name="move", value="1", formnovalidate=True),
                css_class="cluster",
            ),
        ),
        "reason",
        button(_("Save this order"), name="save", value="1"),
        tag=False,
    )

    def __init__(self, data: QueryDict | None = None, **kwargs: Any) -> None:
        super().__init__(data, auto_id="%s", **kwargs)
        self.codes: list[str] = data.getlist("order") if data is not None else []  # the order that was sent
        self.fields |= {"from": seed_field(_("Move seed")), "to": seed_field(_("to seed"))}

    @staticmethod
    def order_input(code: str) -> SafeString:
        return BareHiddenInput().render("order", code)

    @property
    def means_save(self) -> bool:
        """Whether to save: "Save" was pressed, or Enter in the reason field, which presses "Move" without seeds."""
        seeds = self._text("from") or self._text("to")
        return "save" in self.data or ("move" in self.data and not seeds and bool(self._text("reason")))

    @property
    def moved_codes(self) -> list[str]:
        """Return the order after the pressed button; the same order if the input is invalid."""
        codes = list(self.codes)
        for name, by in (("up", -1), ("down", 1)):
            if (code := self.data.get(name)) in codes:
                place = codes.index(code)
                codes.insert(max(place + by, 0), codes.pop(place))
                return codes
        start, end = self._seed("from"), self._seed("to")
        if 1 <= start <= len(codes) and 1 <= end <= len(codes):
            codes.insert(end - 1, codes.pop(start - 1))
        return codes

    def fields_for_service(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {"codes": self.codes, "stage": data["session"], "reason": data["reason"]}

    def _text(self, name: str) -> str:
        return str(self.data.get(name, "")).strip()

    def _seed(self, name: str) -> int:
        text = self._text(name)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
