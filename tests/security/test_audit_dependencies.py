import json

import pytest

from tests.security.audit_dependencies import describe_report

GOOD = {"name": "django", "version": "5.2.19", "vulns": []}
BAD = {"name": "sqlparse", "version": "0.1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["0.2"]}]}
SKIPPED = {"name": "segno", "skip_reason": "Dependency not found on PyPI"}


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([GOOD], 0, "1 of 1 packages audited; not known there: none"),
        ([GOOD, SKIPPED], 0, "1 of 2 packages audited; not known there: segno"),
        (
            [GOOD, BAD],
            1,
            "sqlparse 0.1: PYSEC-1, mended in 0.2\n2 of 2 packages audited; not known there: none",
        ),
        ([SKIPPED, SKIPPED], 0, "not audited: the data knows none of 2 packages"),
    ],
)
def test_what_pip_audit_found_is_said_in_a_few_words(packages, code, words):
    assert describe_report(json.dumps({"dependencies": packages})) == (code, words)


@pytest.mark.parametrize("text", ["", "Traceback", "{}"])
def test_a_pip_audit_that_failed_is_no_failure_and_says_so(text):
    assert describe_report(text) == (0, "not audited: pip-audit did not reach its data")
