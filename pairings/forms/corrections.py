"""Forms of corrections, and of the repair of a published round."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crispy_forms.bootstrap import FieldWithButtons
from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairings.forms.players import PlayerField, PlayersForm, TwoPlayersForm
from pairings.request.pairing_request import LONGEST_REASON as LONGEST_REPAIR_REASON
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import NotFound
from tournament.event.rounds import match_at, round_name
from tournament.forms.results import SlipForm
from tournament.models import Entry, Round, Stage, Tournament
from tournament.progress.flights import stage_name
from tournament.results.desk_rows import DeskRow
from tournament.results.wording import bye_words
from tournament.services.corrections import Participation
from tournament.text import LONGEST_NAME
from tournament.web.keyed_forms import (
    LARGEST,
    LONGEST_REASON,
    BareHiddenInput,
    CleanField,
    KeyedForm,
    NumberField,
    ReasonField,
    button,
    lay_out_form,
)

NUMBER = forms.NumberInput(attrs={"inputmode": "numeric", "max": 9999})
LONGEST_RULER = 80
RULING = ("ruled_by", "reason", "digest", "shown")


class CorrectionForm(KeyedForm):
    """Corrected facts, who ruled, and why. `digest`: of the effect shown; `shown`: number and digest of its action."""

    newcomer = ""

    ruled_by = forms.CharField(label=_("Who ruled"), required=False, max_length=LONGEST_RULER)
    reason = ReasonField(
        label=_("Reason (required)"),
        max_length=LONGEST_REASON - LONGEST_RULER - 20,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("For the log, such as “the slip was read the wrong way round”."),
    )
    digest = forms.CharField(required=False, widget=forms.HiddenInput)
    shown = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)

    @property
    def helper(self) -> FormHelper:
        names = [field.name for field in self.visible_fields() if field.name not in RULING]
        return lay_out_form(*names, tag=False)

    @property
    def reason_helper(self) -> FormHelper:
        helper = lay_out_form("ruled_by", "reason", tag=False)
        helper.disable_csrf, helper.render_hidden_fields = True, False
        return helper

    def fields_for_service(self) -> dict[str, Any]:
        fields = super().fields_for_service()
        return {name: value for name, value in fields.items() if name not in RULING}

    def is_understood(self) -> bool:
        """Whether the facts are valid, even if who ruled and why are missing."""
        return self.is_bound and not set(self.errors) - set(RULING)

    def focus_on_reason(self) -> None:
        for field in self.fields.values():
            field.widget.attrs.pop("autofocus", None)
        if self.errors:
            self.fields["reason"].widget.attrs["autofocus"] = True

    def show_again(self, **values: Any) -> None:
        self.data = {**{name: self.data[name] for name in self.data}, **values}

    @property
    def whole_reason(self) -> str:
        reason, ruler = (self.cleaned_data.get(name, "").strip() for name in ("reason", "ruled_by"))
        if not (reason and ruler):
            return reason
        return gettext("%(reason)s (ruled by %(name)s)") % {"reason": reason, "name": ruler}


class ResultCorrectionForm(CorrectionForm, SlipForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for side in "ab":
            self.fields[f"{side}_drops"].widget = forms.HiddenInput()

    helper = SlipForm.helper

    def name_players(self, row: DeskRow) -> None:
        super().name_players(row)
        if row.buttons and not (row.rules.by_score or row.rules.scores):
            usual = [(button.text, button.label) for button in row.buttons]
            self.fields["slip"].widget = forms.RadioSelect(choices=[*usual, ("", _("Other…"))])
            self.initial["slip"] = "-"  # none is chosen at first

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if "read" in data and data["read"] is None:
            self.add_error(None, gettext("Enter the right result: a correction clears none."))
        return data

    def fields_for_service(self) -> dict[str, Any]:
        return SlipForm.fields_for_service(self)


class SeatsCorrectionForm(CorrectionForm, TwoPlayersForm):
    def __init__(self, match: MatchFact, names: Mapping[str, str], here: Iterable[str], data: Any) -> None:
        """`here`: codes of the round's players. Codes of other players are valid here; the service refuses them."""
        seated = [code for code in (match.a, match.b) if code]
        offered = {code: names[code] for code in (*seated, *here)}
        super().__init__(names, data, offered=offered, initial={"a": match.a, "b": match.b})
        for side, code in zip("ab", seated, strict=False):
            self.fields[side].label = gettext("In the place of %(name)s") % {"name": names[code]}
        self.fields["a"].widget.attrs["autofocus"] = True
        if match.b is None:
            del self.fields["b"]


class MergeForm(CorrectionForm, PlayersForm):
    other = PlayerField(label=_("The other entry of this player"))

    def __init__(self, names: Mapping[str, str], data: Any) -> None:
        super().__init__(names, data, offered=names)
        self.fields["other"].widget.attrs["autofocus"] = True


class TableForm(forms.Form):
    round = NumberField(label=_("Round"), min_value=1, widget=NUMBER)
    table = NumberField(label=_("Table"), min_value=1, widget=NUMBER)

    def __init__(self, tournament: Tournament, data: Any = None) -> None:
        super().__init__(data)
        self.tournament = tournament
        self.fields["round"].widget.attrs["autofocus"] = True

    @property
    def helper(self) -> FormHelper:
        find = button(_("Correct this table"), "")
        return lay_out_form("round", "table", find, method="get", css="cluster")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors:
            try:
                match_at(self.tournament, data["round"], data["table"])
            except NotFound as error:
                raise forms.ValidationError(str(error)) from None
        return data


class RoundField(forms.TypedChoiceField):
    def __init__(self, **kwargs: Any) -> None:
        errors = {"invalid_choice": _("Choose a round of this list.")}
        super().__init__(coerce=int, error_messages=errors, **kwargs)


