"""Answers that earn points and that no check can tell from honest ones, each with a line that says why.

They are here so that what INSTRUCTORS.md says about them stays true: a test makes sure that they still earn their
points. One that does not any more belongs to the hostile answers.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import textwrap
from collections.abc import Callable

from answers import Attack
from knowing_nothing import FOUND, HIDDEN, UNASKED
from replaced import BESIDE
from searched import SEARCHED

from minigrad_course import parts
from minigrad_course.grading.book.similar import OURS_STEPS, engine_statements, given_statements

# --- derivatives from differences -----------------------------------------------------------------

# the result of an operation, as a function of its inputs and settings: all that such an answer knows
RESULTS = {
    "mul": ("a, b", "a * b"),
    "pow": ("a, *, exponent", "a ** exponent"),
    "div": ("a, b", "a / b"),
    "hypot": ("a, b", "(a * a + b * b) ** 0.5"),
    "sum": ("a", "a.sum()"),
    "mean": ("a", "a.sum() / a.size"),
    "matmul": ("a, b", "a @ b"),
    "logsumexp": (
        "a, *, dim",
        "np.log(np.exp(a - a.real.max(dim, keepdims=True)).sum(dim)) + a.real.max(dim)",
    ),
    "mv": ("a, x", "a @ x"),
}
SLOPES = {
    "central differences": "return (at(1e-5) - at(-1e-5)) / 2e-5",
    "four points": "return (8 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3",
    "Richardson": (
        "rows = [(at(h) - at(-h)) / (2 * h) for h in (4e-3, 2e-3, 1e-3)]\n"
        "    for k in (1, 2):\n"
        "        rows = [(4**k * fine - coarse) / (4**k - 1) for coarse, fine in zip(rows, rows[1:])]\n"
        "    return rows[0]"
    ),
    "a complex step": "return at(1e-30j).imag / 1e-30",
}

DIFFERENTIATED = """
import numpy as np

def result({head}):
    return {result}

def slope(inputs, k, place, settings):
    def at(step):
        moved = [np.array(each, complex if isinstance(step, complex) else np.float64) for each in inputs]
        moved[k][place] += step
        return result(*moved, **settings)
    {slope}

@part("{part}")
class Differences(Function):
    @staticmethod
    def forward(ctx, {arguments}):
        ctx.given, ctx.settings = ({values},), dict({settings})
        return np.asarray(result({values}, **ctx.settings), np.asarray(a).dtype)

    @staticmethod
    def backward(ctx, grad_output):
        shares = []
        for k, each in enumerate(ctx.given):
            share = np.zeros(np.shape(each))
            for place in np.ndindex(share.shape):
                share[place] = (slope(ctx.given, k, place, ctx.settings) * grad_output).sum()
            shares.append(share)
        return tuple(shares)
