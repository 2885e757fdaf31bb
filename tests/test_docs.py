import importlib
import json
import re
from pathlib import Path

import pytest

from tournament.rulesets import presets
from tournament.rulesets.schema import is_field

ROOT = Path(__file__).resolve().parents[1]
RULES = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([^`\n]+)`", RULES)))
TESTS = [name for name in NAMED if "::" in name]
MORE = sorted(set(re.findall(r"`([\w/]+\.py::\w+)`", SECURITY)))
DOTTED = [name for name in NAMED if re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", name)]
CODE = [name for name in DOTTED if name.split(".")[0] in ("tournament", "standings", "pairings")]
FIELDS = [name for name in DOTTED if name not in CODE and name not in ("melee.gg",)]
SLOTS = {"W1.3", "F.1", "P3.1"}


def find_object(dotted: str) -> object:
    """The module, class or function of that name. Raises ImportError or AttributeError."""
    parts = dotted.split(".")
    for cut_at in range(len(parts) - 1, 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:cut_at]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut_at:]:
            value = getattr(value, name)
        return value
    raise ImportError(dotted)


def test_the_rules_name_plenty():
    assert len(TESTS) > 50 < len(MORE) and len(CODE) > 40 and len(FIELDS) > 20


@pytest.mark.parametrize("name", CODE)
def test_a_function_named_in_the_rules_exists(name):
    assert callable(find_object(name))


@pytest.mark.parametrize("name", [*TESTS, *(f"tests/{name}" for name in MORE)])
def test_a_test_named_in_the_rules_or_under_security_exists(name):
    path, function = name.split("::")
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^def {re.escape(function)}\(", text, re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in FIELDS if name not in SLOTS])
def test_a_field_named_in_the_rules_is_one_a_ruleset_may_have(name):
    assert is_field(name)


# The last number of each section of OWASP ASVS 5.0.0, of level 1 or 2: V1, V2, … Each section counts from 1.
ASVS = """2 9 11 3 2, 3 3 4 1, 0 2 4 6 5 0 2, 3 1 2 4, 1 3 2 3, 3 12 4 4 5 3 0 4, 3 4 2 5 2 2, 2 3 1 1, 3 4,
2 2 4 11 5 2 3, 2 3 3 4 1 1, 3 2 4, 1 5 2 5, 2 4 3, 3 3 7, 1 5 4 3 3, 1 4 2"""


def test_each_requirement_of_the_standard_for_security_stands_in_its_document_once():
    asked = [
        f"{chapter}.{section}.{number}"
        for chapter, sections in enumerate(ASVS.split(","), start=1)
        for section, last in enumerate(sections.split(), start=1)
        for number in range(1, int(last) + 1)
    ]
    numbers = re.compile(r"(?<![\d.])(\d+\.\d+\.)(\d+)(?:–\1(\d+))?(?!\.\d)")
    stand = [
        f"{section}{number}"
        for section, first, last in numbers.findall(SECURITY.partition("## Met")[2])
        for number in range(int(first), int(last or first) + 1)
    ]
    assert len(asked) == 253
    assert sorted(stand) == sorted(asked)


def test_whatever_is_met_says_how_and_names_a_test():
    rows = [line for line in SECURITY.partition("## Not met")[0].splitlines() if re.match(r"\| \d", line)]
    assert len(rows) > 80
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 4 and all(cells) and "::" in cells[3], row


def test_every_rule_has_a_source_a_function_and_a_test():
    rows = [line for line in RULES.splitlines() if line.startswith("| ") and "::" in line]
    assert len(rows) > 50
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 4 and all(cells), row
        assert cells[2].strip("`") in CODE and cells[3].strip("`") in TESTS, row


def test_every_ruleset_is_told():
    for key in presets():
        assert f"`{key}`" in RULES


def test_the_reference_lists_the_settings_and_every_command_of_ours():
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    settings, commands = text.split("## Commands")
    rows = re.findall(r"(?m)^\| (`.*?) \|", settings)
    listed = {name for row in rows for name in re.findall(r"`([A-Z_]+)", row)}
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tournament").rglob("*.py"))
    assert len(listed) > 15
    assert {name for name in listed if f'"{name}"' not in code} == set()
    extended = {"collectstatic", "flush", "migrate"}  # Django's own commands, with more checks
    ours = {path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")} - extended
    named = set(re.findall(r"(?m)^\| `(\w+)", commands))
    assert named == ours | {"test"}


def test_the_six_rulesets_hold_what_their_table_says():
    rows = {"dci1999": (False, True), "mtr": (True, True), "cardeio": (True, False)}
    for key, (floored, byes) in rows.items():
        shares = presets()[key]["percentages"]
        assert (shares["floor_own_gw"], shares["opp_include_byes"]) == (floored, byes)


def test_the_archive_shown_in_the_documentation_is_canonical():
    from tournament.archive import build_archive, parse_event

    text = (ROOT / "docs" / "archive.md").read_text(encoding="utf-8")
    examples = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert examples
    for example in examples:
        data = json.loads(example)
        archive = build_archive(parse_event(data), with_seed=True)
        assert list(archive) == list(data)
        for key in data:
            if key != "ruleset":
                assert json.dumps(archive[key]) == json.dumps(data[key]), key
