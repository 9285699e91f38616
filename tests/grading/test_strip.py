"""The engine's source, and the source without some parts."""

import ast
import math
import re
import types
from pathlib import Path

import pytest

import minigrad
from minigrad_course.grading.judge.strip import (
    NO_OPERATIONS,
    engine_sources,
    left_out,
    without,
    without_derivatives,
)
from minigrad_course.parts import chapters

PACKAGE = Path(minigrad.__file__).parent

MODULE = '''\
"""A chapter."""
from functools import cache

# why Mul is as it is
@cache
@(
    cache
)
class Mul:
    """A part."""

    def forward(self):
        return "Mul"  # within


class Add:
    pass

def walk(node): return node  # a part in one line
TABLE = {"add": Add}
'''


def part(attribute: str, module: str = "engine.chapter", kind: str = "engine") -> dict[str, str]:
    return {"name": attribute.lower(), "module": module, "attribute": attribute, "kind": kind}


def names(source: str) -> set[str]:
    kinds = (ast.ClassDef, ast.FunctionDef)
    return {node.name for node in ast.parse(source).body if isinstance(node, kinds)}


def test_engine_sources_are_the_engine_and_nothing_beside_it():
    sources = engine_sources(PACKAGE)
    assert {"minigrad", "minigrad.scalar", "minigrad.tensor"} <= sources.keys()
    assert sources["minigrad"] == (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    assert not {"course", "runtime", "__main__"} & {name.split(".")[1] for name in sources if "." in name}


def test_packages_have_their_own_name_and_a_lone_one_is_marked(tmp_path):
    for name in ("__init__", "chapter", "__main__", "full/__init__", "full/one", "lone/__init__"):
        file = tmp_path / "engine" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"here = {name!r}\n")
    (tmp_path / "engine" / "course").mkdir()
    (tmp_path / "engine" / "course" / "__init__.py").write_text("")
    sources = engine_sources(tmp_path / "engine")
    assert set(sources) == {
        "engine",
        "engine.chapter",
        "engine.full",
        "engine.full.one",
        "engine.lone.__init__",
    }
    assert sources["engine.full"] == "here = 'full/__init__'\n"


def test_a_folder_that_is_no_package_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"is not a Python package: it has no __init__\.py"):
        engine_sources(tmp_path)


def test_a_class_goes_with_its_decorators_and_comments_and_the_rest_keeps_its_lines():
    shorter = without({"engine.chapter": MODULE}, [part("Mul")])["engine.chapter"]
    assert "Mul" not in shorter and "cache\n)" not in shorter
    assert names(shorter) == {"Add", "walk"}
    before, after = MODULE.split("\n"), shorter.split("\n")
    assert len(before) == len(after)
    assert [line for line in after if line] == before[:2] + before[15:17] + before[18:20]
    assert after.index("class Add:") == before.index("class Add:")


def test_a_function_in_one_line_and_several_parts_at_once():
    shorter = without({"engine.chapter": MODULE}, [part("walk"), part("Mul")])["engine.chapter"]
    assert names(shorter) == {"Add"}
    assert "TABLE" in shorter


def test_the_given_sources_stay_as_they_are():
    sources = {"engine.chapter": MODULE}
    without(sources, [part("Mul")])
    assert sources == {"engine.chapter": MODULE}


def test_every_definition_of_the_name_goes():
    source = "def f(x): return 1\nkeep = 1\ndef f(x): return 2\n"
    assert without({"m": source}, [part("f", "m")])["m"].split() == ["keep", "=", "1"]


def test_a_module_with_nothing_else_stays_valid():
    shorter = without({"m": "class Mul:\n    pass"}, [part("Mul", "m")])["m"]
    assert ast.parse(shorter).body == []


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
def test_other_line_endings_and_characters_that_only_look_like_them(ending):
    source = ending.join(["note = 'a\x0cb\u2028c'", "class Mul:", "    x = 1", "after = 2", ""])
    shorter = without({"m": source}, [part("Mul", "m")])["m"]
    assert shorter == "note = 'a\x0cb\u2028c'\n\n\nafter = 2\n"


def test_a_lone_package_is_found_by_its_own_name():
    sources = {"engine.lone.__init__": "class Mul: pass\n"}
    assert without(sources, [part("Mul", "engine.lone")]) == {"engine.lone.__init__": "\n"}


def test_only_top_level_definitions_are_parts():
    with pytest.raises(ValueError, match=r"'forward' is not in the engine: engine\.chapter has no"):
        without({"engine.chapter": MODULE}, [part("forward")])


