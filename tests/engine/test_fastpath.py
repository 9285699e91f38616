"""The fast path does what the general methods do: same values, same graph, same gradients, same errors."""

import numpy as np
import pytest

import minigrad as torch
from minigrad import leaf, scalar, upstream
from minigrad.compat import checks
from minigrad.graph import nodes
from minigrad.ops import elementary, softmax
from minigrad.passing import fastpath, inplace
from minigrad.tensor import Tensor


@pytest.fixture(autouse=True, scope="module")
def fast():
    """It is on here, also where the suite runs without it."""
    before = nodes.prepare is not None
    fastpath.switch(True)
    yield
    fastpath.switch(before)


def leaf_of(*shape, dtype=torch.float32, wants=True):
    """A tensor of the shape with entries near 1, none of them 0."""
    numbers = np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape)
    return torch.tensor(numbers, dtype=dtype, requires_grad=wants)


def changed(tensor):
    """A tensor that was changed in place: nodes have to remember its version."""
    with torch.no_grad():
        tensor += 1
    return tensor


def parameter():
    """A tensor of a class of its own."""
    return torch.nn.Parameter(leaf_of(3, 3, wants=False))


OPERANDS = {
    "two leaves": lambda: (leaf_of(3, 3), leaf_of(3, 3)),
    "the same twice": lambda: (leaf_of(3, 3),) * 2,
    "two results": lambda: (leaf_of(3, 3).exp(), leaf_of(3, 3).exp()),
    "two numbers in tensors": lambda: (leaf_of(), leaf_of()),
    "two constants": lambda: (leaf_of(3, 3, wants=False), leaf_of(3, 3, wants=False)),
    "a constant first": lambda: (leaf_of(3, 3, wants=False), leaf_of(3, 3)),
    "a constant second": lambda: (leaf_of(3, 3), leaf_of(3, 3, wants=False)),
    "a row for all": lambda: (leaf_of(3, 3), leaf_of(3)),
    "a column for all": lambda: (leaf_of(3, 1), leaf_of(3, 3)),
    "a view": lambda: (leaf_of(3, 3).exp().T, leaf_of(3, 3)),
    "a view second": lambda: (leaf_of(3, 3), leaf_of(3, 3).exp()[:3]),
    "a view of what changed": lambda: (changed(leaf_of(3, 3).exp().detach()).requires_grad_().exp()[:], leaf_of(3, 3)),
    "changed": lambda: (changed(leaf_of(3, 3)), leaf_of(3, 3)),
    "changed second": lambda: (leaf_of(3, 3), changed(leaf_of(3, 3))),
    "float64": lambda: (leaf_of(3, 3, dtype=torch.float64), leaf_of(3, 3, dtype=torch.float64)),
    "a parameter": lambda: (leaf_of(3, 3), parameter()),
    "a parameter first": lambda: (parameter(), leaf_of(3, 3)),
    "a parameter that was trained": lambda: (leaf_of(3, 3), changed(parameter())),
    "a parameter that was trained, first": lambda: (changed(parameter()), leaf_of(3, 3)),
    "both trained": lambda: (changed(leaf_of(3, 3)), changed(changed(parameter()))),
}
MIXED = {
    "a float": lambda: (leaf_of(3, 3), 2.5),
    "an int": lambda: (leaf_of(3, 3), 2),
    "a bool": lambda: (leaf_of(3, 3), True),
    "a number of numpy": lambda: (leaf_of(3, 3), np.float64(2.5)),
    "a float beside one number": lambda: (leaf_of(), 2.5),
    "a float beside integers": lambda: (torch.arange(1, 4), 2.5),
    "integers": lambda: (torch.arange(1, 4), torch.arange(1, 4)),
    "integers second": lambda: (leaf_of(3), torch.arange(1, 4)),
    "two dtypes": lambda: (leaf_of(3, 3), leaf_of(3, 3, dtype=torch.float64)),
    "shapes that do not meet": lambda: (leaf_of(3, 3), leaf_of(2)),
}
OF_TWO = [scalar.Add, scalar.Sub, scalar.Mul, scalar.Div]
OF_MATRICES = [upstream.Mm]
OF_ONE = [
    (scalar.Neg, {}),
    (scalar.Pow, {"exponent": 3}),
    (scalar.Pow, {"exponent": 0.5}),
    (upstream.Sum, {}),
    (upstream.Mean, {}),
    (elementary.Exp, {}),
    (elementary.Log, {}),
    (elementary.Relu, {}),
    (elementary.Sigmoid, {}),
    (softmax.Softmax, {"axis": 0}),
    (softmax.LogSoftmax, {"axis": 0}),
]


def told(apply, operands):
    """What comes of an operation: its value, its graph, and what a backward pass brings; or its error."""
    try:
        result = apply(*operands)
    except (RuntimeError, TypeError) as error:
        return type(error), str(error)
    facts = [repr(result), result.dtype, type(result._array), result.requires_grad, result._view]
    node = result.grad_fn
    if node is not None:
        facts += [
            type(node),
            node.needs_input_grad,
            node.shape,
            node.dtype,
            checks.roles(node),
            leaf.expected_versions(node),
        ]
        facts += [[(type(target).__name__, place) for target, place in node.next_functions]]
        facts += [[getattr(each, "tensor", each) is operand for each in node.saved for operand in operands]]
        leaves = [each for each in operands if isinstance(each, Tensor) and each.is_leaf and each.requires_grad]
        result.backward(torch.full_like(result, 3.0))
        facts += [repr(each.grad) for each in leaves]
        facts += [again(result)]
    return facts


