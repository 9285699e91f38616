"""Honest answers to chapter 2: other algorithms, and other ways to write them."""

RULE = "grad can be implicitly created only for scalar outputs"
MISMATCH = (
    'f"Mismatch in shape: grad_output[{place}] has a shape of {gradient.shape} "\n'
    '            f"and output[{place}] has a shape of {output.shape}."'
)


def reduction(part: str, share: str, forward: str | None = None, saved: str = "ctx.input_shape = a.shape") -> dict:
    """An answer to `sum` or `mean` that returns this share."""
    return {
        part: f"""
import math
@part("{part}")
class Reduced(Function):
    @staticmethod
    def forward(ctx, a):
        {saved}
        return {forward or f"a.{part}()"}

    @staticmethod
    def backward(ctx, grad_output):
        return {share}
"""
    }


def product(share: str, before: str = "") -> dict:
    """An answer to `matmul` that returns these shares of a, b and the upstream gradient g."""
    return {
        "matmul": f"""
{before}
@part("matmul")
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return {share}
"""
    }


def copies(body: str, before: str = "") -> dict:
    """An answer to `broadcast` with this body."""
    return {"broadcast": f'{before}\n@part("broadcast")\ndef sum_to_shape(grad, shape):\n{indented(body)}'}


def put(body: str, before: str = "") -> dict:
    """An answer to `index` with this body."""
    return {"index": f'{before}\n@part("index")\ndef put_back(grad, shape, index):\n{indented(body)}'}


def losses(body: str) -> dict:
    """An answer to `losses` with this body."""
    return {
        "losses": '@part("losses")\ndef two_losses(torch, features, target, weights, importance):\n' + indented(body)
    }


def indented(body: str) -> str:
    """A body, one step further in."""
    return "\n".join(f"    {line}" for line in body.strip("\n").split("\n")) + "\n"


PREDICTION = """
w = torch.tensor(weights, requires_grad=True)
def of(w):
    prediction = torch.tensor(features) @ w
    return ((prediction - torch.tensor(target)) ** 2).mean(), (prediction**2).sum()
"""

