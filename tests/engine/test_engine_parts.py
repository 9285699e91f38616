"""The door into the engine: what is replaced is used and put back, what happens is told, and nobody pays for it."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import itertools
import pkgutil
import sys
import threading
import types
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from engines import each_of

import minigrad
from minigrad import leaf, parts, scalar
from minigrad.autograd import function as functions_of_programs
from minigrad.graph import freeing, state
from minigrad.ops import lazy
from minigrad.passing import fastpath

lazy.load()  # so that no test finds names that another has loaded
MODULES = [
    importlib.import_module(each.name)
    for each in pkgutil.walk_packages(minigrad.__path__, "minigrad.")
    if each.name not in ("minigrad.__main__", "minigrad.course", "minigrad.runtime")
]


OWNERS = [*MODULES, *{each for module in MODULES for each in vars(module).values() if isinstance(each, type)}]
GENERATED = ("apply", "pullback", "saved_tensors", "node", "_in_loop")  # for each operation when it is first applied
STATES = {"__warningregistry__", "_abc_impl", "__abstractmethods__", "_generator", "_known", "_cache"}


def stored() -> dict[tuple[Any, str], Any]:
    """All that modules and classes of the engine hold, by owner and name."""
    return {
        (owner, name): each
        for owner in OWNERS
        for name, each in vars(owner).items()
        if name not in STATES and not (name in GENERATED and isinstance(owner, type) and owner is not scalar.Function)
    } | {("functions", name): each for name, each in minigrad.functions.items()}


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    """After each test all attributes of the engine are the objects that they were."""
    before = stored()
    yield
    after = stored()
    assert [key for key in before.keys() | after.keys() if before.get(key, 0) is not after.get(key, 0)] == []
    assert parts.Slot.known == {} and parts.general.users == 0
    assert fastpath.nodes.prepare is fastpath.prepare


def training(torch: Any) -> list[float]:
    """Two steps of a small network, with broadcasting, a change in place and a view: the losses."""
    w = torch.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
    b = torch.zeros(2, requires_grad=True)
    x, losses = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, -6.0]]), []
    for _ in range(2):
        h = (x @ w + b).relu()
        h = h * 2 - x / 3
        loss = (h**2).mean() + h[0].sum() + w.exp().sum().log()
        loss.backward()
        with torch.no_grad():
            for each in (w, b):
                each -= 0.01 * each.grad
                each.grad = None
        losses.append(loss.item())
    return losses


# --- replacing -----------------------------------------------------------------------------------


def product(torch: Any = minigrad) -> Any:
    """The gradient of x · x at 3: 6."""
    x = torch.tensor(3.0, requires_grad=True)
    (x * x).backward()
    return x.grad


class Thrice(scalar.Function):
    """A product whose derivative is three times too large."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        a, b = ctx.saved_tensors
        return 3 * grad_output * b, 3 * grad_output * a


def hundredfold(leaf: Any, grad: Any) -> None:
    leaf._grad = grad * 100


def test_a_class_is_replaced_until_the_end_of_the_block() -> None:
    with parts.replace("scalar.Mul", Thrice):
        assert scalar.Mul is Thrice and product().item() == 18
    assert product().item() == product(torch).item() == 6


@pytest.mark.parametrize("place", ["leaf.accumulate", "minigrad.leaf.accumulate", (leaf, "accumulate")])
def test_a_function_is_replaced_until_undo(place: Any) -> None:
    change = parts.replace(place, hundredfold)
    assert product().item() == 600
    change.undo()
    change.undo()
    assert product().item() == 6


METHODS = {
    "scalar.Mul.forward": (staticmethod(lambda ctx, a, b: ctx.save_for_backward(a, b) or a * b * 10), 90.0),
    "scalar.Mul.backward": (staticmethod(lambda ctx, grad_output: (grad_output * 0 + 7, None)), 7.0),
    "scalar.Function.save_for_backward": (
        lambda self, *values: setattr(self, "saved", tuple([5 for _ in values])),
        10.0,
    ),
    "scalar.apply": (lambda operation, inputs, settings: inputs[0] + 1 if operation is scalar.Mul else None, 1.0),
}


