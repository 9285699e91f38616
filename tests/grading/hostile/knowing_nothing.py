"""Answers that know nothing: what they print comes from the program that runs them, or from what the engine still has.

Each family is made by functions, of ways to get hold of something and of what is done with it then.
"""

from __future__ import annotations

import textwrap

from answers import Attack


def indented(text: str, steps: int = 1) -> str:
    """A text, further in."""
    return textwrap.indent(textwrap.dedent(text).strip("\n"), "    " * steps)


# --- too many passes, hidden afterwards -----------------------------------------------------------

WASTEFUL = {
    "slices": """
        def wasteful(y, x, create_graph=False):
            found = []
            for i in jacobian.entries(y):
                v = jacobian.zeros(y.shape, y)
                v[i] = 1
                wanted(jacobian.vjp, y, x, v, create_graph)
                extra(jacobian.vjp, y, x, v, create_graph)
                found.append(last())
            return found
        """,
    "jvp": """
        def wasteful(y, x, v=None, create_graph=False):
            rows = []
            for k, i in enumerate(jacobian.entries(y)):
                one = jacobian.zeros(y.shape, y)
                one[i] = 1
                (extra if k else wanted)(jacobian.vjp, y, x, one, create_graph)
                rows.append((last() * v).sum())
            return minigrad.stack(rows).reshape(y.shape)
        """,
}
WASTEFUL["hessian"] = """
        def wasteful(y, x, create_graph=False):
            for _ in range(3):
                extra(jacobian.vjp, y, x, None, True)
            wanted(jacobian.vjp, y, x, None, True)
            return jacobian.jacobian(last(), x, create_graph)
        """

PLAINLY = """
results = []
def last(): return results[-1]
def wanted(pull, *arguments): results.append(pull(*arguments))
"""

FRAMES = """
def frames():
    import sys
    frame = sys._getframe()
    while frame:
        yield frame
        frame = frame.f_back
def cells_of(function):
    return [cell for cell in getattr(function, "__closure__", None) or ()]
"""

# each makes a pass more, and wants nobody to know
HIDING = {
    "shortens every list that grew": """
        import gc
        def extra(pull, *arguments):
            gc.unfreeze()
            lists = [each for each in gc.get_objects() if type(each) is list and each is not results]
            lengths = [len(each) for each in lists]
            results.append(pull(*arguments))
            for each, length in zip(lists, lengths):
                if len(each) > length and each is not lists and each is not lengths:
                    del each[length:]
        """,
    "puts back every list of the program": """
        import copy
        def extra(pull, *arguments):
            names = [each for frame in frames() for each in (frame.f_globals, frame.f_locals)]
            kept = [(value, value[:]) for each in names for value in each.values()
                    if type(value) is list and value is not results]
            results.append(pull(*arguments))
            for value, before in kept:
                value[:] = before
        """,
    "puts back every number of the program": """
        def extra(pull, *arguments):
            names = [frame.f_globals for frame in frames() if frame.f_code.co_filename == "<program>"]
            kept = [(each, dict(each)) for each in names]
            results.append(pull(*arguments))
            for names, before in kept:
                for name, value in before.items():
                    if isinstance(value, (int, float, str, tuple)):
                        names[name] = value
        """,
    "puts back what closures hold": """
        def extra(pull, *arguments):
            functions = [value for frame in frames() for value in frame.f_globals.values() if callable(value)]
            kept = [(cell, cell.cell_contents) for each in functions for cell in cells_of(each)]
            results.append(pull(*arguments))
            for cell, value in kept:
                if not callable(value):
                    cell.cell_contents = value
        """,
    "prints over it": """
        def extra(pull, *arguments):
            results.append(pull(*arguments))
            print("\\r\\x1b[1A\\x1b[2K", end="")
        """,
    "prints back over it": """
        def extra(pull, *arguments):
            results.append(pull(*arguments))
            print("\\b" * 200, end="")
        """,
    "prints to nothing meanwhile": """
        import contextlib, io
        def extra(pull, *arguments):
            with contextlib.redirect_stdout(io.StringIO()):
                results.append(pull(*arguments))
        """,
    "takes print away meanwhile": """
        import builtins
        def extra(pull, *arguments):
            kept, builtins.print = print, lambda *a, **k: None
            try:
                results.append(pull(*arguments))
            finally:
                builtins.print = kept
        """,
    "cuts what was printed": """
        import sys
        def extra(pull, *arguments):
            place = sys.stdout.tell()
            results.append(pull(*arguments))
            sys.stdout.seek(place)
            sys.stdout.truncate()
        """,
    "takes the hooks off meanwhile": """
        def extra(pull, y, x, *arguments):
            leaves = [each for each in jacobian.as_tuple(x)]
            kept = [(each, each._hooks) for each in leaves]
            for each in leaves:
                each._hooks = None
            results.append(pull(y, x, *arguments))
            for each, hooks in kept:
                each._hooks = hooks
        """,
    "counts the passes of another leaf": """
        def extra(pull, y, x, *arguments):
            hooks = {id(each): each._hooks for each in jacobian.as_tuple(x)}
            import contextlib, io
            kept = io.StringIO()
            with contextlib.redirect_stdout(kept):
                results.append(pull(y, x, *arguments))
            print(kept.getvalue()[:0], end="")
        """,
    "does not hide it": """
        def extra(pull, *arguments):
            results.append(pull(*arguments))
        """,
}