ANSWERS = {
    "seed_rule by a list of refusals": {
        "seed_rule": f"""
        @part("seed_rule")
        def seed_rule(output, gradient, place):
            missing = gradient is None
            refusals = [
                (missing and output.numel() != 1, lambda: "{RULE}"),
                (not missing and gradient.shape != output.shape, lambda: {MISMATCH}),
            ]
            for applies, text in refusals:
                if applies:
                    raise RuntimeError(text())
            return output * 0 + 1 if missing else gradient
        """
    },
    "seed_rule by match": {
        "seed_rule": f"""
        @part("seed_rule")
        def start(output, gradient, place):
            match gradient:
                case None if output.numel() == 1:
                    return minigrad.ones_like(output)
                case None:
                    raise RuntimeError("{RULE}")
                case _ if gradient.shape == output.shape:
                    return gradient
            raise RuntimeError(
            {MISMATCH})
        """
    },
    "seed_rule with annotations of torch": {
        "seed_rule": f"""
        import torch
        from torch import Tensor
        from typing import Optional

        @part("seed_rule")
        def seed_rule(output: torch.Tensor, gradient: Optional[Tensor], place: int) -> torch.Tensor:
            shape: torch.Size = output.shape
            if gradient is not None and gradient.shape == shape:
                return gradient
            if gradient is not None:
                raise RuntimeError({MISMATCH})
            if (count := output.numel()) != 1:
                raise RuntimeError("{RULE}")
            with torch.no_grad():
                return torch.ones(shape, dtype=output.dtype)
        """
    },
    "seed_rule by helpers and a class of errors": {
        "seed_rule": f"""
        class SeedError(RuntimeError):
            '''A RuntimeError of mine.'''

        def implicit(output):
            if tuple(output.shape) != (1,) * len(output.shape):
                raise SeedError("{RULE}")
            return output.detach() * 0 + 1

        def explicit(output, gradient, place):
            sizes = [str(list(each.shape)) for each in (gradient, output)]
            if sizes[0] == sizes[1]:
                return gradient
            raise SeedError(
                "Mismatch in shape: grad_output[%d] has a shape of torch.Size(%s) and output[%d] has a shape of "
                "torch.Size(%s)." % (place, sizes[0], place, sizes[1])
            )

        @part("seed_rule")
        def seed_rule(output, gradient, place):
            return implicit(output) if gradient is None else explicit(output, gradient, place)
        """
    },
    "sum of ones": reduction("sum", "np.multiply(np.ones(ctx.input_shape), grad_output)"),
    "sum with zeros": reduction("sum", "grad_output + np.zeros(ctx.input_shape)"),
    "sum by ones like the input": reduction(
        "sum", "grad_output * ctx.ones", "np.add.reduce(a, axis=None)", "ctx.ones = np.ones_like(a)"
    ),
    "sum by repeating": reduction(
        "sum",
        "np.repeat(grad_output, math.prod(ctx.input_shape)).reshape(ctx.input_shape)",
        "np.einsum('i->', a.ravel())",
    ),
    "sum entry by entry": reduction(
        "sum",
        "grad_output * np.array([1.0 for _ in range(ctx.n)]).reshape(ctx.shape_of_a)",
        "a.sum()",
        "ctx.n, ctx.shape_of_a = a.size, a.shape",
    ),
    "mean by the size": reduction(
        "mean", "np.zeros(ctx.of) + grad_output / ctx.n", "a.sum() / a.size", "ctx.n, ctx.of = a.size, a.shape"
    ),
    "mean by a product of sizes": reduction(
        "mean", "np.tile(grad_output / math.prod(ctx.input_shape), ctx.input_shape)", "np.mean(a)"
    ),
    "mean by ones": reduction(
        "mean", "grad_output * np.ones_like(ctx.a) / len(ctx.a.ravel())", "np.average(a)", "ctx.a = a"
    ),
    "mean by a loop over the axes": {
        "mean": """
        @part("mean")
        class Mean(Function):
            @staticmethod
            def forward(ctx, a):
                ctx.sizes = a.shape
                return np.mean(a)

            @staticmethod
            def backward(ctx, upstream):
                n = 1
                for size in ctx.sizes:
                    n *= size
                share = np.empty(ctx.sizes, upstream.dtype)
                share[...] = upstream / n
                return (share,)
        """
    },
    "broadcast in one sum": copies(
        """
        new = grad.ndim - len(shape)
        stretched = tuple(new + axis for axis, size in enumerate(shape) if size == 1)
        return grad.sum(axis=tuple(range(new)) + stretched, keepdims=True).reshape(shape)
        """.replace("        ", "")
    ),
    "broadcast by recursion": copies(
        "if grad.ndim > len(shape):\n    return sum_to_shape(grad.sum(0), shape)\n"
        "for axis, (have, want) in enumerate(zip(grad.shape, shape)):\n    if have != want:\n"
        "        return sum_to_shape(grad.sum(axis, keepdims=True), shape)\nreturn grad"
    ),
    "broadcast entry by entry": copies(
        "total = np.zeros(shape, grad.dtype)\npadded = (1,) * (grad.ndim - len(shape)) + tuple(shape)\n"
        "view = total.reshape(padded)\n"
        "for place, value in np.ndenumerate(grad):\n"
        "    view[tuple(0 if size == 1 else i for i, size in zip(place, padded))] += value\nreturn total"
    ),
    "broadcast by add.at": copies(
        "numbers = np.broadcast_to(np.arange(math.prod(shape)).reshape(shape), grad.shape)\n"
        "result = np.zeros(math.prod(shape), grad.dtype)\nnp.add.at(result, numbers.ravel(), grad.ravel())\n"
        "return result.reshape(shape)",
        before="import math",
    ),
    "broadcast by bincount": copies(
        "count = int(np.prod(shape))\nnumbers = np.broadcast_to(np.arange(count).reshape(shape), grad.shape)\n"
        "return np.bincount(numbers.ravel(), grad.ravel(), count).reshape(shape).astype(grad.dtype)"
    ),
    "broadcast by einsum": copies(
        "padded = [1] * (grad.ndim - len(shape)) + list(shape)\n"
        "kept = [i for i, size in enumerate(padded) if size != 1]\n"
        "return np.einsum(grad, list(range(grad.ndim)), kept).reshape(shape)"
    ),
    "broadcast by reduce": copies(
        "flat = functools.reduce(lambda total, _: np.add.reduce(total), range(grad.ndim - len(shape)), grad)\n"
        "return functools.reduce(\n"
        "    lambda total, axis: total.sum(axis, keepdims=True), (i for i, s in enumerate(shape) if s == 1), flat\n)",
        before="import functools",
    ),
    "matmul by einsum": product("np.einsum('ij,lj->il', g, b), np.einsum('il,ij->lj', a, g)"),
    "matmul by dot and transpose": product("np.dot(g, np.transpose(b)), np.dot(np.transpose(a), g)"),
    "matmul by outer products": product(
        "sum(np.outer(g[:, j], b[:, j]) for j in range(g.shape[1])), sum(np.outer(a[i], g[i]) for i in range(len(a)))"
    ),
    "matmul by loops": product(
        "both(a, b, g)",
        """
def both(a, b, g):
    of_a, of_b = np.zeros_like(a), np.zeros_like(b)
    for i, j in np.ndindex(*g.shape):
        for l in range(a.shape[1]):
            of_a[i, l] += g[i, j] * b[l, j]
            of_b[l, j] += g[i, j] * a[i, l]
    return of_a, of_b
""",
    ),
    "matmul by tensordot": product("np.tensordot(g, b, axes=(1, 1)), np.tensordot(a, g, axes=(0, 0))"),
    "matmul by broadcasting": product("(g[:, None, :] * b[None]).sum(-1), (a[:, :, None] * g[:, None, :]).sum(axis=0)"),
    "matmul with swapped axes and what is needed": product(
        "(g @ b.swapaxes(0, 1) if ctx.needs_input_grad[0] else None, (g.T @ a).T if ctx.needs_input_grad[1] else None)"
    ),
    "index by a loop": put(
        "result = np.zeros(shape, grad.dtype)\nnumbers = np.arange(result.size).reshape(shape)[index]\n"
        "flat = result.reshape(-1)\nfor place, value in zip(numbers.ravel(), grad.ravel(), strict=True):\n"
        "    flat[place] += value\nreturn result"
    ),
    "index by bincount": put(
        "count = int(np.prod(shape))\nnumbers = np.arange(count).reshape(shape)[index]\n"
        "return np.bincount(numbers.ravel(), weights=grad.ravel(), minlength=count).reshape(shape).astype(grad.dtype)"
    ),
    "index by one-hot rows": put(
        "count = int(np.prod(shape))\nnumbers = np.arange(count).reshape(shape)[index].ravel()\n"
        "return (grad.ravel() @ np.eye(count, dtype=grad.dtype)[numbers]).reshape(shape)"
    ),
    "index by a dictionary": put(
        "sums = defaultdict(float)\nplaces = np.arange(np.prod(shape)).reshape(shape)[index]\n"
        "for place, value in zip(places.flat, grad.flat):\n"
        "    sums[int(place)] += value\nreturn np.array([sums[i] for i in range(int(np.prod(shape)))]).reshape(shape)",
        before="from collections import defaultdict",
    ),
    "index with two calls": put(
        "zeros = np.zeros\nput = np.add.at\nput(into := zeros(shape, dtype=grad.dtype), index, grad)\nreturn into"
    ),
    "losses with fresh leaves": losses(
        """
def leaf():
    return torch.tensor(weights, requires_grad=True)

def both(w):
    prediction = torch.tensor(features) @ w
    return ((prediction - torch.tensor(target)) ** 2).mean(), (prediction**2).sum()

for word, place in (("fit ", 0), ("size", 1)):
    w = leaf()
    both(w)[place].backward()
    print(word, w.grad)
w = leaf()
fit, size = both(w)
(fit + importance * size).backward()
print("both", w.grad)
return w
"""
    ),
    "losses with .grad set to None": losses(
        PREDICTION
        + """
for word, loss in zip(("fit ", "size"), of(w)):
    loss.backward(retain_graph=True)
    print(word, w.grad)
    w.grad = None
fit, size = of(w)
size.backward(torch.tensor(importance), retain_graph=True)
fit.backward()
print("both", w.grad)
return w
"""
    ),
    "losses with .grad zeroed": losses(
        PREDICTION
        + """
fit, size = of(w)
fit.backward(retain_graph=True); print("fit ", w.grad); w.grad.zero_()
size.backward(retain_graph=True); print("size", w.grad); w.grad.zero_()
torch.add(fit, size, alpha=importance).backward(); print("both", w.grad)
return w
"""
    ),
    "losses with one call for the sum": losses(
        PREDICTION
        + """
print("fit ", torch.autograd.grad(of(w)[0], w)[0])
print("size", *torch.autograd.grad(outputs=of(w)[1], inputs=[w]))
w.grad = torch.autograd.grad(of(w), w, (torch.tensor(1.0), torch.tensor(importance)))[0]
print("both", w.grad)
return w
"""
    ),
    "losses scaled in numbers": losses(
        PREDICTION
        + """
fit, size = of(w)
one, = torch.autograd.grad(fit, w, retain_graph=True)
other = torch.autograd.grad(size, w)[0]
print(f"fit  {one}")
print("size " + str(other))
w.grad = one + importance * other
print("both", w.grad)
return w
"""
    ),
    "logsumexp by logaddexp": {
        "logsumexp": """
        @part("logsumexp")
        class Smooth(Function):
            @staticmethod
            def forward(ctx, a, dim):
                result = np.logaddexp.reduce(a, axis=dim)
                ctx.save_for_backward(a, result)
                ctx.dim = dim
                return result

            @staticmethod
            def backward(ctx, grad_output):
                a, result = ctx.saved_tensors
                softmax = np.exp(a - np.expand_dims(result, ctx.dim))
                return np.expand_dims(grad_output, ctx.dim) * softmax
        """
    },
    "logsumexp with a class of its own beside it": {
        "logsumexp": """
        from dataclasses import dataclass
        from functools import cached_property

        @dataclass(frozen=True)
        class Shifted:
            a: np.ndarray
            dim: int

            @cached_property
            def largest(self):
                return np.max(self.a, axis=self.dim, keepdims=True)

            @cached_property
            def powers(self):
                return np.exp(self.a - self.largest)

            @property
            def total(self):
                return np.sum(self.powers, axis=self.dim, keepdims=True)

        @part("logsumexp")
        class LogSumExp(Function):
            @staticmethod
            def forward(ctx, a, dim):
                ctx.shifted = shifted = Shifted(a, dim)
                return np.squeeze(shifted.largest + np.log(shifted.total), axis=dim)

            @staticmethod
            def backward(ctx, v):
                shifted = ctx.shifted
                return v.reshape(shifted.total.shape) * shifted.powers / shifted.total, None
        """
    },
    "logsumexp with moved axes": {
        "logsumexp": """
        try:
            from scipy.special import logsumexp as theirs
        except ImportError:
            theirs = None

        @part("logsumexp")
        class Logsumexp(Function):
            @staticmethod
            def forward(ctx, a, dim):
                rows = np.moveaxis(a, dim, -1)
                top = rows.max(-1)
                small = np.exp(rows - top[..., np.newaxis])
                ctx.softmax, ctx.axis = small / small.sum(-1, keepdims=True), dim
                return top + np.log(small.sum(-1))

            @staticmethod
            def backward(ctx, grad_output):
                return np.moveaxis(ctx.softmax * grad_output[..., None], -1, ctx.axis)
        """
    },
    "logsumexp in double precision": {
        "logsumexp": """
        @part("logsumexp")
        class Logsumexp(Function):
            @staticmethod
            def forward(ctx, a, dim):
                top = a.max(dim)
                powers = np.exp(a.astype(np.float64) - np.expand_dims(top, dim))
                ctx.softmax, ctx.dim = powers / powers.sum(dim, keepdims=True), dim
                return (top + np.log(powers.sum(axis=dim))).astype(a.dtype)

            @staticmethod
            def backward(ctx, grad_output):
                shape = list(ctx.softmax.shape)
                shape[ctx.dim] = 1
                return (ctx.softmax * grad_output.reshape(shape)).astype(grad_output.dtype)
        """
    },
}
