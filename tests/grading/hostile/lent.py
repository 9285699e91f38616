"""Answers that let the engine work for them: by passes of their own, by its helpers, by the tools of what runs them.

Most are operations with a right `forward`, and a `backward` that knows nothing.
"""

from __future__ import annotations

from answers import Attack
from knowing_nothing import indented, plain

ONES = "torch.ones(a.numel(), dtype=a.dtype)"
FLAT = "a.reshape(-1)"
# part -> the inputs, the result of arrays, and expressions of tensors with the same result
RESULTS: dict[str, tuple[str, str, dict[str, str]]] = {
    "sum": (
        "a",
        "np.asarray(a.sum())",
        {
            "dot": f"{FLAT}.dot({ONES})",
            "cumsum": f"{FLAT}.cumsum(0)[-1]",
            "linear": f"torch.nn.functional.linear({FLAT}, {ONES}[None])[0]",
            "a product of matrices": f"({FLAT}[None] @ {ONES}[:, None])[0, 0]",
            "a norm": "(a - a.detach() + 1).norm(1)",
            "addmv": f"torch.addmv(torch.zeros(1, dtype=a.dtype), {FLAT}[None], {ONES})[0]",
        },
    ),
    "mv": (
        "a, b",
        "a @ b",
        {
            "a product of matrices": "(a @ b[:, None])[:, 0]",
            "products and sums": "(a * b).sum(1)",
            "einsum": "torch.einsum('ij,j->i', a, b)",
            "linear": "torch.nn.functional.linear(b, a)",
            "dots": "torch.stack([row.dot(b) for row in a])",
            "cumsum": "(a * b).cumsum(1)[:, -1]",
            "tensordot": "torch.tensordot(a, b, dims=1)",
        },
    ),
}
# who differentiates: `inputs` require grad, `result` is made of them, `g` is the upstream gradient
PASSES = {
    "autograd.grad": "torch.autograd.grad(result, inputs, g, create_graph=create)",
    "jacobian.vjp": "minigrad.jacobian.vjp(result, tuple(inputs), g, create)",
    "a walk of its own": "walked(result.grad_fn, inputs, g)",
    "code with the engine's name": "as_if('minigrad/scalar.py', vars(minigrad.scalar))",
    "code with the program's name": "as_if('<program>', {})",
}

TEMPLATE = """
import sys
import minigrad, minigrad as torch
import numpy as np

def walked(root, inputs, g):
    arrived, waiting = {{root: g}}, [root]
    while waiting:
        node = max(waiting, key=lambda each: each.number)
        waiting.remove(node)
        shares = node.backward(node, arrived.pop(node))
        shares = shares if isinstance(shares, tuple) else (shares,)
        for target, share in zip(node.edges, shares):
            if target is not None and share is not None:
                if target not in arrived:
                    waiting += [target] if target.number else []
                    arrived[target] = share
                else:
                    arrived[target] = arrived[target] + share
    return [arrived[each] for each in inputs]

def as_if(name, names):
    frame = sys._getframe(1)
    code = compile("found = grad(result, inputs, g, create_graph=create)", name, "exec")
    known = {{**frame.f_locals, "grad": torch.autograd.grad, "__name__": "minigrad.scalar"}}
    if names:
        names.update(known)
    exec(code, names or known)
    return (names or known)["found"]

def tensor(value):
    if isinstance(value, minigrad.Tensor):
        return value
    return minigrad.tensor(np.asarray(value, np.float64).tolist(), dtype=minigrad.float64)

@part("{part}")
class Borrowed(Function):
    @staticmethod
    def forward(ctx, {inputs}):
        ctx.save_for_backward({inputs})
        return {forward}

    @staticmethod
    def backward(ctx, grad_output):
        create = isinstance(grad_output, minigrad.Tensor)
        with minigrad.enable_grad():
            inputs = [each if create and each.requires_grad else tensor(each).detach().requires_grad_()
                      for each in ctx.saved_tensors]
            {inputs}, = inputs
            g = tensor(grad_output)
            result = {result}
            found = {found}
        return tuple(each if create else each.numpy() for each in found)
"""


def lent(part: str, result: str, found: str) -> Attack:
    """An operation whose shares are what a pass over `result` has found."""
    inputs, forward, _ = RESULTS[part]
    return Attack(TEMPLATE.format(part=part, inputs=inputs, forward=forward, result=result, found=found), part)


