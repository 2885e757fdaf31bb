from collections.abc import Iterable, Mapping, Sequence

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.event.table_plan import TablePlan


def first_few(items: Sequence[str], most: int = 8) -> str:
    """Join the first items and say how many more there are."""
    if len(items) > most:
        values = {"items": ", ".join(items[:most]), "more": len(items) - most}
        return _("%(items)s and %(more)s more") % values
    return ", ".join(items)


def tables_words(tables: Sequence[int | None], plan: TablePlan) -> str:
    """ "tables 4 and 7", "table 4 and the bye"; None is the bye."""
    numbers = [plan.name(table) for table in tables if table]
    parts = []
    if numbers:
        text = ngettext("table %(tables)s", "tables %(tables)s", len(numbers))
        parts.append(text % {"tables": get_text_list(numbers, _("and"))})
    if None in tables:
        parts.append(_("the bye"))
    return get_text_list(parts, _("and"))


def pairs_words(pairs: Iterable[Sequence[str | None]], names: Mapping[str, str]) -> str:
    """ "Ada – Bo, Cleo – bye"; a pair with None is the bye."""
    texts = (f"{names.get(str(a), a)} – {names.get(b, b) if b else _('bye')}" for a, b in pairs)
    return ", ".join(texts)
