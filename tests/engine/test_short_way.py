"""How far it is through the engine: which of its functions `(x * y).backward()` calls, for two leaves of one entry.

Whoever follows the line in a debugger passes through these. Most are parts that learners replace, so each of them is
looked up in its module when it is called: the other calls are counted here.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import minigrad
from minigrad.graph import nodes
from minigrad.passing import fastpath

PACKAGE = Path(minigrad.__file__).parent
GENERATED = "passing/fastpath.py"  # it compiles functions for each operation
FAST = """
    scalar.py times
    passing/fastpath.py apply
    scalar.py Mul.forward
    scalar.py Function.save_for_backward
    passing/passes.py backward
    upstream.py seed_rule
    scalar.py backpropagate
    scalar.py topological_order
    passing/fastpath.py pullback
    scalar.py Mul.backward
    passing/fastpath.py unpack
    leaf.py receive
    leaf.py accumulate
    leaf.py receive
    leaf.py accumulate
"""
# what an answer to an exercise replaces, and what the text of an exercise calls
PARTS = {
    *("Mul.forward", "Mul.backward", "Function.save_for_backward", "unpack", "pullback", "apply"),
    *("seed_rule", "backpropagate", "topological_order", "free", "receive", "accumulate"),
    *("begin", "edge", "forward", "result"),
}


@pytest.fixture(params=[True, False], ids=["fast", "general"])
def fast(request: pytest.FixtureRequest) -> Any:
    before = nodes.prepare is not None
    fastpath.switch(request.param)
    yield request.param
    fastpath.switch(before)


def called(work: Callable[[], Any]) -> list[str]:
    """The engine's functions that are called, each as "FILE NAME"; loops inside brackets are none."""
    found: list[str] = []

    def listen(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and not code.co_name.endswith("comp>"):
            if code.co_filename.startswith("<fastpath"):
                found.append(f"{GENERATED} {code.co_qualname}")
            elif (path := Path(code.co_filename)).is_relative_to(PACKAGE):
                found.append(f"{path.relative_to(PACKAGE).as_posix()} {code.co_qualname}")

    before = sys.getprofile()
    sys.setprofile(listen)
    try:
        work()
    finally:
        sys.setprofile(before)
    return found


def product() -> list[str]:
    """The way of one product and its backward pass."""
    x, y = [minigrad.tensor(value, requires_grad=True) for value in (2.0, 3.0)]
    found = called(lambda: (x * y).backward())
    assert (x.grad.item(), y.grad.item()) == (3, 2)
    return found


def test_the_way_of_a_product_is_short(fast: bool) -> None:
    product()  # the first time, functions are generated
    way = product()
    modules = {each.split()[0] for each in way}
    if fast:
        assert way == [line.strip() for line in FAST.strip().splitlines()]
        assert len(way) <= 15 and len(modules) <= 5
    else:
        assert len(way) <= 30 and len(modules) <= 8, "\n".join(way)


def test_what_is_no_part_takes_few_calls(fast: bool) -> None:
    """The operator and `backward`; without the fast path a few more."""
    product()
    others = [each for each in product() if each.split()[1] not in PARTS]
    assert len(others) <= (2 if fast else 12), "\n".join(others)
