"""An answer put into a module: what comes along, what it is called there, and what stays as it was."""

from __future__ import annotations

from typing import Any

import pytest

from minigrad_course.checks.modules import Answer, Lost, Module, answer_in, pieces
from minigrad_course.programs.program import Place

SETUP = "%load_ext minigrad_course\n\nimport numpy as np\n\nfrom pack import tools\n"
MODULE = '''\
"""A module."""

from __future__ import annotations

import numpy as np

from pack import tools as tools_of_ours


def helper(a):
    """Ours."""
    return a


@property
def double(a):
    """Ours."""
    return helper(a) * 2


def last(a):
    return double(a) + 1
'''


def place(name: str, node: str | None = None) -> Place:
    return Place(name, "engine", name, "pack.module", node=node)


def taken(text: str, name: str = "double", others: dict[str, str] | None = None, setup: str = SETUP) -> Answer:
    return answer_in(name, place(name), {name: text, **(others or {})}, setup)


def module_with(*answers: Answer, text: str = MODULE) -> str:
    module = Module("pack.module", text)
    module.put(answers)
    return module.text


def run(text: str) -> dict[str, Any]:
    """The names of a module, which may import the tools of its package."""
    namespace: dict[str, Any] = {"tools_of_ours": "tools", "tools": "tools"}
    kept = [line for line in text.split("\n") if not line.startswith("from pack")]
    exec(compile("\n".join(kept), "module", "exec"), namespace)
    return namespace


# --- taking out ----------------------------------------------------------------------------------


def test_the_answer_comes_without_its_decorator_and_with_its_comments() -> None:
    text = '%time\n# mine, all mine\n@part("double")\n@staticmethod  # why not\n'
    text += "def double(a):\n    return 2 * a\n    # done\n"
    (answer,) = [piece for piece in pieces(text) if piece.part]
    assert answer.text == "# mine, all mine\n@staticmethod  # why not\ndef double(a):\n    return 2 * a\n    # done"
    assert (answer.part, answer.name) == ("double", "double")


def test_what_the_answer_needs_comes_along_and_nothing_else() -> None:
    text = "import math\nimport os\nTWO, three = 2, 3\nprint(TWO)\ndef twice(a): return a * TWO\n"
    text += '@part("double")\ndef double(a):\n    return twice(a) + math.pi - math.pi\n'
    assert [piece.text for piece in taken(text).needed] == [
        "import math",
        "TWO, three = 2, 3",
        "def twice(a): return a * TWO",
    ]


def test_a_name_is_looked_for_in_the_own_cell_then_in_the_setup_then_in_others() -> None:
    others = {
        "one": "import math as np\ndef twice(a): return 0\n",
        "two": "this is no Python",
        "three": "def thrice(a): return np.sum(a)\n",
    }
    text = 'def twice(a): return a * 2\n@part("double")\ndef double(a): return twice(a) + thrice(a) + len(a)\n'
    assert [piece.text for piece in taken(text, others=others).needed] == [
        "def thrice(a): return np.sum(a)",
        "import numpy",
        "def twice(a): return a * 2",
    ]


@pytest.mark.parametrize("text", ["double = part('double')(abs)", "if 1:\n  @part('double')\n  def f(a): ...", ")", ""])
def test_an_answer_handed_over_in_another_way_is_lost_with_a_reason(text: str) -> None:
    with pytest.raises(Lost, match='directly below @part\\("double"\\)'):
        taken(text)


# --- putting in ----------------------------------------------------------------------------------


def test_it_takes_the_place_of_ours_between_two_seams() -> None:
    first = '@part("double")\r\ndef first(a): return 1; TWO = 2\r\n\r\n'  # of two answers the last counts
    text = module_with(taken(first + '@part("double")\r\ndef double(a):\r\n    return a + a\r\n'))
    begin = MODULE.index("@property")
    end = MODULE.index("\n\n\ndef last")
    assert text == f"{MODULE[:begin]}# yours: double\ndef double(a):\n    return a + a\n# end of double{MODULE[end:]}"
    assert run(text)["last"](5) == 11


def test_an_answer_of_another_name_gets_ours_wherever_it_speaks_of_itself() -> None:
    text = '@part("double")\ndef mine(a, deep=1):\n    return a + (mine(a, deep=0) if deep else 0)\n'
    assert "return a + (double(a, deep=0) if deep else 0)" in module_with(taken(text))


def test_a_helper_whose_name_is_taken_gets_another() -> None:
    text = "def helper(a): return a * 2\ndef len(a): return helper(a)\ndef own(a, helper=3): return len(a)\n"
    text += '@part("double")\ndef double(a):\n    return own(a) * helper(1) // 2\n'
    placed = module_with(taken(text))
    for line in ("def my_helper(a): return a * 2", "def my_len(a): return my_helper(a)", "def own(a, helper=3): "):
        assert line in placed
    assert run(placed)["last"](5) == 11
    assert run(placed)["helper"](5) == 5


def test_what_two_answers_share_comes_once_and_what_only_sounds_alike_twice() -> None:
    one = 'import math\ndef half(a): return a / 2\n@part("double")\ndef double(a): return half(a) * 4\n'
    two = "import math\ndef half(a): return a / 2\ndef odd(a): return 1\n"
    two += '@part("last")\ndef last(a): return half(odd(a))\n'
    placed = module_with(taken(one), taken(two, "last"))
    assert placed.count("def half(") == 1 and run(placed)["last"](7) == 0.5
    placed = module_with(taken(one), taken(two.replace("a / 2", "a / 4"), "last"))
    assert "def half(a): return a / 2" in placed and "def my_half(a): return a / 4" in placed
    assert (run(placed)["double"](3), run(placed)["last"](7)) == (6, 0.25)


def test_an_answer_may_call_another_one() -> None:
    one = '@part("double")\ndef twice(a): return a * 2\n'
    two = '@part("last")\ndef last(a): return twice(a) + 5\n'
    others = {"double": one}
    placed = module_with(taken(one), taken(two, "last", others))
    assert "def last(a): return double(a) + 5" in placed and placed.count("a * 2") == 1
    alone = module_with(taken(two, "last", others))  # theirs does not pass: it is a helper like any other
    assert "def twice(a): return a * 2" in alone and run(alone)["last"](1) == 7


def test_imports_stand_at_the_top_and_are_those_of_ours_where_they_can() -> None:
    text = "import math\nfrom pack import helper\nfrom pack.module import last\n"
    text += "import os.path\n"
    text += '@part("double")\ndef double(a): return np.sum(math.pi), tools.x, helper.x, last(a), os.path.sep\n'
    placed = module_with(taken(text))
    assert "\n\n# for the parts that are yours\nimport math\nfrom pack import helper as my_helper\n\n\n" in placed
    assert "return np.sum(math.pi), tools_of_ours.x, my_helper.x, last(a), os.path.sep" in placed
    assert "# yours: double\nimport os.path\n\n\ndef double" in placed