def hidden(part: str, hiding: str) -> Attack:
    """More passes than needed, and a way to hide them."""
    pieces = [PLAINLY, FRAMES, textwrap.dedent(hiding), f'@part("{part}")', textwrap.dedent(WASTEFUL[part]).strip()]
    return Attack("\n".join(pieces), part)


HIDDEN = {f"{part}: {name}": hidden(part, text) for part in WASTEFUL for name, text in HIDING.items()}

# --- the sum that somebody else has taken ----------------------------------------------------------

PROGRAM_FRAME = """
import sys, gc, types
def program():
    frame = sys._getframe()
    while frame.f_code.co_filename != "<program>":
        frame = frame.f_back
    return frame
"""

FOUND_SUMS = {
    "x.grad by its name": "return program().f_globals['x'].grad",
    "any .grad of the program": """
        tensors = [each for each in program().f_globals.values() if isinstance(each, Tensor)]
        held = [each.grad for each in tensors if each.grad is not None]
        return next((each for each in held[::-1] if each.shape == shape), jacobian.zeros(shape, J))
        """,
    "the last .grad of the program": """
        tensors = [each for each in program().f_globals.values() if isinstance(each, Tensor)]
        held = [each.grad for each in tensors if each.grad is not None]
        return held[-1] if held else jacobian.zeros(shape, J)
        """,
    "any .grad by the collector": """
        gc.unfreeze()
        held = [each.grad for each in gc.get_objects() if isinstance(each, Tensor) and each._grad is not None]
        return next((each for each in held if each.shape == shape), jacobian.zeros(shape, J))
        """,
    "any tensor of the shape": """
        gc.unfreeze()
        return next((each for each in gc.get_objects() if isinstance(each, Tensor) and each.shape == shape), J[0])
        """,
    "any tensor of the program": """
        found = [each for each in program().f_globals.values() if isinstance(each, Tensor) and each.shape == shape]
        return found[-1]
        """,
    "what the program prints later": """
        class Later:
            def __str__(self):
                return str(program().f_globals["x"].grad)
            __repr__ = __str__
        return Later()
        """,
    "a tensor that changes when x.grad is there": """
        result = jacobian.zeros(shape, J)
        leaf = next(each for each in list(program().f_globals.values())[::-1]
                    if isinstance(each, Tensor) and each.requires_grad and each.shape == shape)
        leaf.register_hook(lambda grad: result.copy_(grad))
        return result
        """,
    "backward of the program's own function": """
        names = program().f_globals
        functions = [types.FunctionType(code, names) for code in program().f_code.co_consts
                     if isinstance(code, types.CodeType) and code.co_name == "<lambda>"]
        for function in functions:
            for x in list(names.values()):
                if isinstance(x, Tensor) and x.requires_grad and x.shape == shape:
                    y = function(x)
                    if y.shape == v.shape and (jacobian.jacobian(y, x) == J).all():
                        return jacobian.vjp(y, x, v)
        """,
    "backward of the program's own line": """
        import re, linecache
        text = "".join(linecache.getlines("<program>"))
        for line in re.findall(r"^(.*)\\.backward\\(", text, re.MULTILINE):
            y = eval(line, program().f_globals)
            for x in list(program().f_globals.values()):
                if isinstance(x, Tensor) and x.requires_grad and x.shape == shape and y.shape == v.shape:
                    return jacobian.vjp(y, x, v)
        """,
    "backward of the first slice": "return J[0].clone()",
    "zeros": "return jacobian.zeros(shape, J)",
    "the plain sum": "return J.reshape(v.numel(), -1).sum(0).reshape(shape)",
}


