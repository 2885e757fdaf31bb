"""The JSON Schemas we publish: of an archive and of a ruleset."""

import json
from functools import cache
from typing import Any

from django.utils.translation import override

from tournament.archive.format import archive_schema
from tournament.rulebooks.rule_fields import FIELDS
from tournament.rulesets.json_schema import ruleset_schema

DIALECT = {"$schema": "https://json-schema.org/draft/2020-12/schema"}


@cache
def published_schemas() -> dict[str, str]:
    """The text of each schema, by the name of its file in `docs/schemas/`."""
    with override("en"):
        titles = {path: str(field.label) for path, field in FIELDS.items()}
    rules = ruleset_schema(titles)
    return {"archive.json": _text(archive_schema(rules)), "ruleset.json": _text(rules)}


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(DIALECT | schema, ensure_ascii=False, indent=2) + "\n"
