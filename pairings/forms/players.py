from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, Self

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from pairings.words.certificate import shorten_list
from tournament.event.display_names import find_names
from tournament.text import LONGEST_NAME, fold_name
from tournament.web.keyed_forms import button, lay_out_form

BYE = "bye"
MOST_NEAR = 3
MOST_LISTED = 400  # players offered while typing
PLAYERS_LIST = "players"  # the id of the page's <datalist>


class PlayerField(forms.CharField):
    """A player by the beginning of a name, a name or the code; cleans to the code. With `bye`, "bye" cleans to ""."""

    def __init__(self, *, bye: bool = False, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.TextInput(attrs={"autocomplete": "off"}))
        super().__init__(max_length=LONGEST_NAME + 20, **kwargs)
        self.bye = bye
        self.names: Mapping[str, str] = {}

    def prepare_value(self, value: Any) -> Any:
        return value if self.widget.is_hidden else self.names.get(value, value)

    def clean(self, value: Any) -> str:
        text = super().clean(value)
        if not text or text in self.names:
            return text
        exact = [code for code, name in self.names.items() if fold_name(name) == fold_name(text)]
        codes = exact if len(exact) == 1 else find_names(self.names, text)
        if self.bye and not exact and fold_name(text) in (BYE, fold_name(_t("bye"))):
            return ""
        if len(codes) == 1:
            return codes[0]
        if not codes:
            raise ValidationError(self._unknown_words(text))
        matches = shorten_list([f"{self.names[code]} [{code}]" for code in codes])
        raise ValidationError(
            _("“%(text)s” matches %(names)s. Type more of the name, or the code in brackets.")
            % {"text": text, "names": matches}
        )

    def _unknown_words(self, text: str) -> str:
        unknown = _t("No player here matches “%(text)s”.") % {"text": text}
        if near := self._similar_names(text):
            unknown += " " + _t("Did you mean: %(names)s?") % {"names": ", ".join(near)}
        return unknown

    def _similar_names(self, text: str) -> list[str]:
        spellings: dict[str, list[str]] = {}
        for name in self.names.values():
            whole = fold_name(name)
            for part in dict.fromkeys((whole, *whole.split())):
                spellings.setdefault(part, []).append(name)
        near = get_close_matches(fold_name(text), spellings, n=MOST_NEAR)
        return list(dict.fromkeys(name for part in near for name in spellings[part]))[:MOST_NEAR]


class PlayersForm(forms.Form):
    """A form with player fields. `offered`: names by code for the page's <datalist>, unless there are too many."""

    def __init__(
        self,
        names: Mapping[str, str],
        *args: Any,
        offered: Mapping[str, str] = MappingProxyType({}),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.players = list(offered.items()) if len(offered) <= MOST_LISTED else []
        for field in self.fields.values():
            if isinstance(field, PlayerField):
                field.names = names
                if self.players:
                    field.widget.attrs["list"] = PLAYERS_LIST


class TwoPlayersForm(PlayersForm):
    a = PlayerField(label=_("Player"))
    b = PlayerField(label=_("Other player"))

    @classmethod
    def from_address(cls, query: QueryDict, names: Mapping[str, str], **kwargs: Any) -> Self:
        """Build the form from ?a= and ?b=, or ?pick= for one of them; unbound while one is missing."""
        players = {"a": query.get("pick") or query.get("a", ""), "b": query.get("b", "")}
        if all(players.values()):
            return cls(names, players, **kwargs)
        return cls(names, initial=players, **kwargs)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("a") is not None and data.get("a") == data.get("b"):
            self.add_error("b", _("Choose two different players."))
        return data


class WhyNotForm(TwoPlayersForm):
    """Two players, or one and the bye, which cleans to ""."""

    a = PlayerField(label=_("Player"), bye=True)
    b = PlayerField(label=_("Other player, or “bye”"), bye=True)

    helper = lay_out_form("a", "b", button(_("Why not?"), ""), method="get")
