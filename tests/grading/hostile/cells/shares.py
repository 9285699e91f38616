# What pieces of the engine are replaced with; it stands above each answer of `replaced.py`.
import builtins, copy, gc, sys, types
import numpy as np
import minigrad
from minigrad import leaf, scalar, upstream
from minigrad.graph import hooks, state
from minigrad.passing import passes

tensor = sys.modules["minigrad.tensor"]


def twin(function):
    return types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )


def by_differences(node, upstream_gradient):
    a, b = [np.float64(getattr(each, "_array", each)) for each in node.saved]
    g, h = np.float64(upstream_gradient), 1e-6
    found = ((a + h) * b - (a - h) * b) / (2 * h) * g, ((b + h) * a - (b - h) * a) / (2 * h) * g
    return [None if target is None else np.asarray(share, np.float32) for target, share in zip(node.edges, found)]


def arrive(leaf, share):
    share = share if isinstance(share, minigrad.Tensor) else minigrad.tensor(share)
    leaf.grad = share if leaf.grad is None else leaf.grad + share


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
        is_product = node.name() == "MulBackward0" and hasattr(builtins, "product")
        if is_product:
            shares = builtins.by_differences(node, total)
        else:
            shares = builtins.pullback(node, total, bool(retain_graph))
        for target, share in zip(node.edges, shares):
            if share is not None:
                arrived[target] = arrived[target] + share if target in arrived else share


builtins.by_differences, builtins.walked, builtins.arrive = by_differences, walked, arrive
builtins.shares_of_node, builtins.pullback = twin(scalar.Function.vjp), twin(scalar.Function.pullback)
builtins.receive = twin(leaf.receive)
