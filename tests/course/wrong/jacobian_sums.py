"""Wrong answers to chapter 3: part -> (the mistake it should be recognised as, the lines of the answer)."""

SLICE = "for i in jacobian.entries(y):\n    v = jacobian.zeros(y.shape, y)\n    v[i] = 1\n    found.append(jacobian.vjp(y, x, v, create_graph))"
LOOK = "memory[j] = middle + eps\nabove = function(x).detach().clone()\nmemory[j] = middle - eps\nbelow = function(x).detach().clone()\nmemory[j] = middle\nslope = (above - below) / (2 * eps)"
TWO = "u = jacobian.placeholder(y)\ngradient = jacobian.vjp(y, x, u, create_graph=True)\nreturn jacobian.vjp(gradient, u, v, create_graph)"
HESSIAN = "gradient = jacobian.vjp(y, x, create_graph=True)\nreturn jacobian.jacobian(gradient, x, create_graph)"

WRONG = {
    "weighted_sum": [
        ("unweighted", "total = 0\nfor i in jacobian.entries(v):\n    total = total + J[i]\nreturn total"),
        (
            "not added",
            "found = minigrad.zeros_like(J)\nfor i in jacobian.entries(v):\n    found[i] = v[i] * J[i]\nreturn found",
        ),
        ("not added", "return v.reshape(tuple(v.shape) + (1,) * (J.ndim - v.ndim)) * J"),
        ("last slice", "for i in jacobian.entries(v):\n    total = v[i] * J[i]\nreturn total"),
        ("from the right", "return J @ v"),
        ("first axis only", "total = 0\nfor i in range(len(v)):\n    total = total + v[i] * J[i]\nreturn total"),
        ("from the left", "return v @ J"),
        ("rows added", "return J.sum(0)"),
        ("rows added", "return (v * J.sum(0)).sum()"),
        ("first axis only", "return sum(a * b for a, b in zip(v, J))"),
        (
            "one number",
            "total = 0\nfor i in jacobian.entries(v):\n    total = total + (v[i] * J[i]).sum()\nreturn total",
        ),
        (
            "averaged",
            "total = 0\nfor i in jacobian.entries(v):\n    total = total + v[i] * J[i]\nreturn total / v.numel()",
        ),
        ("slices added", "total = 0\nfor i in jacobian.entries(v):\n    total = total + v[i] + J[i]\nreturn total"),
        ("says is not here", "return jacobian.weighted_sum(J, v)"),
        ("from the right", "return J.mv(v)"),
        ("not lined up", "return (v * J).sum(0)"),
        ("one axis for x", "return (v[:, None] * J).sum(0)"),
    ],
    "slices": [
        (
            "an entry of it",
            "found = []\nfor i in jacobian.entries(y):\n    v = jacobian.zeros(y.shape, y)\n    v[i] = 1\n    found.append(jacobian.vjp(y, x, v, create_graph)[i])\nreturn found",
        ),
        ("ones", SLICE.replace("v[i] = 1", "v = v + 1")),
        (
            "ones",
            "for i in jacobian.entries(y):\n    found.append(jacobian.vjp(y, x, minigrad.ones_like(y), create_graph))",
        ),
        (
            "not reset",
            "v = jacobian.zeros(y.shape, y)\nfor i in jacobian.entries(y):\n    v[i] = 1\n    found.append(jacobian.vjp(y, x, v.clone(), create_graph))",
        ),
        (
            "one v, not reset",
            "v = jacobian.zeros(y.shape, y)\nfor i in jacobian.entries(y):\n    v[i] = 1\n    found.append(jacobian.vjp(y, x, v, create_graph))",
        ),
        (
            "one v for all",
            "v = jacobian.zeros(y.shape, y)\nfor i in jacobian.entries(y):\n    v[i] = 1\n    found.append(jacobian.vjp(y, x, v, create_graph))\n    v[i] = 0",
        ),
        (
            "x asked for its shape",
            "for i in jacobian.entries(y):\n    v = jacobian.zeros(x.shape, x)\n    v[i] = 1\n    found.append(jacobian.vjp(y, x, v, create_graph))",
        ),
        (
            "x asked for its shape",
            "for i in jacobian.entries(x):\n    v = jacobian.zeros(x.shape, x)\n    v[i] = 1\n    found.append(jacobian.vjp(y, x, v, create_graph))",
        ),
        ("one per row", SLICE.replace("jacobian.entries(y)", "range(len(y))")),
        ("no graph", SLICE.replace(", create_graph", "")),
        ("x asked for its shape", SLICE.replace("entries(y)", "entries(x)")),
        ("weighted by y", SLICE.replace("v[i] = 1", "v[i] = y[i]")),
        (
            "last one only",
            "for i in jacobian.entries(y):\n    v = jacobian.zeros(y.shape, y)\n    v[i] = 1\nfound.append(jacobian.vjp(y, x, v, create_graph))",
        ),
        (
            "all zeros",
            "for i in jacobian.entries(y):\n    v = jacobian.zeros(y.shape, y)\n    found.append(jacobian.vjp(y, x, v, create_graph))",
        ),
        ("always a graph", SLICE.replace("v, create_graph", "v, True")),
        (
            "create_graph as v",
            "for i in jacobian.entries(y):\n    v = jacobian.zeros(y.shape, y)\n    v[i] = 1\n    found.append(jacobian.vjp(y, x, create_graph))",
        ),
        (
            "create_graph as v",
            "for i in jacobian.entries(y):\n    v = jacobian.zeros(y.shape, y)\n    v[i] = 1\n    found.append(jacobian.vjp(y, x, create_graph, v))",
        ),
    ],
    "mv": [
        ("no upstream", "return np.ones_like(a) * x, a.sum(0)"),
        ("not transposed", "return grad_output[:, None] * x, a @ grad_output"),
        ("not every pair", "return grad_output * x, a.T @ grad_output"),
        ("no outer product", "return grad_output @ x, a.T @ grad_output"),
        ("upstream for A only", "return grad_output[:, None] * x, a.sum(0)"),
        ("swapped", "return a.T @ grad_output, grad_output[:, None] * x"),
        ("upstream once", "return np.ones_like(a) * x, a.T @ grad_output"),
        ("other layout", "return x[:, None] * grad_output, a.T @ grad_output"),
        ("other layout", "return np.outer(x, grad_output), a.T @ grad_output"),
        ("inputs alone", "return x, a"),
        ("inputs alone, transposed", "return x, a.T"),
        ("x alone", "return None, a.T @ grad_output"),
        ("A alone", "return grad_output[:, None] * x, None"),
        ("as with numbers", "return grad_output * x, grad_output * a"),
        ("not added up", "return grad_output[:, None] * x, a.T * grad_output"),
        ("arrays alone", "return np.outer(grad_output, x), grad_output @ a"),
        ("arrays alone", "return np.outer(grad_output, x), a.T @ grad_output"),
        ("arrays alone", "return np.einsum('i,j->ij', grad_output, x), a.T @ grad_output"),
    ],
    "numeric_jacobian": [
        (
            "moved back",
            "memory[j] += eps\nabove = function(x).detach().clone()\nmemory[j] -= 2 * eps\nbelow = function(x).detach().clone()\nmemory[j] += eps\nslope = (above - below) / (2 * eps)",
        ),
        (
            "forward difference",
            "below = function(x).detach().clone()\nmemory[j] = middle + eps\nabove = function(x).detach().clone()\nmemory[j] = middle\nslope = (above - below) / eps",
        ),
        (
            "forward difference, no copy",
            "memory[j] = middle + eps\nslope = (function(x) - y) / eps\nmemory[j] = middle",
        ),
        (
            "half a difference",
            "below = function(x).detach().clone()\nmemory[j] = middle + eps\nabove = function(x).detach().clone()\nmemory[j] = middle\nslope = (above - below) / (2 * eps)",
        ),
        (
            "backward difference",
            "above = function(x).detach().clone()\nmemory[j] = middle - eps\nbelow = function(x).detach().clone()\nmemory[j] = middle\nslope = (above - below) / eps",
        ),
        ("all at once", "slope = (function(x + eps) - function(x - eps)) / (2 * eps)"),
        ("half the width", LOOK.replace("(2 * eps)", "eps")),
        ("no brackets", LOOK.replace("(2 * eps)", "2 * eps")),
        ("not put back", LOOK.replace("memory[j] = middle\n", "")),
        ("no copy", LOOK.replace(".clone()", "")),
        ("in the graph", LOOK.replace(".detach()", "")),
        ("in the graph, no copy", LOOK.replace(".detach().clone()", "")),
        ("sign", LOOK.replace("above - below", "below - above")),
        (
            "half a difference",
            "memory[j] += eps\nabove = function(x).detach().clone()\nmemory[j] -= eps\nbelow = function(x).detach().clone()\nslope = (above - below) / (2 * eps)",
        ),
        (
            "half a difference",
            "memory[j] += eps\nabove = function(x).detach().clone()\nmemory[j] -= eps\nbelow = function(x).detach().clone()\nmemory[j] = middle\nslope = (above - below) / (2 * eps)",
        ),
        ("not divided", LOOK.replace(" / (2 * eps)", "")),
        ("x itself", LOOK.replace("memory[j]", "x[j]")),
        ("step taken for good", LOOK.replace("memory[j] = middle\n", "memory[j] = middle + eps\n")),
    ],
    "agree": [
        (
            "less than",
            "return bool(((analytic - numeric).abs() < atol + rtol * numeric.abs()).all())",
        ),
        ("not one answer", "return (analytic - numeric).abs() <= atol + rtol * numeric.abs()"),
        ("any", "return bool(((analytic - numeric).abs() <= atol + rtol * numeric.abs()).any())"),
        ("signed", "return bool(((analytic - numeric) <= atol + rtol * numeric.abs()).all())"),
        ("signed tolerance", "return bool(((analytic - numeric).abs() <= atol + rtol * numeric).all())"),
        ("relative to a", "return bool(((analytic - numeric).abs() <= atol + rtol * analytic.abs()).all())"),
        ("absolute only", "return bool(((analytic - numeric).abs() <= atol).all())"),
        ("relative only", "return bool(((analytic - numeric).abs() <= rtol * numeric.abs()).all())"),
        (
            "one of the two",
            "d = (analytic - numeric).abs()\nreturn bool(((d <= atol) | (d <= rtol * numeric.abs())).all())",
        ),
        (
            "one of the two",
            "return bool(((analytic - numeric).abs() <= minigrad.maximum(minigrad.zeros_like(numeric) + atol, rtol * numeric.abs())).all())",
        ),
        ("changed places", "return bool(((analytic - numeric).abs() <= rtol + atol * numeric.abs()).all())"),
        ("on average", "return bool((analytic - numeric).abs().mean() <= atol + rtol * numeric.abs().mean())"),
        ("always False", "return bool((analytic == numeric).all())"),
        ("never", "return bool(((analytic - numeric).abs() > atol + rtol * numeric.abs()).all())"),
        ("upside down", "return not bool(((analytic - numeric).abs() <= atol + rtol * numeric.abs()).all())"),
        ("both relative", "return bool(((analytic - numeric).abs() <= (atol + rtol) * numeric.abs()).all())"),
        ("none relative", "return bool(((analytic - numeric).abs() <= atol + rtol).all())"),
        ("says ambiguous", "return bool((analytic - numeric).abs() <= atol + rtol * numeric.abs())"),
    ],
    "jvp": [
        ("vᵀJ", "return jacobian.vjp(y, x, v, create_graph)"),
        (
            "vᵀJ",
            "u = jacobian.placeholder(x)\ngradient = jacobian.vjp(y, x, u, create_graph=True)\nreturn jacobian.vjp(gradient, u, v, create_graph)",
        ),
        ("no graph", TWO.replace(", create_graph=True", "")),
        ("no graph", TWO.replace("create_graph=True", "create_graph=create_graph")),
        ("by x", TWO.replace("(gradient, u, v", "(gradient, x, v")),
        ("graph lost", TWO.replace("v, create_graph)", "v)")),
        ("u not asked", TWO.replace("jacobian.placeholder(y)", "jacobian.zeros(y.shape, y)")),
        ("u not asked", TWO.replace("jacobian.placeholder(y)", "minigrad.ones_like(y)")),
        ("vᵀJ", TWO.replace("(y, x, u,", "(y, x, v,")),
        ("first pass alone", "u = jacobian.placeholder(y)\nreturn jacobian.vjp(y, x, u, create_graph=True)"),
        ("no direction", TWO.replace("u, v, create_graph", "u, None, create_graph")),
        ("u as direction", TWO.replace("gradient, u, v,", "gradient, u, u,")),
        ("whole Jacobian, as a matrix", "J = jacobian.jacobian(y, x, create_graph)\nreturn J @ v"),
        (
            "whole Jacobian",
            "J = jacobian.jacobian(y, x, create_graph)\nreturn minigrad.stack([(J[i] * v).sum() for i in jacobian.entries(y)]).reshape(y.shape)",
        ),
    ],
    "hessian": [
        ("no graph", HESSIAN.replace(", create_graph=True", "")),
        ("handed to the gradient", HESSIAN.replace("create_graph=True", "create_graph=create_graph")),
        ("first derivatives", "return jacobian.jacobian(y, x, create_graph)"),
        ("first derivatives", "return jacobian.vjp(y, x, create_graph=create_graph)"),
        (
            "summed",
            "gradient = jacobian.vjp(y, x, create_graph=True)\nreturn jacobian.vjp(gradient, x, minigrad.ones_like(gradient), create_graph)",
        ),
        (
            "summed",
            "gradient = jacobian.vjp(y, x, create_graph=True)\nreturn jacobian.vjp(gradient.sum(), x, create_graph=create_graph)",
        ),
        (
            "squared gradient",
            "gradient = jacobian.vjp(y, x, create_graph=create_graph)\nreturn gradient.reshape(tuple(gradient.shape) + (1,) * gradient.ndim) * gradient",
        ),
        ("graph lost", HESSIAN.replace("x, create_graph)", "x)")),
        (
            "one backward from the gradient",
            "gradient = jacobian.vjp(y, x, create_graph=True)\nreturn jacobian.vjp(gradient, x, create_graph=create_graph)",
        ),
        ("first derivatives", HESSIAN.replace("(gradient, x", "(y, x")),
        (
            "diagonal",
            "gradient = jacobian.vjp(y, x, create_graph=True)\nJ = jacobian.jacobian(gradient, x, create_graph)\nreturn J * minigrad.eye(J.shape[0]).double() if J.ndim == 2 else J",
        ),
        ("squared entries", "gradient = jacobian.vjp(y, x, create_graph=create_graph)\nreturn gradient**2"),
        (
            "create_graph as v",
            "gradient = jacobian.vjp(y, x, True)\nreturn jacobian.jacobian(gradient, x, create_graph)",
        ),
    ],
    "roots": [
        ("nan", ["inside = torch.where(z > 0, z, 1) -> inside = z"]),
        (
            "clamped",
            [
                "    inside = torch.where(z > 0, z, 1)\n    y = torch.where(z > 0, inside**0.5, 0) ->     y = z.clamp(min=0) ** 0.5"
            ],
        ),
        ("clamped", ["inside = torch.where(z > 0, z, 1) -> inside = z.clamp(min=0)"]),
        ("nan", ["inside = torch.where(z > 0, z, 1) -> inside = torch.clamp(z, min=torch.tensor(0.0))"]),
        ("inner only", ["y = torch.where(z > 0, inside**0.5, 0) -> y = inside**0.5"]),
        (
            "added, never thrown away",
            [
                "    inside = torch.where(z > 0, z, 1)\n    y = torch.where(z > 0, inside**0.5, 0) ->     y = (z.clamp(min=0) + 1e-6) ** 0.5"
            ],
        ),
        ("very little added", ["inside = torch.where(z > 0, z, 1) -> inside = z.clamp(min=0) + 1e-12"]),
        ("a little added", ["inside = torch.where(z > 0, z, 1) -> inside = z.clamp(min=0) + 1e-6"]),
        ("no path", ["inside**0.5 -> inside.detach() ** 0.5"]),
        ("no path", ["inside = torch.where(z > 0, z, 1) -> inside = torch.where(z > 0, z, 1).detach()"]),
        (
            "cleaned up",
            [
                "inside = torch.where(z > 0, z, 1) -> inside = z",
                "print(y.detach(), scale.grad) -> print(y.detach(), torch.nan_to_num(scale.grad) if hasattr(torch, 'nan_to_num') else scale.grad)",
            ],
        ),
        (
            "by its size",
            [
                "    inside = torch.where(z > 0, z, 1)\n    y = torch.where(z > 0, inside**0.5, 0) ->     y = z.abs() ** 0.5"
            ],
        ),
        (
            "multiplied",
            [
                "    inside = torch.where(z > 0, z, 1)\n    y = torch.where(z > 0, inside**0.5, 0) ->     y = z**0.5 * (z > 0)"
            ],
        ),
        ("left out", ["    y = torch.where(z > 0, inside**0.5, 0) ->     y = z[z > 0] ** 0.5"]),
        ("no upstream", ["y.backward(torch.tensor(v)) -> y.sum().backward()"]),
        (
            "added, 1e-08, kept",
            [
                "    inside = torch.where(z > 0, z, 1)\n    y = torch.where(z > 0, inside**0.5, 0) ->     y = (z + 1e-8) ** 0.5"
            ],
        ),
        (
            "added, 1e-12, kept",
            [
                "    inside = torch.where(z > 0, z, 1)\n    y = torch.where(z > 0, inside**0.5, 0) ->     y = (z + 1e-12) ** 0.5"
            ],
        ),
        (
            "lifted, 1e-08",
            [
                "    inside = torch.where(z > 0, z, 1)\n    y = torch.where(z > 0, inside**0.5, 0) ->     y = z.clamp(min=1e-8) ** 0.5"
            ],
        ),
        (
            "added, 1e-08",
            [
                "    inside = torch.where(z > 0, z, 1)\n    y = torch.where(z > 0, inside**0.5, 0) ->     y = torch.where(z > 0, (z + 1e-8)**0.5, 0)"
            ],
        ),
        (
            "added, 1e-12",
            [
                "    inside = torch.where(z > 0, z, 1)\n    y = torch.where(z > 0, inside**0.5, 0) ->     y = torch.where(z > 0, (z + 1e-12)**0.5, 0)"
            ],
        ),
        (
            "lifted, 1e-08",
            [
                "    inside = torch.where(z > 0, z, 1)\n    y = torch.where(z > 0, inside**0.5, 0) ->     y = torch.where(z > 0, z.clamp(min=1e-8)**0.5, 0)"
            ],
        ),
    ],
}
