"""What the tests of the editor share: what its page would send."""

import re

from standings.rulesets.editor.draft_form import DraftForm
from tournament.models import Rulebook
from tournament.rulebooks.library import newest_of


def sent(book: Rulebook, **changed) -> dict:
    """What the editor's page would send if its button were pressed, with some fields changed."""
    form = DraftForm(profile=book.draft or newest_of(book).profile, revision=book.draft_revision)
    data: dict = {}
    for name in form.fields:
        value = form[name].value()
        if isinstance(value, bool):
            data |= {name: "on"} if value else {}
        else:
            data[name] = value if isinstance(value, list) else str(value or "") if value != 0 else "0"
    for formset in (form.steps, form.rows, *form.word_lists.values()):
        for part in (formset.management_form, *formset.forms):
            values = {part.add_prefix(name): part[name].value() for name in part.fields}
            data |= {
                name: "" if value is None or value is False else str(value) for name, value in values.items()
            }
    return {**data, **{name.replace("__", "."): value for name, value in changed.items()}}


def reordered(data: dict, indexes: list[int]) -> dict:
    """The same with these lines of the standings order, best first; the others are removed."""
    total = max(int(data["steps-TOTAL_FORMS"]), *(index + 1 for index in indexes))
    places = {f"steps-{index}-ORDER": str(place) for place, index in enumerate(indexes, start=1)}
    deletions = {f"steps-{index}-DELETE": "on" for index in range(total) if index not in indexes}
    return {**data, **places, **deletions, "steps-TOTAL_FORMS": str(total)}


def order_in(html: str) -> list[str]:
    """The lines of the standings order on a page, from the top, each by its index."""
    return re.findall(r'name="steps-(\d+)-ORDER"', html)


def page(answer) -> str:
    return answer.content.decode()