@each_of(place=list(METHODS), on=[True, False])
def test_what_the_fast_path_repeats_is_replaced_there_too(place: str, on: bool) -> None:
    value, wanted = METHODS[place]
    x = minigrad.tensor(3.0, requires_grad=True)
    with contextlib.nullcontext() if on else fastpath.off():
        add = scalar.apply
        if place == "scalar.apply":
            value = lambda operation, inputs, settings: add(  # noqa: E731
                scalar.Add if operation is scalar.Mul else operation, (inputs[0], 1), settings
            )
        with parts.replace(place, value):
            result = x * x
            result.backward()
    found = result.item() if place.endswith("forward") else x.grad.item()
    assert found == wanted


def test_a_value_of_a_module_is_replaced() -> None:
    with minigrad.no_grad(), parts.replace("leaf.recording", True):
        assert product().item() == 6
    assert leaf.recording


def hypot_of_torch(operation: Callable) -> list[float]:
    a, b = minigrad.tensor(3.0), minigrad.tensor(4.0)
    return [minigrad.hypot(a, b).item(), a.hypot(b).item(), minigrad.functions["hypot"](a, b).item()]


def test_an_operation_is_a_method_and_a_function() -> None:
    with parts.replace("hypot", Thrice):
        assert hypot_of_torch(Thrice) == [12.0, 12.0, 12.0]
        with parts.replace("hypot", lambda a, b: a - b):
            assert hypot_of_torch(Thrice) == [-1.0, -1.0, -1.0]
        assert hypot_of_torch(Thrice) == [12.0, 12.0, 12.0]
    assert hypot_of_torch(Thrice) == [5.0, 5.0, 5.0]


def test_what_is_only_a_function_or_only_a_method_stays_so() -> None:
    with parts.replace("cat", lambda tensors: "cat"), parts.replace("fill_diagonal_", lambda t, value: "filled"):
        assert minigrad.cat([]) == "cat" and minigrad.ones(2, 2).fill_diagonal_(1) == "filled"
        assert not isinstance(vars(minigrad.Tensor).get("cat"), types.FunctionType)
        assert "fill_diagonal_" not in minigrad.functions


def test_a_new_operation_is_there_as_long_as_the_change() -> None:
    with parts.replace("thrice", Thrice, node="ThriceBackward7", missing_ok=True):
        y = minigrad.thrice(minigrad.tensor(2.0, requires_grad=True), 5.0)
        assert repr(y) == "tensor(10., grad_fn=<ThriceBackward7>)"
    with pytest.raises(AttributeError):
        _ = minigrad.thrice
    assert "thrice" not in minigrad.functions


def test_nodes_have_the_name_of_what_the_class_stands_for() -> None:
    name = Thrice.node.__name__
    x = minigrad.tensor(2.0, requires_grad=True)
    first, second = parts.replace("scalar.Mul", Thrice), parts.replace("scalar.Div", Thrice)
    assert Thrice.node.__name__ == Thrice.node.__qualname__ == "DivBackward0"
    first.undo()
    assert repr(x / 2) == "tensor(4., grad_fn=<DivBackward0>)"
    second.undo()
    assert Thrice.node.__name__ == Thrice.node.__qualname__ == name == "ThriceBackward0"


@each_of(order=list(itertools.permutations(range(3))))
def test_changes_nest_and_are_undone_in_any_order(order: tuple[int, ...]) -> None:
    ours, values = leaf.version, [lambda value, n=n: n for n in range(3)]
    changes = [parts.replace("leaf.version", value) for value in values]
    left = [0, 1, 2]
    for each in order:
        assert leaf.version is values[left[-1]]
        changes[each].undo()
        left.remove(each)
    assert leaf.version is ours


def test_the_fast_path_comes_back_with_the_last_that_needs_it_off() -> None:
    first, second = parts.replace("scalar.apply", scalar.apply), parts.replace("recording.record.fresh", print)
    first.undo()
    assert fastpath.nodes.prepare is None
    second.undo()
    assert fastpath.nodes.prepare is not None
    with fastpath.off():
        with parts.replace("scalar.apply", scalar.apply):
            pass
        assert fastpath.nodes.prepare is None


def test_an_inherited_method_is_inherited_again() -> None:
    assert "vjp" not in vars(scalar.Mul)
    with parts.replace("scalar.Mul.vjp", lambda self, grad_output, retain_graph=False: [grad_output, None]):
        assert product().item() == 1
    assert "vjp" not in vars(scalar.Mul) and product().item() == 6


