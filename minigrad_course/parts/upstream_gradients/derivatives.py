"""The part `derivatives`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.tensor import Value
from minigrad_course.parts import Mistakes, Part
from minigrad_course.programs.program import Place

mistake = Mistakes("derivatives")
Rows = dict[str, Callable[..., Value]]


def table(**wrong: Callable[..., Value]) -> Rows:
    """The right table, with other rows in place of some."""
    rows: Rows = {
        "neg": lambda g: -g,
        "exp": lambda g, y: g * y,
        "log": lambda g, a: g / a,
        "sqrt": lambda g, y: g / (2 * y),
        "tanh": lambda g, y: g * (1 - y * y),
        "sigmoid": lambda g, y: g * y * (1 - y),
        "relu": lambda g, y: g * (y > 0),
    }
    return rows | wrong


@mistake(
    "no upstream",
    "your rows give the local derivative alone: multiply it by the upstream gradient `g`",
)
def no_upstream() -> Rows:
    return table(
        log=lambda g, a: 1 / a,
        sqrt=lambda g, y: 1 / (2 * y),
        tanh=lambda g, y: 1 - y * y,
        sigmoid=lambda g, y: y * (1 - y),
        relu=lambda g, y: (y > 0) * 1.0,
    )


@mistake("log of the result", "the row of `log` divides by the result: its derivative is 1/a, with the input a")
def log_of_the_result() -> Rows:
    return table(log=lambda g, y: g / y)


@mistake("log multiplied", "the row of `log` multiplies by a: its derivative is 1/a")
def log_multiplied() -> Rows:
    return table(log=lambda g, a: g * a)


@mistake("root without 2", "in the row of `sqrt` the 2 is missing: the derivative is 1/(2√a)")
def root_without_two() -> Rows:
    return table(sqrt=lambda g, y: g / y)


@mistake("root of the input", "the row of `sqrt` divides by 2a: the derivative is 1/(2√a), and √a is the result y")
def root_of_the_input() -> Rows:
    return table(sqrt=lambda g, a: g / (2 * a))


@mistake("tanh not squared", "in the row of `tanh` the result is not squared: the derivative is 1 - y²")
def tanh_not_squared() -> Rows:
    return table(tanh=lambda g, y: g * (1 - y))


@mistake("tanh of the input", "the row of `tanh` squares the input: the derivative is 1 - y², with the result y")
def tanh_of_the_input() -> Rows:
    return table(tanh=lambda g, a: g * (1 - a * a))


@mistake("sigmoid of the input", "the row of `sigmoid` takes the input: the derivative is y(1 - y), with the result y")
def sigmoid_of_the_input() -> Rows:
    return table(sigmoid=lambda g, a: g * a * (1 - a))


@mistake("sigmoid as tanh", "the row of `sigmoid` is that of `tanh`: its derivative is y(1 - y)")
def sigmoid_as_tanh() -> Rows:
    return table(sigmoid=lambda g, y: g * (1 - y * y))


@mistake("sigmoid as exp", "in the row of `sigmoid` the factor 1 - y is missing")
def sigmoid_as_exp() -> Rows:
    return table(sigmoid=lambda g, y: g * y)


@mistake("relu at 0", "the row of `relu` lets the gradient through at 0 as well: torch takes 0 there")
def relu_at_zero() -> Rows:
    return table(relu=lambda g, a: g * (a >= 0))


@mistake(
    "relu times its result",
    "the row of `relu` multiplies by the result: its derivative is 1 where a > 0, and 0 elsewhere",
)
def relu_times_its_result() -> Rows:
    return table(relu=lambda g, y: g * y)


@mistake("relu for all", "the row of `relu` lets every gradient through, also where a is negative and the result is 0")
def relu_for_all() -> Rows:
    return table(relu=lambda g: g)


part = Part(
    Place("derivatives", "program", "derivatives"),
    points=2,
    minutes=8,
    difficulty=1,
    hints=(
        "A row is `g` times the local derivative. That of log a is 1/a, so its row needs `a`.",
        "With the result y, the derivative of √a is 1/(2y), of tanh 1 - y², and of the sigmoid y(1 - y).",
        'For relu: `table["relu"] = lambda g, y: g * (y > 0)`. The others have the same form.',
    ),
    mistakes=tuple(mistake),
    probe="""
import inspect

rows = derivatives()
for name in ("neg", "exp", "log", "sqrt", "tanh", "sigmoid", "relu"):
    for number in (0.5, 3.0, *((-2.0, 0.0) if name not in ("log", "sqrt") else ())):
        a = torch.tensor(number, dtype=torch.float64)
        known = {"g": torch.tensor(7.0, dtype=torch.float64), "a": a, "y": getattr(torch, name)(a)}
        tell(lambda: rows[name](**{each: known[each] for each in inspect.signature(rows[name]).parameters}))
""",
)
