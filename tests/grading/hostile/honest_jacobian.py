"""Honest answers to chapter 3: other algorithms, and other ways to write them."""

from honest_upstream import indented


def sums(body: str, before: str = "") -> dict:
    """An answer to `weighted_sum` with this body."""
    return {"weighted_sum": f'{before}\n@part("weighted_sum")\ndef weighted_sum(J, v):\n{indented(body)}'}


def slices(body: str, before: str = "") -> dict:
    """An answer to `slices` with this body."""
    return {"slices": f'{before}\n@part("slices")\ndef slices(y, x, create_graph=False):\n{indented(body)}'}


def mv(share: str) -> dict:
    """An answer to `mv` that returns these shares of a, x and the upstream gradient v."""
    return {
        "mv": f"""
@part("mv")
class MatrixVector(Function):
    @staticmethod
    def forward(ctx, a, x):
        ctx.save_for_backward(a, x)
        return np.dot(a, x)

    @staticmethod
    def backward(ctx, v):
        a, x = ctx.saved_tensors
        return {share}
"""
    }


def differences(body: str, before: str = "") -> dict:
    """An answer to `numeric_jacobian` with this body."""
    return {
        "numeric_jacobian": f'{before}\n@part("numeric_jacobian")\n'
        f"def numeric_jacobian(function, x, eps=1e-6):\n{indented(body)}"
    }


def agree(body: str, before: str = "") -> dict:
    """An answer to `agree` with this body."""
    return {"agree": f'{before}\n@part("agree")\ndef agree(analytic, numeric, atol, rtol):\n{indented(body)}'}


def jvp(body: str) -> dict:
    """An answer to `jvp` with this body."""
    return {"jvp": f'@part("jvp")\ndef jvp(y, x, v=None, create_graph=False):\n{indented(body)}'}


def hessian(body: str) -> dict:
    """An answer to `hessian` with this body."""
    return {"hessian": f'@part("hessian")\ndef hessian(y, x, create_graph=False):\n{indented(body)}'}


def roots(body: str) -> dict:
    """An answer to `roots` with this body, after scale and z."""
    start = "scale = torch.tensor(scale, requires_grad=True)\nz = torch.tensor(values) * scale\n"
    end = "\ny.backward(torch.tensor(v))\nprint(y.detach(), scale.grad)"
    return {"roots": f'@part("roots")\ndef roots(torch, values, scale, v):\n{indented(start + body + end)}'}