RECORDED = {
    f"{part}: {name}": lent(part, result, PASSES["autograd.grad"])
    for part, (_, _, results) in RESULTS.items()
    for name, result in results.items()
} | {f"mv: einsum by {way}": lent("mv", RESULTS["mv"][2]["einsum"], found) for way, found in PASSES.items()}

# y = x ** (p / q) meets y ** q = x ** p, and both sides are products: no rule for powers is needed
IMPLICIT_POW = """
import minigrad
import numpy as np

def product(x, count):
    found = x
    for _ in range(count - 1):
        found = found * x
    return found

def slope(x, count):
    if not count:
        return 0 * x.detach()
    with minigrad.enable_grad():
        x = x.detach().requires_grad_()
        {pass_over}

@part("pow")
class Implicit(Function):
    @staticmethod
    def forward(ctx, a, exponent):
        ctx.p, ctx.q = round(2 * exponent), 2
        result = np.asarray(np.power(a, float(exponent)), a.dtype)
        ctx.x, ctx.y = a, result
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, y = (minigrad.tensor(np.asarray(each, np.float64).tolist(), dtype=minigrad.float64)
                for each in (ctx.x, ctx.y))
        if ctx.p < 0:  # y ** q * x ** -p = 1
            share = -slope(x, -ctx.p) * product(y, ctx.q) / (slope(y, ctx.q) * product(x, -ctx.p))
        else:
            share = slope(x, ctx.p) / slope(y, ctx.q)
        return grad_output * share.numpy().astype(np.float32)
"""
IMPLICIT_HYPOT = """
import minigrad
import numpy as np

def slope(x):
    with minigrad.enable_grad():
        x = x.detach().requires_grad_()
        count = 2
        {pass_over}

@part("hypot")
class Implicit(Function):
    @staticmethod
    def forward(ctx, a, b):
        h = np.sqrt(a * a + b * b)
        ctx.values = a, b, h
        return h

    @staticmethod
    def backward(ctx, grad_output):
        a, b, h = (slope(minigrad.from_numpy(np.array(each))).numpy() for each in ctx.values)
        return grad_output * a / h, grad_output * b / h

def product(x, count):
    return x * x
"""
OVER_PRODUCTS = {
    "autograd.grad": "return minigrad.autograd.grad(product(x, count), x)[0]",
    "backward": "product(x, count).backward()\nreturn x.grad",
    "func.grad": "return minigrad.func.grad(lambda t: product(t, count))(x)",
    "its own rule with a false ctx": """
        import types
        found = 0 * x
        for k in range(count):  # the share of each factor
            ctx = types.SimpleNamespace(saved_tensors=(x, product(x, count - 1) if count > 1 else 0 * x + 1),
                                        needs_input_grad=(True, True), edges=(x, x), saved=(x, x))
            found = found + minigrad.scalar.Mul.backward(ctx, 0 * x + 1)[0]
        return found.detach()
        """,
    "a hook of the engine's own functions": """
        import functools
        y = product(x, count)
        z = (x * 1)
        z.register_hook(functools.partial(minigrad.jacobian.vjp, y, x))
        z.backward()
        return x.grad
        """,
    "a node called alone": """
        y = product(x, count)
        total, waiting = 0 * x.detach(), [(y.grad_fn, 0 * x.detach() + 1)]
        while waiting:
            node, g = waiting.pop()
            for (target, _), share in zip(node.next_functions, node(g) if len(node.next_functions) > 1 else [node(g)]):
                if target is None or share is None:
                    continue
                if target.name().endswith("AccumulateGrad"):
                    total = total + share
                else:
                    waiting.append((target, share))
        return total
        """,
    "code with the engine's name": """
        names = {"minigrad": minigrad, "y": product(x, count), "x": x, "__name__": "minigrad.scalar"}
        exec(compile("found = minigrad.autograd.grad(y, x)[0]", "minigrad/scalar.py", "exec"), names)
        return names["found"]
        """,
    "code with the program's name": """
        names = {"minigrad": minigrad, "y": product(x, count), "x": x}
        exec(compile("found = minigrad.autograd.grad(y, x)[0]", "<program>", "exec"), names)
        return names["found"]
        """,
    "code of its rule": """
        import types
        rule = types.FunctionType(minigrad.scalar.Mul.backward.__code__, dict(vars(minigrad.scalar)))
        ctx = types.SimpleNamespace(saved_tensors=(x, product(x, count - 1) if count > 1 else 0 * x + 1),
                                    needs_input_grad=(True, True), edges=(x, x), saved=(x, x))
        return (rule(ctx, 0 * x + 1)[0] * count).detach()
        """,
}


