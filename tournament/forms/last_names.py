from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import ngettext

from tournament.models import Entry
from tournament.text.display_names import turn_name
from tournament.text.last_names import Proposal, propose_last_name
from tournament.web.keyed_forms import KeyedForm
from tournament.web.layouts import button, helper_of

MOST = 200  # players on a page


class LastNamesForm(KeyedForm):
    """A choice for each unconfirmed last name, doubtful ones first, of one page; `rest`: confirm all others, too."""

    rest = forms.BooleanField(required=False)

    def __init__(self, entries: Sequence[Entry], known: Mapping[str, str], data: Any = None) -> None:
        """`known`: {name: last name} as confirmed in earlier events."""
        super().__init__(data)
        proposals = [(entry, _proposal_of(entry.name, known)) for entry in entries]
        proposals.sort(key=lambda row: not row[1].is_doubtful)
        self.people, others = proposals[:MOST], proposals[MOST:]
        self.others = {entry.code: proposal.last_name for entry, proposal in others}
        for entry, proposal in self.people:
            choices = [(last, _listed(entry.name, last)) for last in proposal.choices]
            field = forms.ChoiceField(choices=choices, required=False, label=entry.name)
            field.widget.attrs |= {"class": "form-select", "aria-label": entry.name}
            self.fields[f"last-{entry.code}"] = field
        if others:
            self.fields["rest"].label = ngettext(
                "Also confirm the proposal for %(count)s more player",
                "Also confirm the proposals for %(count)s more players",
                len(others),
            ) % {"count": len(others)}
        else:
            del self.fields["rest"]
        send = ngettext("Confirm %(count)s last name", "Confirm %(count)s last names", len(self.people))
        rest = ["rest"] if others else []
        self.helper = helper_of(*rest, button(send % {"count": len(self.people)}), tag=False)
        self.helper.render_hidden_fields = True

    @property
    def rows(self) -> list[tuple[Entry, Any, bool]]:
        return [(entry, self[f"last-{entry.code}"], proposal.is_doubtful) for entry, proposal in self.people]

    def fields_for_service(self) -> dict[str, Any]:
        sent = {
            entry.code: self.cleaned_data[f"last-{entry.code}"]
            for entry, _proposal in self.people
            if self.cleaned_data[f"last-{entry.code}"]
        }
        return {"last_names": {**(self.others if self.cleaned_data.get("rest") else {}), **sent}}


def _proposal_of(name: str, known: Mapping[str, str]) -> Proposal:
    proposal = propose_last_name(name)
    if (last := known.get(name)) in (None, proposal.last_name):
        return proposal
    return Proposal(str(last), False, tuple(dict.fromkeys([str(last), *proposal.choices])))


def _listed(name: str, last: str) -> str:
    listed = turn_name(name, last)
    if listed == name and last != name:
        return _t("%(name)s (last name %(last)s)") % {"name": name, "last": last}
    return _t("%(name)s (as written)") % {"name": name} if listed == name else listed