def test_a_change_is_there_for_all_threads() -> None:
    found = []
    with parts.replace("leaf.accumulate", hundredfold):
        thread = threading.Thread(target=lambda: found.append(product().item()))
        thread.start()
        thread.join()
    assert found == [600]


ERRORS = {
    "scalar.Mull": "The engine has no part 'scalar.Mull'. Did you mean Mul?",
    "scalr.Mul": "The engine has no part 'scalr.Mul'. Did you mean scalar?",
    "scalar.Mul.bakward": "The engine has no part 'scalar.Mul.bakward'. Did you mean backward?",
    "passing.pases.walk": "The engine has no part 'passing.pases.walk'. Did you mean passes?",
    "hypott": "The engine has no part 'hypott'. Did you mean hypot?",
    "qqqqq.walk": "The engine has no part 'qqqqq.walk'.",
    (scalar.Mul, "forwards"): "The engine has no part 'Mul.forwards'. Did you mean forward?",
}


@each_of(place=list(ERRORS))
def test_a_part_that_does_not_exist(place: Any) -> None:
    with pytest.raises(LookupError) as error:
        parts.replace(place, Thrice)
    assert str(error.value) == ERRORS[place]


def counting(function: Callable, calls: Counter[bool], key: bool) -> Callable:
    def spy(*args: Any, **kwargs: Any) -> Any:
        calls[key] += 1
        return function(*args, **kwargs)

    return spy


@each_of(module=list(parts.CHAPTERS))
def test_a_part_of_a_chapter_is_called_as_often_with_the_fast_path(module: str) -> None:
    """So the fast path may stay on: it repeats the lines of none that is not in `REPEATED`, and of each that is."""
    inside = vars(sys.modules[f"minigrad.{module}"])
    own = [n for n, each in inside.items() if isinstance(each, types.FunctionType) and each.__module__.endswith(module)]
    for name in own:
        calls: Counter[bool] = Counter()
        for on in (True, False):
            spy = counting(inside[name], calls, on)
            change = parts.Change()  # which leaves the fast path as it is
            with contextlib.nullcontext() if on else fastpath.off(), change:
                change.add(sys.modules[f"minigrad.{module}"], name, spy)
                training(minigrad)
        assert (calls[True] == calls[False]) is (f"{module}.{name}" not in parts.REPEATED), (name, calls)


# --- observing -----------------------------------------------------------------------------------


class Notes(parts.Listener):
    """Everything that happens, in its order: the event and what it is about."""

    def __init__(self) -> None:
        self.all: list[tuple] = []

    def of(self, *events: str) -> list[tuple]:
        return [each[1:] for each in self.all if each[0] in events]

    def node_made(self, node: Any, inputs: tuple, results: tuple) -> None:
        self.all.append(("node_made", node.name(), len(inputs), [each.tolist() for each in results]))

    def tensor_changed(self, tensor: Any) -> None:
        self.all.append(("tensor_changed", id(tensor), tensor._version))

    def pass_begins(self, roots: tuple) -> None:
        self.all.append(("pass_begins", [getattr(each, "name", str)() for each in roots]))

    def node_visited(self, node: Any, grad_inputs: tuple, grad_outputs: tuple) -> None:
        self.all.append(("node_visited", node.name(), numbers(grad_inputs), numbers(grad_outputs)))

    def gradient_received(self, leaf: Any, grad: Any) -> None:
        self.all.append(("gradient_received", leaf.tolist(), grad.tolist()))

    def node_freed(self, node: Any) -> None:
        self.all.append(("node_freed", node.name()))

    def pass_ends(self, roots: tuple) -> None:
        self.all.append(("pass_ends", [getattr(each, "name", str)() for each in roots]))


def numbers(grads: tuple) -> list:
    return [None if each is None else each.tolist() for each in grads]


