"""The engine replaced: a part that does nothing, and another piece of the engine that does its work instead.

A way to put something in the place of something else, and what is put there, are combined. What is put there
differentiates a product by differences, walks, or lets a leaf accumulate.
"""

from __future__ import annotations

import textwrap

from answers import Attack
from knowing_nothing import indented

SHARES = """
import builtins, copy, gc, sys, types
import numpy as np
import minigrad
from minigrad import leaf, scalar, upstream
from minigrad.graph import hooks, state; from minigrad.passing import passes
tensor = sys.modules["minigrad.tensor"]

def twin(function):
    return types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                              function.__closure__)

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
"""

# what is put in a place: the owner, the name, and the function
PIECES = {
    "vjp": (
        "scalar.Function",
        "vjp",
        "def mine(self, grad_output, retain_graph=False):\n    import builtins\n"
        "    is_product = self.name() == 'MulBackward0'\n"
        "    return builtins.by_differences(self, grad_output) if is_product else"
        " builtins.shares_of_node(self, grad_output, retain_graph)",
    ),
    "pullback": (
        "scalar.Function",
        "pullback",
        "def mine(self, grad_output, retain_graph=False):\n    import builtins\n"
        "    is_product = self.name() == 'MulBackward0'\n"
        "    return builtins.by_differences(self, grad_output) if is_product else"
        " builtins.shares_of_node(self, grad_output, retain_graph)",
    ),
    "backpropagate": (
        "scalar",
        "backpropagate",
        "def mine(root, grad_output, retain_graph=False):\n    import builtins\n"
        "    builtins.walked(root, grad_output, retain_graph)",
    ),
    "walk": (
        "passes",
        "walk",
        "def mine(root, seed, retain_graph, create_graph, inputs=None, keeps=True):\n    import builtins\n"
        "    builtins.walked(root, seed, retain_graph)\n    return {}",
    ),
    "Tensor.backward": (
        "tensor.Tensor",
        "backward",
        "def mine(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):\n"
        "    import builtins, numpy\n"
        "    seed = numpy.ones(self.shape, 'float32') if gradient is None else gradient.numpy()\n"
        "    builtins.walked(self.grad_fn, seed, retain_graph)",
    ),
}

WAYS = {
    "setattr": "setattr({owner}, '{name}', mine)",
    "type.__setattr__": "type({owner}).__setattr__({owner}, '{name}', mine)",
    "__code__": "{owner}.{name}.__code__ = mine.__code__",
    "__code__, by types": "types.FunctionType.__dict__['__code__'].__set__({owner}.{name}, mine.__code__)",
    "the door of the job, by its frame": (
        "frame = sys._getframe()\n"
        "while frame.f_globals['__name__'] != 'minigrad_job': frame = frame.f_back\n"
        "frame.f_globals['parts'].replace(({owner}, '{name}'), mine)"
    ),
    "referrers": (
        "gc.unfreeze()\n"
        "for each in gc.get_referrers(vars({owner})['{name}']):\n"
        "    if isinstance(each, dict) and each.get('{name}') is vars({owner})['{name}']:\n"
        "        each['{name}'] = mine"
    ),
    "a module of its own": (
        "class Other(types.ModuleType):\n    pass\n"
        "homes = dict(passes='minigrad.passing.passes')\n"
        "for key in ('scalar', 'upstream', 'tensor', 'passes'):\n"
        "    home = homes.get(key, 'minigrad.' + key)\n"
        "    module = sys.modules[home]\n    other = Other(home)\n"
        "    vars(other).update(vars(module))\n    sys.modules[home] = other\n"
        "    for user in list(sys.modules.values()):\n"
        "        if getattr(user, key, None) is module: setattr(user, key, other)\n"
        "owner = '{owner}'.split('.')\n"
        "target = sys.modules[homes.get(owner[0], 'minigrad.' + owner[0])]\n"
        "if len(owner) == 1: setattr(target, '{name}', mine)"
    ),
    "names in the globals of a function": (
        "for each in (scalar.Function.vjp, scalar.backpropagate, passes.backward):\n"
        "    if '{name}' in each.__globals__: each.__globals__['{name}'] = mine"
    ),
    "a proxy of a module inside others": (
        "class Proxy:\n"
        "    def __init__(self, inner): self.__dict__['inner'] = inner\n"
        "    def __getattr__(self, name): return mine if name == '{name}' else getattr(self.inner, name)\n"
        "    def __setattr__(self, name, value): setattr(self.inner, name, value)\n"
        "for module in (scalar, upstream, passes, tensor, leaf, hooks, sys.modules['minigrad']):\n"
        "    for key in ('scalar', 'upstream', 'passes'):\n"
        "        if key in vars(module): vars(module)[key] = Proxy(vars(module)[key])"
    ),
}

WHEN = {
    "in the cell above": ("{change}", "", ""),
    "in forward": ("", "{change}", ""),
    "in backward": ("", "", "{change}"),
    "by a subclass hook": (
        "class Hooked(Function):\n    def __init_subclass__(cls, **settings):\n"
        "        super().__init_subclass__(**settings)\n"
        "{indented}",
        "",
        "",
    ),
}


