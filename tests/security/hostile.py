"""Hostile texts for every column that a person can fill, and what they would have become in an answer.

Each column has a mark of its own, so that what breaks out names the column it came from.
"""

import csv
import io
import json
import mimetypes
import re
import zipfile
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection, models
from django.http import HttpResponse

from tournament.actionlog import triggers
from tournament.exports import NUMBER

MODELS = [*apps.get_app_config("tournament").get_models(), User]
MARK = re.compile(r"zq[a-z]{2}q")
# What no person writes: keys, hashes and addresses that the app makes, and words of the code.
MADE = set(
    """
    Action.kind Action.key Action.body Entry.code Entry.key_hash Invite.key_hash Ruleset.key RulesetVersion.key
    Tournament.slug Tournament.seed Tournament.link_secret Tournament.lineage Tournament.time_zone User.password
    Match.winner Match.first Match.game_order Match.slot Match.decided Match.waived_rule
    Seat.side Seat.kind Seat.score Report.slip Entry.start
    """.split()
)
# JSON of numbers, codes and choices; texts in the others.
MADE |= set(
    """
    Entry.requested_byes Match.replays Round.pairing Stage.sources Stage.best_of Tournament.overrides
    Tournament.forbidden Tournament.screens Baseline.facts
    """.split()
)
# On no page: what push services are sent, and what only a command or the database shows.
NOT_SHOWN = {
    "PushSubscription.endpoint", "PushSubscription.p256dh", "PushSubscription.auth", "Removal.personal",
}  # fmt: skip

WAYS: dict[str, Callable[[str], str]] = {
    "markup": lambda mark: f"=\"' {mark}=1><script>{mark}</script>{{{{{mark}}}}}{{%{mark}%}}%({mark})s",
    "links": lambda mark: f"javascript:{mark}//\r\n{mark}: 1\t\u202e\x1b</textarea></title>",
}


def columns() -> list[tuple[type[models.Model], models.Field]]:
    """Every column that may hold a text which a person wrote, those of JSON too."""
    return [
        (model, field)
        for model in MODELS
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField | models.JSONField)
        and not field.choices
        and column_name(model, field) not in MADE
    ]


def column_name(model: type[models.Model], field: models.Field) -> str:
    return f"{model.__name__}.{field.name}"


def marks() -> dict[str, str]:
    names = [column_name(model, field) for model, field in columns()]
    by_name = {name: f"zq{chr(97 + n // 26)}{chr(97 + n % 26)}q" for n, name in enumerate(names)}
    return by_name | {mark: name for name, mark in by_name.items()}


