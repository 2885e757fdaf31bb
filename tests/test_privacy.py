"""The tables of docs/privacy.md against the database: whatever may be personal is listed, and what is listed exists."""

import re
from pathlib import Path

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import models

from tournament.actionlog.facts import KINDS
from tournament.models import Entry

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "privacy.md").read_text(encoding="utf-8")
LISTED = set(re.findall(r"`([A-Z]\w+\.\w+)`", TEXT))
# Texts, JSON values and users that are about no one. A new column belongs here or into the tables.
ABOUT_NO_ONE = {
    "Entry": "code requested_byes start",
    "Action": "kind key body",
    "Match": "winner first game_order slot replays decided waived_rule",
    "Round": "table_plan",
    "Seat": "side kind",
    "Ruleset": "key name draft",
    "RulesetVersion": "key name profile note",
    "Stage": "sources best_of",
    "Tournament": (
        "slug name game venue time_zone overrides profile table_plan screens seed "
        "prize_currency link_secret lineage"
    ),
    "LogEntry": "object_id",
    "Permission": "name codename",
    "Group": "name",
    "ContentType": "app_label model",
}
# Tables that are never used: links that confirm an email address are signed.
EMPTY = {"EmailConfirmation"}


def may_be_personal(column: models.Field) -> bool:
    """Free texts, JSON values, addresses, and links to accounts."""
    if isinstance(column, models.ForeignKey | models.ManyToManyField):
        return column.related_model is get_user_model()
    kinds = (models.CharField, models.TextField, models.JSONField, models.GenericIPAddressField)
    return isinstance(column, kinds) and not column.choices


def columns_of_the_database() -> dict[str, models.Field]:
    return {
        f"{model.__name__}.{column.name}": column
        for model in apps.get_models()
        if model.__name__ not in EMPTY
        for column in (*model._meta.concrete_fields, *model._meta.many_to_many)
    }


def test_every_column_and_log_field_that_is_personal_is_listed_in_full():
    columns = columns_of_the_database()
    others = {f"{model}.{name}" for model, names in ABOUT_NO_ONE.items() for name in names.split()}
    assert others <= set(columns) and not others & LISTED
    missing = {name for name, column in columns.items() if may_be_personal(column)} - LISTED - others
    assert missing == set()
    personal = {f"{model.__name__}.{name}" for model, kind in KINDS.items() for name in kind.personal}
    assert personal - LISTED == set()
    assert LISTED - set(columns_of_the_database()) == set()
    assert len(LISTED) > 50 and f"{Entry.__name__}.contact" in LISTED
    rows = [line for line in TEXT.splitlines() if line.startswith("| ") and re.search(r"`[A-Z]\w+\.", line)]
    assert len(rows) > 20
    for row in rows:
        assert all(cell.strip() for cell in row.strip("|").split("|")) and row.count("|") == 6, row
