"""Operations that are loaded when they are first asked for: a program must not notice."""

import pytest
from engines import printed_by_fresh

import minigrad
from minigrad.ops import lazy

IMPORTS = """
import minigrad
from minigrad.ops import lazy
"""
PROGRAM = """
import sys
import minigrad as torch
from minigrad.ops import lazy

def there():
    return set(vars(torch.Tensor)), torch.ops.functions.names()
"""


def printed(*programs: str) -> list[str]:
    """What each program prints in a fresh process, where nothing is loaded yet."""
    return printed_by_fresh([PROGRAM + program for program in programs], IMPORTS)


def test_the_import_loads_none_of_them_nor_what_few_programs_need() -> None:
    program = "x = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n"
    program += "rest = ['minigrad.parts', 'minigrad.autograd.graph', 'numpy.random', 'torch']\n"
    program += (
        "print([name for name in [*['minigrad.ops.' + name for name in lazy.NAMES], *rest] if name in sys.modules])"
    )
    assert printed(program) == ["[]\n"]


def test_the_table_names_what_the_modules_define() -> None:
    program = (
        "before = there()\nlazy.load()\nprint(before == there())\n"
        "print([name for name, value in vars(torch.Tensor).items() if isinstance(value, lazy.Method)])\n"
        "functions = torch.ops.functions\n"
        "print([name for name in functions.names() if not functions.made(name)])\n"
    )
    assert printed(program) == ["True\n[]\n[]\n"]


def test_each_name_loads_its_module_whichever_is_first() -> None:
    """As a function, as a method of the class and of a tensor; only the first of them finds nothing there."""
    programs = {}
    for module, text in lazy.NAMES.items():
        names = text.split()
        functions = [name.removesuffix("()") for name in names if not name.startswith(".")]
        methods = [name.removeprefix(".") for name in names if not name.endswith("()")]
        programs[module] = (
            f"found = [getattr(torch, name) for name in {functions}]\n"
            f"found += [getattr(torch.Tensor, name) for name in {methods}]\n"
            f"found += [getattr(torch.ones(2), name) for name in {methods}]\n"
            "print([each for each in found if isinstance(each, lazy.Method)])\n"
        )
        if methods:
            programs[f"{module}, first by a tensor"] = f"print([] if callable(torch.ones(2).{methods[-1]}) else 0)"
    texts = printed(*programs.values())
    assert dict(zip(programs, texts, strict=True)) == dict.fromkeys(programs, "[]\n")


def test_a_name_that_is_taken_later_is_taken() -> None:
    program = (
        "for name in ('einsum', 'cumsum', 'softmax'):\n"
        "    try:\n        torch.register(name, torch.relu)\n"
        "    except ValueError as error:\n        print(error)\n"
    )
    assert printed(program) == ["".join(f"Tensor.{name} exists already\n" for name in ("einsum", "cumsum", "softmax"))]


def test_dir_knows_them() -> None:
    program = "print({'einsum', 'cumsum', 'stack'} <= set(dir(torch)), {'cumsum', 'tril_'} <= set(dir(torch.ones(2))))"
    assert printed(program) == ["True True\n"]


def test_what_nobody_has_is_said_to_be_missing() -> None:
    with pytest.raises(KeyError):
        minigrad.ops.functions["einsums"]