def found_sum(body: str) -> Attack:
    """An answer to `weighted_sum` that adds nothing up."""
    start = "shape = J.shape[len(v.shape):]\n"
    text = (
        f'{PROGRAM_FRAME}\n@part("weighted_sum")\ndef weighted_sum(J, v):\n{indented(start + textwrap.dedent(body))}\n'
    )
    return Attack(text, "weighted_sum")


FOUND = {f"weighted_sum: {name}": found_sum(body) for name, body in FOUND_SUMS.items()}

# --- what is left in the engine -------------------------------------------------------------------


def operation(part: str, share: str, forward: str, saved: str = "a", inputs: str = "a") -> Attack:
    """A class for a part whose backward gives `share`."""
    text = f"""
        import torch
        from minigrad.graph import array_ops
        @part("{part}")
        class Borrowed(Function):
            @staticmethod
            def forward(ctx, {inputs}):
                ctx.input_shape = a.shape
                ctx.given = {saved},
                return {forward}

            @staticmethod
            def backward(ctx, grad_output):
                {saved}, *_ = ctx.given
                shape = ctx.input_shape
                return {share}
        """
    return Attack(textwrap.dedent(text), part)


def differentiated(result: str, *leaves: str, engine: str = "minigrad") -> str:
    """A share that the engine is to find: `result` is made of leaves like the arrays named."""
    made = ", ".join(f"{engine}.tensor({each}.tolist(), dtype=torch.float64, requires_grad=True)" for each in leaves)
    return (
        f"(lambda {', '.join(leaves)}, upstream: tuple(np.asarray(each) for each in "
        f"{engine}.autograd.grad({result}, ({', '.join(leaves)},), upstream)))"
        f"({made}, {engine}.tensor(grad_output.tolist(), dtype=torch.float64))"
    )


def recorded(share: str) -> str:
    """The same with operations recorded, which a backward pass does not do by itself."""
    return f"torch.enable_grad()(lambda: {share})()"


SUMS = {
    "expand": "array_ops.expand(grad_output, shape)",
    "spread": "array_ops.spread(grad_output, shape, 1)",
    "expand, divided": "array_ops.expand(grad_output, shape) / int(np.prod(shape))",
    "spread, divided": "array_ops.spread(grad_output, shape, int(np.prod(shape)))",
    "the engine's sum": recorded(differentiated("a.sum()", "a")),
    "the engine's mean": recorded(differentiated("a.mean()", "a")),
    "a mean, multiplied": recorded(differentiated("a.mean() * a.numel()", "a")),
    "a sum, divided": recorded(differentiated("a.sum() / a.numel()", "a")),
    "a sum over all axes": recorded(differentiated("a.sum(dim=tuple(range(a.ndim)))", "a")),
    "a product with ones": recorded(differentiated("a.reshape(-1) @ torch.ones(a.numel()).double()", "a")),
    "a cumulated sum": recorded(differentiated("a.reshape(-1).cumsum(0)[-1]", "a")),
    "einsum": recorded(differentiated("torch.einsum('i->', a.reshape(-1))", "a")),
    "a sum by torch": recorded(differentiated("a.sum()", "a", engine="torch")),
    "a mean by torch": recorded(differentiated("a.mean()", "a", engine="torch")),
    "a loss": recorded(differentiated("torch.nn.functional.l1_loss(a, a.detach() - 1, reduction='sum')", "a")),
    "a product with portions": recorded(
        differentiated("a.reshape(-1) @ (torch.ones(a.numel()).double() / a.numel())", "a")
    ),
    "a cumulated sum, divided": recorded(differentiated("a.reshape(-1).cumsum(0)[-1] / a.numel()", "a")),
}

