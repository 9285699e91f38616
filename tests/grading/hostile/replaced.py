"""The engine replaced: a part that does nothing, and another piece of the engine that does its work instead.

What is put in a place differentiates a product by differences, walks, or lets a leaf accumulate. Each piece and each
way to replace something is tried in one pair at least.
"""

from __future__ import annotations

import textwrap

from answer_files import CELLS
from answers import Attack
from knowing_nothing import indented

SHARES = (CELLS / "shares.py").read_text(encoding="utf-8")

# what is put in a place: the owner, the name, and the function
BY_DIFFERENCES = (
    "def mine(self, grad_output, retain_graph=False):\n    import builtins\n"
    "    is_product = self.name() == 'MulBackward0'\n"
    "    return builtins.by_differences(self, grad_output) if is_product else"
    " builtins.shares_of_node(self, grad_output, retain_graph)"
)
PIECES = {
    "vjp": ("scalar.Function", "vjp", BY_DIFFERENCES),
    "pullback": ("scalar.Function", "pullback", BY_DIFFERENCES),
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
    "receive": ("leaf", "receive", "def mine(leaf, total):\n    import builtins\n    builtins.arrive(leaf, total)"),
}

WAYS = {
    "setattr": "setattr({owner}, '{name}', mine)",
    "type.__setattr__": "type({owner}).__setattr__({owner}, '{name}', mine)",
    "__code__": "{owner}.{name}.__code__ = mine.__code__",
    "__code__, by types": "types.FunctionType.__dict__['__code__'].__set__({owner}.{name}, mine.__code__)",
    "the door of the job": (
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

# where the change stands: above the class, in its forward, in its backward
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
FOR_MUL = (
    ("vjp", "setattr", "in the cell above"),
    ("vjp", "setattr", "in backward"),
    ("vjp", "__code__", "in the cell above"),
    ("vjp", "the door of the job", "in forward"),
    ("vjp", "referrers", "in the cell above"),
    ("pullback", "__code__, by types", "in forward"),
    ("pullback", "setattr", "by a subclass hook"),
    ("backpropagate", "names in the globals of a function", "in the cell above"),
    ("walk", "a proxy of a module inside others", "in the cell above"),
    ("walk", "setattr", "in forward"),
    ("Tensor.backward", "type.__setattr__", "in the cell above"),
)


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


NOTHING = {
    "walk": "@part('walk')\ndef walk(root, grad_output, retain_graph=False): pass",
    "order": "@part('order')\ndef order(root): return []",
    "accumulate": "@part('accumulate')\ndef accumulate(leaf, grad): pass",
}
FOR_OTHERS = (
    ("walk", "walk", "setattr"),
    ("order", "backpropagate", "__code__"),
    ("order", "Tensor.backward", "setattr"),
    ("accumulate", "receive", "setattr"),
)


def elsewhere(part: str, piece: str, way: str) -> Attack:
    """A part that does nothing, and something else that does all."""
    owner, name, mine = PIECES[piece]
    return Attack("\n".join([SHARES, mine, WAYS[way].format(owner=owner, name=name), NOTHING[part]]), part)


REPLACED = {f"mul: {piece} by {way}, {when}": product(piece, way, when) for piece, way, when in FOR_MUL} | {
    f"{part}: {piece} by {way}": elsewhere(part, piece, way) for part, piece, way in FOR_OTHERS
}

# --- other pieces, which are no part of the chapters ----------------------------------------------

VISIT = """
    state.anomalies = lambda node, shares: shares()
    hooks.visit = lambda node, grad_output, retain_graph: (
        by_differences(node, grad_output)
        if node.name() == "MulBackward0"
        else shares_of_node(node, grad_output, retain_graph)
    )
    """
UNWATCHED = {
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
}


def beside(text: str) -> Attack:
    """An answer to `mul` whose backward leaves the work to something outside of the engine's chapters."""
    answer = """
class Wish:
    shape = dtype = None
    def __init__(self, right): self.right = right

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
"""
    return Attack("\n".join([SHARES, textwrap.dedent(text), answer]), "mul")


REPLACED["mul: hooks.visit"] = beside(VISIT)
BESIDE = {f"mul: {name}": beside(text) for name, text in UNWATCHED.items()}