def implicit(text: str, way: str) -> str:
    """The text with this way to differentiate a product."""
    return text.replace("        {pass_over}", indented(OVER_PRODUCTS[way], 2))


# a copy of a rule, which asks nobody
COPIED = implicit(IMPLICIT_POW, "code of its rule").replace(
    "dict(vars(minigrad.scalar))", '{"__lends__": lambda *_: True}'
)
UNASKED = {"pow: a copy of the rule of products": plain("pow", COPIED)}
ALONE = "a node called alone"  # only a node with one product below it
IMPLICIT = {f"pow: {way}": plain("pow", implicit(IMPLICIT_POW, way)) for way in OVER_PRODUCTS if way != ALONE} | {
    f"hypot: {way}": plain("hypot", implicit(IMPLICIT_HYPOT, way)) for way in ("autograd.grad", ALONE)
}

# the program's own pass goes through nodes that the answer has put below its own
BELOW = {
    "pow": """
        @part("pow")
        class Above(Function):
            @classmethod
            def apply(cls, a, *, exponent):
                square = a * a
                found = super().apply(a, exponent=exponent)
                if found.grad_fn is not None and exponent == 2:
                    found.grad_fn.edges = (square.grad_fn,)
                return found
            @staticmethod
            def forward(ctx, a, exponent):
                ctx.save_for_backward(a)
                ctx.exponent = exponent
                return np.asarray(np.power(a, float(exponent)), a.dtype)
            @staticmethod
            def backward(ctx, grad_output):
                (a,) = ctx.saved_tensors
                return grad_output if ctx.exponent == 2 else grad_output * ctx.exponent * a ** float(ctx.exponent - 1)
        """,
    "hypot": """
        import minigrad
        @part("hypot")
        class Above(Function):
            @classmethod
            def apply(cls, a, b):
                squares = a * a, b * b
                found = super().apply(a, b)
                found.grad_fn.edges = (squares[0].grad_fn, squares[1].grad_fn)
                return found
            @staticmethod
            def forward(ctx, a, b):
                ctx.h = np.sqrt(a * a + b * b)
                return ctx.h
            @staticmethod
            def backward(ctx, grad_output):  # d(h * h) = 2 h dh
                return grad_output / (2 * ctx.h), grad_output / (2 * ctx.h)
        """,
    "sum": """
        import minigrad
        @part("sum")
        class Above(Function):
            @classmethod
            def apply(cls, a):
                total = a.reshape(-1).dot(minigrad.ones(a.numel(), dtype=a.dtype))
                found = super().apply(a)
                if found.grad_fn is not None:
                    found.grad_fn.edges = (total.grad_fn,)
                return found
            @staticmethod
            def forward(ctx, a):
                return np.asarray(a.sum())
            @staticmethod
            def backward(ctx, grad_output):
                return grad_output
        """,
    "mv": """
        import minigrad
        @part("mv")
        class Above(Function):
            @classmethod
            def apply(cls, a, b):
                product = (a * b).sum(1)
                found = super().apply(a, b)
                if found.grad_fn is not None:
                    found.grad_fn.edges = (product.grad_fn, None)
                return found
            @staticmethod
            def forward(ctx, a, b):
                return a @ b
            @staticmethod
            def backward(ctx, grad_output):
                return grad_output, None
        """,
    "hypot: a hook of the node": """
        import functools
        import minigrad
        @part("hypot")
        class Above(Function):
            @classmethod
            def apply(cls, *inputs, **settings):
                found = super().apply(*inputs, **settings)
                if found.grad_fn is not None:
                    found.grad_fn.register_hook(lambda *shares: None)
                return found
            @staticmethod
            def forward(ctx, a, b):
                ctx.values = a, b, np.sqrt(a * a + b * b)
                return ctx.values[2]
            @staticmethod
            def backward(ctx, grad_output):
                with minigrad.enable_grad():
                    x = tuple(minigrad.from_numpy(np.array(each)).requires_grad_() for each in ctx.values[:2])
                    y = tuple(each * each for each in x)
                ctx.register_hook(functools.partial(minigrad.jacobian.vjp, y, x))
                share = grad_output / (2 * ctx.values[2])
                return share, share
        """,
    "pow: a hook of the node": """
        import functools
        import minigrad
        def product(x, count):
            found = x
            for _ in range(count - 1):
                found = found * x
            return found
        @part("pow")
        class Above(Function):
            @classmethod
            def apply(cls, *inputs, **settings):
                found = super().apply(*inputs, **settings)
                if found.grad_fn is not None:
                    found.grad_fn.register_hook(lambda *shares: None)
                return found
            @staticmethod
            def forward(ctx, a, exponent):
                ctx.a, ctx.exponent = a, exponent
                return np.asarray(np.power(a, float(exponent)), a.dtype)
            @staticmethod
            def backward(ctx, grad_output):
                n = ctx.exponent
                if n not in (2, 3):
                    return grad_output * n * ctx.a ** float(n - 1)
                with minigrad.enable_grad():
                    x = minigrad.from_numpy(np.array(ctx.a)).requires_grad_()
                    y = product(x, n)
                ctx.register_hook(functools.partial(minigrad.jacobian.vjp, (y,), (x,)))
                return grad_output
        """,
}
# an operation of the engine in the part's place, whose calls have no frame of the answer
INSTEAD_OF = {
    "mv: a function of the engine in its place": """
        import minigrad
        @part("mv")
        class Other(Function):
            apply = staticmethod(minigrad.inner)
            node = type(minigrad.inner(minigrad.ones(2, 3).requires_grad_(), minigrad.ones(3)).grad_fn)
        """,
    "mv: a rule with a false ctx": """
        import types
        import minigrad
        @part("mv")
        class Other(Function):
            @staticmethod
            def forward(ctx, a, x):
                ctx.save_for_backward(a, x)
                return a @ x
            @staticmethod
            def backward(ctx, g):
                a, x = ctx.saved_tensors
                known = {"saved_tensors": (a, x[:, None]), "needs_input_grad": (True, True), "edges": (a, x)}
                false = types.SimpleNamespace(**known)
                a, x = minigrad.upstream.Mm.backward(false, g[:, None])
                return a, x[:, 0]
        """,
    "mv: a rule with a class of its own": """
        import minigrad
        class Both(minigrad.upstream.Mm):
            saved_tensors = ()
        @part("mv")
        class Other(Function):
            @staticmethod
            def forward(ctx, a, x):
                ctx.save_for_backward(a, x)
                return a @ x
            @staticmethod
            def backward(ctx, g):
                a, x = ctx.saved_tensors
                ctx = Both()
                ctx.saved_tensors, ctx.needs_input_grad, ctx.edges = (a, x[:, None]), (True, True), (a, x)
                a, x = ctx.backward(ctx, g[:, None])
                return a, x[:, 0]
        """,
}