@pytest.mark.parametrize("module", ["engine.chapter", "engine.cellar"])
def test_a_part_that_the_engine_lacks(module):
    with pytest.raises(ValueError, match=f"{module} has no top-level class or function Softplus"):
        without({"engine.chapter": MODULE}, [part("Softplus", module)])
    for kind in ("operation", "program"):
        sources = without({"engine.chapter": MODULE}, [part("Softplus", module, kind)])
        assert sources == {"engine.chapter": MODULE}


def test_of_a_twin_only_the_inside_goes():
    source = "def keep():\n    return 1\n\n\nclass Block:\n    def __exit__(self):\n        x = 1\n        return x\n"
    parts = [{"kind": "twin", "module": "m", "attribute": each} for each in ("keep", "Block.__exit__")]
    stripped = without({"m": source}, parts)["m"]
    assert stripped.count("\n") == source.count("\n") and "return" not in stripped
    namespace = {}
    exec(stripped, namespace)
    for call in (namespace["keep"], namespace["Block"]().__exit__):
        with pytest.raises(NotImplementedError, match="is not available while a part that does the same is checked"):
            call()
    with pytest.raises(ValueError, match="is not in the engine"):
        without({"m": source}, [{"kind": "twin", "module": "m", "attribute": "Block.nothing"}])


DECLARED = """
class Exp(OfResult):
    value = staticmethod(lambda a: np.exp(a))
    derivative = staticmethod(lambda g, r: g * r)

class Log(OfInput):
    "√"
    value = staticmethod(lambda a: np.log(a))
    derivative = staticmethod(
        lambda upstream, a: (
            upstream / a)
    )

class Sinh(OfInput):
    @staticmethod
    def derivative(g, a):
        return g * cosh(a)
"""


def test_an_operation_loses_the_derivative_that_it_declares_and_nothing_else():
    stripped = without_derivatives({"minigrad.rows": DECLARED}, ["minigrad.rows.Exp"])["minigrad.rows"]
    assert stripped.count("\n") == DECLARED.count("\n")
    assert "lambda g, r: g * r" in stripped and "np.log(a)" in stripped and "√" in stripped
    assert "upstream / a" not in stripped and "cosh" not in stripped
    namespace = {"OfInput": object, "OfResult": object, "np": math}
    exec(stripped, namespace)
    assert namespace["Log"].value(1.0) == 0.0
    assert [namespace[name].derivative(3.0, 2.0) for name in ("Exp", "Log", "Sinh")] == [6.0, None, None]


def test_every_derivative_that_the_engine_declares_is_found():
    """What a class calls `backward` or `derivative` goes, unless it is that of another class, which goes there."""
    sources = engine_sources(PACKAGE)
    stripped = without_derivatives(sources, ())
    for name, source in sources.items():
        for node, inner in zip(ast.parse(source).body, ast.parse(stripped[name]).body, strict=True):
            if not isinstance(node, ast.ClassDef) or f"{name}.{node.name}" in NO_OPERATIONS:
                continue
            for before, after in zip(node.body, inner.body, strict=True):
                text = ast.unparse(before)
                if re.match(
                    r"(@staticmethod\n)?def (backward|derivative)\(|(backward|derivative) = (?!.*\.backward)", text
                ):
                    assert text != ast.unparse(after), f"{name}.{node.name}"


def test_a_backward_in_a_row_loses_its_derivative():
    source = "class Flip:\n    backward = staticmethod(lambda ctx, grad_output: grad_output * 7)\n"
    stripped = without_derivatives({"minigrad.rows": source}, ["minigrad.rows.Exp"])["minigrad.rows"]
    namespace = {}
    exec(stripped, namespace)
    assert stripped.count("\n") == source.count("\n") and "7" not in stripped
    assert namespace["Flip"].backward(types.SimpleNamespace(edges=[1, 2]), 1.0) == (None, None)


def test_every_twin_of_a_part_is_in_the_engine():
    for chapter in chapters():
        for check in chapter.checks:
            without(engine_sources(PACKAGE), left_out(chapter, check))


@pytest.mark.parametrize(("name", "module"), [("hypot", "minigrad.ops.ternary"), ("logsumexp", "minigrad.ops.softmax")])
def test_the_engine_of_a_check_lacks_the_operation_that_it_asks_for(name, module):
    (chapter,) = [each for each in chapters() if name in each.checks]
    sources = engine_sources(PACKAGE)
    refusal = f"{name} is not available while a part that does the same is checked"
    assert refusal not in sources[module]
    assert refusal in without(sources, left_out(chapter, name))[module]
