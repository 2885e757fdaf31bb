"""The part of Bootstrap that the pages use: a fifth of it. `python -m tests.look.bootstrap` writes it anew."""

import re
from collections.abc import Iterator
from pathlib import Path

import crispy_bootstrap5

ROOT = Path(__file__).resolve().parents[2]
WHOLE = Path(__file__).with_name("bootstrap.min.css")
PART = ROOT / "static" / "bootstrap" / "bootstrap.min.css"
PACK = Path(crispy_bootstrap5.__file__).parent / "templates" / "bootstrap5"
APPS = ("pairings", "standings", "tournament")


def words_of_pages() -> set[str]:
    """Every word that may be a class: of a template's class attribute, or in a string of the code."""
    templates = [file for folder in (ROOT / "templates", PACK) for file in folder.rglob("*.html")]
    texts = [text for file in templates for text in re.findall(r'class="([^"]*)"', file.read_text())]
    code = [*(ROOT / "static").glob("*.js"), *(file for app in APPS for file in (ROOT / app).rglob("*.py"))]
    texts += [text for file in code for text in re.findall(r'"([^"\n]*)"', file.read_text())]
    return {word for text in texts for word in re.findall(r"[\w-]+", text)}


def split_rules(sheet: str) -> Iterator[tuple[str, str]]:
    at = 0
    while (brace := sheet.find("{", at)) >= 0:
        end, depth = brace + 1, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(sheet[end], 0)
            end += 1
        yield sheet[at:brace].strip(), sheet[brace + 1 : end - 1]
        at = end


def part_of(sheet: str, words: set[str]) -> str:
    """The rules whose classes are all among the words; those without a class too."""
    kept = []
    for head, body in split_rules(sheet):
        if head.startswith(("@media", "@supports")):
            body = part_of(body, words)
        elif not head.startswith("@"):
            selectors = re.split(r",(?![^(]*\))", head)
            head = ",".join(one for one in selectors if set(re.findall(r"\.([A-Za-z][\w-]*)", one)) <= words)
        if head and body:
            kept.append(f"{head}{{{body}}}")
    return "".join(kept)


def without_idle_variables(sheet: str, other: str) -> str:
    """The sheet without variables that neither it nor the other text reads."""
    read = set(re.findall(r"var\((--[\w-]+)", sheet + other))
    less = re.sub(r"(?<=[{;])(--[\w-]+):[^;}]*;?", lambda found: found[0] if found[1] in read else "", sheet)
    return less if less == sheet else without_idle_variables(less, other)


def make_part() -> str:
    """Bootstrap's licence line, and of its rules and variables those that a page can need."""
    whole = WHOLE.read_text()
    licence, own = (
        whole[: whole.index("*/") + 2],
        "".join(file.read_text() for file in (ROOT / "static").glob("*.css")),
    )
    rules = part_of(re.sub(r"/\*.*?\*/", "", whole, flags=re.DOTALL), words_of_pages())
    return f"{licence.strip()}\n{without_idle_variables(rules, own)}\n"


if __name__ == "__main__":
    PART.write_text(make_part())