class Hostile:
    """Writes hostile texts of one way into every row there is, past the services: what these refuse, too."""

    def __init__(self, way: str) -> None:
        self.text, self.marks = WAYS[way], marks()
        self.of_facts = {field.name: column_name(model, field) for model, field in columns()}

    def write(self) -> None:
        connection.check_constraints()  # no deferred check may be due where triggers are removed
        triggers.remove()
        for model, field in columns():
            for row in model._default_manager.all():
                value = self.value(model, field, row)
                model._default_manager.filter(pk=row.pk).update(**{field.name: value})
        triggers.install()

    def value(self, model: type[models.Model], field: models.Field, row: models.Model) -> Any:
        name, own = column_name(model, field), getattr(row, field.name)
        if name in self.jsons:
            return self.jsons[name](self, own)
        assert not isinstance(field, models.JSONField), (
            f"{name} holds JSON: say in `jsons` or in MADE which texts"
        )
        if name in ("Tournament.table_plan", "Round.table_plan"):
            return f"A\"'><i {self.marks[name]}> 1-40"  # a name has 24 characters and no digit
        if name == "Tournament.prize_currency":
            return f"\"'><{self.marks[name]}"  # 12 characters
        unique = f"{row.pk}"
        return self.of(name, (field.max_length or 2000) - len(unique)) + unique

    def of(self, name: str, longest: int) -> str:
        return self.text(self.marks[name])[:longest]

    def facts(self, name: str, value: Any, key: str = "") -> Any:
        """A JSON value whose texts, where they stand under the name of a column, are hostile."""
        if isinstance(value, dict):
            return {key: self.facts(name, inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.facts(name, inner, key) for inner in value]
        return self.of(name, 60) if value and isinstance(value, str) and key in self.of_facts else value

    def profile(self, name: str, own: dict | None) -> dict | None:
        if not own:
            return own
        text = self.of(name, 60)
        described = dict.fromkeys(("name", "source", "confidence", "based_on"), text)
        steps = [{**step, "label": text} for step in own.get("tiebreaks", [])]
        changes = [{"after": 1, "fields": ["best_of_swiss"], "reason": text}]
        return {**own, **described, "tiebreaks": steps, "open_fields": [text], "rule_changes": changes}

    def prizes(self, name: str) -> list[dict[str, Any]]:
        text = self.of(name, 40)
        prize = {"first": 1, "last": 2, "label": text, "what": text, "amount": "5"}
        return [{"by": by, **prize} for by in ("place", "label")]

    jsons: dict[str, Callable[..., Any]] = {
        "Entry.former_names": lambda self, own: [self.of("Entry.former_names", 60)],
        "Entry.former_contacts": lambda self, own: [self.of("Entry.former_contacts", 60)],
        "Entry.labels": lambda self, own: [self.of("Entry.labels", 60)],
        "Entry.members": lambda self, own: own and [self.of("Entry.members", 80)] * len(own),
        "Tournament.prizes": lambda self, own: self.prizes("Tournament.prizes"),
        "Tournament.profile": lambda self, own: self.profile("Tournament.profile", own),
        "RulesetVersion.profile": lambda self, own: self.profile("RulesetVersion.profile", own),
        "Ruleset.draft": lambda self, own: self.profile("Ruleset.draft", own),
        "Action.changes": lambda self, own: self.facts("Action.changes", own),
        "Removal.personal": lambda self, own: self.facts("Removal.personal", own),
    }


ADDRESSES = {"href", "src", "action", "formaction", "srcset", "poster", "hx-get", "hx-post", "data", "cite"}
OWN_ADDRESS = re.compile(
    r"""((?!//)(?![a-z][a-z0-9+.-]*:)|(https?|otpauth)://|mailto:)[^<>"'\s]*|data:image/(?!.*zq[a-z]{2}q).*""",
    re.IGNORECASE | re.DOTALL,
)
SAVED_AS = re.compile(r"""(attachment|inline); filename(="[\w.-]+"|\*=utf-8''[\w.%-]+)""", re.ASCII)


class Markup(HTMLParser):
    """Parse a page like a browser. `faults`: places where a text became markup."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.inside = ""  # a script or a style sheet
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        written = f"<{tag} {values}>"
        if MARK.search(" ".join((tag, *values))) or len(values) < len(attrs):
            self.faults.append(f"an element or attribute: {written}")
        coded = [name for name in values if re.fullmatch("on[a-z]+|style|srcdoc", name)]
        if coded or tag in ("base", "iframe", "object", "embed"):
            self.faults.append(f"code or style in the page: {written}")
        for name in ADDRESSES & set(values):
            if not OWN_ADDRESS.fullmatch(values[name]):
                self.faults.append(f"an address: {written}")
        for name in {"hx-vals", "hx-headers"} & set(values):
            self.check_json(values[name])
        if tag in ("script", "style"):
            self.inside = tag
        if tag == "script" and "src" not in values and values.get("type") != "application/json":
            self.faults.append(f"a script: {written}")

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "style" and MARK.search(data):
            self.faults.append(f"a style: {data}")
        elif self.inside == "script" and data.strip():
            self.check_json(data)

    def check_json(self, data: str) -> None:
        if not is_json(data):
            self.faults.append(f"data of scripts: {data}")

    def handle_comment(self, data: str) -> None:
        if MARK.search(data):
            self.faults.append(f"a comment: {data}")


def is_json(text: str | bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def parts_of(answer: HttpResponse) -> Iterator[tuple[str, bytes]]:
    """(media type, bytes) of what an answer holds; of an archive, each file in it."""
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if kind != "application/zip":
        yield kind, body
        return
    with zipfile.ZipFile(io.BytesIO(body)) as files:
        for name in files.namelist():
            yield mimetypes.guess_type(name)[0] or "", files.read(name)


def breaches_of(answer: HttpResponse) -> Iterator[str]:
    """Find texts that broke out of their place in a page, sheet, JSON document or header."""
    for name, value in answer.headers.items():
        broken = re.search(r"[\r\n\0]", f"{name}{value}")
        if broken or (name == "Content-Disposition" and not SAVED_AS.fullmatch(value)):
            yield f"a header: {name}: {value!r}"
    for kind, body in parts_of(answer):
        if kind == "text/html":
            yield from Markup(body.decode()).faults
        elif kind.endswith("json") and body and not is_json(body):
            yield f"no JSON: {body!r}"
        elif kind == "text/csv":
            yield from formulas_in(body.decode())


def formulas_in(sheet: str) -> Iterator[str]:
    for row in csv.reader(io.StringIO(sheet, newline="")):
        for cell in row:
            if re.match(r"[=+\-@|%\t\r\n＝＋－＠]", cell) and not NUMBER.fullmatch(cell):
                yield f"a formula: {cell!r}"
