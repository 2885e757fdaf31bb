"""The house rules that a reader relies on and no linter knows."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("tournament", "standings", "pairings", "templates", "static", "tests", "docs")
VENDORED = ROOT / "static" / "bootstrap"
LONGEST = 400  # lines of a module


def ours(*suffixes: str) -> list[Path]:
    """Our own files with these suffixes, wherever they are."""
    inside = [path for folder in OURS for path in (ROOT / folder).rglob("*")]
    top = [path for path in ROOT.iterdir() if path.is_file()]
    files = [path for path in [*inside, *top] if path.suffix in suffixes]
    return sorted(path for path in files if VENDORED not in path.parents and "__pycache__" not in path.parts)


def named(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def test_no_module_is_longer_than_a_person_reads_at_once():
    modules = [path for path in ours(".py") if "migrations" not in path.parts]
    assert len(modules) > 20
    long = [path for path in modules if len(path.read_text(encoding="utf-8").splitlines()) > LONGEST]
    assert named(long) == []


def test_every_partial_says_first_what_it_is_given():
    partials = [path for path in ours(".html") if path.name.startswith("_")]
    assert partials
    silent = [
        path
        for path in partials
        if not re.match(r"\{#.*Given: .*#\}", path.read_text(encoding="utf-8").split("\n")[0])
    ]
    assert named(silent) == []


def test_no_template_comment_runs_over_its_line():
    """Such a comment is printed on the page."""
    found = [
        path
        for path in ours(".html")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.count("{#") != line.count("#}")
    ]
    assert named(found) == []


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("script in the page", r"<script(?![^>]*\bsrc=)(?![^>]*application/json)"),
        ("style in the page", r"<style|\sstyle="),
        ("code in an attribute", r"\son[a-z]+=|hx-on|javascript:|[\"']js:"),
        ("a filter that needs eval", r"hx-trigger=[\"'][^\"']*\["),
        ("unescaped text", r"\|\s*safe\b|autoescape off"),
    ],
)
def test_no_template_holds_what_the_content_policy_forbids(what, pattern):
    guilty = [path for path in ours(".html") if re.search(pattern, path.read_text(encoding="utf-8"))]
    assert named(guilty) == [], what


def test_public_pages_ask_for_nobody():
    """`public.html` and all that extend it: no user, session, message or token."""
    texts = {path: path.read_text(encoding="utf-8") for path in ours(".html")}
    public = [path for path, text in texts.items() if path.name == "public.html" or '"public.html"' in text]
    private = r"\{[{%][^}]*\b(user|request\.user|perms|messages|csrf_token|request\.session)\b(?![^}]*=)"
    # The block named "messages" is only a place; app.html fills it.
    guilty = [p for p in public if re.search(private, re.sub(r"\{% (end)?block \w+ %\}", "", texts[p]))]
    assert named(guilty) == []


def test_no_file_knows_a_machine():
    places = re.compile("|".join(rf"(?<!\w)/{top}/[a-z]" for top in ("home", "root", "Users", "work")))
    files = [*ours(".py", ".html", ".md", ".toml", ".js", ".css", ".json"), ROOT / ".ci" / "run"]
    guilty = [path for path in files if places.search(path.read_text(encoding="utf-8"))]
    assert named(guilty) == []