PRODUCTS = {
    "a product and a sum": "(a[:, :, None] * b[None]).sum(1)",
    "a product and a sum by axes": "(a.unsqueeze(2) * b.unsqueeze(0)).sum(dim=1)",
    "rows and columns": "torch.stack([torch.stack([(r * c).sum() for c in b.T]) for r in a])",
    "matmul itself": "a @ b",
    "bmm": "torch.bmm(a[None], b[None])[0]",
    "einsum": "torch.einsum('il,lj->ij', a, b)",
    "tensordot": "torch.tensordot(a, b, dims=1)",
    "a linear layer": "torch.nn.functional.linear(a, b.T)",
    "addmm": "torch.addmm(torch.zeros(len(a), b.shape[1]).double(), a, b)",
    "outer products": "sum(torch.outer(a[:, l], b[l]) for l in range(len(b)))",
    "products of vectors": "torch.stack([r @ b for r in a])",
    "inner": "torch.inner(a, b.T)",
}

BROADCAST_PRODUCT = """
        @part("matmul")
        class Borrowed(Function):
            @staticmethod
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                return a @ b

            @staticmethod
            def backward(ctx, grad_output):
                a, b = ctx.saved_tensors
                with minigrad.enable_grad():
                    x = minigrad.from_numpy(a[:, :, None].copy()).requires_grad_()
                    y = minigrad.from_numpy(b[None].copy()).requires_grad_()
                    upstream = minigrad.from_numpy(np.repeat(grad_output[:, None], len(b), 1))
                    of_a, of_b = minigrad.autograd.grad(x * y, (x, y), upstream)
                return of_a.numpy()[:, :, 0], of_b.numpy()[0]
        """

LOGS = {
    "exp, sum and log": "a.exp().sum(DIM).log()",
    "log_softmax": "(a - torch.nn.functional.log_softmax(a, DIM)).sum(DIM) / a.shape[DIM]",
    "a loss": (
        "(lambda rows: rows[:, 0]"
        " + torch.nn.functional.cross_entropy(rows, torch.zeros(len(rows)).long(), reduction='none'))"
        "(a.T if DIM == 0 else a)"
    ),
    "itself": "torch.logsumexp(a, DIM)",
}


def logsumexp(result: str) -> Attack:
    """The right forward, and a backward by the engine."""
    share = recorded(differentiated(result.replace("DIM", "dim"), "a"))
    forward = "a.max(dim) + np.log(np.exp(a - a.max(dim, keepdims=True)).sum(dim))"
    made = operation("logsumexp", share, forward, inputs="a, dim", saved="a, dim")
    return Attack(made.answer.replace("lambda a, upstream:", "lambda a, upstream, dim=dim:"), "logsumexp")


