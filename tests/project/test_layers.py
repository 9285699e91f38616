"""The layers of the house hold, and the engine needs numpy alone."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import minigrad

PACKAGE = Path(minigrad.__file__).parent
ROOT = PACKAGE.parent
FORMER_NAMES = ("course.py", "runtime.py", "__main__.py")
ENGINE = sorted(path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in FORMER_NAMES)


def imported(path: Path) -> set[str]:
    """The first two names of everything a file imports: {"numpy", "minigrad.tensor"}."""
    package = ("minigrad", *path.relative_to(PACKAGE).parent.parts)
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return {".".join(name.split(".")[:2]) for name in names}


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_an_engine_module_imports_numpy_and_the_standard_library_only(path: Path) -> None:
    above = {f"minigrad.{name.removesuffix('.py')}" for name in FORMER_NAMES}
    names = imported(path)
    assert not names & above
    outside = {name.split(".")[0] for name in names} - sys.stdlib_module_names
    assert outside <= {"numpy", "minigrad"}


def test_importing_minigrad_loads_numpy_and_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import minigrad;"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
        ";print(*sorted(name for name in sys.modules if name.startswith('minigrad.')))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    tops, modules = ended.stdout.splitlines()
    assert set(tops.split()) - sys.stdlib_module_names == {"minigrad", "numpy"}
    assert not {name for name in modules.split() if f"{name.split('.')[1]}.py" in FORMER_NAMES}


def test_the_contract_of_the_core_names_every_room_and_every_module_beside_them() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (core,) = [each for each in settings["contracts"] if each["id"] == "core"]
    named = {name for layer in core["layers"] for name in layer.split(" | ")}
    rooms = {path.relative_to(ROOT).with_suffix("").parts[:2] for path in ENGINE}
    assert named == {".".join(room) for room in rooms} - {"minigrad.__init__"}


@pytest.mark.parametrize("switch", ["enable", "disable"])
def test_importing_minigrad_leaves_the_garbage_collector_as_it_is(switch: str) -> None:
    program = f"import gc; gc.{switch}(); before = gc.isenabled(); import minigrad; assert gc.isenabled() is before"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_import_contracts_hold() -> None:
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "0 broken" in ended.stdout