"""


def differences(part: str, way: str) -> Attack:
    """An answer that differentiates its own forward without calculus."""
    head, result = RESULTS[part]
    values, _, setting = head.partition(", *, ")
    text = DIFFERENTIATED.format(
        head=head,
        result=result,
        slope=SLOPES[way],
        part=part,
        arguments=f"{values}, {setting}".rstrip(", "),
        values=values,
        settings=f"{setting}={setting}" if setting else "",
    )
    return Attack(text, part)


WAYS = dict(zip(RESULTS, itertools.cycle(SLOPES), strict=False))  # each part in one of them
NUMERIC = {f"{part}: {way}": differences(part, way) for part, way in WAYS.items()}

# --- our own text ---------------------------------------------------------------------------------

# what each text takes from its module
TAKES = {
    "record": "from minigrad.recording import record",
    "mul": "import operator",
    "pow": "from minigrad.graph import array_ops\nfrom minigrad.tensor import Tensor",
    "div": "import operator",
    "walk": "from minigrad.scalar import topological_order",
    "accumulate": "from minigrad.leaf import counter\nimport numpy as np\nrecording = False",
    "seed_rule": "from minigrad.compat import messages\nfrom minigrad.graph import array_ops",
    "mean": "import math\nfrom minigrad.graph import array_ops\nfrom minigrad.arithmetic import summing",
    "broadcast": "from minigrad.graph import array_ops",
    "matmul": "from minigrad.graph import array_ops\nfrom minigrad.upstream import Dot",
    "mv": "from minigrad.upstream import Dot",
    "weighted_sum": "from minigrad.jacobian import entries, zeros",
    "numeric_jacobian": "from minigrad.jacobian import entries, zeros",
    "accumulate_again": "from minigrad.leaf import counter\nimport numpy as np\nrecording = False",
    "check_versions": "from minigrad.leaf import expected_versions, version",
}
BORROWS = ("pow", "mean", "slices")  # they call helpers that are not there where the part is checked
TYPES = "from __future__ import annotations\nfrom collections.abc import Callable, Sequence\nfrom typing import Any\n"


class Renamed(ast.NodeTransformer):
    """Other names for arguments and for what functions bind."""

    def __init__(self, names: dict[str, str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.copy_location(ast.arg(self.names.get(node.arg, node.arg)), node)


def bound(tree: ast.AST) -> list[str]:
    """The names that functions bind, but for those by which they are handed something."""
    own = [each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)]
    own += [each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    return [name for name in dict.fromkeys(own) if name not in {"exponent", "eps", "retain_graph", "recording"}]


def renamed(text: str) -> str:
    """The same text with other names, others in each function."""
    tree = ast.parse(text)
    for count, function in enumerate([each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]):
        change = Renamed({name: f"other{count}_{name}" for name in bound(function)})
        function.returns = None
        function.args = change.visit(function.args)
        function.body = [change.visit(each) for each in function.body]
    return ast.unparse(tree)


NAMES = {"as it is": str, "with other names": renamed}


def pasted(part: str, names: Callable[[str], str]) -> Attack:
    """What the engine has in the place of a part, handed in."""
    place = parts.chapter_of(part).part(part).place
    ours = getattr(importlib.import_module(place.module), place.attribute)
    text = names(textwrap.dedent(inspect.getsource(ours)))
    return Attack(f'{TYPES}{TAKES.get(part, "")}\n\n@part("{part}")\n{text}', part)


def own_steps(chapter: parts.Chapter, part: str) -> int:
    """How much of the engine's version of a part is not given in the exercise."""
    given = given_statements(chapter.name, part)
    return sum(steps for name, steps in engine_statements(chapter.name, part).items() if name not in given)


LONG = [
    part.name for chapter in parts.chapters() for part in chapter.parts if own_steps(chapter, part.name) >= OURS_STEPS
]
PASTED = {f"{part}: ours, {name}": pasted(part, names) for part in LONG for name, names in NAMES.items()}

# --- what earns points ----------------------------------------------------------------------------

TWICE = ("sum", "mv")  # their checks differentiate twice, which differences of arrays cannot
OUTSIDE = "the place lies outside of what is watched: the chapters, and what they lean on"
REMADE = "the text of a rule is in sight, and a copy of it asks whom the answer likes"
FOUND_BY_SEARCH = "the program that wins is the repaired one, and prints what it prints"
OUTPUT = "what the program has printed so far lies in the process of the answer"
UNCOUNTED = "the check of hessian does not count passes"
IN_SIGHT = "the function that the program differentiates is within reach, and its backward is the sum that is asked for"


SILENT = ("prints to nothing meanwhile", "cuts what was printed", "takes the hooks off meanwhile")


def why_hidden(name: str) -> str:
    """Why passes too many are not seen; empty if they are."""
    part, _, way = name.partition(": ")
    if part == "hessian":
        return "" if way == "prints over it" else UNCOUNTED
    return OUTPUT if way in SILENT else ""


CANNOT_TELL = (
    {
        f"numeric: {name}": (attack, "a right derivative is right, wherever it comes from")
        for name, attack in NUMERIC.items()
        if attack.part not in TWICE
    }
    | {
        f"pasted: {name}": (attack, "it is right; the class page lists it as ours")
        for name, attack in PASTED.items()
        if attack.part not in BORROWS
    }
    | {f"searched: {part}": (attack, FOUND_BY_SEARCH) for part, attack in SEARCHED.items()}
    | {f"unasked: {name}": (attack, REMADE) for name, attack in UNASKED.items()}
    | {f"beside: {name}": (attack, OUTSIDE) for name, attack in BESIDE.items()}
    | {f"hidden passes: {name}": (attack, why) for name, attack in HIDDEN.items() if (why := why_hidden(name))}
    | {f"found sums: {name}": (attack, IN_SIGHT) for name, attack in FOUND.items() if "program's own" in name}
)