SWITCHES = {
    "set_grad_enabled as the base": """
        from minigrad.recording import modes
        class Off(modes.set_grad_enabled):
            def __init__(self, *_): super().__init__(False)
        part("no_grad")(Off)
        """,
    "set_grad_enabled as a delegate": """
        from minigrad.recording import modes
        @part("no_grad")
        class Off(leaf.Block):
            def __enter__(self):
                self.inner = modes.set_grad_enabled(False)
                self.inner.__enter__()
            def __exit__(self, *error):
                self.inner.__exit__(*error)
        """,
    "minigrad.set_grad_enabled": """
        import minigrad
        @part("no_grad")
        class Off(leaf.Block):
            def __enter__(self):
                self.inner = minigrad.set_grad_enabled(False)
            def __exit__(self, *error):
                self.inner.__exit__(*error)
        """,
    "torch.set_grad_enabled": """
        import torch
        part("no_grad")(lambda *a: torch.set_grad_enabled(False))
        """,
    "torch.autograd.set_grad_enabled": """
        import torch
        part("no_grad")(lambda *a: torch.autograd.set_grad_enabled(False))
        """,
    "no_grad of the engine": "import minigrad\npart('no_grad')(minigrad.no_grad)",
    "no_grad of the package": "from minigrad.autograd import no_grad\npart('no_grad')(no_grad)",
    "no_grad of grad_mode": "from minigrad.autograd.grad_mode import no_grad\npart('no_grad')(no_grad)",
    "inference_mode": "import minigrad\npart('no_grad')(minigrad.inference_mode)",
    "enable_grad, turned round": """
        from minigrad.recording import modes
        @part("no_grad")
        class Off(modes.enable_grad):
            def __enter__(self):
                super().__enter__()
                leaf.recording = False
        """,
    "enable_grad as a delegate": """
        from minigrad.recording import modes
        @part("no_grad")
        class Off(leaf.Block):
            def __enter__(self):
                self.inner = modes.enable_grad()
                self.inner.__enter__()
                leaf.recording = False
            def __exit__(self, *error):
                self.inner.__exit__(*error)
        """,
    "a no_grad that is found": """
        import gc
        gc.unfreeze()
        classes = [each for each in gc.get_objects() if isinstance(each, type)]
        part("no_grad")(next(each for each in classes if each.__name__ == "no_grad"))
        """,
    "on and off": """
        @part("no_grad")
        class Off(leaf.Block):
            def __enter__(self): leaf.recording = False
            def __exit__(self, *error): leaf.recording = True
        """,
}


def plain(part: str, text: str) -> Attack:
    """The whole cell."""
    return Attack(textwrap.dedent(text), part)


