"""`minigrad explain`: which lines it names, and what it says of each.

In the programs, `#!` says what must be said of its line, in this order; of a line without it nothing may be said.
torch must end each program with the same error.
"""

from __future__ import annotations

import builtins
import importlib
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

import minigrad
from minigrad.course.account import account, strays
from minigrad.course.case import Case
from minigrad.course.explain import explanation
from minigrad.course.pasted import program_in
from minigrad.course.places import Sources
from minigrad.course.watching import watch

NAME = "program.py"
POSTED = Path(__file__).parents[1] / "conformance" / "posted"

PROGRAMS = {
    "a result that is to be optimized": """
import torch
a = torch.tensor([1.0, 2.0], requires_grad=True)  #! makes the leaf `a`.
opt = torch.optim.SGD([a * 2], lr=0.1)  #! makes `a * 2` by an operation (MulBackward0) ... hands it
""",
    "scores with a long expression": """
import torch
w = torch.ones(2, requires_grad=True)
loss = torch.argmax(w + torch.zeros(2).mul(2.0).add(1.0).mul(2.0).add(1.0), dim=0) * 1.0  #! `w + (…)`, which requires
loss.backward()  #! asks for
""",
    "in place": """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()  #! makes and keeps `y`
y += 1  #! changes `y` in place
y.sum().backward()  #! needs `y` as it was
""",
    "the name is bound anew": """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()  #! makes and keeps `z` (here called `y`)
z = y
y = y * 3
y += 1
z.mul_(2)  #! changes `z` in place
y = z * y
y.sum().backward()  #! needs `z` as it was
""",
    "the line names what holds it": """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
g = torch.autograd.grad((x ** 3).sum(), x)  #! computes `g[0]`, the gradient of
g[0].sum().backward()  #! which has no graph
""",
    "no name is left": """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()  #! makes and keeps `y`
y += 1  #! changes `y` of line 3 in place
y = y * 2
y.sum().backward()  #! needs `y` of line 3
""",
    "an expression without a name": """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x.sigmoid().mul_(3) * 1)  #! makes and keeps `x.sigmoid()` ... changes `x.sigmoid()` in place
y.sum().backward()  #! needs
""",
    "inside a function": """
import torch
def damp(h):
    h *= 0.5  #! changes `a` in place (in damp(), called on line 7).
    return h
x = torch.tensor([1.0, 2.0], requires_grad=True)
a = torch.tanh(x)  #! makes and keeps `a`
b = damp(a)
(a + b).sum().backward()  #! needs `a`
""",
    "through a view": """
import torch
x = torch.ones(2, 3, requires_grad=True)
y = x * 2  #! makes `y`.
p = y ** 2  #! keeps `y`
row = y[0]  #! makes `row`, which shares the memory of `y`.
row.zero_()  #! changes `row` in place, and with it `y`
p.sum().backward()  #! needs `y`
""",
    "through detach": """
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2  #! makes `y`
y[0] = 5.0
z = (y ** 2).sum()  #! keeps `y`
w = y.detach()  #! makes `w`, which shares the memory
w[1] = 7  #! changes `w` in place, and with it `y`
z.backward()  #! needs `y`
""",
    "in a loop": """
import torch
x = torch.ones(4, requires_grad=True)
out = torch.zeros(4)
for i in range(1, 4):
    out[i] = out[i - 1] * x[i] + 1  #! a view of `out` ... changes `out` in place
out.sum().backward()  #! needs `out[i - 1]`
""",
    "by the optimizer": """
import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))  #! makes `net[2].weight`
opt = torch.optim.SGD(net.parameters(), lr=0.1)
a = net(torch.ones(2, 3)).sum()
b = net(torch.zeros(2, 3)).mean()  #! keeps `net[2].weight`
a.backward(retain_graph=True)
opt.step()  #! changes `net[2].weight` in place
b.backward()  #! needs `net[2].weight`
""",
    "by a layer": """
import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.ReLU(inplace=True))
y = net(torch.ones(1, 2)) * 1  #! makes and keeps a tensor inside `net(torch.ones(1, 2))` ... changes
y.sum().backward()  #! needs a tensor inside
""",
    "the same pass twice": """
import torch
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = (x ** 2).sum()  #! makes `x ** 2`; its PowBackward0
y.backward()  #! goes through it, and frees
y.backward()  #! goes through it again
""",
    "two results, one trunk": """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x ** 2  #! makes `h`
a = h.sum()
b = h.mean()
a.backward()  #! goes through it
b.backward()  #! goes through it again
""",
    "the same pass in a loop": """
import torch
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = (x ** 2).sum()  #! makes `x ** 2`
for turn in range(2):
    y.backward()  #! goes through it ... goes through it again in the next turn
""",
    "a state that is carried": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
h = torch.zeros(2)
for t in range(3):
    h = torch.tanh(w * h + 1)  #! makes `h`
    loss = (h ** 2).sum()
    loss.backward()  #! goes through it ... comes to it again in the next turn, through `h` of line 5
""",
    "a state, and a step": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
h = torch.zeros(2)
for t in range(3):
    h = torch.tanh(w * h + 1)  #! makes `h`
    loss = (h ** 2).sum()
    loss.backward()  #! goes through it ... comes to it again in the next turn, through `h` of line 6
    opt.step()
""",
    "a state, a step, and a graph that is kept": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)  #! makes `w`
opt = torch.optim.SGD([w], lr=0.1)
h = torch.zeros(2)
for t in range(3):
    h = torch.tanh(w * h + 1)  #! keeps `w`
    loss = (h ** 2).sum()
    loss.backward(retain_graph=True)  #! needs `w` as it was
    opt.step()  #! changes `w` in place
""",
    "an earlier value depends on it": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)  #! makes `w`
h = w * w
total = (h * w).sum()  #! keeps `w`
total.backward(retain_graph=True)
with torch.no_grad():
    w -= 0.1 * w.grad  #! changes `w` in place
total.backward()  #! needs `w` as it was
""",
    "whole numbers that are to require grad": """
import torch
x = torch.tensor([[1, 2], [3, 4]], requires_grad=True)  #! asks for their gradient
""",
    "a range that is to require grad": """
import torch
x = torch.arange(3)  #! makes `x`, of torch.int64
y = x.requires_grad_()  #! asks for their gradient
""",
    "the leaf is bound anew where nothing is recorded": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)  #! makes `w`, which requires grad
for step in range(2):
    loss = (w * w).sum()  #! makes `loss` from it
    loss.backward()  #! asks for gradients of `loss`
    with torch.no_grad():
        w = w - 0.1 * w.grad  #! while recording is off
""",
    "the leaf is bound anew and detached": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(2):
    loss = (w * w).sum()  #! makes `loss` from it
    loss.backward()  #! asks for gradients of `loss`
    w = (w - 0.1 * w.grad).detach()  #! without its graph
""",
    "made before the loop": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
scale = w.exp()  #! makes `scale`
for t in range(3):
    loss = (scale * t).sum()
    loss.backward()  #! goes through it ... comes to it again in the next turn, through `scale`
""",
    "detached in a function": """
import torch
def features(x):
    h = torch.relu(x)  #! makes `h`, which requires grad
    return h.detach()  #! takes the numbers of `h` of line 3 without its graph (`detach()`)
x = torch.ones(4, requires_grad=True)
f = features(x)
loss = (f * 2).sum()  #! makes `loss` from it
loss.backward()  #! asks for gradients of `loss`
""",
    ".data": """
import torch
x = torch.ones(4, requires_grad=True)  #! makes `x`, which requires grad
y = x.data * 2  #! (`.data`)
loss = y.sum()  #! makes `loss` from it
loss.backward()  #! asks
""",
    "detached in place": """
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2  #! makes `y`
y.detach_()  #! takes `y` out of its graph
y.sum().backward()  #! makes `y.sum()` ... asks
""",
    "in a decorated function": """
import torch
@torch.no_grad()
def double(x):
    return x * 2  #! makes `x * 2` from `x` while recording is off
x = torch.ones(3, requires_grad=True)  #! makes `x`
out = double(x).sum()  #! makes `out` from it
torch.autograd.grad(out, x)  #! asks
""",
    "whole numbers": """
import torch
net = torch.nn.Linear(3, 5)
logits = net(torch.ones(4, 3))  #! makes `logits`
pred = torch.argmax(logits, dim=1)  #! makes `pred`: whole numbers
loss = (pred != 2).float().mean()  #! makes `loss` from it
loss.backward()  #! asks
""",
    "numbers in a list": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
losses = []
for k in range(3):
    losses.append(((w - k) ** 2).sum().item())  #! makes ... takes bare numbers out
total = torch.tensor(losses).mean()  #! makes `total` from it
total.backward()  #! asks
""",
    "a number that does not matter": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
seen = w.sum().item()
x = torch.tensor([3.0, 4.0])  #! makes `x`, which does not require grad
loss = x.sum()  #! makes `loss`
loss.backward()  #! asks
""",
    "nothing requires grad": """
import torch
x = torch.tensor([1, 2, 3])  #! makes `x`, which does not require grad
y = (x * 2).sum()  #! makes `y`
y.backward()  #! asks
""",
    "a gradient": """
import torch
x = torch.ones(3, requires_grad=True)
y = (x ** 3).sum()  #! makes `y`, which requires grad
(g,) = torch.autograd.grad(y, x)  #! the gradient of `y`, without recording how
g.sum().backward()  #! makes `g.sum()` from it ... asks
""",
    "a gradient in .grad": """
import torch
x = torch.ones(3, requires_grad=True)  #! makes `x`
(x ** 3).sum().backward()  #! fills the .grad of `x`, without recording how
x.grad.sum().backward()  #! makes `x.grad.sum()` from it ... asks
""",
    "only the shape is used": """
import torch
x = torch.ones(3, requires_grad=True)
y = torch.zeros_like(x)  #! makes `y`, which does not require grad
loss = (y + 1).sum()  #! makes `loss`
loss.backward()  #! asks
""",
    "through numpy": """
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2  #! makes `y`, which requires grad
numbers = y.detach().numpy() ** 2  #! takes bare numbers out of `y`
loss = torch.from_numpy(numbers).sum()  #! makes `loss` from it
loss.backward()  #! asks
""",
    "a number written into a tensor": """
