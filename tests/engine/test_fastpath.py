"""The shortcuts do what the general methods do: same values, same graph, same gradients, same errors."""

import operator

import numpy as np
import pytest

import minigrad as torch
from minigrad import scalar, upstream
from minigrad.ops import activations, elementary, softmax
from minigrad.runtime import state
from minigrad.scalar import Function
from minigrad.tensor import Tensor


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


def told(apply, operands):
    """What comes of an operation: its value, its graph, and what a backward pass brings; or its error."""
    try:
        result = apply(*operands)
    except (RuntimeError, TypeError) as error:
        return type(error), str(error)
    facts = [repr(result), result.dtype, type(result._array), result.requires_grad, result._view]
    node = result.grad_fn
    if node is not None:
        facts += [type(node), node.needs_input_grad, node.shape, node.dtype, node.roles(), node.versions or ()]
        facts += [[(type(target).__name__, place) for target, place in node.next_functions]]
        facts += [[each is operand for each in node.saved for operand in operands]]
        if node.versions and not any(node.versions):
            facts[-3] = ()  # as good as None
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


@pytest.mark.parametrize("recording", [True, False])
@pytest.mark.parametrize("operands", [*OPERANDS, *MIXED])
@pytest.mark.parametrize("operation", OF_TWO)
def test_two_operands(operation, operands, recording):
    make = {**OPERANDS, **MIXED}[operands]
    with torch.set_grad_enabled(recording):
        assert told(operation.node.apply2, make()) == told(operation.apply, make())


@pytest.mark.parametrize("recording", [True, False])
@pytest.mark.parametrize("operands", [name for name in OPERANDS if "numbers" not in name and "for all" not in name])
def test_two_matrices(operands, recording):
    with torch.set_grad_enabled(recording):
        general, short = (told(apply, OPERANDS[operands]()) for apply in (upstream.Mm.apply, upstream.Mm.node.apply2))
    assert short == general


OF_ONE = [
    (scalar.Neg, {}),
    (scalar.Pow, {"exponent": 3}),
    (scalar.Pow, {"exponent": 0.5}),
    (upstream.Sum, {}),
    (upstream.Mean, {}),
    (elementary.Exp, {}),
    (elementary.Log, {}),
    (activations.Relu, {}),
    (activations.Sigmoid, {}),
    (softmax.Softmax, {"axis": 0}),
    (softmax.LogSoftmax, {"axis": 0}),
]


@pytest.mark.parametrize("recording", [True, False])
@pytest.mark.parametrize("operands", OPERANDS)
@pytest.mark.parametrize(("operation", "settings"), OF_ONE)
def test_one_operand(operation, settings, operands, recording):
    def general(a):
        return operation.apply(a, **settings)

    def short(a):
        return operation.node.apply1(a, *settings.values())

    with torch.set_grad_enabled(recording):
        assert told(short, OPERANDS[operands]()[:1]) == told(general, OPERANDS[operands]()[:1])


def operations(kind=Function):
    """All operations that are loaded."""
    for each in kind.__subclasses__():
        if each.__module__ != "builtins":
            yield each
            yield from operations(each)


def test_the_numbers_that_nothing_records_are_those_of_forward():
    for operation in {each for each in operations() if each._plain}:
        a, b = np.float32([1, -2, 3]), np.float32([0.5, 4, -1])
        ctx = operation.node()
        ctx.needs_input_grad = (False, False)
        assert np.array_equal(operation._plain(a, b), operation.forward(ctx, a, b))
    assert scalar.Mul._plain is operator.mul


def test_gradients_that_are_not_checked_need_no_check(monkeypatch):
    """Where an operation says that its gradients are `exact`, the general method finds nothing to mend."""
    mended = []
    monkeypatch.setattr(upstream, "fit", lambda grad, wish, node, index: mended.append(node) or grad)
    monkeypatch.setattr(state, "anomalies", True)  # no pass is ordinary: every node goes the general way
    seen = set()
    whole = Function.shares

    def watched(self, grad_output, retain_graph=False):
        seen.add(type(self).__name__)
        return whole(self, grad_output, retain_graph)

    exact = {each for each in operations() if each.exact}
    for operation in exact:
        monkeypatch.setattr(operation.node, "shares", watched)
    for dtype in (torch.float32, torch.float64):
        for shape in ((3, 4), (1, 4), (3, 1), (0, 4)):
            x, w = leaf_of(*shape, dtype=dtype), leaf_of(shape[1], 5, dtype=dtype)
            logits = (x @ w).relu() ** 2
            (-logits.softmax(1)).sum().backward()
            logits.detach().requires_grad_().mean().backward()
            if shape[0]:
                for reduction in ("mean", "sum"):
                    target = torch.arange(shape[0])
                    loss = torch.nn.functional.cross_entropy(x @ w, target, reduction=reduction)
                    loss.backward()
        one = leaf_of(dtype=dtype)
        (-(one.relu() ** 3)).mean().backward()
        image = leaf_of(2, 3, 2, 2, dtype=dtype)
        torch.nn.functional.nll_loss(image.log_softmax(1), torch.zeros(2, 2, 2, dtype=torch.int64)).backward()
    assert seen >= {each.node.__name__ for each in exact}
    assert not mended


def test_operations_share_no_bytecodes():
    codes = [getattr(each.node, name).__code__ for each in OF_TWO for name in ("apply1", "apply2", "pullback")]
    assert len({id(each) for each in codes}) == len(codes)


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


def test_an_operation_of_a_program_replaces_the_shortcuts_too(monkeypatch):
    class Mul(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, grad_output):
            return 7 * grad_output, grad_output

    monkeypatch.setattr(scalar, "Mul", Mul)
    x = leaf_of(2)
    y = x * 2.0
    y.sum().backward()
    assert y.tolist() == [2.5, 3.5]
    assert x.grad.tolist() == [7.0, 7.0]
    with torch.no_grad():
        assert (x * 2.0).tolist() == [2.5, 3.5]


@pytest.mark.parametrize("number", [float("inf"), float("nan"), -0.0, 1e300, 10**30])
def test_numbers_at_the_edge(number):
    for operation in OF_TWO:
        general, short = (told(apply, (leaf_of(2), number)) for apply in (operation.apply, operation.node.apply2))
        assert short == general
