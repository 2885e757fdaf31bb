"""Forms of corrections about a player: the time in the event, a round without an opponent, a missing entry."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairings.forms.corrections import CorrectionForm
from tournament.forms.entries import CleanField
from tournament.models import Entry, Round, Stage
from tournament.progress.flights import stage_name
from tournament.results.wording import bye_words
from tournament.services.participation import Participation
from tournament.text.clean import LONGEST_NAME


class RoundField(forms.TypedChoiceField):
    """One of the rounds that were published."""

    def __init__(self, **kwargs: Any) -> None:
        errors = {"invalid_choice": _("Choose a round of this list.")}
        super().__init__(coerce=int, error_messages=errors, **kwargs)


class JoiningForm(CorrectionForm):
    """From which round on a player is in the event; in which session, where a player can begin in several."""

    stage = forms.TypedChoiceField(
        label=_("Session"),
        coerce=int,
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), _("Choose the session that the player was in.")
        ),
    )
    joined = RoundField(label=_("In the event from"))

    def offer(self, rounds: Sequence[Round], stages: Sequence[Stage], following: int | None = None) -> None:
        """Let these rounds be chosen and, where they are several, these stages.

        `following`: for a player who has not played yet, the first round to play.
        """
        numbers = [round_.number for round_ in rounds if round_.swiss]
        texts = {number: gettext("round %(number)s") % {"number": number} for number in numbers}
        if following is not None and following not in texts:
            texts[following] = gettext("round %(number)s, not paired yet") % {"number": following}
        if numbers:
            texts[numbers[0]] = gettext("round %(number)s, the start") % {"number": numbers[0]}
        self._choices("joined", list(texts.items()))
        if len(stages) > 1:
            self._choices("stage", [(stage.number, stage_name(stage.number)) for stage in stages])
        else:
            del self.fields["stage"]

    def _choices(self, name: str, choices: list[tuple[Any, str]]) -> None:
        cast("forms.ChoiceField", self.fields[name]).choices = choices


class ParticipationForm(JoiningForm):
    """From which round to which a player is in the event, and whether a disqualification is taken back."""

    left = RoundField(label=_("Until"), required=False, empty_value=None)
    lifted = forms.BooleanField(label=_("The disqualification is taken back"), required=False)
    field_order = ("stage", "joined", "left", "lifted")

    def __init__(
        self, data: Any, *, entry: Entry, now: Participation, rounds: Sequence[Round], stages: Sequence[Stage]
    ) -> None:
        """`rounds`: that can be chosen; `now`: what is saved; `stages`: for a player who is in none."""
        super().__init__(data, initial={"joined": now.joined, "left": now.left})
        self.offer(rounds, stages, following=now.joined)
        left = gettext("left after round %(number)s")
        numbers = [(round_.number, left % {"number": round_.number}) for round_ in rounds]
        self._choices("left", [("", gettext("the end of the event")), *numbers])
        # A second press of the button says "lifted" of a player who is no longer disqualified.
        if entry.status != Entry.Status.DISQUALIFIED and "lifted" not in self.data:
            del self.fields["lifted"]
        self.fields["joined"].widget.attrs["autofocus"] = True


class ByeForm(CorrectionForm):
    """What a round without an opponent counts as."""

    result = forms.ChoiceField(label=_("This round counts as"))

    def __init__(self, data: Any, *, results: Sequence[str], now: str) -> None:
        super().__init__(data, initial={"result": now})
        choices = [(result, bye_words(result)) for result in dict.fromkeys([*results, now])]
        cast("forms.ChoiceField", self.fields["result"]).choices = choices
        self.fields["result"].widget.attrs["autofocus"] = True


class MissingEntryForm(JoiningForm):
    """A player who was there and is not in the event."""

    name = CleanField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        error_messages={"required": _("Enter a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autofocus": True}),
    )
    field_order = ("name", "stage", "joined")

    @property
    def newcomer(self) -> str:  # type: ignore[override]
        """The name of the player that it would add."""
        return str(self.cleaned_data.get("name", ""))
