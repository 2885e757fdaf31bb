"""Classes of pages and rules of style sheets belong together."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("pairings", "standings", "tournament")
HOOKS = {"as-of", "out"}  # of scripts
BUILT = re.compile(r"(lines|columns|rows|per)-\d+|face-announcement")  # ends that templates fill in


def read(files) -> str:
    return "\n".join(file.read_text() for file in files)


def classes_of_sheets() -> set[str]:
    sheets = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", read((ROOT / "static").glob("*.css")), flags=re.DOTALL)
    return {
        name for head in re.findall(r"([^{}]*)\{", sheets) for name in re.findall(r"\.([A-Za-z][\w-]*)", head)
    }


def classes_of_templates() -> set[str]:
    """Every word of a class attribute that is not made by a template tag."""
    pages = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", " ", read((ROOT / "templates").rglob("*.html")), flags=re.DOTALL)
    words = re.findall(r'\b(?:class|css|look)="([^"]*)"', pages)
    return {word for text in words for word in text.split() if re.fullmatch(r"[A-Za-z][\w-]*[\w]", word)}


def words_of_program() -> set[str]:
    """Every word that may be a class: in a template, or in a string of a script or of the code."""
    strings = read(
        [*(ROOT / "static").glob("*.js"), *(file for app in APPS for file in (ROOT / app).rglob("*.py"))]
    )
    texts = [read((ROOT / "templates").rglob("*.html")), *re.findall(r'"[^"\n]*"', strings)]
    return {word for text in texts for word in re.findall(r"[A-Za-z][\w-]*", text)}


def test_every_class_of_a_template_has_a_rule():
    assert classes_of_templates() - classes_of_sheets() == HOOKS


def test_every_rule_is_of_a_class_that_is_used():
    unused = classes_of_sheets() - words_of_program()
    assert {name for name in unused if not BUILT.fullmatch(name)} == set()


def test_the_style_sheets_of_pages_stay_small():
    sizes = {
        name: (ROOT / "static" / f"{name}.css").stat().st_size for name in ("site", "screen", "print", "desk")
    }
    assert (
        sizes["site"] <= 40_000 and max(sizes["screen"], sizes["print"]) <= 20_000 and sizes["desk"] <= 24_000
    )
