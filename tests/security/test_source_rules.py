"""Dangerous calls that ruff's bandit rules (`S` in pyproject.toml) and test_house do not look for.

What is allowed stands here by its file, with the reason.
"""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_house import APPS, ROOT, ours

Rule = Callable[[ast.AST], bool]
MAKES_HTML = {"format_html", "format_html_join", "HTML", "Template", "from_string"}
ASKS = {"filter", "exclude", "get", "order_by", "values", "values_list", "annotate", "only", "defer"}
SENT = {"GET", "POST", "headers", "session"}
CONNECTS = re.compile(
    r"(socket|ssl|http\.client|urllib\.request|smtplib|ftplib|requests|httpx|urllib3)(\.|$)"
)
SECRET = re.compile(r"(password|token|secret|session_key|credential)$", re.IGNORECASE)


def last_part(node: ast.AST) -> str:
    return getattr(node, "attr", "") or getattr(node, "id", "")


def called(node: ast.AST) -> str:
    return last_part(node.func) if isinstance(node, ast.Call) else ""


def is_put_together(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    return isinstance(node, ast.BinOp) or called(node) in ("format", "join", "replace")


def marks_as_safe(node: ast.AST) -> bool:
    return called(node) in ("SafeString", "mark_safe", "SafeData", "html_safe")


def makes_html_of_values(node: ast.AST) -> bool:
    """Crispy's HTML is a template, too: a value in it could be one."""
    return called(node) in MAKES_HTML and any(not isinstance(text, ast.Constant) for text in node.args[:1])  # type: ignore[attr-defined]


def puts_sql_together(node: ast.AST) -> bool:
    return called(node) in ("execute", "executemany") and any(map(is_put_together, node.args[:1]))  # type: ignore[attr-defined]


def asks_past_the_orm(node: ast.AST) -> bool:
    return called(node) in ("raw", "RawSQL", "extra") and bool(node.args or node.keywords)  # type: ignore[attr-defined]


def asks_in_the_visitors_words(node: ast.AST) -> bool:
    """Which rows, which columns or which order, straight from the request: `order_by(request.GET["by"])`."""
    if called(node) not in ASKS or last_part(getattr(node.func, "value", None)) in SENT:  # type: ignore[attr-defined]
        return False
    named = [keyword.value for keyword in node.keywords if keyword.arg is None]  # type: ignore[attr-defined]
    parts = [*node.args, *named]  # type: ignore[attr-defined]
    return any(last_part(part) in ("GET", "POST") for each in parts for part in ast.walk(each))


def compares_a_secret(node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return False
    return any(SECRET.search(last_part(side)) for side in (node.left, *node.comparators))


def connects(node: ast.AST) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    module = (getattr(node, "module", "") or "") if isinstance(node, ast.ImportFrom) else ""
    return any(CONNECTS.match(name) for name in (*names, module))


def lets_other_sites_post(node: ast.AST) -> bool:
    return last_part(node) == "csrf_exempt"


def asks_whether_it_is_debugged(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "DEBUG"


RULES: dict[Rule, set[str]] = {
    marks_as_safe: {
        "tournament/templatetags/desk.py",  # what a template rendered: a row, a form, a button's words
        "tournament/paper/everything.py",  # our own stylesheets
        "tournament/templatetags/names.py",  # a rendered heading without its tags
    },
    makes_html_of_values: set(),
    puts_sql_together: {
        "tournament/actionlog/triggers.py",  # names of our own triggers
    },
    asks_past_the_orm: set(),
    asks_in_the_visitors_words: set(),
    compares_a_secret: {
        "tournament/web/middleware.py",  # the key of this very request's session
    },
    connects: {
        "tournament/push.py",  # push messages: to public addresses alone, no redirect, 5 s
        "tournament/config/env.py",  # asks for this machine's own addresses
        "tournament/config/server.py",  # an option of the socket that it listens on
    },
    lets_other_sites_post: set(),
    asks_whether_it_is_debugged: {
        "tournament/public/responses.py",  # keeps nothing while developing
        "tournament/public/response_cache.py",
    },
}
PRODUCT = [
    path for path in ours(".py") if path.relative_to(ROOT).parts[0] in APPS and "migrations" not in path.parts
]
TREES = {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in PRODUCT}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_only_the_named_files_do_what_is_dangerous(rule):
    assert {name for name, tree in TREES.items() if any(map(rule, ast.walk(tree)))} == RULES[rule]


DANGEROUS = """
mark_safe(name); format_html(f"<b>{name}</b>"); HTML("<b>%s</b>" % name); cursor.execute(f"DROP TABLE {name}")
Entry.objects.raw(name); rows.order_by(request.GET["by"]); rows.filter(**request.POST.dict()); import requests
token == sent; user.password != sent; csrf_exempt(view); settings.DEBUG
from urllib.request import urlopen
"""
HARMLESS = """
format_html("<b>{}</b>", name); HTML("{% include 'x' %}"); cursor.execute("SELECT %s", [name]); settings.SITE_URL
rows.order_by("name"); rows.filter(code=request.GET["code"]); request.GET.get("page"); compare_digest(token, sent)
"""


def test_the_rules_know_what_is_dangerous_from_what_is_not():
    broken = {rule for rule in RULES for node in ast.walk(ast.parse(DANGEROUS)) if rule(node)}
    assert broken == set(RULES)
    assert not [rule for rule in RULES for node in ast.walk(ast.parse(HARMLESS)) if rule(node)]


def test_whatever_a_rule_of_bandit_is_silenced_for_has_its_reason():
    lines = [line for path in PRODUCT for line in path.read_text(encoding="utf-8").splitlines()]
    silenced = [line for line in lines if "noqa: S" in line]
    assert len(silenced) > 10
    assert [line for line in silenced if not re.search(r"noqa: S\d+ +\(?\w+", line)] == []


def test_no_page_loads_or_links_anything_of_another_site():
    elsewhere = re.compile(r"""(href|src|action|srcset)=["'](https?:)?//|target=["']?_blank|{% debug %}""")
    pages = [path for path in ours(".html") if elsewhere.search(path.read_text(encoding="utf-8"))]
    assert pages == []


SCRIPTS = {
    r"innerHTML|insertAdjacentHTML|document\.write|srcdoc|createContextualFragment": {},
    r"\beval\(|new Function|setTimeout\([\"'`]|\.on\w+ = [\"']": {},
    r"addEventListener\(\"message\"": {"sw.js": 1},  # a service worker hears pages of its own origin alone
    r"(localStorage|sessionStorage)\.setItem|indexedDB|document\.cookie": {
        "page.js": 1,  # a report that was not sent yet
        "theme.js": 1,  # dark or light
    },
}


@pytest.mark.parametrize("pattern", SCRIPTS)
def test_scripts_write_no_html_and_keep_no_more_than_is_named(pattern):
    counts = {path.name: len(re.findall(pattern, path.read_text(encoding="utf-8"))) for path in scripts()}
    assert {name: count for name, count in counts.items() if count} == SCRIPTS[pattern]


def scripts() -> list[Path]:
    return [path for path in ours(".js") if path.parent == ROOT / "static"]
