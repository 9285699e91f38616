"""A table of what keeps a computation out of the graph, or does not: each row is run, and says what it found."""

from __future__ import annotations

import contextlib
from types import ModuleType

from minigrad_course.pictures.leaves import Table
from minigrad_course.programs.program import compiled

BEGIN = """
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5))
x = torch.ones(8, 4, requires_grad=True)
"""
# what is done, in short -> the program
WAYS = {
    "net(x)": "y = net(x)",
    "no_grad(): net(x)": "with torch.no_grad(): y = net(x)",
    "inference_mode(): net(x)": "with torch.inference_mode(): y = net(x)",
    "net(x).detach()": "y = net(x).detach()",
    "net(x).detach().requires_grad_()": "y = net(x).detach().requires_grad_()",
    "net.eval()(x)": "y = net.eval()(x)",
    "net.requires_grad_(False)(x)": "y = net.requires_grad_(False)(x)",
}
BACKWARD = "y.sum().backward()"
SCALE = "s = torch.tensor(2.0, requires_grad=True)\n"
# a later graph that uses y without keeping it, and one that has to save it for the derivative of s
LATER = {expression: f"{SCALE}({expression}).sum().backward()" for expression in ("y + s", "y * s")}
# column -> what is run then, and an expression: True, False, or a gradient
QUESTIONS: dict[str, tuple[str | dict[str, str], str]] = {
    "recorded": ("", "y.grad_fn is not None"),
    "weight.grad": (BACKWARD, "net[0].weight.grad"),
    "x.grad": (BACKWARD, "x.grad"),
    "usable in a later graph": (LATER, "s.grad is not None"),
    "dropout drops": ("", "bool((y == 0).any())"),
}


def ways_table(torch: ModuleType) -> Table:
    """Run each of the ways on an engine, once for each question, and show what there was to see."""
    rows = [
        (way, *[answer(torch, program, *question) for question in QUESTIONS.values()]) for way, program in WAYS.items()
    ]
    caption = "net is a linear layer and a dropout, and x requires grad"
    return Table(caption, rows, ("y is", *QUESTIONS), "Ways out of the graph")


def answer(torch: ModuleType, program: str, then: str | dict[str, str], question: str) -> str:
    """What a question about a program comes to, in a word or two. A backward that fails has filled nothing.

    Of several things that are run then, those that work and those that do not, unless all give the same answer.
    """
    if isinstance(then, dict):
        each = {expression: answer(torch, program, one, question) for expression, one in then.items()}
        works, fails = ([one for one, word in each.items() if (word == "yes") == good] for good in (True, False))
        return f"{', '.join(works)}; not {', '.join(fails)}" if works and fails else "yes" if works else "an error"
    namespace = {"torch": torch}
    exec(compiled(BEGIN + program, "<way>"), namespace)
    with contextlib.suppress(RuntimeError):
        exec(compiled(then, "<way>"), namespace)
    result = eval(question, namespace)
    if isinstance(result, bool):
        return "yes" if result else "no"
    return "None" if result is None else "filled"