OTHER_HELPERS = {
    "record: the operation's own": plain(
        "record",
        "@part('record')\ndef f(operation, inputs, settings):\n    return operation.apply(*inputs, **settings)",
    ),
    "broadcast: the derivative of expand": plain(
        "broadcast",
        "@part('broadcast')\ndef f(grad, shape):\n    x = minigrad.zeros(shape, requires_grad=True)\n"
        "    with minigrad.enable_grad():\n        y = x.expand(grad.shape)\n"
        "    return minigrad.autograd.grad(y, x, minigrad.from_numpy(grad))[0].numpy()",
    ),
    "broadcast: upstream.fit": plain(
        "broadcast",
        "from minigrad import upstream\n@part('broadcast')\ndef f(grad, shape):\n"
        "    return upstream.fit(grad, np.zeros(shape, grad.dtype), None, 0)",
    ),
    "index: the derivative of an index": plain(
        "index",
        "@part('index')\ndef f(grad, shape, index):\n    x = minigrad.zeros(shape, requires_grad=True)\n"
        "    with minigrad.enable_grad():\n        y = x[index]\n"
        "    return minigrad.autograd.grad(y, x, minigrad.from_numpy(grad))[0].numpy()",
    ),
    "index: the derivative of take": plain(
        "index",
        "@part('index')\ndef f(grad, shape, index):\n    x = minigrad.zeros(shape, requires_grad=True)\n"
        "    places = minigrad.from_numpy(np.arange(np.prod(shape)).reshape(shape)[index])\n"
        "    with minigrad.enable_grad():\n"
        "        y = x.reshape(-1).gather(0, places.reshape(-1)).reshape(places.shape)\n"
        "    return minigrad.autograd.grad(y, x, minigrad.from_numpy(grad))[0].numpy()",
    ),
    "jvp: the whole Jacobian": plain(
        "jvp",
        "@part('jvp')\ndef jvp(y, x, v=None, create_graph=False):\n"
        "    J = jacobian.jacobian(y, x, create_graph)\n"
        "    return (J * v).reshape(y.numel(), -1).sum(1).reshape(y.shape)",
    ),
    "numeric_jacobian: from backward passes": plain(
        "numeric_jacobian",
        "@part('numeric_jacobian')\ndef f(function, x, eps=1e-6):\n    y = function(x)\n"
        "    return jacobian.jacobian(y, x)",
    ),
    "numeric_jacobian: from backward passes, nothing detached": plain(
        "numeric_jacobian",
        "@part('numeric_jacobian')\ndef f(function, x, eps=1e-6):\n    kept = Tensor.detach\n"
        "    Tensor.detach = lambda self: self\n    try:\n        y = function(x)\n    finally:\n"
        "        Tensor.detach = kept\n    return jacobian.jacobian(y, x)",
    ),
    "numeric_jacobian: to one side": plain(
        "numeric_jacobian",
        "@part('numeric_jacobian')\ndef f(function, x, eps=1e-6):\n    y = function(x).detach().clone()\n"
        "    columns = []\n"
        "    for j in jacobian.entries(x):\n        middle = x.data[j].clone()\n        x.data[j] = middle + eps\n"
        "        columns.append((function(x).detach() - y) / eps)\n        x.data[j] = middle\n"
        "    return minigrad.stack(columns, -1).reshape(*y.shape, *x.shape)",
    ),
    "seed_rule: the engine's own": plain(
        "seed_rule",
        "from minigrad.passing import passes\n@part('seed_rule')\ndef f(output, gradient, place):\n"
        "    return passes.in_dtype_of(output, gradient, False)",
    ),
    "retain_grad: the tensor's own": plain(
        "retain_grad", "@part('retain_grad')\ndef f(tensor):\n    return type(tensor).retain_grad(tensor)"
    ),
    "detach: the tensor's own": plain(
        "detach", "@part('detach')\ndef f(tensor):\n    return type(tensor).detach(tensor)"
    ),
    "detach: data": plain("detach", "@part('detach')\ndef f(tensor):\n    return tensor.data"),
    "detach: numpy": plain(
        "detach",
        "import minigrad\n@part('detach')\ndef f(tensor):\n    return minigrad.from_numpy(tensor.data.numpy())",
    ),
    "check_versions: saved_tensors": plain(
        "check_versions", "@part('check_versions')\ndef f(node): node.saved_tensors"
    ),
    "free: the node's own": plain(
        "free", "@part('free')\ndef f(node, retain_graph):\n    leaf.free(node, retain_graph)"
    ),
    "is_leaf: the tensor's own": plain("is_leaf", "@part('is_leaf')\ndef f(tensor): return tensor.is_leaf"),
    "accumulate_again: receive": plain(
        "accumulate_again", "@part('accumulate_again')\ndef f(tensor, grad): leaf.receive(tensor, grad)"
    ),
}

HELPERS = (
    {
        f"{part}: {name}": operation(part, share, f"a.{part}()")
        for part in ("sum", "mean")
        for name, share in SUMS.items()
        if part == "mean" or name in ("expand", "spread")  # its check differentiates twice: see `lent.py`
    }
    | {
        f"matmul: {name}": operation(
            "matmul", recorded(differentiated(result, "a", "b")), "a @ b", saved="a, b", inputs="a, b"
        )
        for name, result in PRODUCTS.items()
    }
    | {"matmul: broadcast factors": plain("matmul", BROADCAST_PRODUCT)}
    | {f"logsumexp: {name}": logsumexp(result) for name, result in LOGS.items()}
    | {f"no_grad: {name}": plain("no_grad", text) for name, text in SWITCHES.items()}
    | OTHER_HELPERS
)

# what earns its part if the engine keeps all derivatives: so the attacks are real, and what refuses them is that
LENT = (
    "mean: a product with portions",
    "mean: a cumulated sum, divided",
    "matmul: a product and a sum",
    "matmul: a product and a sum by axes",
    "matmul: rows and columns",
    "matmul: bmm",
    "matmul: einsum",
    "matmul: addmm",
    "matmul: outer products",
    "matmul: broadcast factors",
    "logsumexp: exp, sum and log",
    "logsumexp: log_softmax",
    "index: the derivative of take",
)
FAMILIES = {"hidden passes": HIDDEN, "found sums": FOUND, "helpers": HELPERS}
