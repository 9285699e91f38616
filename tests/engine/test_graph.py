"""The graph: walked and freed without recursion, free of cycles, in the right order, and made of replaceable parts."""

import functools
import gc
import os
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import deep
import numpy as np
import pytest
from engines import each_of
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from minigrad import parts, scalar
from minigrad.tensor import Tensor
from minigrad_course.parts import chapters

DEEP = Path(__file__).parent / "deep.py"


def freed(count: int, *names: str, **environment: str) -> list[str]:
    """The ways of `deep.py` after which the graph was freed on a small stack, in a process of its own."""
    command = [sys.executable, DEEP, str(count), *names]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False, env={**os.environ, **environment}
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    return ended.stdout.split()


def test_a_long_chain_of_operations_on_a_small_stack() -> None:
    assert freed(1_000_000, "after_backward") == ["after_backward"]


@pytest.mark.parametrize("fastpath", ["1", "0"])
def test_however_a_deep_graph_is_made_it_is_freed_on_a_small_stack(fastpath: str) -> None:
    assert freed(5_000 if fastpath == "1" else 3_000, MINIGRAD_FASTPATH=fastpath) == [*deep.WAYS]


def test_the_nodes_that_are_freed_in_a_loop_look_like_the_others() -> None:
    y = minigrad.tensor(1.0, requires_grad=True)
    nodes = []
    for _ in range(300):
        y = y * 1.0
        nodes.append(y.grad_fn)
    assert sum(hasattr(type(node), "__del__") for node in nodes) in (2, 3)
    assert len({type(node) for node in nodes}) == len({repr(type(node)) for node in nodes}) == 1
    assert all(isinstance(node, type(nodes[0])) for node in nodes[:1])


def many_operations() -> None:
    x = minigrad.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = ((x @ x.T - x[0]) ** 2 / (x * x + 1)).mean() + (2**x).sum(0)[1]
    y.backward(retain_graph=True)
    y.backward()
    assert y.grad_fn.next_functions and x.grad is not None


def derivatives_of_derivatives() -> None:
    x = minigrad.tensor([[1.0, 2.0, 3.0], [0.0, 5.0, 4.0]], requires_grad=True)
    chosen = [x.relu(), x.clamp(0, 1), minigrad.where(x > 1, x, 0), x.masked_fill(x > 1, 0), x**x, x.exp()]
    for result in [
        *chosen,
        *x.max(0)[:1],
        *x.sort()[:1],
        x.prod(1),
        x.cumprod(1),
        x.norm(dim=1),
        x.softmax(1),
        x.var(0),
    ]:
        minigrad.autograd.grad(result.sum(), x, create_graph=True)


def hooks_of_nodes() -> None:
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: None)
    y.grad_fn.next_functions[0][0].register_hook(lambda grad_inputs, grad_outputs: None)
    y.grad_fn.metadata["key"] = 1
    y.sum().backward()


class Square(minigrad.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        result = t * t
        ctx.save_for_backward(t, result)
        return result

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g


def a_function_of_its_own() -> None:
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    (g,) = minigrad.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    g.sum().backward()


def a_training_step() -> None:
    nn = minigrad.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.LeakyReLU(), nn.Linear(3, 2))
    nn.functional.cross_entropy(net(minigrad.ones(4, 2)), minigrad.tensor([0, 1, 1, 0])).backward()


WORKS = [many_operations, derivatives_of_derivatives, hooks_of_nodes, a_function_of_its_own, a_training_step]


