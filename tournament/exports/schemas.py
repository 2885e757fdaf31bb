import json
from functools import cache
from inspect import cleandoc
from typing import Any

from django.utils.translation import override

from tournament.archive.format import archive_schema
from tournament.rulesets.rule_fields import FIELDS
from tournament.rulesets.validate import ruleset_schema

DIALECT = {"$schema": "https://json-schema.org/draft/2020-12/schema"}


@cache
def published_schemas() -> dict[str, str]:
    with override("en"):
        titles = {path: str(field.label) for path, field in FIELDS.items()}
    rules = ruleset_schema(titles)
    return {"archive.json": _text(archive_schema(rules)), "ruleset.json": _text(rules)}


def _text(schema: dict[str, Any]) -> str:
    same = json.loads(json.dumps(DIALECT | schema), object_hook=_without_indentation)
    return json.dumps(same, ensure_ascii=False, indent=2) + "\n"


def _without_indentation(part: dict[str, Any]) -> dict[str, Any]:
    """Strip the indentation of descriptions: Python before 3.13 keeps it in docstrings."""
    text = part.get("description")
    return part | {"description": cleandoc(text)} if isinstance(text, str) else part