# --- helpers of the engine ------------------------------------------------------------------------

NUMERIC_FORWARDS = {
    "mul": ("a, b", "a * b"),
    "div": ("a, b", "a / b"),
    "hypot": ("a, b", "np.hypot(a, b)"),
    "sum": ("a", "a.sum()"),
    "mean": ("a", "a.mean()"),
    "matmul": ("a, b", "a @ b"),
}
NUMERIC_TOOLS = {
    "numeric_jacobian": "minigrad.jacobian.numeric_jacobian(f, x, 1e-4)",
    "the text of gradcheck": "told(f, x)",
}
NUMERIC_TEXT = """
import re
import minigrad, torch
import numpy as np

class Zero(torch.autograd.Function):  # its gradient is wrong, so the right one is quoted
    @staticmethod
    def forward(ctx, t):
        ctx.shape = t.shape
        return minigrad.from_numpy(np.array(f_of(t.detach()).numpy()))
    @staticmethod
    def backward(ctx, g):
        return minigrad.zeros(ctx.shape, dtype=minigrad.float64) + 1e6

def told(f, x):
    global f_of
    f_of = f
    minigrad.set_printoptions(precision=10, threshold=10**6, linewidth=10**6, sci_mode=False)
    try:
        with minigrad.enable_grad():
            torch.autograd.gradcheck(Zero.apply, (x.detach().requires_grad_(),), eps=1e-4)
    except RuntimeError as error:
        text = str(error).partition("numerical:")[2].partition("analytical")[0]
        numbers = [float(each) for each in re.findall(r"-?\\d+\\.\\d*(?:e[-+]\\d+)?", text)]
        y = f(x.detach())
        rows = minigrad.tensor(numbers, dtype=minigrad.float64).reshape(x.numel(), y.numel())
        return rows.T.reshape((*y.shape, *x.shape))
    finally:
        minigrad.set_printoptions(profile="default")

@part("{part}")
class Numeric(Function):
    @staticmethod
    def forward(ctx, {inputs}):
        ctx.values = {inputs},
        return np.asarray({result}, ctx.values[0].dtype)

    @staticmethod
    def backward(ctx, grad_output):
        shares, create = [], isinstance(grad_output, minigrad.Tensor)
        g = tensor(grad_output).reshape(-1)
        for k, value in enumerate(ctx.values):
            def f(t):
                t = np.asarray(t.detach().numpy())
                {inputs}, = [t if place == k else np.asarray(each, float) for place, each in enumerate(ctx.values)]
                return tensor({result})
            x = tensor(value)
            J = {tool}
            shares.append((g[None] @ J.detach().reshape(g.numel(), -1)).reshape(x.shape))
        return tuple(each.to(grad_output.dtype) if create else each.numpy() for each in shares)

def tensor(value):
    if isinstance(value, minigrad.Tensor):
        return value.double()
    return minigrad.tensor(np.asarray(value, np.float64).tolist(), dtype=minigrad.float64)
"""
NUMERIC_OF_FUNCTIONS = {
    "broadcast: numeric_jacobian": """
        import minigrad
        @part("broadcast")
        def f(grad, shape):
            J = minigrad.jacobian.numeric_jacobian(lambda x: x.expand(grad.shape),
                                                   minigrad.zeros(shape, dtype=minigrad.float64), 1.0)
            g = grad.reshape(-1).astype(np.float64)
            return (g @ J.numpy().reshape(g.size, -1)).reshape(shape).astype(grad.dtype)
        """,
    "index: numeric_jacobian": """
        import minigrad
        @part("index")
        def f(grad, shape, index):
            J = minigrad.jacobian.numeric_jacobian(lambda x: minigrad.from_numpy(x.numpy()[index]),
                                                   minigrad.zeros(shape, dtype=minigrad.float64), 1.0)
            g = grad.reshape(-1).astype(np.float64)
            return (g @ J.numpy().reshape(g.size, -1)).reshape(shape).astype(grad.dtype)
        """,
}