def product(piece: str, way: str, when: str) -> Attack:
    """An answer to `mul` with a backward that does nothing."""
    owner, name, mine = PIECES[piece]
    change = WAYS[way].format(owner=owner, name=name)
    above, forward, backward = (each.format(change=change, indented=indented(change, 2)) for each in WHEN[when])
    base = "Hooked" if "Hooked" in above else "Function"
    answer = f"""
@part("mul")
class Mul({base}):
    @staticmethod
    def forward(ctx, a, b):
{indented(forward, 2)}
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
{indented(backward, 2)}
        return None, None
"""
    return Attack("\n".join([SHARES, "builtins.product = True", mine, above, answer]), "mul")


# other pieces, which are no part of the chapters
BESIDE = {
    "hooks.visit": """
        state.anomalies = lambda node, shares: shares()
        hooks.visit = lambda node, grad_output, retain_graph: (
            by_differences(node, grad_output)
            if node.name() == "MulBackward0"
            else shares_of_node(node, grad_output, retain_graph)
        )
        """,
    "hooks.visit.__code__": """
        state.anomalies = lambda node, shares: shares()
        def mine(node, grad_output, retain_graph):
            import builtins
            is_product = node.name() == "MulBackward0"
            return (builtins.by_differences if is_product else builtins.shares_of_node)(node, grad_output)
        hooks.visit.__code__ = mine.__code__
        """,
    "the guard": """
        for each in type.__subclasses__(object):
            if each.__name__ == "Watched":
                each.changed = lambda self: []
        scalar.Function.vjp = lambda self, grad_output, retain_graph=False: (
            by_differences(self, grad_output)
            if self.name() == "MulBackward0"
            else shares_of_node(self, grad_output, retain_graph)
        )
        """,
    "array_ops.cast": """
        from minigrad.graph import array_ops
        kept = array_ops.cast
        array_ops.cast = lambda value, dtype: value.right if isinstance(value, Wish) else kept(value, dtype)
        """,
    "the node's class": """
        def mine(self, grad_output, retain_graph=False): return by_differences(self, grad_output)
        def change(cls):
            cls.node.pullback = cls.node.vjp = mine
        """,
}

WISH = """
class Wish:
    def __init__(self, right): self.right = right
    shape = None
    dtype = None
"""


def beside(text: str) -> Attack:
    """An answer to `mul` whose backward leaves the work to something outside of the engine's chapters."""
    answer = """
@part("mul")
class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        state.anomalies = lambda node, shares: shares()
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(Wish(each) for each in by_differences(ctx, grad_output))

if "change" in dir(): change(Mul)
"""
    return Attack("\n".join([SHARES, WISH, textwrap.dedent(text), answer]), "mul")


NOTHING = {
    "walk": "@part('walk')\ndef walk(root, grad_output, retain_graph=False): pass",
    "order": "@part('order')\ndef order(root): return []",
    "accumulate": "@part('accumulate')\ndef accumulate(leaf, grad): pass",
}
RECEIVE = "def mine(leaf, total):\n    import builtins\n    builtins.arrive(leaf, total)"
INSTEAD = {
    ("walk", "walk"): PIECES["walk"],
    ("walk", "Tensor.backward"): PIECES["Tensor.backward"],
    ("order", "walk"): PIECES["walk"],
    ("order", "backpropagate"): PIECES["backpropagate"],
    ("order", "Tensor.backward"): PIECES["Tensor.backward"],
    ("accumulate", "receive"): ("leaf", "receive", RECEIVE),
}


def elsewhere(part: str, piece: tuple[str, str, str], way: str) -> Attack:
    """A part that does nothing, and something else that does all."""
    owner, name, mine = piece
    return Attack("\n".join([SHARES, mine, WAYS[way].format(owner=owner, name=name), NOTHING[part]]), part)


OF_MODULES = ("a module of its own", "names in the globals of a function", "a proxy of a module inside others")
LATER = ("setattr", "__code__", "the door of the job, by its frame")


def combinations() -> list[tuple[str, str, str]]:
    """What is replaced, how, and when: where it can be at all, and later than in the cell in two ways only."""
    return [
        (piece, way, when)
        for piece, (owner, _, _) in PIECES.items()
        for way in WAYS
        for when in WHEN
        if (way not in OF_MODULES or "." not in owner) and (when == "in the cell above" or way in LATER)
    ]


REPLACED = (
    {f"mul: {piece} by {way}, {when}": product(piece, way, when) for piece, way, when in combinations()}
    | {f"mul: {name}": beside(text) for name, text in BESIDE.items()}
    | {
        f"{part}: {name} by {way}": elsewhere(part, piece, way)
        for (part, name), piece in INSTEAD.items()
        for way in WAYS
        if way not in OF_MODULES or "." not in piece[0]
    }
)
