import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
APPS = ("tournament", "standings", "pairings")
OURS = (*APPS, "templates", "static", "tests", "docs")
LONGEST = 500  # lines of a module
LONGEST_LINE = 160  # characters of a line of a template
DOORS = {
    "__init__.py", "admin.py", "apps.py", "backups.py", "errors.py", "exports.py", "push.py", "text.py", "urls.py",
}  # fmt: skip


def ours(*suffixes: str) -> list[Path]:
    inside = [path for folder in OURS for path in (ROOT / folder).rglob("*")]
    top = [path for path in ROOT.iterdir() if path.is_file()]
    files = [path for path in [*inside, *top] if path.suffix in suffixes]
    return sorted(path for path in files if "__pycache__" not in path.parts)


def named(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def matching(pattern: str, paths: list[Path]) -> list[str]:
    return named([path for path in paths if re.search(pattern, path.read_text(encoding="utf-8"))])


def test_no_module_is_longer_than_a_person_reads_at_once():
    modules = [path for path in ours(".py") if "migrations" not in path.parts]
    assert len(modules) > 20
    long = [path for path in modules if len(path.read_text(encoding="utf-8").splitlines()) > LONGEST]
    assert named(long) == []


def test_no_line_of_a_template_is_longer_than_a_screen():
    assert matching(rf"(?m)^.{{{LONGEST_LINE + 1}}}", ours(".html")) == []


def test_no_template_comment_runs_over_its_line():
    """Such a comment is printed on the page."""
    assert matching(r"(?m)\{#(?!.*#\})", ours(".html")) == []


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
    assert matching(pattern, ours(".html")) == [], what


def test_no_text_is_read_as_a_template():
    """Crispy's HTML is one: what stands in it is written in the code."""
    assert matching(r"\bHTML\((?!'[^']*'\)|\"[^\"]*\"\))", product()) == []


def test_public_pages_ask_for_nobody():
    """`public.html` and all that extend it: no user, session, message or token."""
    texts = {path: path.read_text(encoding="utf-8") for path in ours(".html")}
    public = [path for path, text in texts.items() if path.name == "public.html" or '"public.html"' in text]
    private = r"\{[{%][^}]*\b(user|request\.user|perms|messages|csrf_token|button_fields|request\.session)\b(?![^}]*=)"
    # The block named "messages" is only a place; app.html fills it.
    guilty = [p for p in public if re.search(private, re.sub(r"\{% (end)?block \w+ %\}", "", texts[p]))]
    assert named(guilty) == []


@pytest.mark.long
def test_no_file_knows_a_machine():
    files = [*ours(".py", ".html", ".md", ".toml", ".js", ".css", ".json"), ROOT / ".ci" / "run"]
    assert matching(r"(?<!\w)/(home|root|Users|work)/[a-z]", files) == []


def product() -> list[Path]:
    return [path for path in ours(".py") if path.relative_to(ROOT).parts[0] in APPS]


def test_no_docstring_opens_with_a_relative_clause_or_preposition():
    openings = {"What", "Who", "Whose", "Whom", "Those", "Of", "By", "As", "Where"}
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [
        f"{path.name}: {text}"
        for path in ours(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, kinds) and (text := ast.get_docstring(node))
        if re.split(r"\W", text, maxsplit=1)[0] in openings
    ]
    assert found == []


def test_texts_are_divided_where_their_lines_end():
    """`splitlines` divides at separators within a line, too: `tournament.text.split_lines`."""
    of_programs = {"bootstrap.py", "log_lines.py", "backups.py"}  # what these print: no separator may stay
    assert matching(r"splitlines\(\)", [path for path in product() if path.name not in of_programs]) == []


def test_at_the_top_of_an_app_stand_only_its_doors_and_rooms():
    tops = [path for path in product() if path.parent.parent == ROOT]
    assert named([path for path in tops if path.name not in DOORS]) == []


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_of(path: Path, modules: set[str]) -> set[str]:
    """The modules of ours that a module imports: at its top, inside a function or for its types."""
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            imported |= names if names <= modules else {*names, node.module}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
    return imported & modules - {module_name(path)}


def test_no_module_imports_itself_by_way_of_others():
    """Not even for its types: what two modules share stands in a third beneath both."""
    paths = {module_name(path): path for path in product()}
    graph = {name: imports_of(path, set(paths)) for name, path in paths.items()}
    assert sum(map(len, graph.values())) > 500
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_requests_and_roles_have_their_types():
    assert matching(r"(htmx|role\b).*type: ignore", product()) == []


def test_fields_are_written_by_forms():
    """Labels, help, errors and limits come from the form; a template writes no field itself but a search box."""
    field = r"<(input|select|textarea)\b(?![^>]*type=\"(hidden|search)\")"
    assert matching(field, ours(".html")) == []


@pytest.mark.parametrize("document", [name for name in named(ours(".md")) if name != "CHANGELOG.md"])
def test_the_documentation_names_files_that_exist(document):
    """Modules by their path or its end, and whatever begins with a folder of ours; other paths are addresses."""
    modules = [f"/{name}" for name in named(ours(".py"))]
    matches = re.findall(r"`([\w./-]+?)(?:::\w+)?`", (ROOT / document).read_text(encoding="utf-8"))
    missing = [
        name
        for name in matches
        if (name.endswith(".py") or ("/" in name and name.split("/")[0] in OURS))
        and not (ROOT / name).exists()
        and not any(module.endswith(f"/{name}") for module in modules)
    ]
    assert missing == []
