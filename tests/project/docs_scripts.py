"""The scripts of docs/, which are no package, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS))  # they import each other as Python finds them when one is run


def script(name: str) -> ModuleType:
    """A script of docs/, as a module."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses looks
    spec.loader.exec_module(module)
    return module