ANSWERS = {
    "weighted_sum as one product": sums(
        "return (v.reshape(1, -1) @ J.reshape(v.numel(), -1)).reshape(J.shape[v.ndim:])"
    ),
    "weighted_sum by tensordot": sums("return torch.tensordot(v, J, dims=v.dim())", before="import torch"),
    "weighted_sum by recursion": sums(
        "if not v.shape:\n    return v * J\nreturn sum(weighted_sum(J[i], v[i]) for i in range(len(v)))"
    ),
    "weighted_sum by broadcasting": sums(
        "more = J.ndim - v.ndim\nreturn (v.reshape(*v.shape, *[1] * more) * J).sum(dim=tuple(range(v.ndim)))"
    ),
    "weighted_sum by numpy and comprehensions": sums(
        "terms = [w * slice for w, slice in zip(v.flatten().tolist(), J.reshape(-1, *J.shape[v.ndim:]))]\n"
        "return functools.reduce(operator.add, terms)",
        before="import functools, operator",
    ),
    "weighted_sum by einsum": sums(
        "rows, entries = J.reshape(v.numel(), -1), v.reshape(-1)\n"
        "return torch.einsum('i,ij->j', entries, rows).reshape(tuple(J.shape)[len(v.shape):])",
        before="import torch",
    ),
    "weighted_sum through numpy": sums(
        "J, v = np.asarray(J.detach()), np.asarray(v.detach())\n"
        "total = np.zeros(J.shape[v.ndim:])\nfor i in np.ndindex(v.shape):\n    total += v[i] * J[i]\n"
        "return minigrad.tensor(total)"
    ),
    "slices of single entries": slices(
        "return [jacobian.vjp(y[i], x, None, create_graph) for i in jacobian.entries(y)]"
    ),
    "slices by one-hot rows": slices(
        "n = y.numel()\nones = minigrad.eye(n, dtype=y.dtype)\n"
        "return [jacobian.vjp(y, x, ones[k].reshape(y.shape), create_graph) for k in range(n)]"
    ),
    "slices entry by entry": slices(
        "found = []\nfor i in jacobian.entries(y):\n"
        "    found.append(jacobian.vjp(y[i], x, create_graph=create_graph))\nreturn found"
    ),
    "slices by a generator": slices(
        "return list(rows(y, x, create_graph))",
        before="""
def rows(y, x, create_graph):
    v = jacobian.zeros(y.shape, y)
    for i in jacobian.entries(y):
        v[i] = 1
        yield jacobian.vjp(y, x, v.clone(), create_graph)
        v[i] = 0
""",
    ),
    "slices with partial and a lambda": slices(
        "vjp = partial(jacobian.vjp, y, x, create_graph=create_graph)\n"
        "one_hot = lambda k: minigrad.tensor([float(k == j) for j in range(y.numel())]).to(y.dtype).reshape(y.shape)\n"
        "return [*map(lambda k: vjp(one_hot(k)), range(y.numel()))]",
        before="from functools import partial",
    ),
    "slices by scatter in numpy": slices(
        "found = []\nfor place in np.ndindex(*y.shape):\n    v = np.zeros(y.shape)\n    v[place] = 1.0\n"
        "    found += [jacobian.vjp(y, x, minigrad.from_numpy(v).to(y.dtype), create_graph)]\nreturn found"
    ),
    "mv by columns and rows": mv("v.reshape(-1, 1) * x.reshape(1, -1), v @ a"),
    "mv from the right": mv("x * v[:, None], (a.T * v).sum(1)"),
    "mv by a loop": mv("v[:, np.newaxis] * x, sum(v[i] * a[i] for i in range(len(v)))"),
    "mv by products of matrices": mv("v.reshape(-1, 1) @ x.reshape(1, -1), (v.reshape(1, -1) @ a).reshape(-1)"),
    "mv with what is needed": mv(
        "v[:, None] * x if ctx.needs_input_grad[0] else None,"
        " (a * v[:, None]).sum(axis=0) if ctx.needs_input_grad[1] else None"
    ),
    "numeric_jacobian column by column": differences(
        """
y = function(x).detach()
memory, columns = x.data, []
for j in jacobian.entries(x):
    middle = memory[j].item()
    def at(value):
        memory[j] = value
        return function(x).detach().clone()
    columns.append((at(middle + eps) - at(middle - eps)) / (2 * eps))
    memory[j] = middle
return minigrad.stack(columns, -1).reshape(*y.shape, *x.shape)
"""
    ),
    "numeric_jacobian with a context manager": differences(
        """
J = jacobian.zeros((*function(x).shape, *x.shape), function(x))
for j in jacobian.entries(x):
    with moved(x, j, +eps):
        up = function(x).detach().clone()
    with moved(x, j, -eps):
        down = function(x).detach().clone()
    J[(..., *j)] = (up - down) / eps / 2
return J
""",
        before="""
import contextlib

@contextlib.contextmanager
def moved(x, j, by):
    memory, before = x.data, x.data[j].clone()
    try:
        memory[j] = before + by
        yield
    finally:
        memory[j] = before
""",
    ),
    "numeric_jacobian through numpy": differences(
        """
memory = x.detach().numpy()
values = lambda: np.array(function(x).detach().numpy())
J = np.zeros(values().shape + memory.shape)
for j in np.ndindex(memory.shape):
    middle = memory[j]
    memory[j] = middle + eps; above = values()
    memory[j] = middle - eps; below = values()
    memory[j] = middle
    J[(..., *j)] = (above - below) / (2 * eps)
return minigrad.from_numpy(J)
"""
    ),
    "numeric_jacobian without a graph": differences(
        """
memory, y = x.data, function(x)
whole = memory.clone()
J = jacobian.zeros((*y.shape, *x.shape), y)
with torch.no_grad():
    for j in jacobian.entries(x):
        slope = 0
        for sign in (1, -1):
            memory[j] += sign * eps
            slope = slope + sign * function(x).clone()
            memory.copy_(whole)
        J[(..., *j)] = slope / (2 * eps)
return J
""",
        before="import torch",
    ),
    "agree in Python": agree(
        "pairs = zip(analytic.flatten().tolist(), numeric.flatten().tolist())\n"
        "return all(abs(a - n) <= atol + rtol * abs(n) for a, n in pairs)"
    ),
    "agree by a loop and a return": agree(
        "for i in jacobian.entries(analytic):\n    off = abs((analytic[i] - numeric[i]).item())\n"
        "    if off > atol + rtol * abs(numeric[i].item()):\n        return False\nreturn True"
    ),
    "agree by allclose": agree("return torch.allclose(analytic, numeric, rtol=rtol, atol=atol)", before="import torch"),
    "agree by numpy": agree("return bool(np.isclose(analytic.detach(), numeric.detach(), rtol, atol).all())"),
    "agree by the largest excess": agree(
        "excess = (analytic - numeric).abs() - rtol * numeric.abs()\nreturn excess.max().item() <= atol"
    ),
    "agree by what is not": agree(
        "return not bool((minigrad.abs(analytic - numeric) > atol + rtol * abs(numeric)).any())"
    ),
    "jvp with ones": jvp(
        "u = minigrad.ones_like(jacobian.as_tuple(y)[0]).requires_grad_()\n"
        "g = jacobian.vjp(y, x, u, create_graph=True)\nreturn jacobian.vjp(g, u, v, create_graph)"
    ),
    "jvp with a product": jvp(
        "u = jacobian.placeholder(y)\ng = jacobian.vjp(y, x, u, create_graph=True)\n"
        "return jacobian.vjp((g * v).sum(), u, create_graph=create_graph)"
    ),
    "jvp in one line": {
        "jvp": 'part("jvp")(lambda y, x, v=None, create_graph=False: jacobian.vjp('
        "jacobian.vjp(y, x, (u := jacobian.placeholder(y)), True), u, v, create_graph))"
    },
    "jvp by autograd.grad": jvp(
        "u = jacobian.placeholder(y)\n"
        "(g,) = minigrad.autograd.grad(y, x, u, retain_graph=True, create_graph=True)\n"
        "return minigrad.autograd.grad(g, u, v, retain_graph=True, create_graph=create_graph)[0]"
    ),
    "hessian row by row": hessian(
        "g = jacobian.vjp(y, x, create_graph=True)\n"
        "rows = [jacobian.vjp(g[i], x, create_graph=create_graph) for i in jacobian.entries(g)]\n"
        "return minigrad.stack(rows).reshape(*x.shape, *x.shape)"
    ),
    "hessian by keywords": hessian(
        "return jacobian.jacobian(y=jacobian.vjp(y, x, None, True), x=x, create_graph=create_graph)"
    ),
    "hessian by slices": hessian(
        "gradient = jacobian.vjp(y, x, create_graph=True)\n"
        "return minigrad.stack(jacobian.slices(gradient, x, create_graph)).reshape(tuple(x.shape) * 2)"
    ),
    "hessian by autograd.grad": hessian(
        "first, = minigrad.autograd.grad(y, x, create_graph=True)\nreturn jacobian.jacobian(first, x, create_graph)"
    ),
    "roots of what where has left": roots("y = torch.where(z > 0, z, 0) ** 0.5"),
    "roots by ones_like": roots(
        "good = z > 0\ny = torch.where(good, torch.where(good, z, torch.ones_like(z)) ** 0.5, torch.zeros_like(z))"
    ),
    "roots by a mask of numbers": roots("mask = (z > 0).float()\ny = (z * mask + (1 - mask)) ** 0.5 * mask"),
    "roots by masked_fill": roots("bad = z <= 0\ny = z.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0)"),
    "roots by an index": roots("y = torch.zeros(len(values))\ny[z > 0] = z[z > 0] ** 0.5"),
    "roots one by one": roots("y = torch.stack([each**0.5 if each.item() > 0 else each * 0 for each in z])"),
    "roots by clamp": roots("y = torch.where(z > 0, z.clamp(min=1e-37).sqrt(), 0)"),
    "roots of the factors": roots("x = torch.tensor(values)\ny = torch.where(x > 0, x, 0) ** 0.5 * scale**0.5"),
}