def again(result):
    """What a second pass says."""
    try:
        return result.backward(torch.ones_like(result))
    except RuntimeError as error:
        return str(error)


def assert_same_both_ways(operation, operands, recording, **settings):
    """The frequent case and the general methods do the same with all these operands."""

    def apply(*operands):
        return operation.apply(*operands, **settings)

    with torch.set_grad_enabled(recording):
        for make in operands.values():
            told(apply, make())  # from here on it has functions of its own
        fast = {name: told(apply, make()) for name, make in operands.items()}
        with fastpath.off():  # once for all of them: it looks at every operation there is
            for name, make in operands.items():
                assert fast[name] == told(apply, make()), name


@pytest.mark.parametrize("recording", [True, False])
@pytest.mark.parametrize("operation", OF_TWO)
def test_two_operands(operation, recording):
    assert_same_both_ways(operation, OPERANDS | MIXED, recording)


@pytest.mark.parametrize("recording", [True, False])
@pytest.mark.parametrize("operation", OF_MATRICES)
def test_two_matrices(operation, recording):
    square = {name: make for name, make in OPERANDS.items() if "numbers" not in name and "for all" not in name}
    assert_same_both_ways(operation, square, recording)


@pytest.mark.parametrize("recording", [True, False])
@pytest.mark.parametrize(("operation", "settings"), OF_ONE)
def test_one_operand(operation, settings, recording):
    ones = {name: lambda make=make: make()[:1] for name, make in OPERANDS.items() if "second" not in name}
    assert_same_both_ways(operation, ones, recording, **settings)


def test_each_operation_has_functions_of_its_own():
    for operation in OF_TWO:
        operation.apply(leaf_of(2), leaf_of(2))
    found = [code for each in OF_TWO for code in (each.apply.__code__, each.node.pullback.__code__)]
    assert len({id(code) for code in found}) == len(found)
    assert all(code.co_filename.startswith("<fastpath") for code in found)


def test_the_switch_takes_everything_back():
    leaf_of(2) * leaf_of(2)
    with fastpath.off():
        assert scalar.Mul.apply.__func__ is scalar.Function.apply.__func__
        assert scalar.Mul.node.pullback is scalar.Function.pullback
        assert scalar.Mul.node.saved_tensors is scalar.Function.saved_tensors
        x = leaf_of(2)
        (x * 3.0).sum().backward()
        assert x.grad.tolist() == [3.0, 3.0]
    leaf_of(2) * leaf_of(2)
    assert scalar.Mul.apply.__code__.co_filename == "<fastpath: apply>"


def test_what_was_taken_back_returns_unless_it_was_made_from_something_else(monkeypatch):
    leaf_of(2) * leaf_of(2)
    made = scalar.Mul.apply, scalar.Mul.node.pullback, scalar.Mul.node.saved_tensors
    with fastpath.off():
        pass
    assert (scalar.Mul.apply, scalar.Mul.node.pullback, scalar.Mul.node.saved_tensors) == made
    with fastpath.off():
        monkeypatch.setattr(scalar.Mul, "forward", staticmethod(lambda ctx, a, b: a + b))
    assert (torch.tensor([2.0, 3.0]) * torch.tensor([5.0, 7.0])).tolist() == [7.0, 10.0]
    with fastpath.off():
        monkeypatch.undo()
    assert (torch.tensor([2.0, 3.0]) * torch.tensor([5.0, 7.0])).tolist() == [10.0, 21.0]


def test_without_it_a_step_of_descent_and_a_loss_go_the_general_way(monkeypatch):
    changes, gradients = [], []
    change, spread = inplace.change, softmax.SparseGrad.whole
    monkeypatch.setattr(inplace, "change", lambda *given: changes.append(1) or change(*given))
    monkeypatch.setattr(softmax.SparseGrad, "whole", lambda self: gradients.append(1) or spread(self))

    def train():
        w, step = torch.ones(3, 2, requires_grad=True), torch.ones(3, 2)
        torch.nn.functional.cross_entropy(w * 2, torch.tensor([0, 1, 0])).backward()
        with torch.no_grad():
            w -= step
        return w, w.grad

    quick, *_ = train()
    assert not changes and not gradients
    with fastpath.off():
        assert train()[0].tolist() == quick.tolist()
    assert len(changes) == len(gradients) == 1


def test_a_watched_node_goes_the_general_way():
    x = leaf_of(3)
    y = x * 2.0
    seen = []
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    y.sum().backward()
    assert seen == [[1.0, 1.0, 1.0]]
    z = (x * x).sum()
    (first,) = torch.autograd.grad(z, x, create_graph=True)
    assert first.requires_grad


@pytest.mark.parametrize("operation", OF_TWO)
def test_numbers_at_the_edge(operation):
    numbers = [float("inf"), float("nan"), -0.0, 1e300, 10**30]
    assert_same_both_ways(operation, {each: lambda each=each: (leaf_of(2), each) for each in numbers}, True)
