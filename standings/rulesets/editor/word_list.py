"""An ordered list of known words as a formset: a line a word, chosen by what it means."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from standings.rulesets.editor.formsets import LineForm, LineFormSet
from tournament.rulebooks.rule_fields import RuleField


class WordForm(LineForm):
    """One line: a word of the list."""

    word = forms.ChoiceField(label=_("Rule"))

    def __init__(self, *args: Any, words: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.words = words
        field: Any = self.fields["word"]
        field.choices = [*([] if self.before else [("", _("choose one"))]), *words.items()]

    @classmethod
    def texts_of(cls, line: str) -> dict[str, str]:
        """The word that the field of a line shows."""
        return {"word": line}

    @property
    def title(self) -> str:
        """What the word means."""
        return str(self.words.get(self["word"].value(), _("new line")))

    def clean(self) -> dict[str, Any]:
        """`line` is the word."""
        data = super().clean() or {}
        self.line = data.get("word")
        return data


class WordFormSet(LineFormSet):
    """The words of the list that a field of the ruleset holds, in an order that can be changed."""

    form = WordForm
    max_num = 30
    absolute_max = 90
    can_order = True

    def __init__(self, data: Any = None, *, field: RuleField, **kwargs: Any) -> None:
        self.field, self.name = field, field.path
        # A page from before there was such a list sends none of it, and changes nothing of it.
        super().__init__(data if data and f"{self.name}-TOTAL_FORMS" in data else None, **kwargs)

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """What every line can say, too."""
        return {**super().get_form_kwargs(index), "words": self.field.inner}

    @property
    def id(self) -> str:
        """The id of the list on the page."""
        return self.name.replace(".", "-")

    def add_fault(self, path: str, message: str) -> bool:
        """Add a fault at the line of a path such as `3]`; False where there is no such line."""
        return super().add_fault(f"{path}.word", message)
