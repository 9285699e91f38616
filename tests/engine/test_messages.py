"""What torch raises and warns, minigrad raises and warns too, word for word.

torch says the words when the tests run. The type stands in the table as well, so that a row that torch no longer
raises is noticed. Complex numbers are left out: minigrad has none.
"""

import copy
import types
import warnings

import numpy as np
import pytest
import torch
from engines import ENGINES, assert_alike, each_of, said

import minigrad
from minigrad.compat import versions

SETUP = "x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; c = torch.tensor([1., 2.])"
INTS = "t = torch.tensor([1, 2])"
LINEAR = "layer = torch.nn.Linear(2, 1)"
DOUBLE = "d = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)"
NAMES = {"np": np, "copy": copy, "__name__": "student"}


def function(name: str, backward: str, forward: str = "return t * 2") -> str:
    """The text of a custom Function."""
    return f"""
class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, *more):
        {forward}

    @staticmethod
    def backward(ctx, g):
        {backward}
"""


NO_BACKWARD = """
class NoBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t * 2
"""
SAVED = function("Square", "return 2 * ctx.saved_tensors[0] * g", "ctx.save_for_backward(t); return t * t")

BOOLS = versions.refusal("bools_not_implemented").__name__

# The type, and the lines of a program; the last one triggers it, and nothing else is printed.
MESSAGES = [
    # backward
    ("TypeError", "y.backward('ones')"),
    ("TypeError", "y.backward(np.ones(2))"),
    # autograd.grad
    ("RuntimeError", "torch.autograd.grad(y.sum(), 'x')"),
    # requires_grad
    ("RuntimeError", INTS, "t.requires_grad = True"),
    ("RuntimeError", "x.requires_grad = 1"),
    ("TypeError", "x.data = 3"),
    ("RuntimeError", "x.data = torch.tensor([1, 2])"),
    # views that are changed in place
    ("RuntimeError", "a, b = y.unbind()", "a.add_(1)"),
    ("RuntimeError", "a, b = y", "b += 1"),
    ("RuntimeError", "a, b = y.split(1)", "a.add_(1)"),
    ("RuntimeError", "a, b = y.chunk(2)", "b.zero_()"),
    ("RuntimeError", "with torch.no_grad(): v = y.view(2)", "v.add_(1)"),
    ("RuntimeError", "with torch.no_grad(): v = x.view(2)", "v.add_(1)"),
    ("RuntimeError", "y.view(2).detach_()"),
    # other changes in place
    ("RuntimeError", "c[c > 0] = torch.ones(3)"),
    ("RuntimeError", "c[[0, 1]] = torch.ones(3)"),
    ("TypeError", "c[0] = 'one'"),
    # .grad
    ("RuntimeError", "x.grad = torch.ones(3)"),
    ("RuntimeError", "x.grad = torch.tensor([1, 2])"),
    ("RuntimeError", "x.grad = torch.ones(2, dtype=torch.float64)"),
    ("TypeError", "x.grad = 0"),
    ("TypeError", ".1 * x.grad"),
    # hooks
    ("RuntimeError", "def scale(g): return g[0]", "h = x.register_hook(scale)", "y.sum().backward()"),
    ("ZeroDivisionError", "h = y.register_hook(lambda g: 1 / 0)", "y.sum().backward()"),
    # grad modes
    ("TypeError", "with torch.no_grad: z = x * 2"),
    # leaving the graph
    ("RuntimeError", "bool(torch.ones(0))"),
    ("RuntimeError", "copy.deepcopy(y)"),
    # optimizers
    ("ValueError", "torch.optim.SGD([x], lr=.1, weight_decay=-1.)"),
    ("UserWarning", "o = torch.optim.SGD([x, x], lr=.1)"),
    # Parameter and Module
    ("AttributeError", "torch.nn.Parameter([1., 2.])"),
    ("KeyError", LINEAR, "layer.register_parameter('forward', None)"),
    (
        "AttributeError",
        "class Early(torch.nn.Module):\n    def __init__(self): self.p = torch.nn.Parameter(torch.ones(1))",
        "Early()",
    ),
    ("TypeError", "torch.nn.Sequential(3)"),
    # Function
    ("RuntimeError", function("TwoIn", "return g"), "TwoIn.apply(x, c.clone().requires_grad_()).sum().backward()"),
    ("RuntimeError", function("TooMany", "return g, g, g"), "TooMany.apply(x).sum().backward()"),
    ("RuntimeError", function("BadShape", "return torch.ones(3)"), "BadShape.apply(x).sum().backward()"),
    ("RuntimeError", function("BadType", "return 1.0"), "BadType.apply(x).sum().backward()"),
    ("TypeError", function("SaveInt", "return g", "ctx.save_for_backward(3); return t"), "SaveInt.apply(x)"),
    ("NotImplementedError", NO_BACKWARD, "NoBackward.apply(x).sum().backward()"),
    ("RuntimeError", SAVED, "z = Square.apply(x).sum(); z.backward()", "z.backward()"),
    ("RuntimeError", SAVED, "z = Square.apply(y).sum(); y.add_(1)", "z.backward()"),
    # functional
    ("TypeError", "torch.autograd.functional.hessian(lambda t: 1., c)"),
    # shapes and dtypes
    ("RuntimeError", "torch.ones(1, 2) @ torch.ones(2, 1, dtype=torch.float64)"),
    ("RuntimeError", "torch.ones(2, 3).view(-1, -1)"),
    ("RuntimeError", "torch.ones(2, 3).permute(0, 0)"),
    ("RuntimeError", "torch.ones(2, 3).permute(0)"),
    ("IndexError", "torch.ones(2, 3).transpose(0, 2)"),
    ("IndexError", "torch.ones(2, 3).unsqueeze(4)"),
    ("RuntimeError", "torch.ones(2).mT"),
    ("RuntimeError", "torch.ones(2, 2, 2).t()"),
    ("RuntimeError", "torch.cat([torch.ones(2), torch.ones(1, 2)])"),
    ("RuntimeError", "torch.cat([torch.tensor(1.), torch.tensor(2.)])"),
    ("RuntimeError", "torch.stack([])"),
    ("IndexError", "torch.ones(2, 3).sum(2)"),
    ("RuntimeError", "torch.ones(2, 3).sum((0, 0))"),
    ("RuntimeError", "torch.ones(0).max()"),
    ("IndexError", "torch.ones(2, 0).argmax(1)"),
    (BOOLS, "c - torch.tensor([True, False])"),
    ("TypeError", "torch.maximum(c, 1)"),
    (BOOLS, "torch.relu(torch.tensor([True]))"),
    ("RuntimeError", "torch.einsum('ij,jk', torch.ones(2, 2))"),
    ("RuntimeError", "torch.einsum('ij,jk', torch.ones(2, 2), torch.ones(3, 3))"),
    ("RuntimeError", "torch.outer(c, torch.ones(2, 2))"),
    ("RuntimeError", "torch.chunk(c, 0)"),
    ("IndexError", "torch.ones(2, 3).squeeze(3)"),
    ("TypeError", "c + [1., 2.]"),
    ("TypeError", "c < 'one'"),
    ("TypeError", "c(1)"),
    ("TypeError", "c + 'one'"),
    ("TypeError", "c + None"),
    ("TypeError", "c @ 2"),
    ("TypeError", "~c"),
    # reading entries
    ("IndexError", "torch.ones(2)[-3]"),
    ("IndexError", "c[torch.tensor([True])]"),
    ("ValueError", "a, b, d = c"),
    ("TypeError", "len(torch.tensor(1.))"),
    ("TypeError", "list(torch.tensor(1.))"),
    # creation
    ("TypeError", "torch.tensor()"),
    ("RuntimeError", "torch.tensor(None)"),
    ("RuntimeError", "torch.zeros(-1)"),
    ("RuntimeError", "torch.arange(3, 0)"),
    ("TypeError", "torch.tensor('one')"),
    ("TypeError", "torch.from_numpy([1, 2])"),
    ("ValueError", "torch.manual_seed('one')"),
    # losses
    ("ValueError", "torch.nn.functional.mse_loss(c, c, reduction='all')"),
]
IDS = [" | ".join(lines).strip().replace("\n", " ") for _, *lines in MESSAGES]