def square(torch: Any) -> type:
    """A Function of the program's own: three times what is right."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, t: Any, factor: Any) -> Any:
            ctx.save_for_backward(t)
            return t * t

        @staticmethod
        def backward(ctx: Any, grad_output: Any) -> Any:
            (t,) = ctx.saved_tensors
            return grad_output * 6 * t, None

    return Square


PROGRAMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a diamond": lambda torch, x, w: (x * x + x.exp()).sum(),
    "a product of matrices": lambda torch, x, w: (w @ x).relu().mean(),
    "broadcasting": lambda torch, x, w: (w * x / 2 - w).mean(),
    "powers and logarithms": lambda torch, x, w: (x**3).log().sum() + w.std(),
    "views and parts": lambda torch, x, w: (w.t()[0] * x).sum() + w[1, 1],
    "several results": lambda torch, x, w: torch.stack(w.unbind(0)[:2]).sum() * x.max(0)[0],
    "a Function of its own": lambda torch, x, w: square(torch).apply(x, 2).sum(),
    "nothing to save": lambda torch, x, w: (x + x - w).sum(),
}


def leaves(torch: Any) -> tuple[Any, Any]:
    return (
        torch.tensor([1.0, 2.0], requires_grad=True),
        torch.tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True),
    )


def nodes_of(root: Any) -> list[Any]:
    """All nodes of a graph of torch, leaves' AccumulateGrad not among them."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found and "AccumulateGrad" not in node.name():
            found.append(node)
            waiting += [each for each, _ in node.next_functions]
    return found


def theirs(program: Callable) -> Notes:
    """What torch's own hooks say of a program and one backward pass through it."""
    notes = Notes()
    x, w = leaves(torch)
    for each in (x, w):
        each.register_hook(lambda grad, each=each: notes.gradient_received(each, grad))
    result = program(torch, x, w)
    notes.all += [("node_made", node.name()) for node in nodes_of(result.grad_fn)]
    for node in nodes_of(result.grad_fn):
        node.register_hook(lambda grads, outputs, node=node: notes.node_visited(node, grads, outputs))
    had = [node for node in nodes_of(result.grad_fn) if saved(node)]
    result.backward()
    notes.all += [("node_freed", node.name()) for node in had if not saved(node)]
    return notes


def saved(node: Any) -> bool:
    """Whether a node of torch holds tensors that it has saved."""
    names = [name for name in dir(node) if name.startswith("_saved_") or name == "saved_tensors"]
    try:
        found = [getattr(node, name) for name in names]
    except RuntimeError:  # they have been freed
        return False
    return any(isinstance(one, torch.Tensor) for each in found for one in (each if type(each) is tuple else (each,)))


def ours(program: Callable, listener: Any = None) -> Notes:
    """What the engine tells of the same."""
    notes = listener or Notes()
    x, w = leaves(minigrad)
    with parts.observe(notes):
        program(minigrad, x, w).backward()
    return notes


