"""The publisher's form: every field, and which of them organizers may change."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from standings.rulesets.editor.profile_form import ProfileForm
from tournament.rulebooks.rule_fields import FIELDS, GROUPS, NEVER_OPEN


class DraftForm(ProfileForm):
    """The fields of a draft, with the `revision` of it that the page shows."""

    seen = forms.IntegerField(label=_("Draft"), widget=forms.HiddenInput, min_value=0)
    opens = forms.ChoiceField(
        label=_("What organizers may change in their events"),
        choices=[("all", _("everything")), ("some", _("only the fields checked below"))],
    )
    open = forms.MultipleChoiceField(
        label=_("Open to organizers"),
        required=False,
        choices=[(path, field.label) for path, field in FIELDS.items() if path not in NEVER_OPEN],
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
    )

    def __init__(self, *args: Any, revision: int = 0, **kwargs: Any) -> None:
        self.revision = revision
        super().__init__(*args, **kwargs)

    def initial_values(self) -> dict[str, Any]:
        """What the fields show at first."""
        open_fields = self.base.get("open_fields")
        opens = "all" if open_fields is None else "some"
        return {**super().initial_values(), "seen": self.revision, "opens": opens, "open": open_fields or []}

    def put_more(self, rules: dict[str, Any]) -> None:
        """Put into the rules which fields organizers may change."""
        rules.pop("open_fields", None)
        if self.cleaned_data.get("opens") == "some":
            rules["open_fields"] = self.cleaned_data.get("open", [])

    def open_groups(self) -> list[tuple[str, list[Any]]]:
        """(title, checkboxes) for the list of what organizers may change."""
        boxes = {box.data["value"]: box for box in self["open"].subwidgets}
        return [
            (str(title), [boxes[field.path] for field in fields if field.path in boxes])
            for title, fields in GROUPS[1:]
        ]
