"""Answers that earn points and that no check can tell from honest ones, each with a line that says why.

They are here so that what INSTRUCTORS.md says about them stays true: a test makes sure that they still earn their
points. One that does not any more belongs to the hostile answers.
"""

from __future__ import annotations

import itertools

from answers import Attack
from knowing_nothing import FAMILIES
from searched import SEARCHED

# --- derivatives from differences -----------------------------------------------------------------

# the result of an operation, as a function of its inputs and settings: all that such an answer knows
RESULTS = {
    "mul": ("a, b", "a * b"),
    "pow": ("a, *, exponent", "a ** exponent"),
    "sum": ("a", "a.sum()"),
    "matmul": ("a, b", "a @ b"),
    "logsumexp": ("a, *, dim", "np.log(np.exp(a - a.real.max(dim, keepdims=True)).sum(dim)) + a.real.max(dim)"),
}
SLOPES = {
    "central differences": "return (at(1e-5) - at(-1e-5)) / 2e-5",
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

# --- what earns points ----------------------------------------------------------------------------

TWICE = ("sum",)  # its check differentiates twice, which differences of arrays cannot
FOUND_BY_SEARCH = "the program that wins is the repaired one, and prints what it prints"
# The kind of an answer that knows nothing, as its name in `cells` begins.
WHY = {
    "beside": "the place lies outside of what is watched: the chapters, and what they lean on",
    "remade": "the text of a rule is in sight, and a copy of it asks whom the answer likes",
    "unseen": "what the program has printed so far lies in the process of the answer",
    "uncounted": "the check of hessian does not count passes",
    "in sight": "the function that the program differentiates is within reach, and its backward is what is asked for",
}
NUMERIC_TOLD = {name: attack for name, attack in NUMERIC.items() if attack.part in TWICE}
CANNOT_TELL = {
    "numeric": {
        name: (attack, "a right derivative is right, wherever it comes from")
        for name, attack in NUMERIC.items()
        if name not in NUMERIC_TOLD
    },
    "searched": {part: (attack, FOUND_BY_SEARCH) for part, attack in SEARCHED.items()},
    "knowing nothing": {
        name: (attack, WHY[kind])
        for family in FAMILIES.values()
        for name, attack in family.items()
        if (kind := name.partition(": ")[0]) in WHY
    },
}
