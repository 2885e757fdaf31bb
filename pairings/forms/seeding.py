from typing import Any

from crispy_forms.layout import Div
from django import forms
from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tournament.services.manual_order import LONGEST_REASON
from tournament.web.keyed_forms import BareHiddenInput, KeyedForm, SessionField
from tournament.web.layouts import button, helper_of


def seed_field(label: Any) -> forms.CharField:
    attrs = {"inputmode": "numeric", "size": 4, "maxlength": 4, "autocomplete": "off"}
    return forms.CharField(label=label, required=False, widget=forms.TextInput(attrs=attrs))


class SeedingForm(KeyedForm):
    """The order on the page, one hidden input per row, and its buttons.

    `up` and `down` hold the code of a player to move one seed, `move` moves a seed to another, `save` saves the order.
    """

    session = SessionField()
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        error_messages={"required": _("Enter a reason. It is recorded in the log.")},
    )
    # A line to move a seed, the reason, the button that saves; the rows follow them on the page.
    helper = helper_of(
        Div(
            "from",
            "to",
            button(_("Move"), "btn-outline-secondary mb-3", name="move", value="1", formnovalidate=True),
            css_class="d-flex flex-wrap gap-2 align-items-end",
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
        """Whether to save. Enter in the reason presses the first button, "Move"; without seeds that means save."""
        seeds = self._text("from") or self._text("to")
        return "save" in self.data or ("move" in self.data and not seeds and bool(self._text("reason")))

    @property
    def moved_codes(self) -> list[str]:
        """Return the order after the pressed button; unchanged if the button's input makes no sense."""
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
        return {
            "codes": self.codes,
            "stage": self.cleaned_data["session"],
            "reason": self.cleaned_data["reason"],
        }

    def _text(self, name: str) -> str:
        return str(self.data.get(name, "")).strip()

    def _seed(self, name: str) -> int:
        text = self._text(name)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
