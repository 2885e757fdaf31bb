"""What the organizer decides about a round. Checks; never saves."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from pairings.question.public_reason import LONGEST_REASON
from tournament.text.clean import LONGEST_NAME, clean_name
from tournament.text.display_names import find_names, fold_name
from tournament.web.keyed_forms import LARGEST, ActForm, KeyedForm, KeyField, SessionField

BYE, NEW = "bye", "new"
MOST_NAMED = 8
MOST_NEAR = 3


class PairForm(KeyedForm):
    """Where the number is odd and the ruleset allows it: a bye, or a house opponent and who that is."""

    house = forms.ChoiceField(label=_("Odd number of players"), required=False, widget=forms.RadioSelect)
    name = forms.CharField(label=_("Name of the new house opponent"), required=False, max_length=LONGEST_NAME)
    session = SessionField()

    def __init__(self, *args: Any, houses: list[tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [(code, _t("house opponent: %(name)s") % {"name": name}) for code, name in houses or []]
        choices = [(BYE, _("one player gets a bye")), *known, (NEW, _("a new house opponent plays"))]
        self.fields["house"].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        data["name"] = clean_name(data.get("name") or "")
        if data.get("house") == NEW and not data["name"]:
            self.add_error("name", _("Who is the house opponent? Enter a name."))
        return data


class PlayerField(forms.CharField):
    """A player by the first letters of a name, by the whole name, or by the code. Cleans to the code.

    The form sets `names` ({code: name to show}). With `bye`, the word “bye” cleans to "", unless somebody
    has that name.
    """

    def __init__(self, *, bye: bool = False, **kwargs: Any) -> None:
        super().__init__(max_length=LONGEST_NAME + 20, **kwargs)
        self.bye = bye
        self.names: Mapping[str, str] = {}

    def prepare_value(self, value: Any) -> Any:
        """A code is shown as the name it stands for."""
        return self.names.get(value, value) if isinstance(value, str) else value

    def clean(self, value: Any) -> str:
        text = super().clean(value)
        if not text or text in self.names:
            return text
        whole = [code for code, name in self.names.items() if fold_name(name) == fold_name(text)]
        codes = whole if len(whole) == 1 else find_names(self.names, text)
        if self.bye and not whole and fold_name(text) in (BYE, fold_name(_t("bye"))):
            return ""
        if len(codes) == 1:
            return codes[0]
        if not codes:
            said = _t("No player here matches “%(text)s”.") % {"text": text}
            if near := self._near(text):
                said += " " + _t("Did you mean: %(names)s?") % {"names": ", ".join(near)}
            raise ValidationError(said)
        listed = ", ".join(f"{self.names[code]} [{code}]" for code in codes[:MOST_NAMED])
        more = " …" if len(codes) > MOST_NAMED else ""
        raise ValidationError(
            _t("“%(text)s” matches %(names)s. Type more of the name, or the code in brackets.")
            % {"text": text, "names": listed + more}
        )

    def _near(self, text: str) -> list[str]:
        """Names much like it, as a whole or in one word, the nearest first."""
        spelt: dict[str, list[str]] = {}
        for name in self.names.values():
            whole = fold_name(name)
            for part in dict.fromkeys((whole, *whole.split())):
                spelt.setdefault(part, []).append(name)
        near = get_close_matches(fold_name(text), spelt, n=MOST_NEAR)
        return list(dict.fromkeys(name for part in near for name in spelt[part]))[:MOST_NEAR]


class TwoForm(forms.Form):
    """Two players."""

    a = PlayerField(label=_("Player"))
    b = PlayerField(label=_("Other player"))

    def __init__(self, names: Mapping[str, str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if isinstance(field, PlayerField):
                field.names = names

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("a") and data.get("a") == data.get("b"):
            self.add_error("b", _("Choose two different players."))
        return data


class WhyForm(TwoForm):
    """Two players, or one and the bye ("")."""

    a = PlayerField(label=_("Player"), bye=True)
    b = PlayerField(label=_("Other player, or “bye”"), bye=True)

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if data.get("a") == data.get("b") == "":
            self.add_error("b", _("Choose two different players."))
        return data


class SeenForm(forms.Form):
    """What every edit of a round carries: its key, and the revision of the round its page shows."""

    key = KeyField()
    seen = forms.IntegerField(min_value=0, max_value=LARGEST, widget=forms.HiddenInput)


class DraftForm(ActForm):
    """A button for a whole draft: publish it, pair it again, discard it. `seen`: the round's revision on the page."""

    seen = forms.IntegerField(required=False, min_value=0, max_value=LARGEST)


class SwapForm(TwoForm, SeenForm):
    """An exchange of two players that was looked at."""

    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_REASON, required=False)


class FirstForm(SeenForm):
    """Who moves first at the own table."""

    player = PlayerField(label=_("Player"))
    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_REASON, required=False)

    def __init__(self, names: Mapping[str, str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["player"].names = names  # type: ignore[attr-defined]


class LockForm(SeenForm):
    """A table to lock or unlock, by the code of somebody who sits there."""

    player = forms.CharField(max_length=40)


class CoinForm(SeenForm):
    """Which side of the first table moves first."""

    side = forms.ChoiceField(choices=[("a", "a"), ("b", "b")])


class ForbidForm(TwoForm):
    """Two who never meet, or may again."""

    key = KeyField()
    lift = forms.BooleanField(required=False)


class MendForm(forms.Form):
    """The players to add to and remove from a published round, by code, without duplicates."""

    into = forms.MultipleChoiceField(required=False)
    out = forms.MultipleChoiceField(required=False)
    missing = PlayerField(required=False)
    seen = forms.IntegerField(required=False, min_value=0, max_value=LARGEST)
    plan = forms.CharField(required=False, max_length=64)
    key = KeyField()
    reason = forms.CharField(required=False, max_length=LONGEST_REASON)

    def __init__(self, names: Mapping[str, str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["missing"].names = names  # type: ignore[attr-defined]
        for name in ("into", "out"):
            self.fields[name].choices = list(names.items())  # type: ignore[attr-defined]
