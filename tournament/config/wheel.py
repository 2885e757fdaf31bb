"""Building a wheel: templates and static files, beside the apps in the source, lie within the first app there.

Django finds them in an app by itself. Nothing here is run but by setuptools.
"""

import os
from pathlib import Path

from setuptools.command import build_py

PARTS = ("templates", "static")


class BuildWithPages(build_py.build_py):
    """setuptools' step that gathers a package's files."""

    def run(self) -> None:
        """Gather ours, too; an editable install reads them where they are."""
        super().run()
        for part in () if self.editable_mode else PARTS:
            self.copy_tree(part, os.path.join(self.build_lib, "tournament", part))

    def get_source_files(self) -> list[str]:
        """What a source distribution holds."""
        pages = [str(path) for part in PARTS for path in Path(part).rglob("*") if path.is_file()]
        return [*super().get_source_files(), *pages]