class JoiningForm(CorrectionForm):
    """The round from which a player takes part and, if there are several, the session."""

    stage = forms.TypedChoiceField(
        label=_("Session"),
        coerce=int,
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), _("Choose the session that the player was in.")
        ),
    )
    joined = RoundField(label=_("In the event from"))

    def offer(self, rounds: Sequence[Round], stages: Sequence[Stage], following: int | None = None) -> None:
        """Offer these rounds and stages. `following`: the first round that a player who has not played yet can join."""
        numbers = [round_.number for round_ in rounds if round_.swiss]
        texts = {number: gettext("round %(number)s") % {"number": number} for number in numbers}
        if following is not None and following not in texts:
            texts[following] = gettext("round %(number)s, not paired yet") % {"number": following}
        if numbers:
            texts[numbers[0]] = gettext("round %(number)s, the start") % {"number": numbers[0]}
        self.set_choices("joined", list(texts.items()))
        if len(stages) > 1:
            self.set_choices("stage", [(stage.number, stage_name(stage.number)) for stage in stages])
        else:
            del self.fields["stage"]


class ParticipationForm(JoiningForm):
    """The first and last round of a player, and whether to reverse a disqualification."""

    left = RoundField(label=_("Until"), required=False, empty_value=None)
    lifted = forms.BooleanField(label=_("The disqualification is taken back"), required=False)
    field_order = ("stage", "joined", "left", "lifted")

    def __init__(
        self, data: Any, *, entry: Entry, now: Participation, rounds: Sequence[Round], stages: Sequence[Stage]
    ) -> None:
        """`rounds`: the choices; `now`: the saved value; `stages`: offered if the player is in no stage yet."""
        super().__init__(data, initial={"joined": now.joined, "left": now.left})
        self.offer(rounds, stages, following=now.joined)
        left = gettext("left after %(round)s")
        numbers = [(each.number, left % {"round": round_name(each).phrase}) for each in rounds]
        self.set_choices("left", [("", gettext("the end of the event")), *numbers])
        # A repeated request still says "lifted" although the first one lifted the disqualification.
        if entry.status != Entry.Status.DISQUALIFIED and "lifted" not in self.data:
            del self.fields["lifted"]
        self.fields["joined"].widget.attrs["autofocus"] = True


class ByeForm(CorrectionForm):
    result = forms.ChoiceField(label=_("This round counts as"))

    def __init__(self, data: Any, *, results: Sequence[str], now: str) -> None:
        super().__init__(data, initial={"result": now})
        choices = [(result, bye_words(result)) for result in dict.fromkeys([*results, now])]
        self.set_choices("result", choices)
        self.fields["result"].widget.attrs["autofocus"] = True


class MissingEntryForm(JoiningForm):
    name = CleanField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        error_messages={"required": _("Enter a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autofocus": True}),
    )
    field_order = ("name", "stage", "joined")

    @property
    def newcomer(self) -> str:  # type: ignore[override]
        return str(self.cleaned_data.get("name", ""))


class ChosenPlayersForm(PlayersForm):
    """The codes of players to add to the round (`into`) and remove from it (`out`)."""

    into = forms.MultipleChoiceField(
        label=_("Arrived: seat in this round"), required=False, widget=forms.CheckboxSelectMultiple
    )
    out = forms.MultipleChoiceField(
        label=_("Not here: leave out of this round"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Whoever is left out loses this round and is paired in the next, unless dropped."),
    )

    lists: tuple[str, ...] = ("into", "out")

    def __init__(self, names: Mapping[str, str], *args: Any, **kwargs: Any) -> None:
        super().__init__(names, *args, **kwargs)
        for name in self.lists:
            self.offer(name, names)

    def offer(self, name: str, labels: Mapping[str, str]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = list(labels.items())

    def codes_in(self, name: str) -> list[str]:
        """Return the valid codes of one field, even if the other has an error."""
        return list(self.cleaned_data.get(name, ()))


class RepairChoiceForm(ChosenPlayersForm):
    """The players to seat, for computing the options. Before a choice is made (`chosen`), the facts decide."""

    chosen = forms.CharField(required=False, initial="1", widget=BareHiddenInput)
    missing = PlayerField(
        label=_("Not here: leave out of this round (first letters of the name, or the code)"), required=False
    )

    @property
    def helper(self) -> FormHelper:
        boxes = [name for name in ("into", "out") if list(self[name])]
        show = button(_("Show options"), "")
        return lay_out_form(*boxes, FieldWithButtons("missing", show, css_class="short"), method="get")


class RepairForm(ChosenPlayersForm, KeyedForm):
    """The chosen option (`plan`, computed at the event's revision `seen`), players who also drop, and a reason."""

    lists = ("into", "out", "drop")
    into = forms.MultipleChoiceField(required=False, widget=forms.MultipleHiddenInput)
    out = forms.MultipleChoiceField(required=False, widget=forms.MultipleHiddenInput)
    drop = forms.MultipleChoiceField(
        label=_("Also drop from the event"), required=False, widget=forms.CheckboxSelectMultiple
    )
    seen = forms.IntegerField(required=False, min_value=0, max_value=LARGEST, widget=BareHiddenInput)
    plan = forms.CharField(required=False, max_length=64, widget=BareHiddenInput)
    reason = ReasonField(label=_("Reason (shown with the round)"), max_length=LONGEST_REPAIR_REASON)
    button: Any = None

    @property
    def helper(self) -> FormHelper:
        drop = ["drop"] if list(self["drop"]) else []
        return lay_out_form(*drop, "reason", self.button)
