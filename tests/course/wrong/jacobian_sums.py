"""Wrong answers to chapter 3: part -> the mistake it should be recognised as -> the answer.

An answer is the lines that stand in place of ours, or what is written in our own answer: BEFORE -> AFTER.
"""

WRONG = {
    "weighted_sum": {
        "unweighted": "+ v[i] * J[i] -> + J[i]",
        "from the right": "return J @ v",
        "from the left": "return v @ J",
        "rows added": "return J.sum(0)",
        "slices added": "* -> +",
        "not lined up": "return (v * J).sum(0)",
        "one axis for x": "return (v[:, None] * J).sum(0)",
    },
    "slices": {
        "ones": "v[i] = -> v = v +",
        "one per row": "jacobian.entries(y): -> range(len(y)):",
        "no graph": "v, create_graph)) -> v))",
        "weighted by y": "1 -> y[i]",
        "all zeros": "        v[i] = 1\n -> ",
        "always a graph": "create_graph)) -> True))",
        "create_graph as v": "v, create_graph)) -> create_graph, v))",
    },
    "mv": {
        "not transposed": "a.T -> a",
        "not every pair": "grad_output[:, None] -> grad_output",
        "upstream for A only": "a.T @ grad_output -> a.sum(0)",
        "inputs alone": "return x, a",
        "inputs alone, transposed": "return x, a.T",
        "x alone": "return None, a.T @ grad_output",
        "A alone": "a.T @ grad_output -> None",
    },
    "numeric_jacobian": {
        "half a difference": ["= middle + -> +=", "= middle - -> -="],
        "all at once": "slope = (function(x + eps) - function(x - eps)) / (2 * eps)",
        "half the width": "(2 * eps) -> eps",
        "no brackets": "(2 * eps) -> 2 * eps",
        "not put back": "        memory[j] = middle\n -> ",
        "sign": "(above - below) -> (below - above)",
        "not divided": "below) / (2 * eps) -> below)",
    },
    "agree": {
        "less than": "<= -> <",
        "signed": "numeric).abs() -> numeric)",
        "signed tolerance": "numeric.abs()).all()) -> numeric).all())",
        "changed places": "atol + rtol -> rtol + atol",
        "never": "<= -> >",
        "upside down": "bool(((analytic -> not bool(((analytic",
        "both relative": "atol + rtol -> (atol + rtol)",
    },
    "jvp": {
        "vᵀJ": "return jacobian.vjp(y, x, v, create_graph)",
        "no graph": "u, create_graph=True) -> u)",
        "graph lost": "v, create_graph) -> v)",
        "u not asked": "jacobian.placeholder(y) -> minigrad.ones_like(y)",
        "no direction": "u, v, create_graph) -> u, None, create_graph)",
        "u as direction": "u, v, create_graph) -> u, u, create_graph)",
        "whole Jacobian, as a matrix": "J = jacobian.jacobian(y, x, create_graph)\nreturn J @ v",
    },
    "hessian": {
        "no graph": "x, create_graph=True) -> x)",
        "handed to the gradient": "create_graph=True) -> create_graph=create_graph)",
        "first derivatives": "return jacobian.jacobian(y, x, create_graph)",
        "summed": "jacobian.jacobian(gradient, x, -> jacobian.vjp(gradient, x, minigrad.ones_like(gradient),",
        "graph lost": "x, create_graph) -> x)",
        "squared entries": "gradient = jacobian.vjp(y, x, create_graph=create_graph)\nreturn gradient**2",
        "create_graph as v": "create_graph=True) -> True)",
    },
    "roots": {
        "nan": "torch.where(z > 0, z, 1) -> z",
        "clamped": "torch.where(z > 0, z, 1) -> z.clamp(min=0)",
        "inner only": "torch.where(z > 0, inside**0.5, 0) -> inside**0.5",
        "very little added": "torch.where(z > 0, z, 1) -> z.clamp(min=0) + 1e-12",
        "a little added": "torch.where(z > 0, z, 1) -> z.clamp(min=0) + 1e-6",
        "no path": "1) -> 1).detach()",
        "no upstream": "y.backward(torch.tensor(v)) -> y.sum().backward()",
    },
}
