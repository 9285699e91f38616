"""Where an engine of one's own is judged there is no other: to import, in sys.modules, in frames, in memory."""

import json
import textwrap

import pytest

from minigrad_course.checks.reference import program_of
from minigrad_course.checks.verdicts import Here, judge
from minigrad_course.grading.judge.judge import read_submission
from minigrad_course.parts import chapter_of
from minigrad_course.programs.cells import module_of
from minigrad_course.texts import source

CHAPTER = chapter_of("my_scalar")
RUNGS = [part.name for part in CHAPTER.parts if part.place.kind == "module"]
# Each takes another engine for its own. Here, where minigrad is loaded, all of them succeed.
ATTACKS = {
    "import": """
        import importlib
        for name in ("torch", "minigrad", "minigrad.ops", "minigrad.tensor"):
            try:
                found = importlib.import_module("".join(name))
                tensor, no_grad = found.tensor, found.no_grad
            except (ImportError, AttributeError):
                pass
    """,
    "sys.modules": """
        import sys
        for found in [*sys.modules.values()]:
            if getattr(found, "__name__", "").startswith(("mini", "tor")):
                try:
                    tensor, no_grad = found.tensor, found.no_grad
                except AttributeError:
                    pass
    """,
    "frames and memory": """
        import gc, marshal, sys, types
        seen, waiting, name = set(), [*gc.get_objects()], "minigrad"
        frame = sys._getframe()
        while frame:
            waiting += [frame.f_globals, frame.f_locals]
            frame = frame.f_back
        while waiting:
            one = waiting.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            if type(one) in (dict, list, tuple, types.FunctionType, types.MappingProxyType):
                waiting += gc.get_referents(one)
            if type(one) is types.ModuleType and one.__name__ == name and hasattr(one, "tensor"):
                tensor, no_grad = one.tensor, one.no_grad
                break
            if type(one) is types.CodeType and one.co_filename.startswith(f"{name}/ops"):
                tensor = one  # from which it could be made
            if type(one) is str and one.count("def back" + "ward") and "class Mul" + "(" in one:
                tensor = one
    """,
}


def handed_in(text, path):
    """Our solution, with another engine in it."""
    notebook = source.notebook("solutions", CHAPTER.name)
    (cell,) = [cell for cell in notebook.cells if source.is_module(cell.source)]
    cell.source = f"%%engine\n{textwrap.dedent(text)}"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return read_submission(path)


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_engine_is_there_to_be_taken(patient, tmp_path, attack):
    submission = handed_in(ATTACKS[attack], tmp_path / "x.ipynb")
    earlier = {}
    for check in [*RUNGS, CHAPTER.together]:
        earlier[check] = patient.result(submission, check, earlier)
        assert (earlier[check].passed, earlier[check].points) == (False, 0), check
    assert "has no attribute 'tensor'" in earlier["my_scalar"].what, earlier["my_scalar"].what


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_attack_finds_one_where_one_is(attack):
    module, failure = module_of(f"%%engine\n{textwrap.dedent(ATTACKS[attack])}")
    assert failure is None
    here = Here(CHAPTER, "my_scalar", program_of(CHAPTER, "my_scalar"), dict.fromkeys(RUNGS, module))
    assert judge(here).state == "passed"


def test_our_own_engine_earns_all_points(patient, tmp_path):
    path = tmp_path / "ours.ipynb"
    path.write_text(json.dumps(source.notebook("solutions", CHAPTER.name)), encoding="utf-8")
    earlier = {}
    for check in CHAPTER.checks:
        earlier[check] = patient.result(read_submission(path), check, earlier)
        assert earlier[check].passed, earlier[check].what