import torch
x = torch.ones(3, requires_grad=True)
buffer = torch.zeros(2)
buffer[0] = x.sum().item()  #! makes `x.sum()` ... takes bare numbers out of `x.sum()`
loss = buffer.sum()  #! makes `loss` from it
loss.backward()  #! asks
""",
    "several numbers for grad": """
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2  #! makes `y`
torch.autograd.grad(y, x)  #! asks
""",
    "in a comprehension": """
import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()  #! makes and keeps `y`
z = [each.mul_(2) for each in (y,)]  #! changes `y` in place.
(y + 1).sum().backward()  #! needs `y`
""",
    "frozen in a loop": """
import torch
net = torch.nn.Linear(2, 1)
for p in net.parameters():
    p.requires_grad = False  #! off for `net.weight` ... off for `net.bias`
loss = net(torch.ones(1, 2)).sum()  #! makes
loss.backward()  #! asks
""",
    "numbers under another name": """
import torch
w = torch.ones(2, requires_grad=True)
total = 0.0
for k in range(2):
    loss = (w * k).sum()  #! makes `loss`
    total += loss.item()  #! takes bare numbers out
total = torch.tensor(total)  #! makes `total` from them
total.backward()  #! asks
""",
    "a list of losses": """
import torch
w = torch.ones(2, requires_grad=True)
losses = [(w * k).sum() for k in range(2)]
losses.backward()  #! calls backward() of what is of type list
""",
    "several numbers": """
import torch
def total(x):
    return x * 2  #! makes `y`, with 3 elements (shape [3])
x = torch.ones(3, requires_grad=True)
y = total(x)
y.backward()  #! asks
""",
    "several numbers without a name": """
import torch
x = torch.ones(3, requires_grad=True)
(x*2).backward()  #! makes `x * 2`, with 3 elements ... asks for gradients
""",
    "a gradient of another shape": """
import torch
a = torch.arange(6.0).reshape(2, 3).requires_grad_()
b = a * a  #! makes `b`, of shape [2, 3]
v = torch.tensor([1.0, 1.0])  #! makes `v`, of shape [2]
b.backward(v)  #! passes one to the other
""",
    "a gradient of another shape, from a Function": """
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g[:2]
x = torch.ones(3, requires_grad=True)
y = Scale.apply(x)  #! applies Scale
y.sum().backward()  #! runs its backward()
""",
    "too few gradients, from a Function": """
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.ones(3, requires_grad=True)
y = Scale.apply(x, 2.0)  #! applies Scale
y.sum().backward()  #! runs its backward()
""",
    "numpy": """
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2  #! makes `y`
y.numpy()  #! hands it to numpy
""",
    "the flag of a non-leaf": """
import torch
x = torch.ones(3, requires_grad=True)
y = x * 2  #! makes `y`
y.requires_grad = False  #! would decide otherwise
""",
    "a leaf in place": """
import torch
def init(t):
    t[0] = 1.0  #! would change `w` in place (in init(), called on line 5)
w = torch.zeros(3, requires_grad=True)  #! makes the leaf `w`
init(w)
""",
    "not used": """
import torch
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)  #! makes `b`
c = a * 5  #! makes `c`
torch.autograd.grad(c, [a, b])  #! asks
""",
    "the leaf is bound anew": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)  #! makes the leaf `w`
for step in range(3):
    loss = (w ** 2).sum()
    loss.backward()
    w = w - 0.1 * w.grad  #! makes `w` by an operation (SubBackward0) ... reads `w.grad` in the next turn: None
""",
    "a value to begin with": """
import torch
w = torch.ones(3, requires_grad=True)  #! makes the leaf `w`
w = w * 0.1  #! makes `w` by an operation
(w ** 2).sum().backward()
print(w.grad.norm())  #! reads `w.grad`: None
""",
    "a value to begin with, in several lines": """
import torch
w = torch.ones(3, requires_grad=True)  #! makes the leaf `w`
w = w * 0.1
w = w + 1  #! makes `w` by an operation
(w ** 2).sum().backward()
print(w.grad.norm())  #! reads `w.grad`: None
""",
    "a parameter, and a value to begin with": """
import torch
w = torch.nn.Parameter(torch.ones(3))  #! makes the leaf `w`
w = w * 0.1  #! makes `w` by an operation
(w ** 2).sum().backward()
print(w.grad.norm())  #! reads `w.grad`: None
""",
    "numbers of the leaf": """
import torch
x = torch.ones(3, requires_grad=True)  #! makes the leaf `x`
y = (x.detach().numpy() * 2).sum()  #! takes bare numbers out of `x`
z = torch.tensor(y, requires_grad=True)
z.backward()  #! runs the last pass
print(x.grad.norm())  #! reads `x.grad`: None
""",
    "a detached leaf": """
import torch
x = torch.ones(3, requires_grad=True)  #! makes the leaf `x`
u = torch.ones(3, requires_grad=True)
seen = x.detach() > 0
loss = ((x * 2).detach() * u).sum()  #! takes the numbers of `x * 2` without its graph
loss.backward()  #! runs the last pass
print(x.grad.norm())  #! reads `x.grad`: None
""",
    "an accuracy": """
import torch
x, y = torch.ones(3, 2), torch.tensor([1.0, 0.0, 1.0])
w = torch.ones(2, requires_grad=True)
p = torch.sigmoid(x @ w)  #! makes `p`
loss = 1 - ((p > 0.5).float() == y).float().mean()  #! makes `p > 0.5`: true or false
loss.backward()  #! asks
""",
    "true or false": """
import torch
net = torch.nn.Linear(3, 1)
score = net(torch.ones(4, 3))  #! makes `score`
hit = score > 0.5  #! makes `hit`: true or false
loss = hit.float().mean()  #! makes `loss` from it
loss.backward()  #! asks
""",
    "the leaf is bound anew, unrecorded": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)  #! makes `w`, which requires grad
loss = (w ** 2).sum()
loss.backward()
with torch.no_grad():
    w = w - 0.1 * w.grad  #! makes `w`, which does not require grad
w.grad.zero_()  #! reads `w.grad`: None
""",
    "cleared": """
import torch
net = torch.nn.Linear(2, 2)  #! makes the leaf `net.weight`
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(1, 2)).sum().backward()  #! filled it
opt.zero_grad()
print(net.weight.grad.norm())  #! reads `net.weight.grad`: None
""",
    "numbers of classes that are not whole": """
import torch
scores = torch.ones(2, 3, requires_grad=True)
target = torch.tensor([0.0, 1.0])  #! makes `target`, of torch.float32.
torch.nn.CrossEntropyLoss()(scores * 2, target)  #! needs `target` to be of torch.int64.
""",
    "whole numbers as labels": """
import torch
scores = torch.ones(2, requires_grad=True)
labels = torch.tensor([0, 1])  #! makes `labels`, of torch.int64.
torch.nn.functional.binary_cross_entropy_with_logits(scores * 2, labels)  #! needs `labels` to be of torch.float32.
""",
    "whole numbers as probabilities": """
import torch
p = torch.full((2,), 0.5, requires_grad=True)
torch.nn.functional.binary_cross_entropy(p, torch.tensor([0, 1]))  #! makes `torch.tensor([0, 1])`, of ... needs
""",
    "whole numbers for a layer": """
import torch
x = torch.arange(3)
torch.nn.Linear(3, 1)(x[None])  #! makes `x[None]`, of torch.int64 ... needs `x[None]` to be of torch.float32.
""",
    "a product with numpy's numbers": """
import torch
import numpy as np
w = torch.ones(3, 1, requires_grad=True)
x = torch.from_numpy(np.ones((2, 3)))  #! makes `x`, of torch.float64.
y = x @ w  #! needs `x` to be of torch.float32.
""",
    "never reached": """
import torch
x = torch.ones(2, requires_grad=True)  #! makes the leaf `x`
u = torch.ones(2, requires_grad=True)
u.sum().backward()  #! runs the last pass
print(x.grad + 1)  #! reads `x.grad`: None
""",
}


def plain(program: str) -> str:
    """The program without what must be said."""
    return re.sub(r"  #!.*", "", program.strip("\n")) + "\n"


def ended(program: str, engine: Any) -> tuple[BaseException | None, dict[str, Any]]:
    """Run a program on an engine: its error, and its names. `import torch` gives the engine."""

    def load(name: str, *given: Any) -> Any:
        return builtins.__import__(name.replace("torch", engine.__name__, 1), *given)

    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": {**vars(builtins), "__import__": load}}
    try:
        with warnings.catch_warnings(action="ignore"):
            exec(compile(program, NAME, "exec"), names)
    except Exception as error:
        return error, names
    finally:
        engine.set_grad_enabled(True)  # a program may have switched it off
    return None, names


def on_minigrad(program: str) -> tuple[BaseException | None, dict[str, Any]]:
    """The same on minigrad, under the name of torch."""
    return ended(program, minigrad)


def told(program: str) -> tuple[BaseException | None, dict[int, str], str]:
    """What a program ends with; what is said of each line; and all that is said."""
    with watch() as seen:
        error, names = on_minigrad(program)
    sources = Sources({NAME: program})
    case = Case(error, seen, sources, names)
    found = explanation(case)
    if found is None:
        return error, {}, account(case, names)
    said: dict[int, str] = {}
    for place, role in found.steps:
        assert place is not None
        said[place.line] = f"{said[place.line]} ... {role}" if place.line in said else role
    return error, said, found.text(sources, NAME)


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_names_the_lines_that_led_to_the_error_and_no_other(name: str) -> None:
    marked = PROGRAMS[name].strip("\n").splitlines()
    wanted = {number: line.partition("#!")[2] for number, line in enumerate(marked, start=1) if "#!" in line}
    _, said, text = told(plain(PROGRAMS[name]))
    assert set(said) == set(wanted), text
    for number, words in wanted.items():
        place = 0
        for each in words.split("..."):
            assert each.strip() in said[number][place:], (number, text)
            place = said[number].index(each.strip(), place)


@pytest.mark.parametrize("name", PROGRAMS)
def test_torch_ends_these_programs_with_the_same_error(name: str) -> None:
    program = plain(PROGRAMS[name])
    theirs, _ = ended(program, torch)
    ours, _ = on_minigrad(program)
    assert type(theirs) is type(ours) and theirs is not None
    assert str(theirs).partition(". ")[0] == str(ours).partition(". ")[0]


PROGRAMS |= {
    "frozen layers": """
import torch
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))  #! makes `model[0].weight`.
for p in model[0].parameters():
    p.requires_grad = False  #! switches requires_grad off for `model[0].weight`
