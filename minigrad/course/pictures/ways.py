"""A table of what keeps a computation out of the graph, or does not: each row is run, and says what it found."""

from __future__ import annotations

from typing import Any

from minigrad.course.pictures.leaves import Table
from minigrad.course.program import compiled

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
LATER = "s = torch.tensor(2.0, requires_grad=True)\n(y * s).sum().backward()"
# column -> what is run then, and an expression: True, False, or a gradient
QUESTIONS = {
    "recorded": ("", "y.grad_fn is not None"),
    "weight.grad": (BACKWARD, "net[0].weight.grad"),
    "x.grad": (BACKWARD, "x.grad"),
    "usable in a later graph": (LATER, "s.grad is not None"),
    "dropout drops": ("", "bool((y == 0).any())"),
}


def ways_table(torch: Any) -> Table:
    """Run each of the ways on an engine, once for each question, and show what there was to see."""
    rows = [(way, *[answer(torch, program, *each) for each in QUESTIONS.values()]) for way, program in WAYS.items()]
    caption = "net is a linear layer and a dropout, and x requires grad"
    return Table(caption, rows, ("y is", *QUESTIONS), "Ways out of the graph")


def answer(torch: Any, program: str, then: str, question: str) -> str:
    """What a question about a program comes to, in a word or two. A backward that fails has filled nothing."""
    namespace = {"torch": torch}
    exec(compiled(BEGIN + program, "<way>"), namespace)
    try:
        exec(compiled(then, "<way>"), namespace)
    except RuntimeError:
        if then is LATER:
            return "an error"
    found = eval(question, namespace)
    if isinstance(found, bool):
        return "yes" if found else "no"
    return "None" if found is None else "filled"