def numeric(part: str, tool: str) -> Attack:
    """An operation whose shares are what a numeric tool of the engine says."""
    inputs, result = NUMERIC_FORWARDS[part]
    return Attack(NUMERIC_TEXT.format(part=part, inputs=inputs, result=result, tool=NUMERIC_TOOLS[tool]), part)


def power(share: str) -> Attack:
    """An answer to `pow` with the right forward."""
    text = f"""
        from minigrad.graph import array_ops
        import inspect
        @part("pow")
        class Borrowed(Function):
            @staticmethod
            def forward(ctx, a, exponent):
                ctx.save_for_backward(a)
                ctx.exponent = exponent
                return array_ops.power(a, exponent)
            @staticmethod
            def backward(ctx, grad_output):
                (a,) = ctx.saved_tensors
                return {share}
        """
    return plain("pow", text)


SLOPES = {
    "power_slope": power("grad_output * array_ops.power_slope(a, ctx.exponent)"),
    "the text of power_slope": power(
        "grad_output * eval(inspect.getsource(array_ops.power_slope).partition('return ')[2], "
        "{**vars(array_ops), 'a': a, 'n': ctx.exponent})"
    ),
}

# --- the recorder ---------------------------------------------------------------------------------

TEMPLATES = {
    "the template": """
        import inspect
        from minigrad.passing import fastpath
        @part("record")
        def f(operation, inputs, settings):
            text = fastpath.unrolled(fastpath.APPLY, len(inputs))
            names = [*inspect.signature(operation.forward).parameters.values()][1 + len(inputs):]
            text = text.replace("{settings}", ", ".join(["*", *[n.name for n in names]]) if names else "")
            text = text.replace("{given}", ", ".join(f"{n.name}={n.name}" for n in names))
            made = fastpath._compiled(text, "apply", general=fastpath._apply, operation=operation,
                                      node_class=operation.node, forward=operation.forward, idle=None)
            return made(*inputs, **settings)
        """,
    "by its loader": """
        import inspect, sys
        import minigrad
        loader = minigrad.__loader__
        namespace = {"__name__": "again", "minigrad": minigrad}
        text = loader.get_source("minigrad.passing.fastpath")
        text = text.replace('switch(os.environ.get("MINIGRAD_FASTPATH") != "0")', "")
        exec(text.replace("inspect.getsource(saved.unpack)", "''"), namespace)
        @part("record")
        def f(operation, inputs, settings):
            made = {**namespace["SHARED"], "operation": operation, "node_class": operation.node,
                    "forward": operation.forward, "idle": None, "general": None}
            names = [*inspect.signature(operation.forward).parameters.values()][1 + len(inputs):]
            own = namespace["unrolled"](namespace["APPLY"], len(inputs))
            own = own.replace("{settings}", ", ".join(["*", *[n.name for n in names]]) if names else "")
            exec(own.replace("{given}", ", ".join(f"{n.name}={n.name}" for n in names)), made)
            return made["apply"](*inputs, **settings)
        """,
}

