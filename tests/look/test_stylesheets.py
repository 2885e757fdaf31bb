"""Classes of pages and rules of style sheets belong together."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("pairings", "standings", "tournament")
HOOKS = {"as-of", "out"}  # of scripts


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


def test_every_class_of_a_template_has_a_rule():
    assert classes_of_templates() - classes_of_sheets() == HOOKS
