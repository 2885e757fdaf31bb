"""The step of a wheel's build that compiles the catalogs (`tool.hatch.build` in pyproject.toml)."""

from pathlib import Path
from runpy import run_path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogsHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root, "tournament")
        run_path(str(root / "config" / "catalogs.py"))["compile_catalogs"](root / "locale")
        build_data["artifacts"].append("tournament/locale/**/*.mo")