def words(lines: list[str], engine: types.ModuleType) -> str:
    """What the lines print on an engine."""
    return said([SETUP, *lines], engine, NAMES)


@pytest.mark.parametrize(("kind", "lines"), [(kind, lines) for kind, *lines in MESSAGES], ids=IDS)
def test_torch_says_it(kind: str, lines: list[str]) -> None:
    assert words(lines, torch).startswith(f"{kind}: ")


@each_of(lines=[lines for _, *lines in MESSAGES])
def test_minigrad_says_it_word_for_word(lines: list[str]) -> None:
    assert words(lines, minigrad) == words(lines, torch)


def test_no_row_stands_there_twice() -> None:
    assert len(set(IDS)) == len(IDS)


# Rules that no single row shows: each program is run whole, on both engines.
RULES = {
    "a gradient is looked at before the graph, and a missing one after both": [
        "c.backward(torch.ones(3))",
        "c.backward('text')",
        "c.backward(torch.ones(2))",
        "c.backward([])",
        "y.backward([])",
        "y.backward([torch.ones(3), 'text'])",
    ],
    "gradients after the first are ignored": [
        "y.backward([torch.ones(2), 'text', torch.ones(5)])",
        "x.grad",
    ],
    "a gradient of any real dtype is cast, and a list or tuple may hold it": [
        "(x * x).backward(torch.tensor([1, 2])); print(x.grad)",
        "(x * x).backward(torch.tensor([True, False])); print(x.grad)",
        "(x * x).backward(torch.tensor([.5, 2.], dtype=torch.float64)); print(x.grad)",
        "(x * x).backward([torch.ones(2)]); print(x.grad)",
        "(x * x).backward((torch.ones(2),)); print(x.grad)",
        "h = x * x; k = h.register_hook(lambda g: print(g.dtype)); h.backward(torch.tensor([1, 2]))",
    ],
    "the name in a version error is the node's, without Backward and a final 0": [
        "h = x.exp(); z = h * h",
        "with torch.no_grad(): h.mul_(2)",
        "z.sum().backward()",
        "h = torch.stack([x, x]).sum(0); z = h * h",
        "with torch.no_grad(): h.mul_(2)",
        "z.sum().backward()",
        "h = x.max(); z = h * h",
        "with torch.no_grad(): h.mul_(2)",
        "z.backward()",
        function("MyF", "return g * 2"),
        "h = MyF.apply(x); z = h * h",
        "with torch.no_grad(): h.mul_(2)",
        "z.sum().backward()",
        "h = x.clone(); z = h * h; h[0] = 3.",
        "z.sum().backward()",
        "z = (x * x).sum()",
        "with torch.no_grad(): x.mul_(2)",
        "z.backward()",
    ],
    "it is the node at the time of the error": [
        "h = x * 1; z = h**2",
        "with torch.no_grad(): h.add_(1)",
        "z.sum().backward()",
        "h = x * 1; z = h**2; h.add_(1)",
        "z.sum().backward()",
        "h = x * 1; z = h**2; h.zero_()",
        "z.sum().backward()",
        "h = x.exp(); h.add_(1)",
        "h.sum().backward()",
    ],
    "a view that was changed, or whose base was, reads AsStrided": [
        "h = x * 1; v = h.view(2, 1); z = v**2; v.add_(1)",
        "z.sum().backward()",
        "h = x * 1; v = h.view(2, 1); z = v**2; h.add_(1)",
        "z.sum().backward()",
        "h = x * 1; v = h[0]; z = v**2; h[1] = 3.",
        "z.backward()",
    ],
    "the tensor is named by its dtype and its size": [
        "h = x.double().exp(); h.add_(1)",
        "h.sum().backward()",
        "h = torch.ones(2, 3, requires_grad=True).exp(); h.add_(1)",
        "h.sum().backward()",
        "h = x[0].exp(); h.add_(1)",
        "h.backward()",
    ],
    "a flag of a non-leaf: requires_grad_(True) is silent": [
        "print(y.requires_grad_(True) is y, y.requires_grad_() is y)",
        "y.requires_grad_(False)",
    ],
    "the flag of a constant may be set to False": [
        "print(c.requires_grad_(False) is c, torch.tensor([1]).requires_grad_(False))",
    ],
    "reading .grad of a non-leaf warns at every access": [
        "y.grad; y.grad",
        "[y.grad for _ in range(3)]",
        "y.retain_grad(); print(y.grad)",
    ],
    "no warning where a gradient can come, or none was recorded": [
        "print(x.grad, c.grad, (c * 2).grad)",
        "y.sum().backward(inputs=[y]); print(y.grad)",
        "y.grad = torch.ones(2); print(y.grad)",
    ],
    "what a backward that fails has filled depends on the order of the nodes": [
        "z = torch.ones(2, requires_grad=True); y = x * 3; s = y.sum(); s.backward(); x.grad = None",
        "(s + z.sum()).backward()",
        "print(x.grad, z.grad)",
        "w = torch.ones(2, requires_grad=True); t = w.sum(); y = x * 3; s = y.sum(); s.backward(); x.grad = None",
        "(s + t).backward()",
        "print(x.grad, w.grad)",
    ],
    "an error in backward leaves the graph usable where nothing was freed": [
        "h = y.register_hook(lambda g: 1 / 0)",
        "y.sum().backward()",
        "h.remove(); print(x.grad)",
        "(x * 3).sum().backward(); print(x.grad)",
    ],
}


@each_of(lines=RULES.values())
def test_both_engines_follow_the_rule(lines: list[str]) -> None:
    assert_alike([SETUP, *lines], NAMES)


@each_of(engine=ENGINES, line=["y.grad", "torch.tensor(x)", "torch.autograd.Variable(c, volatile=True)"])
def test_a_warning_points_at_the_line_that_caused_it(line: str, engine: types.ModuleType) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(f"{SETUP}\n\n{line}\n", "the student's file", "exec"), {"torch": engine})
    assert [(each.filename, each.lineno) for each in caught] == [("the student's file", 3)]