model(torch.ones(2, 3)).sum().backward()
for p in model.parameters():
    p.grad.norm()  #! reads `model[0].weight.grad`: None
""",
    "a flag that is switched on and off": """
import torch
x = torch.ones(3, requires_grad=True)
w = torch.ones(3)  #! makes `w`.
w.requires_grad_(False)
w.requires_grad = True
w.requires_grad_(False)  #! switches requires_grad off for `w`
(w * x).sum().backward()
w.grad.norm()  #! reads `w.grad`: None
""",
    "a change in a function that goes on": """
import torch
def grown(h):
    h += h * h  #! keeps `h` for the backward pass ... changes `h` in place
    return h * 2
h = torch.ones(3, requires_grad=True).exp()  #! makes `h`
grown(h).sum().backward()  #! needs `h` as it was
""",
    "a change that ends a function": """
import torch
def grow(h):
    h += 1  #! changes `h` in place
h = torch.ones(3, requires_grad=True).exp()  #! makes and keeps `h`
grow(h)
h.sum().backward()  #! needs `h` as it was
""",
    "a list that grows": """
import torch
w = torch.ones(3, requires_grad=True)
history = []
for step in range(3):
    y = (w * 2).tanh()  #! makes `history[0]`
    history.append(y)
    sum(history).sum().backward()  #! comes to it again in the next turn, through `history[0]`
""",
    "a tuple that is carried": """
import torch
w = torch.ones(3, requires_grad=True)
class Cell:
    state = (torch.zeros(3), torch.ones(3))
cell = Cell()
for step in range(3):
    h, c = cell.state
    cell.state = (torch.tanh(w * h + c), w * c)  #! makes `c`
    sum(cell.state).sum().backward()  #! comes to it again in the next turn, through `c`
""",
    "new tensors in place of all leaves": """
import torch
def step(params, grads):
    return [p - 0.1 * g for p, g in zip(params, grads)]  #! makes `p` by an operation
params = [torch.ones(2, requires_grad=True)]  #! makes the leaf
for turn in range(3):
    (params[0] ** 2).sum().backward()
    params = step(params, [p.grad for p in params])  #! reads `p.grad`
""",
    "a view that is changed": """
import torch
x = torch.ones(5, requires_grad=True)  #! makes the leaf `x`
y = x.view(5)  #! makes `y`, a view of the same memory
y[0] = 3.0  #! would change `x` in place
""",
    "a None of a name that is bound anew and cut off": """
import torch
x = torch.ones(3, requires_grad=True)  #! makes `x`, which requires grad
y = (x * 2).sum()
x = x.detach()  #! makes `x`, which does not require grad
y.backward()
print(x.grad.sum())  #! reads `x.grad`: None
""",
    "an index that was computed": """
import torch
k = torch.tensor([0.1, 0.3], requires_grad=True)  #! makes `k`, which requires grad
index = torch.argmax(k)  #! makes `index`: whole numbers
loss = (torch.arange(2.0)[index] - 1) ** 2  #! makes `loss` from it
loss.backward()  #! asks for
""",
    "the rows of a Jacobian": """
import torch
x = torch.ones(2, requires_grad=True)
y = x.exp()  #! makes `y`
torch.stack([torch.autograd.grad(y[i], x)[0] for i in range(2)])  #! comes to it again in the next turn
""",
    "a gradient with respect to data": """
import torch
w = torch.ones(2, requires_grad=True)
x = torch.linspace(0, 1, 2)  #! makes `x`
u = (w * x ** 2).sum()
torch.autograd.grad(u, x)  #! asks for the gradient with respect to `x`
""",
    "an actor and a critic": """
import torch
a = torch.ones(3, requires_grad=True)
c = torch.ones(3, requires_grad=True)
advantage = (1 - c.exp()) ** 2  #! makes `advantage`
actor = (a * advantage).sum()
critic = advantage.sum()
actor.backward()  #! goes through it
critic.backward()  #! goes through it again
""",
    "a sum of losses after their passes": """
import torch
w = torch.ones(3, requires_grad=True)
total = 0
for x in torch.eye(3):
    loss = ((w * x).sum() - 2) ** 2  #! makes `loss`
    total += loss
    loss.backward()  #! goes through it
total.backward()  #! goes through it again
""",
    "an argmax in place of scores": """
import torch
scores = torch.ones(4, 3, requires_grad=True) * 2
labels = torch.tensor([0, 1, 2, 0])  #! makes `labels`
out = scores.argmax(dim=1)  #! makes `out`
torch.nn.functional.cross_entropy(out, labels).backward()  #! compares the two
""",
    "one score for each yes or no": """
import torch
import torch.nn.functional as F
out = torch.ones(4, requires_grad=True) * 2  #! makes `out`
labels = torch.tensor([0, 1, 1, 0])  #! makes `labels`
F.cross_entropy(out, labels).backward()  #! compares the two
""",
    "a state under another name": """
import torch
w = torch.ones(3, requires_grad=True)
state = torch.zeros(3)
for step in range(3):
    prev = state
    h = torch.tanh(w * prev + 1)  #! makes `state` (here called `h`)
    h.sum().backward()  #! comes to it again in the next turn, through `state`
    state = h
""",
    "a state that a module keeps": """
