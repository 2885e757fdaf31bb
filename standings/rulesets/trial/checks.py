"""What a ruleset was checked against, in short sentences: worked examples and published standings of real events."""

import json
from functools import lru_cache
from typing import Any, NamedTuple

from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from msgspec.structs import replace

from standings.conformance.evidence import Evidence, known_evidence, total_evidence
from standings.conformance.library import documents_of
from standings.rulesets.trial.example_words import verdicts_of
from standings.rulesets.trial.examples import origin_of, worked_examples
from tournament.rulebooks.rule_fields import label_of


class Check(NamedTuple):
    """One kind of check. `note`: in which fields of the ruleset the events differ, and where they are from."""

    agrees: bool
    sentence: str
    note: str = ""


def checks_of(profile: dict[str, Any]) -> list[Check]:
    """What a ruleset was checked against, real events in one line; empty where there is nothing yet."""
    rows = known_evidence().get(profile.get("key", ""), [])
    events = total_evidence(replace(row, program="", fields=()) for row in rows)
    return [*_examples(json.dumps(profile), get_language()), *map(_check_of, events)]


def evidence_of(profile: dict[str, Any]) -> list[Check]:
    """The real events under a built-in ruleset, one check for each program and way of playing it."""
    return [_check_of(row) for row in known_evidence().get(profile.get("key", ""), [])]


@lru_cache(maxsize=500)
def _examples(profile: str, language: str) -> list[Check]:
    """The worked examples of a ruleset; computed once, because a list shows those of every ruleset."""
    rules = json.loads(profile)
    return [
        Check(*verdict) for verdict in verdicts_of(worked_examples(rules, documents_of(origin_of(rules))))
    ]


def _check_of(row: Evidence) -> Check:
    words = ngettext(
        "%(agree)s of %(n)s real event agrees: %(values_agree)s of %(values)s published values",
        "%(agree)s of %(n)s real events agree: %(values_agree)s of %(values)s published values",
        row.events,
    )
    sentence = words % {
        "agree": row.events_agree,
        "n": row.events,
        "values": number_format(row.values, force_grouping=True),
        "values_agree": number_format(row.values_agree, force_grouping=True),
    }
    notes = [_("computed by %(program)s") % {"program": row.program}] if row.program else []
    if row.fields:
        fields = get_text_list([label_of(path) for path in row.fields], _("and"))
        notes.append(_("with other values for: %(fields)s") % {"fields": fields})
    notes.append(_("from %(sources)s") % {"sources": ", ".join(row.sources)})
    return Check(row.events == row.events_agree, sentence, "; ".join(notes))
