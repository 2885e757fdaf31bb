"""What the tests of the editor share: what its page would send."""

from standings.rulesets.editor.form import DraftForm
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
    for items in (form.steps, form.rows):
        data[items.name] = [str(item.number) for item in items.forms]
        for item in items.forms:
            data |= {item.add_prefix(name): str(item[name].value() or "") for name in item.fields}
    return {**data, **{name.replace("__", "."): value for name, value in changed.items()}}


def page(answer) -> str:
    return answer.content.decode()