def rounded(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [rounded(each) for each in value]
    return float(np.round(value, 4)) if isinstance(value, float) else value


@each_of(name=list(PROGRAMS))
def test_what_is_told_is_what_torch_s_hooks_say(name: str) -> None:
    """The nodes that its graph has, visited in its order with its gradients; what leaves receive; what is freed."""
    wanted, found = theirs(PROGRAMS[name]), ours(PROGRAMS[name])
    for event in ("node_made", "node_freed"):
        assert sorted(each[0] for each in found.of(event)) == sorted(each[0] for each in wanted.of(event))
    # of constants torch has no edge, and of its numbers no place: the shares that are there are compared
    visited = [
        [(each, rounded([g for g in grads if g is not None]), rounded(outputs)) for each, grads, outputs in notes]
        for notes in (found.of("node_visited"), wanted.of("node_visited"))
    ]
    assert visited[0] == visited[1]
    received = [sorted(notes.of("gradient_received"), key=str) for notes in (found, wanted)]
    assert rounded(received[0]) == rounded(received[1])


def test_with_retain_graph_nothing_is_freed() -> None:
    notes = Notes()
    x, w = leaves(minigrad)
    with parts.observe(notes):
        result = PROGRAMS["a diamond"](minigrad, x, w)
        result.backward(retain_graph=True)
        assert not notes.of("node_freed") and len(notes.of("node_visited")) == 4
        result.backward()
    assert len(notes.of("node_freed")) == 2 and len(notes.of("node_visited")) == 8


CHANGING = """\
y = x * 2
y += 1
y.mul_(3)
last = y[1:]
last[0] = 5
d = y.detach()
d += 1
e = y.exp()
with torch.no_grad(): x -= 0.5
n = y.detach().numpy()
y.sum().backward()
y = (x * 2).sum(); y.backward()
x.grad.zero_()
z = torch.zeros(3)
z.copy_(x)
"""


def test_changes_in_place_are_told_where_torchs_version_goes_on() -> None:
    notes, spaces = Notes(), [{"torch": each} for each in (torch, minigrad)]
    for each in spaces:
        each["x"] = each["torch"].tensor([1.0, 2.0, 3.0], requires_grad=True)
    with parts.observe(notes):
        for line in CHANGING.splitlines():
            before, told = [versions(each) for each in spaces], len(notes.of("tensor_changed"))
            for each in spaces:
                exec(line, each)
            # tensors that share their memory have one version
            steps = [most_steps(was, versions(each)) for each, was in zip(spaces, before, strict=True)]
            assert len(notes.of("tensor_changed")) - told == steps[0] == steps[1], line


def versions(space: dict[str, Any]) -> dict[tuple[str, int], int]:
    """The versions of all tensors with a name, and of the gradients that they keep."""
    named = {name: each for name, each in space.items() if hasattr(each, "_version")}
    kept = {f"{name}.grad": each.grad for name, each in named.items() if each.is_leaf and each.grad is not None}
    return {(name, id(each)): each._version for name, each in (named | kept).items()}


def most_steps(before: dict, now: dict) -> int:
    """How far the version went on that went on most."""
    return max([0, *[version - before[key] for key, version in now.items() if key in before]])


def test_a_pass_begins_and_ends_where_it_should() -> None:
    notes = Notes()
    x, w = leaves(minigrad)
    with parts.observe(notes):
        (x * 2).sum().backward()
        minigrad.autograd.backward([x.exp().sum(), w.sum()])
        minigrad.autograd.grad((x * x).sum(), x)
        x.sum().clone().requires_grad_().backward()
        with pytest.raises(RuntimeError, match="second time"):
            y = x.log().sum()
            y.backward()
            y.backward()
    begun = [["SumBackward0"], ["SumBackward0", "SumBackward0"], ["SumBackward0"], ["CloneBackward0"]]
    assert [roots for (roots,) in notes.of("pass_begins")] == [*begun, ["SumBackward0"], ["SumBackward0"]]
    assert notes.of("pass_begins") == notes.of("pass_ends")
    events = [each[0] for each in notes.all if each[0].startswith("pass")]
    assert events == ["pass_begins", "pass_ends"] * 6


def test_only_what_a_pass_is_for_is_visited() -> None:
    """As in torch, whose hooks run for no other."""
    found = []
    for engine in (torch, minigrad):
        x, w = leaves(engine)
        y = x * 2
        result = (y * y + w.sum().exp()).sum()
        nodes: list[str] = []
        if engine is torch:
            for node in nodes_of(result.grad_fn):
                node.register_hook(lambda grads, outputs, node=node, nodes=nodes: nodes.append(node.name()))
            torch.autograd.grad(result, y)
        else:
            notes = Notes()
            with parts.observe(notes):
                minigrad.autograd.grad(result, y)
            nodes = [each[0] for each in notes.of("node_visited")]
            assert notes.of("gradient_received") == []
        found.append(nodes)
    assert found[0] == found[1]


def test_the_node_is_the_one_that_programs_see() -> None:
    class Made(parts.Listener):
        def __init__(self) -> None:
            self.nodes: list[Any] = []

        def node_made(self, node: Any, inputs: tuple, results: tuple) -> None:
            self.nodes.append(node)
            assert all(each.grad_fn is node for each in results if each.requires_grad)
            assert all(isinstance(each, (minigrad.Tensor, int)) for each in inputs)

        def node_freed(self, node: Any) -> None:
            assert node in self.nodes

    made = ours(PROGRAMS["a Function of its own"], Made())
    assert [type(each) for each in made.nodes[:1]] != [functions_of_programs.Node]
    assert [each.name() for each in made.nodes] == ["SquareBackward", "SumBackward0"]


def test_changed_bases_and_views_taken_again_are_nodes_too() -> None:
    notes = Notes()
    with parts.observe(notes):
        y = minigrad.tensor([1.0, 2.0], requires_grad=True) * 2
        view = y[:1]
        view *= 3
        again = y[1:]
        y *= 2
        _ = again.grad_fn
    names = [each[0] for each in notes.of("node_made")]
    assert names.count("torch::autograd::CopySlices") == 1 and names[-1] == "AsStridedBackward0"


def test_a_listener_hears_only_what_it_has_a_method_for() -> None:
    class Ends:
        def __init__(self) -> None:
            self.count = 0

        def pass_ends(self, roots: tuple) -> None:
            self.count += 1

    ends, pullback, apply = Ends(), scalar.Function.pullback, vars(scalar.Function)["apply"]
    with parts.observe(ends):
        assert scalar.Function.pullback is pullback and vars(scalar.Function)["apply"] is apply
        product()
    assert ends.count == 1
    with parts.observe(types.SimpleNamespace(pass_ends=ends.pass_ends)):
        product()
    assert ends.count == 2
    with pytest.raises(TypeError, match="object has no method for an event: node_made, tensor_changed, pass_begins"):
        parts.observe(object())
    with pytest.raises(TypeError, match="Listener has no method for an event"):
        parts.observe(parts.Listener())


@each_of(first=["the listener", "the part"])
def test_a_part_that_is_replaced_is_observed(first: str) -> None:
    """Whichever came first; and each can go first."""
    notes = Notes()

    def adding(tensor: Any, grad: Any) -> None:
        if tensor._grad is None:
            tensor._grad = grad * 100
        else:
            tensor._grad += grad * 100

    change = [lambda: parts.observe(notes), lambda: parts.replace("leaf.accumulate", adding)]
    changes = [make() for make in (change if first == "the listener" else reversed(change))]
    x = minigrad.tensor(3.0, requires_grad=True)
    (x * x).backward()
    (x * x).backward()
    assert x.grad.item() == 1200 and len(notes.of("tensor_changed")) == 2  # by `+=`, and by the part that did it
    changes[0].undo()
    (x * x).backward()
    changes[1].undo()
    assert x.grad.item() in (1206, 1800)


def test_two_listeners_hear_the_same_and_what_is_computed_stays() -> None:
    first, second = Notes(), Notes()
    with parts.observe(first), parts.observe(second):
        observed = training(minigrad)
    assert first.all == second.all != []
    assert observed == training(minigrad) == pytest.approx(training(torch))


def test_calls_are_counted() -> None:
    places: dict[str, parts.Place] = {
        "product": "scalar.Mul.backward",
        "walk": "scalar.backpropagate",
        "off": "leaf.no_grad.__enter__",
        "applied": "scalar.Function.apply",
        "inherited": (Thrice, "vjp"),
        "a class of no module": (Thrice, "backward"),
    }
    with parts.count(places) as calls:
        training(minigrad)
        Thrice.apply(minigrad.tensor(2.0, requires_grad=True), 3.0).backward()
        with parts.replace("scalar.backpropagate", lambda root, grad_output, retain_graph=False: None):
            product()
    once = calls["applied"] > 20 and calls
    assert once and {**calls, "applied": 0} == {
        "product": 2,
        "walk": 4,
        "off": 2,
        "applied": 0,
        "inherited": 1,
        "a class of no module": 1,
    }


def test_what_is_counted_can_be_anything_that_is_called_but_a_class() -> None:
    with parts.replace("leaf.version", functools.partial(leaf.version)), parts.count({"v": "leaf.version"}) as calls:
        assert leaf.version(None) == 0 and calls["v"] == 1
    with pytest.raises(TypeError, match="Mul is a class"), parts.count({"product": "scalar.Mul"}):
        pass
    with (
        pytest.raises(LookupError, match="Did you mean topological_order"),
        parts.count({"o": "scalar.topologic_order"}),
    ):
        pass


# --- what it costs -------------------------------------------------------------------------------


def functions_called(program: Callable) -> list[types.CodeType]:
    """The code of every Python function that runs, in its order."""
    found: list[types.CodeType] = []
    while next(state.numbers) & ~freeing.WINDOW:  # where a window begins, a node is freed in another way
        pass

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            found.append(frame.f_code)

    gc.disable()  # others have functions that hear of a collection
    sys.setprofile(note)
    try:
        program()
    finally:
        sys.setprofile(None)
        gc.enable()
    return found


def test_afterwards_the_same_functions_run_as_before() -> None:
    training(minigrad)
    before = functions_called(lambda: training(minigrad))
    with parts.observe(Notes()), parts.replace("scalar.Mul", Thrice), parts.count({"walk": "scalar.backpropagate"}):
        watched = functions_called(lambda: training(minigrad))
    training(minigrad)
    after = functions_called(lambda: training(minigrad))
    shape = [(each.co_filename, each.co_qualname, each.co_code) for each in before]
    assert [(each.co_filename, each.co_qualname, each.co_code) for each in after] == shape
    assert parts.__file__ in {each.co_filename for each in watched} - {each.co_filename for each in before}