def left_in_cycles(work: Callable[[], object]) -> list[object]:
    """What of the engine's only the garbage collector frees. Other threads of this process may leave cycles, too."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        work()
        gc.collect()
        return [each for each in gc.garbage if is_ours(each)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def is_ours(value: object) -> bool:
    """True for a tensor, a node, an array, and for a function or an instance of the engine."""
    homes = (str(getattr(value, "__module__", "")), type(value).__module__)
    ours = (Tensor, scalar.Function, np.ndarray)
    return isinstance(value, ours) or any(home.startswith("minigrad.") for home in homes)


@each_of(work=WORKS)
def test_nothing_forms_a_reference_cycle(work: Callable[[], object]) -> None:
    work()  # what is read once, at the first call, leaves cycles of its own
    assert left_in_cycles(lambda: [work() for _ in range(3)]) == []


def test_a_node_outlives_its_result() -> None:
    node = Square.apply(minigrad.tensor([1.0, 2.0], requires_grad=True)).grad_fn
    gc.collect()
    assert node.next_functions[0][0].variable.tolist() == [1, 2]
    assert [each.tolist() for each in node.saved_tensors] == [[1, 2], [1, 4]]
    assert node.saved_tensors[1].grad_fn is node


def test_a_reference_cycle_is_seen() -> None:
    def cycle() -> None:
        node = (minigrad.ones(1, requires_grad=True) * 2).grad_fn
        node.saved = (node,)

    assert len(left_in_cycles(cycle)) >= 1


# --- the order of the walk -----------------------------------------------------------------------


@st.composite
def graphs(draw: st.DrawFn) -> Tensor:
    """A result with a random graph below it: each operation takes two of the values made before it."""
    values = [minigrad.tensor(value, requires_grad=True) for value in (1.0, 2.0)]
    for _ in range(draw(st.integers(1, 12))):
        a, b = draw(st.sampled_from(values)), draw(st.sampled_from(values))
        values.append(a + b if draw(st.booleans()) else a * b)
    return values[-1]


@settings(max_examples=100, derandomize=True, database=None, deadline=None)
@given(graphs())
def test_each_node_comes_once_and_after_all_of_its_users(root: Tensor) -> None:
    order = scalar.topological_order(root.grad_fn)
    assert order[0] is root.grad_fn
    assert len(set(order)) == len(order)
    place = {node: index for index, node in enumerate(order)}
    targets = [(node, target) for node in order for target in node.edges]
    assert {target for _, target in targets} | {root.grad_fn} == set(order)
    assert all(place[node] < place[target] for node, target in targets)


# --- leaves --------------------------------------------------------------------------------------


def test_leaves_do_not_share_the_memory_of_a_gradient() -> None:
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    y = minigrad.tensor([3.0, 4.0], requires_grad=True)
    seed = minigrad.tensor([1.0, 10.0])
    (x + y).backward(seed)
    x.grad.zero_()
    assert y.grad.tolist() == seed.tolist() == [1.0, 10.0]


# --- parts ---------------------------------------------------------------------------------------

PARTS = [part.place for chapter in chapters() for part in chapter.parts if part.place.kind == "engine"]


# For each part, lines that go through it.
USES = {
    "apply": "x * y",
    "Mul": "x * y",
    "Pow": "x ** 2",
    "Div": "x / y",
    "topological_order": "(x * y).backward()",
    "backpropagate": "(x * y).backward()",
    "accumulate": "(x * y).backward()",
    "seed_rule": "(x * y).backward()",
    "sum_to_shape": "(x * minigrad.tensor([1.0, 2.0])).sum().backward()",
    "Sum": "x.sum()",
    "Mean": "x.mean()",
    "Mm": "x.reshape(1, 1) @ y.reshape(1, 1)",
    "put_back": "x.reshape(1)[[0, 0]].sum().backward()",
    "slices": "functional.jacobian(lambda t: t * y, x)",
    "Mv": "x.reshape(1, 1) @ y.reshape(1)",
    "numeric_jacobian": "minigrad.autograd.gradcheck(lambda t: t * t, x.double().detach().requires_grad_())",
    "agree": "minigrad.autograd.gradcheck(lambda t: t * t, x.double().detach().requires_grad_())",
    "jvp": "functional.jvp(lambda t: t * y, x, y)",
    "hessian": "functional.hessian(lambda t: t * t, x)",
    "is_leaf": "x.is_leaf",
    "retain_grad": "(x * y).retain_grad()",
    "detach": "x.detach()",
    "no_grad": "with minigrad.no_grad(): x * y",
    "check_versions": "z = x * 2; z += 1; (z * y).backward()",
    "free": "(x * y).backward()",
    "change": "z = x * 1; z += y",
    "copy_slices": "z = minigrad.zeros(2); z[0] = x; z.sum().backward()",
}


def holders(*parts: object) -> list[list[str]]:
    """Where the engine's modules hold each part: directly, in a class or a container, or in what a function carries."""
    waiting = [
        (f"{module.__name__}.{name}", value)
        for module in [minigrad, *(sys.modules[name] for name in sys.modules if name.startswith("minigrad."))]
        for name, value in vars(module).items()
        if not isinstance(value, types.ModuleType) and name != "__builtins__"
    ]
    found: dict[int, list[str]] = {id(part): [] for part in parts}
    seen = set()
    while waiting:
        where, value = waiting.pop()
        if id(value) in found:
            found[id(value)].append(where)
        if id(value) not in seen:
            seen.add(id(value))
            waiting += [(f"{where}.{name}", each) for name, each in carried(value).items()]
    return [sorted(found[id(part)]) for part in parts]