import torch
class Cell(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(3, 3)
        self.h = torch.zeros(3)
    def forward(self, x):
        h = torch.tanh(self.a(self.h) + x)  #! makes `h`
        self.h = h
        return h
cell = Cell()
for step in range(3):
    cell(torch.ones(3)).sum().backward()  #! comes to it again in the next turn, through `h` of line 8
""",
    "a state of a function": """
import torch
w = torch.ones(3, requires_grad=True)
h = torch.zeros(3)
def step(x, hidden):
    hidden = torch.tanh(w * hidden + x)  #! makes `hidden`
    return hidden
for x in torch.eye(3):
    h = step(x, h)
    h.sum().backward()  #! comes to it again in the next turn, through `hidden` of line 5
""",
    "a state of an object that others read": """
import torch
class World:
    state = torch.zeros(2)
    def step(self, action):
        self.state = self.state * 0.9 + action  #! makes `self.state * 0.9` ... makes `self.state`
        return -(self.state ** 2).sum()
world = World()
w = torch.ones(2, requires_grad=True)
for episode in range(3):
    total = 0
    for t in range(3):
        total = total + world.step(torch.tanh(w * world.state + t))
    total.backward()  #! comes to it again in the next turn, through `self.state` of line 5
""",
    "a state that has the name of a global one": """
import torch
w = torch.ones(2, requires_grad=True)
h = torch.zeros(2)
def cell(x, h):
    return torch.tanh(w * h + x)  #! makes `torch.tanh(w * h + x)`
def train():
    global h
    for x in torch.eye(2):
        h = cell(x, h)
        h.sum().backward()  #! comes to it again in the next turn
train()
""",
    "several steps before each pass": """
import torch
w = torch.ones(3, requires_grad=True)
def steps(h):
    for t in range(4):
        h = torch.tanh(w * h + t)  #! makes `h` ... makes `h`
    return h
state = torch.zeros(3)
for batch in range(3):
    state = steps(state)
    state.sum().backward()  #! comes to it again in the next turn
""",
    "a state that a module carries through several calls": """
import torch
class Cell(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(3, 3)
        self.h = torch.zeros(3)
    def forward(self, x):
        self.h = torch.tanh(self.a(self.h) + x)  #! makes `self.h`
        return self.h.sum()
cell = Cell()
for batch in range(3):
    loss = 0
    for t in range(2):
        loss = loss + cell(torch.ones(3))
    loss.backward()  #! comes to it again in the next turn
""",
    "recording that was switched off for good": """
import torch
torch.set_grad_enabled(False)
w = torch.ones(2, requires_grad=True)  #! makes `w`
y = (w * 2).sum()  #! makes `w * 2` from `w` while recording is off
y.backward()  #! asks for gradients of `y`
""",
    "a parameter that is converted": """
import torch
W = torch.nn.Parameter(torch.ones(1, 4)).double()  #! makes the leaf ... makes `W` by an operation
torch.optim.SGD([W], lr=0.1)  #! hands it to the optimizer.
""",
    "a flag for a result": """
import torch
w = torch.ones(2, requires_grad=True)
loss = (w * 2).sum()  #! makes `loss`.
loss.requires_grad = False  #! would decide otherwise.
""",
    "labels with a 1 in each row": """
import torch
scores = torch.ones(2, 3, requires_grad=True)  #! makes `scores`.
labels = torch.tensor([[1, 0, 0], [0, 0, 1]])  #! makes `labels`.
torch.nn.functional.cross_entropy(scores, labels)  #! compares the two.
""",
    "a row that is computed from the one before": """
import torch
w = torch.ones(3, 3, requires_grad=True)
h = torch.zeros(4, 3)  #! makes `h`.
for t in range(1, 4):
    h[t] = torch.tanh(h[t - 1] @ w)  #! keeps `h` ... changes `h` in place
h.sum().backward()  #! needs `h` as it was
""",
    "layers that do not fit": """
import torch
one, two = torch.nn.Linear(7, 3), torch.nn.Linear(6, 1)  #! makes `two.weight`, of shape [1, 6].
h = one(torch.ones(4, 7))  #! makes `h`, of shape [4, 3].
two(h).sum().backward()  #! multiplies the two.
""",
    "images for a layer": """
import torch
net = torch.nn.Linear(12, 2)  #! makes `net.weight`
x = torch.ones(5, 1, 3, 4)  #! makes `x`, of shape [5, 1, 3, 4].
net(x)  #! multiplies the two.
""",
    "matrices that do not fit": """
import torch
A = torch.ones(3, 2, requires_grad=True)  #! makes `A`, of shape [3, 2].
x = torch.ones(4, 2)  #! makes `x`, of shape [4, 2].
y = A @ x  #! multiplies the two.
""",
    "shapes that cannot be broadcast": """
import torch
A = torch.ones(3, 2, requires_grad=True)  #! makes `A`, of shape [3, 2].
b = torch.ones(3)  #! makes `b`, of shape [3].
y = A + b  #! takes the two together.
""",
    "a column for a row of targets": """
import torch
scores = torch.ones(4, 1, requires_grad=True)  #! makes `scores`, of shape [4, 1].
y = torch.ones(4)  #! makes `y`, of shape [4].
torch.nn.BCEWithLogitsLoss()(scores, y)  #! takes the two together.
""",
    "a column of classes": """
import torch
scores = torch.ones(2, 3, requires_grad=True)  #! makes `scores`, of shape [2, 3].
y = torch.tensor([[0], [2]])  #! makes `y`, of shape [2, 1].
torch.nn.functional.cross_entropy(scores, y)  #! takes the two together.
""",
    "classes that begin with 1": """
import torch
scores = torch.ones(2, 3, requires_grad=True)  #! makes `scores`, of shape [2, 3].
y = torch.tensor([1, 3])  #! makes `y`, of shape [2].
torch.nn.functional.cross_entropy(scores, y)  #! takes the two together.
""",
    "a sum of losses that begins with 0": """
import torch
w = torch.ones(2, requires_grad=True)
total = 0
for i in range(3):
    total += (w * i).sum()  #! makes `total`
    total.backward()  #! comes to it again in the next turn
""",
    "the number of a loss": """
import torch
loss = torch.ones(2, requires_grad=True).sum()
loss.item().backward()  #! calls backward() of what is of type float.
""",
    "several steps in an inner loop": """
import torch
w = torch.ones(3, requires_grad=True)
h = torch.zeros(3)
for batch in range(3):
    for t in range(4):
        h = torch.tanh(w * h + t)  #! makes `h`
    h.sum().backward()  #! comes to it again in the next turn
""",
    "a name that is given its value in the inner loop": """
import torch
w = torch.ones(3, requires_grad=True)
h = torch.zeros(3)
for batch in range(3):
    for t in range(4):
        before = h
        h = torch.tanh(w * before + t)  #! makes `h`
    h.sum().backward()  #! comes to it again in the next turn
""",
    "a tensor of two tensors": """
import torch
a = torch.tensor(1.0, requires_grad=True)  #! makes `a`, which requires grad
b = torch.tensor(2.0, requires_grad=True)  #! makes `b`, which requires grad
params = torch.tensor([a, b])  #! takes bare numbers out of `a` and `b`
loss = (params ** 2).sum()  #! makes `loss`
loss.backward()  #! asks for gradients of `loss`
""",
}

MENDED = {  # words of the advice, and what to replace with what to follow it
    "a list of losses": ("`sum(losses).backward()`", "losses.b", "sum(losses).b"),
    "in place": ("`y = y + 1`", "y += 1", "y = y + 1"),
    "the name is bound anew": ("`z = z.mul(2)`", "z.mul_(2)", "z = z.mul(2)"),
    "through detach": ("Before line 7 write `w = w.clone()`", "w[1] = 7", "w = w.clone()\nw[1] = 7"),
    "in a loop": ("`out[i - 1].clone()` for `out[i - 1]`", "out[i - 1]", "out[i - 1].clone()"),
    "the same pass twice": ("`backward(retain_graph=True)` on line 4", "d()\ny", "d(retain_graph=True)\ny"),
    "a state that is carried": ("before line 5 write `h = h.detach()`", "    h = t", "    h = h.detach()\n    h = t"),
    "a state, and a step": ("before line 6 write `h = h.detach()`", "    h = t", "    h = h.detach()\n    h = t"),
    "a state, a step, and a graph that is kept": (
        "before line 6 write `h = h.detach()`. Then `retain_graph=True` is not needed",
        "    h = t",
        "    h = h.detach()\n    h = t",
    ),
    "a list that grows": (
        "write `history.clear()` below line 7, or, if the old entries are still needed, `history[:] = [each.detach() "
        "for each in history]`.",
        "d()\n",
        "d()\n    history[:] = [each.detach() for each in history]\n",
    ),
    "a tuple that is carried": (
        "before line 8 write `c = c.detach()`",
        "    cell.state = (t",
        "    c = c.detach()\n    h = h.detach()\n    cell.state = (t",
    ),
    "new tensors in place of all leaves": (
        "`with torch.no_grad(): p -= 0.1 * g`. Then clear its `.grad`",
        "    return [p - 0.1 * g for p, g in zip(params, grads)]",
        "    for p, g in zip(params, grads):\n        with torch.no_grad(): p -= 0.1 * g\n        p.grad = None\n"
        "    return params",
    ),
    "a None of a name that is bound anew and cut off": (
        "Give the result of that line another name",
        "x = x.d",
        "z = x.d",
    ),
    "the rows of a Jacobian": ("with `retain_graph=True` on line 4", "(y[i], x)", "(y[i], x, retain_graph=True)"),
    "a gradient with respect to data": (
        "Right after line 3, before anything is computed from it: `x.requires_grad_()`",
        "u = (",
        "x.requires_grad_()\nu = (",
    ),
    "an actor and a critic": ("write `advantage.detach()` for it on line 5", "a * advantage", "a * advantage.detach()"),
    "a sum of losses after their passes": ("leave out one of the two passes", "total.backward()\n", ""),
    "an argmax in place of scores": ("Hand over `scores` in place of `out`", "(out, ", "(scores, "),
    "one score for each yes or no": (
        "`F.binary_cross_entropy_with_logits(out, labels.float())`",
        "F.cross_entropy(out, labels)",
        "F.binary_cross_entropy_with_logits(out, labels.float())",
    ),
    "a state under another name": (
        "before line 6 write `prev = prev.detach()`",
        "    h = t",
        "    prev = prev.detach()\n    h = t",
    ),
    "a state that a module keeps": (
        "before line 8 write `self.h = self.h.detach()`",
        "        h = t",
        "        self.h = self.h.detach()\n        h = t",
    ),
    "a state of a function": (
        "before line 5 write `hidden = hidden.detach()`",
        "    hidden = t",
        "    hidden = hidden.detach()\n    hidden = t",
    ),
    "a state of an object that others read": (
        "before line 11 write `world.state = world.state.detach()`",
        "    for t",
        "    world.state = world.state.detach()\n    for t",
    ),
    "a state that has the name of a global one": (
        "before line 5 write `h = h.detach()`",
        "    return torch.tanh",
        "    h = h.detach()\n    return torch.tanh",
    ),
    "several steps before each pass": (
        "before line 4 write `h = h.detach()`",
        "    for t",
        "    h = h.detach()\n    for t",
    ),
    "a name that is given its value in the inner loop": (
        "write `h = h.detach()` below line 8",
        "d()\n",
        "d()\n    h = h.detach()\n",
    ),
    "a state that a module carries through several calls": (
        "write `cell.h = cell.h.detach()` below line 15",
        "    loss.backward()\n",
        "    loss.backward()\n    cell.h = cell.h.detach()\n",
    ),
    "recording that was switched off for good": (
        "Line 2, `torch.set_grad_enabled(False)`, switches recording off for all that comes after it: leave it out",
        "torch.set_grad_enabled(False)\n",
        "",
    ),
    "a parameter that is converted": (
        "`W = torch.nn.Parameter(torch.ones(1, 4).double())`",
        "(torch.ones(1, 4)).double()",
        "(torch.ones(1, 4).double())",
    ),
    "labels with a 1 in each row": ("`labels.argmax(1)`, or the rows", "labels)", "labels.argmax(1))"),
    "a row that is computed from the one before": (
        "On line 5 read a copy: write `h[t - 1].clone()` for `h[t - 1]`",
        "h[t - 1]",
        "h[t - 1].clone()",
    ),
    "layers that do not fit": ("Let the layer take 3 numbers, `nn.Linear(3, 1)`", "Linear(6, 1)", "Linear(3, 1)"),
    "images for a layer": (
        "Make one row of each entry of the batch first: `x.flatten(1)`",
        "net(x)",
        "net(x.flatten(1))",
    ),
    "matrices that do not fit": ("What fits: `A @ x.T`, of shape [3, 4].", "A @ x", "A @ x.T"),
    "shapes that cannot be broadcast": ("`b[:, None]`, of shape [3, 1]", "A + b", "A + b[:, None]"),
    "a column for a row of targets": ("`scores.squeeze(1)` has the shape [4]", "(scores, y)", "(scores.squeeze(1), y)"),
    "a column of classes": ("`y.squeeze(1)` has the shape [2]", "(scores, y)", "(scores, y.squeeze(1))"),
    "classes that begin with 1": ("Count classes from 0: `y - 1`.", "(scores, y)", "(scores, y - 1)"),
    "a sum of losses that begins with 0": (
        "write `total = total.detach()` below line 6",
        "    total.backward()\n",
        "    total.backward()\n    total = total.detach()\n",
    ),
    "the number of a loss": ("Start from the tensor itself: `loss.backward()`.", "loss.item().back", "loss.back"),
    "several steps in an inner loop": (
        "before line 5 write `h = h.detach()`",
        "    for t",
        "    h = h.detach()\n    for t",
    ),
    "an earlier value depends on it": (
        "everything from line 3 on (`h = w * w`) again after line 7",
        "w.grad\n",
        "w.grad\nh = w * w\ntotal = (h * w).sum()\n",
    ),
    "whole numbers that are to require grad": (
        "`torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)`",
        "[[1, 2], [3, 4]]",
        "[[1.0, 2.0], [3.0, 4.0]]",
    ),
    "a range that is to require grad": ("`x.float()`", "x.r", "x.float().r"),
    "a gradient": ("`create_graph=True` in `grad(…)` on line 4", "(y, x)", "(y, x, create_graph=True)"),
    "several numbers for grad": (
        "`torch.autograd.grad(y, …, grad_outputs=torch.ones_like(y))`",
        "d(y, x)",
        "d(y, x, grad_outputs=torch.ones_like(y))",
    ),
    "several numbers": ("`y.backward(torch.ones_like(y))`", "d()", "d(torch.ones_like(y))"),
    "several numbers without a name": ("`(x * 2).sum().backward()`", "(x*2)", "(x * 2).sum()"),
    "a gradient of another shape": ("v[..., None].expand_as(b)", "d(v)", "d(v[..., None].expand_as(b))"),
    "the leaf is bound anew where nothing is recorded": (
        "`with torch.no_grad(): w -= 0.1 * w.grad`",
        "w = w - 0.1 * w.grad\n",
        "w -= 0.1 * w.grad\n",
    ),
    "the leaf is bound anew and detached": (
        "`with torch.no_grad(): w -= 0.1 * w.grad`",
        "w = (w - 0.1 * w.grad).detach()",
        "with torch.no_grad(): w -= 0.1 * w.grad",
    ),
    "a value to begin with": (
        "`w = (torch.ones(3) * 0.1).requires_grad_()` in place of line 2 and line 3",
        "w = torch.ones(3, requires_grad=True)\nw = w * 0.1\n",
        "w = (torch.ones(3) * 0.1).requires_grad_()\n",
    ),
    "a value to begin with, in several lines": (
        "take the flag out of line 2, and write `w.requires_grad_()` right after line 4",
        ", requires_grad=True)\nw = w * 0.1\nw = w + 1\n",
        ")\nw = w * 0.1\nw = w + 1\nw.requires_grad_()\n",
    ),
    "a parameter, and a value to begin with": (
        "do what line 3 does before line 2 makes the leaf of them",
        "ones(3))\nw = w * 0.1\n",
        "ones(3) * 0.1)\n",
    ),
    "a detached leaf": ("Leave out `detach()` on line 5", "(x * 2).detach()", "(x * 2)"),
    "frozen layers": (
        "leave it out where you read gradients: `if p.grad is not None`",
        "    p.grad.n",
        "    if p.grad is not None: p.grad.n",
    ),
    "a flag that is switched on and off": ("`w.requires_grad_()`", "(w * x)", "w.requires_grad_()\n(w * x)"),
    "a change in a function that goes on": ("`h = h + h * h`: that makes", "h += h * h", "h = h + h * h"),
    "a change that ends a function": (
        "`h = h + 1` and return h",
        "h += 1\n",
        "h = h + 1\n    return h\n",
    ),
    "a tensor of two tensors": ("`torch.stack`", "torch.tensor([a", "torch.stack([a"),
    "numbers of classes that are not whole": ("`target.long()`", "2, target", "2, target.long()"),
    "whole numbers as labels": ("`labels.float()`", "2, labels", "2, labels.float()"),
    "whole numbers as probabilities": ("`torch.tensor([0, 1]).float()`", "1]))", "1]).float())"),
    "whole numbers for a layer": ("`x[None].float()`", "x[None]", "x[None].float()"),
    "a product with numpy's numbers": ("`x.float()`", "x @", "x.float() @"),
    "an accuracy": (
        "`F.binary_cross_entropy(p, target)`, if it holds probabilities",
        "1 - ((p > 0.5).float() == y).float().mean()",
        "torch.nn.functional.binary_cross_entropy(p, y)",
    ),
    "true or false": (
        "In place of `score > 0.5` write `torch.sigmoid(score - 0.5)`",
        "score > 0.5",
        "torch.sigmoid(score - 0.5)",
    ),
    "whole numbers": (
        "`F.cross_entropy(logits, target)`",
        "(pred != 2).float().mean()",
        "torch.nn.functional.cross_entropy(logits, torch.tensor([2, 2, 2, 2]))",
    ),
    "the leaf is bound anew": (
        "`with torch.no_grad(): w -= 0.1 * w.grad`",
        "    w = w - 0.1 * w.grad",
        "    with torch.no_grad(): w -= 0.1 * w.grad",
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_the_advice_is_given_and_it_mends_the_program_on_torch(name: str) -> None:
    words, old, new = MENDED[name]
    program = plain(PROGRAMS[name])
    _, _, text = told(program)
    assert words in " ".join(text.partition("What to do:")[2].split())
    assert program.count(old) == 1
    error, _ = ended(program.replace(old, new), torch)
    assert error is None, error


@pytest.mark.parametrize(
    ("lines", "advice"),
    [
        ("(x * 2).backward(v * 2)", "`(x * 2).backward((v * 2)[..., None].expand_as(x * 2))`"),
        ("(x * 2).backward(gradient=torch.ones(3))", "`(x * 2).backward(torch.ones(3).expand_as(x * 2))`"),
        ("torch.autograd.backward([x * 2], v)", "`(x * 2).backward(v[..., None].expand_as(x * 2))`"),
        (
            "torch.autograd.grad(x * 2, x, v + 1)",
            "`torch.autograd.grad(x * 2, …, grad_outputs=(v + 1)[..., None].expand_as(x * 2))`",
        ),
        ("torch.autograd.backward(tensors=x * 2)", "`(x * 2).sum().backward()`"),
        (
            "starts = {'tensors': x * 2}; torch.autograd.backward(**starts)",
            "`….sum().backward()`",
        ),
        ("(x * 2).sum().backward(); print((x * 3).grad.norm())", "give `x * 3` a name, and call its `retain_grad()`"),
        (
            "h = [torch.ones(2)]\nfor turn in 1, 2:\n    h = [torch.tanh(h[0] * x[0, 0])]\n    h[0].sum().backward()",
            "before line 5 write `h[0] = h[0].detach()`",
        ),
        (
            "h = (torch.ones(2),)\nfor turn in 1, 2:\n    h = (torch.tanh(h[0] * x[0, 0]),)\n    h[0].sum().backward()",
            "let line 5 use the `.detach()` of `torch.tanh(h[0] * x[0, 0])`",
        ),
    ],
)
def test_advice_uses_no_name_that_the_program_has_not(lines: str, advice: str) -> None:
    text = told(f"import torch\nx, v = torch.ones(2, 3, requires_grad=True), torch.ones(2)\n{lines}\n")[2]
    said = " ".join(text.partition("What to do:")[2].split())
    assert advice in said, text
    assert not re.search(r"`[^`]*\b(loss|y|p|h)\b(?!\[)[^`]*`", said), text


def test_advice_is_not_given_where_it_would_not_help() -> None:
    _, _, text = told(plain(PROGRAMS["made before the loop"]))
    assert "detach" not in text and "Compute `scale` anew for each pass, inside the loop" in text
    _, _, text = told(plain(PROGRAMS["a state, and a step"]))
    assert "would not help: line 9 (`opt.step()`) changes `w`" in " ".join(text.split())
    _, _, text = told(plain(PROGRAMS["the same pass in a loop"]))
    assert "Compute `y` inside the loop" in text and "would only hide the error" in text and "Or keep" not in text


def test_after_a_step_the_advice_that_changes_no_gradient_comes_first() -> None:
    text = " ".join(told(plain(PROGRAMS["by the optimizer"]))[2].split()).partition("What to do: ")[2]
    assert text.startswith("- Compute `b` again after line 8"), text
    assert text.endswith(
        "before line 8, which changes it: the gradients of all these passes then add up in its `.grad`."
    )


def test_a_non_leaf_without_a_gradient_is_explained_though_there_is_no_error() -> None:
    program = "import torch\nw = {}\nw.sum().backward()\nw.grad\n"
    mended = "(torch.ones(3) * 0.1).requires_grad_()"
    for made in (
        "torch.ones(3, requires_grad=True) * 0.1",
        "(torch.ones(3, requires_grad=True) * 0.1).requires_grad_()",  # with the inner flag still there
    ):
        error, said, text = told(program.format(made))
        assert error is None
        assert list(said) == [2, 4]
        assert "The leaf is `torch.ones(3, requires_grad=True)`, inside that" in text
        assert f"ask for the gradient at the end: `w = {mended}`." in " ".join(text.split())
        assert "w.retain_grad()` right after line 2" in " ".join(text.split())
    _, names = ended(program.format(mended), torch)
    assert names["w"].grad is not None


def test_all_constants_that_could_require_grad_are_named() -> None:
    made = "".join(f"{name} = torch.ones(3)\n" for name in "xwb")
    assert "`requires_grad=True` for `x`, `w` or `b`." in told(f"import torch\n{made}(x * w + b).sum().backward()\n")[2]
    assert "`requires_grad=True` for `x`." in told("import torch\nx = torch.ones(3)\nx.sum().backward()\n")[2]


@pytest.mark.parametrize("made", ["p = x.softmax(1)\ny = p.argmax(1).float()", "y = x.softmax(1).argmax(1).float()"])
def test_after_an_argmax_of_probabilities_the_loss_is_computed_from_the_scores(made: str) -> None:
    text = told(f"import torch\nx = torch.ones(2, 3, requires_grad=True)\n{made}\ny.sum().backward()\n")[2]
    said = " ".join(text.split())
    assert "from the scores, before the softmax" in said and "takes the scores as they are" not in said, text


@pytest.mark.parametrize("recorded", [True, False])
def test_every_leaf_whose_name_an_update_takes_away_is_named(recorded: bool) -> None:
    program = (
        "import torch\nw, b, c = [torch.ones(3, requires_grad=True) for _ in range(3)]\nfor step in range(2):\n"
        "    (w * b * c).sum().backward()\n    with torch.set_grad_enabled({}):\n"
        "        w = w - 0.1 * w.grad\n        b = (b - 0.1 * b.grad).detach()\n        c -= 0.1 * c.grad.detach()\n"
    ).replace("c -=", "c = 2 * c -" if recorded else "c.data -=")
    text = " ".join(told(program.format(recorded))[2].split())
    assert "`with torch.no_grad(): w -= 0.1 * w.grad`" in text and "Line 7 does the same to `b`." in text, text
    assert "Line 8" not in text


def test_a_gradient_that_was_read_before_it_was_needed_is_mentioned() -> None:
    program = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\ny.sum().backward()\n"
    lines = told(f"{program}print(y.grad)\nz = y.grad * 2\n")[2].splitlines()
    assert "  line 5  print(y.grad)" in lines and "            reads its .grad: None already." in lines
    assert "already" not in told(f"{program}z = y.grad * 2\n")[2]


def test_without_an_error_it_tells_which_leaves_have_which_gradient() -> None:
    program = (
        "import torch\nx = torch.ones(3, requires_grad=True)\nu = torch.tensor(1.0, requires_grad=True)\n"
        "(x * 2).sum().backward()\n"
    )
    assert told(program)[2].splitlines() == [
        "No error: 1 backward pass.",
        "  `x`, shape [3]: .grad is tensor([2., 2., 2.]).",
        "  `u`: .grad is None, no pass has reached it.",
    ]
    cleared = program + "x.grad = None\nw = torch.ones(40, requires_grad=True)\n(w * -0.5).sum().backward()\n"
    assert told(cleared)[2].splitlines() == [
        "No error: 2 backward passes.",
        "  `x`, shape [3]: .grad is None again; a pass had filled it.",
        "  `u`: .grad is None, no pass has reached it.",
        "  `w`, shape [40]: .grad is filled; the largest entry is 0.5 in size.",
    ]
    added = "import torch\nw = torch.tensor(1.0, requires_grad=True)\nfor turn in range(3):\n    (w * 2).backward()\n"
    assert "3 passes of line 4 have added to the .grad of `w`, and nothing cleared it" in told(added)[2]
    for clear in ("w.grad = None", "w.grad.zero_()"):
        assert "added" not in told(f"{added}    {clear}\n(w * 2).backward()\n")[2]
    anew = "import torch\nw = torch.ones(1, requires_grad=True)\nopt = torch.optim.SGD([w], 0.1)\n"
    anew += "w = torch.ones(1, requires_grad=True)\nfor turn in 1, 2:\n    opt.zero_grad()\n    (w * 2).backward()\n"
    assert "in between: `opt.zero_grad()` on line 6 ran for other tensors only." in " ".join(told(anew)[2].split())
    two = "import torch\na, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)\n"
    two += "of_a, of_b = torch.optim.SGD([a], 0.1), torch.optim.SGD([b], 0.1)\n"
    two += "for turn in 1, 2:\n    of_a.zero_grad()\n    (a * b).backward()\n"
    two += "    of_b.zero_grad()\n    (a * a).backward()\n    of_a.step(); of_b.step()\n"
    text = " ".join(told(two)[2].split())
    since = "2 passes have added to the .grad of `a` since `of_a.zero_grad()` on line 5. No step has used the gradient"
    assert since in text
    rare = two.replace("of_a.zero_grad()\n", "if turn == 1: of_a.zero_grad()\n")
    text = " ".join(told(rare)[2].split())
    assert "the .grad of `a`, and nothing cleared it in between: `of_a.zero_grad()` on line 5 does not run" in text
    order = "import torch\nw = torch.ones(1, requires_grad=True)\nopt = torch.optim.SGD([w], 0.1)\nw.sum().backward()\n"
    assert "Line 5 calls `opt.zero_grad()` after backward() and before `opt.step()` on line 6: the step" in " ".join(
        told(order + "opt.zero_grad()\nopt.step()\n")[2].split()
    )
    assert "step" not in told(order + "opt.step()\nopt.zero_grad()\n")[2]
    early = order.replace("w.sum().backward()\n", "") + "for turn in 1, 2:\n    opt.zero_grad()\n    opt.step()\n"
    text = " ".join(told(early + "    w.sum().backward()\n")[2].split())
    assert "Line 6 calls `opt.step()` after `opt.zero_grad()` on line 5 and before backward() on line 7: the" in text
    assert "no tensor of its optimizer has a gradient then" in " ".join(told(early)[2].split())
    assert "changes nothing" not in told(early.replace("    opt.zero_grad()\n", "") + "    w.sum().backward()\n")[2]
    loop = "import torch\nw = torch.ones(1, requires_grad=True)\nopt = torch.optim.SGD([w], 0.1)\nopt.zero_grad()\n"
    never = "`opt` of line 3 took no step: its `step()` was never called, so it has changed nothing. Call it after"
    assert f"{never} backward() on line 5." in " ".join(told(loop + 2 * "w.sum().backward()\n")[2].split())
    assert f"{never} backward() on the loss." in " ".join(told(loop)[2].split())
    assert "changes nothing. Call backward() on the loss before it." in " ".join(told(loop + "opt.step()\n")[2].split())
    own = "class Own(torch.optim.Optimizer):\n    def step(self): pass\n"
    own += "opt = Own([w], {})\nw.sum().backward()\nopt.step()\n"
    assert "step" not in told(f"import torch\nw = torch.ones(1, requires_grad=True)\n{own}")[2]
    assert told("x = 1\n")[2] == "No error, and no backward pass: nothing asked for a gradient.\n"
    text = told("import torch\nx = torch.ones(1, requires_grad=True)\nx.sum().backward\n")[2]
    assert "Line 3, `x.sum().backward`, only names the method. With brackets, `x.sum().backward()`, it is called." in (
        " ".join(text.split())
    )


def test_an_optimizer_of_a_module_that_was_made_anew_is_named() -> None:
    begin = "import torch\nnet = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    step = "net(torch.ones(1, 2)).sum().backward()\nopt.step()\n"
    text = " ".join(told(f"{begin}net = torch.nn.Linear(2, 1)\n{step}")[2].split())
    assert "`opt` has tensors that no name leads to any more, and none of `net`" in text
    assert "`opt`" not in told(begin + step)[2]


def test_a_softmax_before_a_loss_that_takes_one_is_mentioned() -> None:
    begin = "import torch\nimport torch.nn.functional as F\nx = torch.ones(2, 3, requires_grad=True)\n"
    begin += "t = torch.tensor([0, 1])\n"
    text = told(f"{begin}p = torch.softmax(x, 1)\nF.cross_entropy(p, t).backward()\n")[2]
    assert "Line 6 gives `p` to cross_entropy, which takes the softmax itself" in " ".join(text.split())
    text = told(f"{begin}p = torch.softmax(x, 1)\nF.nll_loss(p, t).backward()\n")[2]
    assert "to nll_loss, which takes logarithms of probabilities. Write `log_softmax` in" in " ".join(text.split())
    text = told(f"{begin}F.binary_cross_entropy_with_logits(torch.sigmoid(x), x.detach()).backward()\n")[2]
    assert "which takes the sigmoid itself: of probabilities it is taken" in " ".join(text.split())
    for right in ("F.cross_entropy(x, t)", "F.nll_loss(torch.log_softmax(x, 1), t)"):
        assert "softmax" not in told(f"{begin}{right}.backward()\n")[2]


def test_leaves_that_get_zeros_are_named_although_others_get_more() -> None:
    program = "import torch\na = torch.ones(2, requires_grad=True)\nb = torch.ones(2, requires_grad=True)\n"
    text = told(f"{program}((a - 5).relu() + b).sum().backward()\n")[2]
    assert "The last pass brought nothing but zeros to `a`: on each way" in " ".join(text.split())


def test_what_a_layer_does_in_place_is_looked_for_in_its_settings() -> None:
    text = told(
        "import torch\nh = torch.ones(2, requires_grad=True).exp()\ntorch.nn.ReLU(inplace=True)(h).sum().backward()\n"
    )[2]
    assert "What line 3 calls changes `h`: look for `inplace=True` there, and leave that out." in " ".join(text.split())


def test_a_none_that_was_printed_is_explained_if_no_pass_could_have_filled_it() -> None:
    cut = "import torch\nx = torch.ones(1, requires_grad=True)\ny = x.sum()\nx = x.detach()\ny.backward()\n"
    assert "`x` is a new tensor, cut off" in told(f"{cut}print(x.grad)\n")[2]
    assert "x.grad" not in told(f"{cut}if x.grad is not None: pass\n")[2]  # it knows that it may be None


TRAINING = """
import torch
def main():
    w = torch.ones(2, requires_grad=True)
    opt = torch.optim.SGD([w], {rate})
    for turn in range(4):
        {first}
        loss = {loss}
        loss.backward()
        {last}
main()
"""


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"last": "opt.step()"}, "4 passes of line 9 have added to the .grad of `w`, and nothing cleared it"),
        ({"first": "opt.step()", "last": "opt.zero_grad()"}, "`opt.zero_grad()` on line 10 clears what that brings"),
        (
            {"rate": 1e20, "last": "opt.step(); opt.zero_grad()"},
            "After 1 of 4 passes, line 8, `loss = (w * w).sum()`, made inf",
        ),
        (
            {"loss": "(w - 5).relu().sum()"},
            "nothing but zeros to `w`: on each way from there to the loss a slope or a factor is 0",
        ),
        (
            {"loss": "(w - 1).sqrt().sum()", "last": "w.data -= w.grad; w.grad.zero_()"},
            "`w` holds nan. A pass that started",
        ),
        ({"last": "opt.step(); opt.zero_grad()"}, ""),
    ],
)
def test_of_a_training_in_a_function_it_says_what_went_wrong(changed: dict[str, Any], words: str) -> None:
    """Its variables are those at the last pass."""
    given = {"rate": 0.1, "first": "pass", "loss": "(w * w).sum()", "last": "pass"}
    _, said, text = told(TRAINING.format(**given | changed))
    text = " ".join(text.split())
    assert not said and "`w`, shape [2]: .grad is" in text
    assert words in text
    assert words or not any(each in text for each in ("zeros", "holds", "added"))


ADVERSARIES = """
import torch
from torch import nn
G, D = nn.Linear(2, 1), nn.Linear(1, 1)
of_g, of_d = torch.optim.SGD(G.parameters(), 0.1), torch.optim.SGD(D.parameters(), 0.1)
for turn in range(2):
    fake = G(torch.ones(3, 2))
    d_loss = D({fake}).sum()
    {first}.zero_grad()
    d_loss.backward()
    of_d.step()
    g_loss = D(fake).sum()
    of_g.zero_grad()
    g_loss.backward()
    of_g.step()
"""


def test_of_two_optimizers_each_is_said_to_clear_and_to_change_what_it_has() -> None:
    text = " ".join(told(ADVERSARIES.format(fake="fake.detach()", first="of_d"))[2].split())
    right = "2 passes have added to what is in the .grad of `D.weight`, `D.bias` now. No step has used that sum:"
    assert right in text and "nothing cleared" not in text and "No optimizer" not in text
    text = " ".join(told(ADVERSARIES.format(fake="fake.detach()", first="of_g"))[2].split())
    assert (
        "4 passes have added to the .grad of `D.weight`, `D.bias`, and nothing cleared it in between: `of_g.ze" in text
    )
    assert "on line 13 ran for other tensors only." in text and right not in text
    part = ADVERSARIES.replace("of_d.step()", "pass").replace("SGD(D.parameters()", "SGD([D.bias]")
    text = " ".join(told(part.format(fake="fake.detach()", first="of_d"))[2].split())
    assert (
        "No optimizer has `D.weight`: passes add to .grad there, and no step" in text
        and "`D.parameters()`; else" in text
    )
    assert "the .grad of `D.weight`" not in text


def test_of_two_passes_through_what_a_generator_made_the_first_should_leave_it_alone() -> None:
    """`retain_graph=True` would help: nothing in the part of the graph that both share is changed between them."""
    _, _, text = told(ADVERSARIES.format(fake="fake", first="of_d"))
    text = " ".join(text.split())
    assert "as that of a discriminator or an actor: write `fake.detach()` for it on line 8." in text
    assert "`retain_graph=True` on line 10 keeps the old graph" in text and "would not help" not in text
    program = "import torch\nw = torch.ones(1, requires_grad=True)\ntotal = 0\nfor turn in 1, 2:\n"
    program += "    loss = (w * w).sum()\n    total += loss\n    total.backward()\n"
    said = " ".join(told(program)[2].split())
    assert "for a printout: write `total += loss.item()`, and call `loss.backward()`." in said


@pytest.mark.parametrize(
    "loss",
    [
        "((out - y) ** 2).mean()",
        "(y - out).abs().sum()",
        "torch.nn.functional.mse_loss(out, y)",
        "torch.nn.L1Loss()(out, y)",
    ],
)
def test_a_column_that_meets_a_row_is_pointed_out(loss: str) -> None:
    program = (
        "import torch\nw = torch.ones(2, 1, requires_grad=True)\ny = torch.ones({})\nout = torch.ones({}, 2) @ w\n"
    )
    text = " ".join(told(program.format(5, 5) + loss + ".backward()\n")[2].split())
    assert "takes `out`, of shape [5, 1], and `y`, of shape [5]: each entry of the one meets each" in text
    assert "the result is of shape [5, 5]" in text
    for harmless in (program.format("5, 1", 5), program.format(1, 1)):
        assert "each entry" not in told(harmless + loss + ".backward()\n")[2]


@pytest.mark.parametrize(
    ("made", "advice"),
    [
        ("torch.log(torch.softmax(w * 200, 0))[0]", "`log_softmax`, or `cross_entropy` of the scores"),
        ("torch.log(w - 1)[0]", "keep what goes into it above 0"),
        ("(w * 100).exp().sum()", "subtract the largest first"),
        ("(1 / (w - 1))[0]", "add a small number below the line"),
    ],
)
def test_what_made_the_first_inf_decides_the_advice(made: str, advice: str) -> None:
    program = f"import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\nloss = {made}\n(loss * 0).backward()\n"
    text = " ".join(told(program)[2].split())
    assert "Before the first pass, line 3, `loss = " in text and advice in text and "learning rate" not in text


def test_an_error_of_ones_own_about_nan_is_followed_by_where_it_was_made() -> None:
    program = "import torch\nw = torch.zeros(1, requires_grad=True)\nw.sqrt().sum().backward()\n"
    with watch() as seen:
        error, names = on_minigrad(program + "assert w.grad.isfinite().all(), 'nan or inf'\n")
    assert isinstance(error, AssertionError)
    (said,) = strays(Case(error, seen, Sources({NAME: program}), names), names)
    assert said.startswith(
        "The .grad of `w` holds inf. A pass that started from finite numbers made the first inf on line 3"
    )


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("y = torch.tensor((w * 2).item(), requires_grad=True)", True),
        ("y = (w * 2).detach() * u", True),
        ("y = w.detach().numpy().sum() + u", False),
        ("y = u * 2; print((w * 2).detach(), torch.tensor(w.item()))", False),
    ],
)
def test_of_a_leaf_that_no_pass_reached_it_says_where_the_graph_ends(line: str, ends: bool) -> None:
    program = "import torch\nw = torch.tensor(1.0, requires_grad=True)\nu = torch.tensor(1.0, requires_grad=True)\n"
    text = told(f"{program}{line}\ny.backward()\n")[2]
    assert "`w`: .grad is None, no pass has reached it." in text
    assert ("Here a graph ends, and a pass goes no further back: line 4, `" in " ".join(text.split())) == ends


ROOTS = "import torch\nx = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)\n{}\ny.sum().backward()\n"


@pytest.mark.parametrize(
    ("line", "made", "mended"),
    [
        (
            "y = torch.where(x > 0, x.sqrt(), 0.0)",
            "`x.sqrt()` (SqrtBackward0)",
            ("x.s", "torch.where(x > 0, x, 0.5).s"),
        ),
        ("i = 1 / x; y = torch.where(x == 0, x, i)", "`1 / x` (", ("1 / x", "1 / torch.where(x == 0, 0.5, x)")),
        ("y = x.sqrt() * (x > 0)", "0 times inf is nan. Put a safe number into the operation first.", ()),
        ("y = x.sqrt()", "use `clamp(min=1e-6)`.", ("x.s", "x.clamp(min=1e-6).s")),
        ("y = x * x.log()", "Before the first pass, line 3, `y = x * x.log()`, made inf", ()),
        (
            "y = x / x",
            "The first nan was made on line 3, `y = x / x`, of numbers that were not nan: print its inputs.",
            (),
        ),
        ("y = (x * 1).unbind()[0].sqrt()", "holds inf. A pass that started from finite numbers made the first", ()),
        ("y = torch.where(x > 0, (x + 1).sqrt(), 0.0)", "", ()),
    ],
)
def test_of_a_gradient_that_is_not_a_number_it_says_which_line_made_it(
    line: str, made: str, mended: tuple[str, ...]
) -> None:
    text = " ".join(told(ROOTS.format(line))[2].split())
    assert made in text and ("holds" in text) == bool(made), text
    if mended:
        old, new = mended
        assert ("Put" not in text) or f"`{new.removeprefix('1 / ').removesuffix('.s')}` in place of `x`" in text
        _, names = ended(ROOTS.format(line.replace(old, new, 1)), torch)
        assert names["x"].grad.isfinite().all()


HOLDER = """
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = KEPT
        self.out = nn.Linear(1, 1)
net = nn.Sequential(Block())
(net[0].out.weight * 2).sum().backward()
"""


@pytest.mark.parametrize(
    ("kept", "kind", "listed", "new"),
    [
        ("[nn.Linear(3, 3, bias=False) for _ in '12']", "list", "kept[1].weight`, shape [3, 3]", "ModuleList"),
        ("{'a': nn.Linear(3, 1)}", "dict", "kept['a'].bias`, shape [1]", "ModuleDict"),
        ("(nn.Parameter(torch.ones(2)),)", "tuple", "kept[0]`, shape [2]", "ParameterList"),
        ("torch.ones(3, requires_grad=True)", "tensor", "kept`, shape [3]", "Parameter"),
    ],
)
def test_leaves_that_a_module_does_not_register_are_listed_and_told(
    kept: str, kind: str, listed: str, new: str
) -> None:
    program = HOLDER.replace("KEPT", kept)
    text = " ".join(told(program)[2].split())
    assert f"`net[0].{listed}: .grad is None, no pass has reached it." in text
    assert f"`net[0].kept` is a plain {kind}" in text and "`net.parameters()` leaves" in text, text
    assert f"Make it an `nn.{new}`" in text
    assert "nothing cleared it" not in text.partition("is a plain")[0]  # what it comes of is said first
    _, names = ended(HOLDER.replace("KEPT", f"nn.{new}({kept})"), torch)
    assert len([*names["net"].parameters()]) > 2
    given = "opt = torch.optim.SGD([net[0].kept], 0.1)\nopt.step()\n"  # the program knows, and looks after it
    assert kind != "tensor" or "plain" not in told(program + given)[2]


NETS = "import torch\nw, v = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)\n"
NETS += "enc, dec = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)\n"


@pytest.mark.parametrize("made", ["z = enc(w * 2).detach()", "z = enc(w * 2).data", "z = enc(w * 2); z.detach_()"])
@pytest.mark.parametrize(
    "used",
    [
        "loss = (z * v).sum()",
        "loss = (z * v - 1).sum()",
        "loss = (z * v * 2).exp().sum()",
        "loss = ((z - v) ** 2).mean()",
        "loss = ((dec(z) - v) ** 2).mean()",
        "a = z * v\nb = a - 1\nloss = b.sum()",
        "b = torch.zeros(2, 2); b[0] = z[0] * v[0]; loss = (b * 2 - 1).sum()",
    ],
)
@pytest.mark.parametrize("asks", ["loss.backward()", "(loss * 2).backward()"])
def test_a_graph_ends_on_no_line_that_the_pass_goes_through(made: str, used: str, asks: str) -> None:
    program = f"{NETS}{made}\n{used}\n{asks}\n"
    cut = " ".join(told(program)[2].split()).partition("goes no further back: ")[2]
    assert re.match(r"line 4, `(enc\(w \* 2\)\.(data|detach\(\))|z\.detach_\(\))`\.$", cut), cut
    _, names = ended(program, torch)
    assert names["w"].grad is None and names["v"].grad is not None


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        ("with torch.no_grad():\n    z = enc(w)\n((dec(z) - v) ** 2).mean().backward()", "line 5, `enc(w)`."),
        ("z = (w * 2).detach().requires_grad_()\n(z * v - 1).sum().backward()", "line 4, `(w * 2).detach()`."),
        ("with torch.no_grad():\n    v.copy_(w)\n(v * 3 - 1).sum().backward()", ""),
    ],
)
def test_a_graph_that_ends_in_another_way_is_found_too(lines: str, end: str) -> None:
    assert " ".join(told(f"{NETS}{lines}\n")[2].split()).partition("goes no further back: ")[2] == end


def test_whatever_people_post_is_explained_or_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    explained = []
    for path in sorted(POSTED.rglob("*.py")):
        error, said, text = told(path.read_text(encoding="utf-8"))
        assert text.endswith(".\n"), path
        if said and error is not None:
            explained.append(path.stem)
    assert explained == [
        "backward_twice",
        "no_grad_fn",
        "wrong_gradient_shape",
        "wrong_number_of_gradients",
        "float_and_long_matmul",
        "leaf_variable_in_place",
        "mul_versus_add_inplace",
        "second_derivative_without_graph",
        "update_rebinding_weight",
        "bce_shape_mismatch",
        "target_out_of_bounds",
        "numpy_on_grad",
        "zero_grad_sets_none",
        "mat1_mat2",
    ]


def test_watching_changes_no_result_and_leaves_no_trace() -> None:
    program = plain(PROGRAMS["a state that is carried"]).replace("loss.backward()", "loss.backward(retain_graph=True)")
    _, before = on_minigrad(program)
    of, apply = minigrad.Tensor._of, importlib.import_module("minigrad.scalar").apply
    with watch():
        error, watched = on_minigrad(program)
    assert error is None
    assert watched["w"].grad.tolist() == before["w"].grad.tolist()
    assert minigrad.Tensor._of == of and importlib.import_module("minigrad.scalar").apply is apply


# --- the command ---------------------------------------------------------------------------------


def explain(folder: Path, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """`minigrad explain …` in a folder, with `text` as its standard input."""
    command = [sys.executable, "-m", "minigrad", "explain", *arguments]
    return subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, timeout=60, check=False)


def test_a_change_in_another_module_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("def damp(h):\n    h *= 0.5\n    return h\n")
    (tmp_path / "main.py").write_text(
        "import torch\nfrom helpers import damp\n\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "h = torch.sigmoid(x)\nout = damp(h)\nprint('so far')\nout.sum().backward()\n"
    )
    done = explain(tmp_path, "main.py")
    assert done.returncode == 1
    assert done.stdout.startswith("so far\n\n`h` was changed in place after SigmoidBackward0 had kept it")
    assert re.search(r"^  line 5 +h = torch\.sigmoid\(x\)$", done.stdout, re.M)
    assert re.search(
        r"^  helpers\.py, line 2  h \*= 0\.5\n +changes `h` in place \(in damp\(\), called on line 6\)",
        done.stdout,
        re.M,
    )
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert "RuntimeError: one of the variables needed for gradient computation" in done.stderr


def test_a_line_of_another_module_is_named_with_its_file_in_every_sentence(tmp_path: Path) -> None:
    (tmp_path / "cells.py").write_text(
        "import torch\n\ndef bare(t):\n    return t.detach().sum()\n\nclass Cell:\n    h = torch.zeros(2)\n"
        "    def __call__(self, w):\n        self.h = torch.tanh(w * self.h + 1)\n        return self.h.sum()\n"
    )
    begin = "import torch\nfrom cells import Cell, bare\nw = torch.ones(2, requires_grad=True)\n"
    (tmp_path / "one.py").write_text(begin + "bare(w * 2).backward()\n")
    text = " ".join(explain(tmp_path, "one.py").stdout.split())
    assert text.startswith("`detach()` on line 4 of cells.py cut the graph")
    assert "Leave out `detach()` on line 4 of cells.py" in text
    (tmp_path / "two.py").write_text(begin + "cell = Cell()\nfor turn in range(2):\n    cell(w).backward()\n")
    text = " ".join(explain(tmp_path, "two.py").stdout.split())
    assert "before line 9 of cells.py write `self.h = self.h.detach()`" in text
    assert "`retain_graph=True` on line 6 keeps the old graph" in text


def test_a_program_that_exits_by_itself_is_explained_as_well(tmp_path: Path) -> None:
    begin = "import sys, torch\nw = torch.ones(2, requires_grad=True)\n"
    done = explain(tmp_path, "-c", f"{begin}w.sum().backward()\nsys.exit(0)\n")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "No error: 1 backward pass.")
    caught = f"{begin}try:\n    w.backward()\nexcept RuntimeError:\n    sys.exit(3)\n"
    done = explain(tmp_path, "-c", caught)
    assert (done.returncode, done.stdout[:23], done.stderr) == (3, "\n`w` has 2 elements. ba", "")
    done = explain(tmp_path, "-c", "import sys\nsys.exit('usage: …')\n")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "usage: …\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for another process")
def test_what_was_seen_before_ctrl_c_is_told(tmp_path: Path) -> None:
    program = "import torch\nw = torch.ones(2, requires_grad=True)\nfor i in range(10**9):\n    w.sum().backward()\n"
    (tmp_path / "endless.py").write_text(program + "    if i == 3: print('ready', flush=True)\n")
    command = [sys.executable, "-m", "minigrad", "explain", "endless.py"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "Interrupted.\n")
    assert re.match(r"So far: \d+ backward passes\.\n  `w`, shape \[2\]: \.grad is ", printed), printed
    assert "passes of line 4 have added to the .grad of `w`" in printed


def test_a_program_may_come_from_an_option_or_standard_input(tmp_path: Path) -> None:
    program = "import torch, sys\nx = torch.ones(2, requires_grad=True)\ny = x * 2\nprint(sys.argv[1:])\ny.backward()\n"
    for done in (explain(tmp_path, "-c", program, "-x"), explain(tmp_path, "-", "-x", text=program)):
        assert done.stdout.startswith("['-x']\n\n`y` has 2 elements. backward() can start from a single number"), (
            done.stderr
        )
        assert "  line 3  y = x * 2\n" in done.stdout
        assert done.returncode == 1


def test_other_ends_are_as_in_run(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("import torch\ntorch.ones(2).view(3)\n")
    done = explain(tmp_path, "other.py")
    sentence = "This is not an error of autograd. Its traceback names the line."
    assert (done.returncode, done.stdout.strip()) == (1, sentence)
    assert explain(tmp_path, "-c", "import sys; sys.exit(7)").returncode == 7
    (tmp_path / "other.py").write_text("import torch\nx = torch.ones(2, requires_grad=True)\nx.backward()\n")
    as_module = explain(tmp_path, "-m", "other")
    assert "other.py, line 2  x = torch.ones(2, requires_grad=True)\n" in as_module.stdout
    missing = explain(tmp_path, "missing.py")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr == "There is no file missing.py.\n"


# --- texts from pages ----------------------------------------------------------------------------

SNIPPET = """import torch
x = torch.ones(3, requires_grad=True)
for i in range(2):
    y = x * 2

y.backward()
"""
PROMPTED = """>>> import torch
>>> x = torch.ones(3, requires_grad=True)
>>> for i in range(2):
...     y = x * 2
...
>>> y.backward()
Traceback (most recent call last):
  File "<stdin>", line 1, in <module>
RuntimeError: grad can be implicitly created only for scalar outputs
"""
NOTEBOOK = """In [1]: import torch
In [2]: x = torch.ones(3, requires_grad=True)
In [3]: for i in range(2):
   ...:     y = x * 2

In [4]: y.backward()
Out[4]: nothing
"""
INDENTED = "".join(f"    {line}\n" for line in SNIPPET.splitlines())


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (PROMPTED, 0),
        (NOTEBOOK, 0),
        (INDENTED, 0),
        (SNIPPET.replace("    ", "\N{NO-BREAK SPACE}" * 4), 0),
        (f"Why does this fail?\n```python\n{SNIPPET}```\nIt says: can't\n", 2),
        (f"~~~\n{INDENTED}~~~\n", 1),
        (f"```\n{PROMPTED}```\n", 1),
    ],
)
def test_a_text_with_prompts_fences_and_the_like_is_explained_with_its_own_numbers(text: str, first: int) -> None:
    program = program_in(text)
    assert program is not None
    _, said, whole = told(program)
    assert [*said] == [first + 4, first + 6], whole


@pytest.mark.parametrize(
    "text", ["x = (\n", "```\n```\n", "not Python at all\n", ">>> x = (\n", "x = 1\n  y = 2\n", ""]
)
def test_what_is_not_python_in_any_way_stays_so(text: str) -> None:
    assert program_in(text) is None


def test_the_command_takes_such_texts_and_run_does_not(tmp_path: Path) -> None:
    (tmp_path / "posted.py").write_text(PROMPTED)
    for done in (explain(tmp_path, "posted.py"), explain(tmp_path, "-c", PROMPTED), explain(tmp_path, text=PROMPTED)):
        assert done.stdout.startswith("\n`y` has 3 elements.") and "  line 6  y.backward()\n" in done.stdout
        assert done.stderr.startswith("Read as copied from a page: without prompts,") and done.returncode == 1
        assert ">>>" not in done.stderr
    command = [sys.executable, "-m", "minigrad", "run", "posted.py"]
    as_it_is = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    hint = "SyntaxError: invalid syntax\nIt looks like a text copied from a page: minigrad explain takes it as it is.\n"
    assert as_it_is.returncode == 1 and as_it_is.stderr.endswith(hint)
    lost = explain(tmp_path, "-c", "x = (")
    assert lost.returncode == 1 and lost.stderr.endswith("SyntaxError: '(' was never closed\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x = torch.ones(3)", "Nothing has imported torch. Put `import torch` on top, and try it again."),
        ("f = nn.Linear(2, 1)", "Nothing has imported nn. Put `from torch import nn` on top, and try it again."),
        ("y = z", "This is not an error of autograd. Its traceback names the line."),
        (
            "from torchvision import datasets",
            "torchvision needs torch itself, but here minigrad replaces torch. Put tensors of the same shapes, such as "
            "`torch.randn(8, 3, 32, 32)`, in place of what torchvision gives, and try it again.",
        ),
    ],
)
def test_what_a_snippet_does_not_import_is_named(tmp_path: Path, line: str, said: str) -> None:
    done = explain(tmp_path, "-c", line)
    assert (" ".join(done.stdout.split()), done.returncode) == (said, 1)


def test_where_numbers_were_taken_out_it_says_what_to_write_and_of_a_target_nothing() -> None:
    taken = "loss = torch.tensor((enc(w) * v).sum().item(), requires_grad=True)\nloss.backward()\n"
    assert ". Compute with `(enc(w) * v).sum()` itself," in " ".join(told(f"{NETS}{taken}")[2].split())
    target = "with torch.no_grad():\n    goal = enc(w) * 2\n((dec(v) - goal) ** 2).mean().backward()\n"
    assert told(f"{NETS}{target}")[2].rstrip().endswith("goes no further back: line 5, `enc(w)`.")


def test_a_flag_that_is_set_once_more_can_be_left_out() -> None:
    program = "import torch\nw = torch.ones(2, requires_grad=True)\nloss = (w * 2).sum()\nloss.requires_grad = True\n"
    assert "Leave line 4 out: it would change nothing." in told(program)[2]
    assert str(ended(program, torch)[0]) == str(told(program)[0])


def test_a_leaf_and_what_is_made_of_it_may_share_a_line() -> None:
    program = "import torch\nx = torch.ones(2, requires_grad=True); y = x * 2; y.sum().backward(); y.grad + 1\n"
    text = " ".join(told(program)[2].split())
    assert "The gradients are in the leaves it was computed from: read `x.grad`." in text
    assert "no name" not in text and "next turn" not in text


def test_of_a_leaf_whose_name_was_taken_both_gradients_can_be_had() -> None:
    program = "import torch\nx = torch.ones(3, requires_grad=True)\nx = x * 2\nx.sum().backward()\nprint(x.grad)\n"
    text = " ".join(told(program)[2].split())
    assert "write `x = (torch.ones(3) * 2).requires_grad_()` in place of line 2 and line 3." in text
    assert "for the gradient with respect to what line 2 makes: give the result of line 3 another name" in text
    mended = program.replace("x = x * 2\nx.sum", "y = x * 2\ny.sum")
    assert ended(mended, torch)[1]["x"].grad.tolist() == [2, 2, 2]
