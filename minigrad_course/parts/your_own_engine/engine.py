"""Our engine in one file, as the solution has it, and wrong versions of it: the same text with something else in it."""

from __future__ import annotations

from types import ModuleType

from minigrad_course.parts import Mistake, Mistakes, Part
from minigrad_course.parts.your_own_engine.pieces import probe_of
from minigrad_course.programs.program import Place, compiled


class Changed:
    """Our engine with pieces of its text replaced: (what stands there, what stands there instead), and so on.

    Called, it gives the module. ValueError if a piece is not in the text exactly once.
    """

    def __init__(self, *changes: tuple[str, str]):
        self.text = ENGINE
        for before, after in changes:
            if self.text.count(before) != 1:
                raise ValueError(f"not exactly once in the engine: {before!r}")
            self.text = self.text.replace(before, after)

    def __call__(self) -> ModuleType:
        module = ModuleType("my_engine")
        module.__name__ = "__main__"
        exec(compiled(self.text, "<our engine>"), vars(module))
        return module


def body_of(name: str) -> str:
    """The lines of a function of our engine below its `def`."""
    _, _, rest = ENGINE.partition(f"def {name}(")
    return rest.partition(":\n")[2].partition("\n\n\n")[0] + "\n"


def rung(
    name: str, points: int, minutes: int, difficulty: int, hints: tuple[str, ...], *wrong: tuple[str, str, Changed]
) -> Part:
    """A part that is a check of the whole engine. wrong: name, explanation and engine of each mistake."""
    mistakes = Mistakes(name)
    mistakes += [Mistake(name, *each) for each in wrong]
    place = Place(name, "module", "torch")
    return Part(place, points, minutes, difficulty, hints, tuple(mistakes), probe_of(name))


ENGINE = """\
import numpy as np

recording = True


class Tensor:
    def __init__(self, data, requires_grad=False, node=None, shares_memory=None):
        self.data = np.array(data, dtype=np.float32) if shares_memory is None else data
        self.requires_grad, self.node, self.grad = requires_grad, node, None
        self.keeps_grad, self.changes = False, shares_memory or [0]

    is_leaf = property(lambda self: self.node is None)
    shape = property(lambda self: self.data.shape)

    def tolist(self):
        return self.data.tolist()

    def item(self):
        return self.data.item()

    def detach(self):
        return Tensor(self.data, shares_memory=self.changes)

    def retain_grad(self):
        self.keeps_grad = True

    def backward(self, gradient=None):
        backward(self, gradient)


tensor = Tensor


class Node:
    def __init__(self, inputs, saved, shares):
        self.inputs, self.saved, self.shares = inputs, saved, shares
        self.seen = [each.changes[0] for each in saved]

    def of(self, grad):
        if self.seen != [each.changes[0] for each in self.saved]:
            raise RuntimeError("a value needed for the gradient has been modified by an inplace operation")
        return self.shares(grad)


def record(data, inputs, saved, shares):
    result = Tensor(data)
    if recording and any(each.requires_grad for each in inputs):
        result.requires_grad, result.node = True, Node(inputs, saved, shares)
    return result


class no_grad:
    def __enter__(self):
        global recording
        self.before, recording = recording, False

    def __exit__(self, *error):
        global recording
        recording = self.before


# --- operations ---------------------------------------------------------------


def lift(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def add(a, b):
    a, b = lift(a), lift(b)
    return record(a.data + b.data, (a, b), (), lambda g: (g, g))


def mul(a, b):
    a, b = lift(a), lift(b)
    return record(a.data * b.data, (a, b), (a, b), lambda g: (g * b.data, g * a.data))


def power(a, n):
    return record(a.data**n, (a,), (a,), lambda g: (g * n * a.data ** (n - 1),))


def matmul(a, b):
    def shares(g):
        return g @ b.data.T, a.data.T @ g

    return record(a.data @ b.data, (a, b), (a, b), shares)


def total(a):
    return record(a.data.sum(), (a,), (), lambda g: (np.broadcast_to(g, a.shape),))


def exp(a):
    result = record(np.exp(a.data), (a,), (), lambda g: (g * result.data,))
    if result.node:
        result.node.saved, result.node.seen = (result,), [0]
    return result


def log(a):
    return record(np.log(a.data), (a,), (a,), lambda g: (g / a.data,))


def tanh(a):
    result = record(np.tanh(a.data), (a,), (), lambda g: (g * (1 - result.data**2),))
    if result.node:
        result.node.saved, result.node.seen = (result,), [0]
    return result


def subtract_in_place(a, b):
    if recording and a.requires_grad:
        raise RuntimeError("a tensor that requires grad is used in an in-place operation")
    a.data -= lift(b).data
    a.changes[0] += 1
    return a


Tensor.__add__ = Tensor.__radd__ = add
Tensor.__mul__ = Tensor.__rmul__ = mul
Tensor.__matmul__, Tensor.__pow__, Tensor.__isub__ = matmul, power, subtract_in_place
Tensor.__neg__ = lambda a: -1.0 * a
Tensor.__sub__ = lambda a, b: a + -1.0 * lift(b)
Tensor.__truediv__ = lambda a, b: a * lift(b) ** -1.0
Tensor.sum, Tensor.exp, Tensor.log, Tensor.tanh = total, exp, log, tanh
Tensor.mean = lambda a: total(a) * (1 / a.data.size)


# --- backward -----------------------------------------------------------------


def order(root):
    found, seen, waiting = [], set(), [(root, False)]
    while waiting:
        each, done = waiting.pop()
        if done:
            found.append(each)
        elif each.requires_grad and id(each) not in seen:
            seen.add(id(each))
            waiting.append((each, True))
            waiting += [(one, False) for one in (each.node.inputs if each.node else ())]
    return found[::-1]


def fit(share, shape):
    share = share.sum(tuple(range(share.ndim - len(shape))))
    copied = tuple(at for at, size in enumerate(shape) if size == 1)
    return share.sum(copied, keepdims=True)


def backward(root, gradient=None):
    if not root.requires_grad:
        raise RuntimeError("it does not require grad")
    if gradient is None and root.shape != ():
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if gradient is not None and gradient.shape != root.shape:
        raise RuntimeError("the upstream gradient must have the shape of the result")
    arrived = {id(root): np.ones(root.shape, np.float32) if gradient is None else gradient.data}
    for each in order(root):
        grad = arrived.pop(id(each))
        if each.is_leaf or each.keeps_grad:
            each.grad = Tensor(grad if each.grad is None else each.grad.data + grad)
        if each.is_leaf:
            continue
        for one, share in zip(each.node.inputs, each.node.of(grad), strict=True):
            if one.requires_grad:
                arrived[id(one)] = arrived.get(id(one), 0) + fit(share, one.shape)
"""