def carried(value: object) -> dict[str, object]:
    """What a value holds that could be a part, by name."""
    if isinstance(value, type):
        return dict(vars(value)) if value.__module__.startswith(("minigrad", "torch")) else {}
    if isinstance(value, dict):
        return {str(key): each for key, each in value.items()}
    if isinstance(value, (list, tuple, set)):
        return {str(index): each for index, each in enumerate(value)}
    if isinstance(value, (staticmethod, classmethod)):
        return {"function": value.__func__}
    if isinstance(value, property):
        return {"get": value.fget, "set": value.fset}
    if isinstance(value, functools.partial):
        return {"func": value.func, "args": value.args, "keywords": value.keywords}
    if isinstance(value, types.FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return {"closure": cells, "defaults": value.__defaults__, "keywords": value.__kwdefaults__}
    return {}


def test_a_part_has_one_holder() -> None:
    ours = [getattr(sys.modules[place.module], place.attribute) for place in PARTS]
    assert holders(*ours) == [[f"{place.module}.{place.attribute}"] for place in PARTS]


def test_a_second_holder_would_be_found() -> None:
    with parts.replace("scalar.default", lambda held=scalar.Mul: held, missing_ok=True):
        assert holders(scalar.Mul) == [["minigrad.scalar.Mul", "minigrad.scalar.default.defaults.0"]]
    with parts.replace((Tensor, "times"), functools.partial(print, scalar.Mul), missing_ok=True):
        assert len(*holders(scalar.Mul)) == 2


@each_of(place=PARTS)
def test_a_replaced_part_is_used(place) -> None:
    """A copy of the part that notes its calls takes its place; a program runs through it, and afterwards no more."""
    module = sys.modules[place.module]
    part = getattr(module, place.attribute)
    calls = []
    if isinstance(part, type):

        class Spy(part):
            @staticmethod
            def forward(ctx, *inputs, **settings):
                calls.append(inputs)
                return part.forward(ctx, *inputs, **settings)

            def __enter__(self):
                calls.append(self)
                return super().__enter__()

        spy: object = Spy
    else:

        def spy(*inputs, **settings):
            calls.append(inputs)
            return part(*inputs, **settings)

    def run() -> None:
        x = minigrad.tensor(3.0, requires_grad=True)
        y = minigrad.tensor(4.0, requires_grad=True)
        exec(USES[place.attribute], {"x": x, "y": y, "minigrad": minigrad, "functional": minigrad.autograd.functional})

    with parts.replace(f"{place.module}.{place.attribute}", spy):
        run()
    used = len(calls)
    assert used
    run()
    assert len(calls) == used