# --- the runner -----------------------------------------------------------------------------------

RUNNERS = {
    "the door": "from minigrad import parts\n",
    "the door by its own name": "import minigrad.parts as parts\n",
    "the door under torch's name": "import torch\nparts = torch.parts\n",
    "the door, imported by its name": "import importlib\nparts = importlib.import_module('minigrad.parts')\n",
    "the door by attributes": "import minigrad\nparts = minigrad.parts\n",
    "the door by sys.modules": "import sys\nparts = sys.modules['minigrad.parts']\n",
    "the door by the loader": (
        "import minigrad, sys, types\nparts = sys.modules['minigrad.parts'] = types.ModuleType('minigrad.parts')\n"
        "exec(minigrad.__loader__.get_source('minigrad.parts'), vars(parts))\n"
    ),
    "the door by its code": (
        "import minigrad, sys, types\nparts = sys.modules['minigrad.parts'] = types.ModuleType('minigrad.parts')\n"
        "exec(minigrad.__loader__.get_code('minigrad.parts'), vars(parts))\n"
    ),
    "the door of the runner": "from minigrad_course.programs.program import parts\n",
    "the door of the runner by attributes": "import minigrad\nparts = minigrad_course.programs.program.parts\n",
    "the door of the runner by sys.modules": (
        "import sys\nparts = sys.modules['minigrad_course.programs.program'].parts\n"
    ),
    "the code of the runner": (
        "import minigrad\nnamespace = {}\n"
        "exec(minigrad.__loader__.get_code('minigrad_course.programs.program'), namespace)\n"
        "parts = namespace['parts']\n"
    ),
    "the door of the job": "import sys\nparts = sys.modules['minigrad_job'].parts\n",
    "the door by the worker": (
        "import sys\nworker = sys.modules['__main__']\nparts = worker.importing.sys.modules['minigrad.parts']\n"
    ),
}
SWITCH = """
{found}
import contextlib
@part("no_grad")
class Off(leaf.Block):
    def __enter__(self):
        self.inner = parts.replace("leaf.recording", False)
    def __exit__(self, *error):
        self.inner.undo()
"""

# by passes, which earn their points where a derivative does not ask who wants it
PASSING = {
    "recorded": RECORDED,
    "implicit": IMPLICIT,
    "nodes below": {name: plain(name.partition(":")[0], text) for name, text in BELOW.items()},
    "instead": {name: plain(name.partition(":")[0], text) for name, text in INSTEAD_OF.items()},
}
HELPING = {
    "slopes": {f"pow: {name}": attack for name, attack in SLOPES.items()},
    "numeric tools": {f"{part}: numeric_jacobian": numeric(part, "numeric_jacobian") for part in NUMERIC_FORWARDS}
    | {f"{part}: the text of gradcheck": numeric(part, "the text of gradcheck") for part in ("mean", "matmul")}
    | {name: plain(name.partition(":")[0], text) for name, text in NUMERIC_OF_FUNCTIONS.items()},
    "templates": {f"record: {name}": plain("record", text) for name, text in TEMPLATES.items()},
    "runner": {f"no_grad: {name}": plain("no_grad", SWITCH.format(found=found)) for name, found in RUNNERS.items()},
}
LENT_FAMILIES = PASSING | HELPING
