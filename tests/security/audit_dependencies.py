"""Known vulnerabilities of what is installed beside this Python, by pip-audit.

Exit code 1 for a known vulnerability. Where pip-audit or its data cannot be reached, one line says so, and that is all.
"""

import json
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request
import venv
from pathlib import Path

OURS = "swiss-tournament-manager"
SECONDS = 180
DATA = "https://pypi.org/pypi/pip/26.0/json"  # as pip-audit asks for each release
OPTIONS = ("--format", "json", "--progress-spinner", "off", "--timeout", "10")


def describe_report(text: str) -> tuple[int, str]:
    """Exit code and words for what pip-audit printed, which is nothing where it failed."""
    try:
        packages = json.loads(text)["dependencies"]
    except (ValueError, KeyError):
        return 0, "not audited: pip-audit did not reach its data"
    audited = [package for package in packages if "vulns" in package]
    if not audited:
        return 0, f"not audited: the data knows none of {len(packages)} packages"
    vulnerabilities = [
        f"{package['name']} {package['version']}: {each['id']}, mended in {', '.join(each['fix_versions']) or 'none'}"
        for package in audited
        for each in package["vulns"]
    ]
    unknown = sorted(
        package["name"] for package in packages if package not in audited and package["name"] != OURS
    )
    known = (
        f"{len(audited)} of {len(packages)} packages audited; not known there: {', '.join(unknown) or 'none'}"
    )
    return int(bool(vulnerabilities)), "\n".join([*vulnerabilities, known])


def report() -> str:
    """Run pip-audit in another environment. Returns what it prints about this one."""
    urllib.request.urlopen(
        DATA, timeout=10
    ).close()  # else a minute would be spent on that environment for nothing
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(next(Path(folder).glob("[bS]*/python*")))
        install = [python, "-m", "pip", "install", "--quiet", "pip-audit"]
        audit = [python, "-m", "pip_audit", "--path", sysconfig.get_path("purelib"), *OPTIONS]
        if subprocess.run(install, capture_output=True, timeout=SECONDS, check=False).returncode:
            return ""
        return subprocess.run(audit, capture_output=True, text=True, timeout=SECONDS, check=False).stdout


if __name__ == "__main__":
    try:
        code, words = describe_report(report())
    except (OSError, subprocess.SubprocessError) as error:
        code, words = 0, f"not audited: {type(error).__name__}"
    print(words)
    sys.exit(code)
