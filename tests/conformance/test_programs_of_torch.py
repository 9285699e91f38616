"""Each program in `programs/` prints, on both engines, the text in the `.out` file beside it, character by character.

The texts are torch's; running torch here as well says so, and tells when a new torch prints something else.
"""

import contextlib
import io
import sys
import types
import warnings
from pathlib import Path

import pytest
import torch

import minigrad

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


def printed(program: Path, engine: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a program prints whose `import torch` gives `engine`."""
    monkeypatch.setitem(sys.modules, "torch", engine)
    output = io.StringIO()
    with contextlib.redirect_stdout(output), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program.read_text(encoding="utf-8"), program, "exec"), {"__name__": "__main__"})
    return output.getvalue()


@pytest.mark.parametrize("engine", [torch, minigrad], ids=lambda engine: engine.__name__)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_prints_its_text(program: Path, engine: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = program.with_suffix(".out").read_text(encoding="utf-8")
    assert printed(program, engine, monkeypatch) == expected


def test_every_program_has_a_text_and_every_text_a_program() -> None:
    folder = Path(__file__).parent / "programs"
    assert PROGRAMS
    assert {path.stem for path in folder.glob("*.out")} == {path.stem for path in PROGRAMS}
