"""How a call may be made: torch's several forms of it, those of old among them, and an error where none fits."""

import re
import types

import numpy as np
import torch
from engines import assert_alike, each_of, said

import minigrad

SETUP = """
x = torch.tensor([[1., 2.], [3., 4.]]); v = torch.tensor([1., 2.]); i = torch.tensor([1, 2]); m = x > 2
w = torch.tensor([1., 2.], requires_grad=True); y = w * w; p = torch.nn.Parameter(torch.ones(2)); s = torch.tensor(2.)
"""
OLD = [  # the overloads of old; torch's warning comes once for all of them
    "x.add_(-0.01, x)",
    "p.data.add_(-0.5, p.data)",
    "w.add(2, y)",
    "x.sub(2, x)",
    "x.sub_(2, v)",
    "torch.add(w, 2, y)",
    "torch.sub(x, s, x)",
    "x.addcmul(2, x, x)",
    "x.addcmul_(2, x, v)",
    "torch.addcmul(w, 2, y, y)",
    "x.addcdiv(2, x, x)",
    "x.addcdiv_(-0.1, v, x)",
    "torch.addcdiv(x, 2, x, x)",
]
REFUSED = [
    *("x.add()", "x.add('a')", "x.add(x, 2)", "x.add(x, foo=1)", "torch.add(x)", "torch.add()"),
    *("x.sub()", "torch.sub(x)", "x.sub('a')", "x.subtract(2, x)", "torch.rsub(x, 2, x)", "x.add_('a')", "x.div()"),
    *("x.div(2, 3)", "torch.div(x)", "torch.div(x, 'a')", "torch.mul(x, np.ones(2))", "x.mul()", "torch.mul('a', x)"),
    *("torch.pow(x)", "torch.pow(2, 2)", "x.pow('a')", "x.pow()", "x.pow(2, 3)", "torch.remainder(7, 2)"),
    *("torch.bitwise_and(1, 2)", "torch.eq(x)", "torch.eq(1, x)", "x.eq('a')", "x.gt()"),
    *("x.sum('a')", "torch.sum(x, x)", "x.sum(foo=1)", "x.sum(1, 2, 3)", "x.sum(1.5)"),
    *("x.sum(dtype='a')", "x.sum(0, dim=1)", "torch.sum()", "x.mean('a')"),
    *("x.mean(foo=1)", "torch.mean()", "x.prod(dim=(0, 1))", "x.prod(0, dtype=3)"),
    *("x.max(foo=1)", "x.max(dim=(0, 1))", "x.max((0, 1))", "torch.max(x, 2.)", "torch.max(1, 2)", "torch.max()"),
    *("x.min('a')", "x.median((0, 1))", "x.std('a')", "x.std(foo=1)", "x.var(dim='a')", "torch.std()"),
    *("x.any('a')", "x.all(foo=1)", "torch.any()", "x.sort('a')", "x.argsort('a')", "x.cumsum()", "x.cumsum('a')"),
    *("torch.where(x > 0, x)", "torch.where(True, x, x)", "torch.where()", "torch.where(x > 0, x, 'a')", "x.where(m)"),
    *("x.where(m, 'a')", "torch.clamp(x, 0, v)", "torch.clamp(x, 'a')", "x.clamp(0, v)", "x.clamp_(foo=1)"),
    *("torch.clamp()", "x.clamp_min('a')", "x.clamp_max()", "x.masked_fill(m)", "x.masked_fill(1, 2)"),
    *("x.masked_fill_(m, 'a')", "x.fill_([1])", "x.fill_('a')", "x.fill_()", "x.scatter_(0, i, 'a')"),
    *("x.repeat_interleave('a')", "x.squeeze('a')", "x.squeeze(0, 'a')", "x.view('a')", "x.narrow(0, 1)"),
    *("torch.split(x)", "x.size('a')", "x.size(1.5)"),
    *("torch.zeros('a')", "torch.full((2,))", "torch.arange()", "torch.randint(3)", "x.random_('a')", "x.type(3)"),
    *("x.to(np.float32)", "x.to('float32')", "x.to('a')", "x.to(foo=1)", "x.to(x, 1)", "x.to(torch.float32, 'a')"),
    *("x.to(dtype='a')", "x.to('cuda:x')", "x.float(1)", "x.double(1)", "x.bool('a')", "x.cpu(1)"),
]
NOTHING = [  # methods without arguments
    *("x.ndimension(1)", "x.exp(1)", "x.exp(foo=1)", "x.exp(1, foo=2)", "x.relu(1)", "x.t(1)", "x.zero_(1, 2)"),
    *("x.is_floating_point(1)", "x.element_size(1)", "x.sqrt_(1)"),
]
TAKEN = [
    *("x.to(torch.device('cpu'))", "x.to('cpu', torch.float64)", "x.to(device='cpu', dtype=torch.float64, copy=True)"),
    *("x.to(i).dtype", "x.to(tensor=i)", "x.to(None, torch.int64)", "x.to(float)", "x.to(x, copy=True) is x"),
    *("x.to(torch.float32) is x", "x.to(memory_format=torch.contiguous_format)", "x.squeeze(0, 1).shape"),
    *("x.sum(dtype=float)", "x.sum(0, dtype=torch.int64)", "x.int(memory_format=torch.preserve_format)"),
    *("torch.split(tensor=x, split_size_or_sections=1)", "torch.split(x, [1, 1], dim=1)", "torch.max(x, other=x)"),
]
FLAGS = [
    *(f"torch.set_grad_enabled({each})" for each in ("1", "None", "s", "'a'", "mode=0")),
    *(f"x.requires_grad_({each})" for each in ("'a'", "1", "None")),
    "x.requires_grad = 1",
    *(f"y.sum().backward(inputs={each})" for each in ("[3]", "3", "[]", "'a'", "{}", "[y, 3]")),
    *("y.sum().backward(inputs={'a': w}); print(w.grad)", "y.sum().backward(inputs={w}); print(w.grad)"),
    *("y.backward(torch.ones(3), inputs=[3])", "y.backward(inputs=[w])"),
]
READ_ONLY = [
    *("is_leaf", "grad_fn", "shape", "dtype", "retains_grad", "T", "mT", "device", "ndim", "is_cuda", "is_cpu", "name"),
    *("output_nr", "_version", "_base", "layout", "itemsize", "nbytes"),
]


@each_of(line=REFUSED)
def test_a_call_that_fits_no_form_is_the_error_it_is_in_torch(line: str) -> None:
    ours, theirs = (said([SETUP, line], engine, {"np": np}) for engine in (minigrad, torch))
    assert re.match(r"\w+Error: .*\w", ours) and ours.partition(":")[0] == theirs.partition(":")[0], (ours, theirs)


def values(lines: list[str], engine: types.ModuleType) -> str:
    """What the lines print on an engine, without the warning before it: torch's quotes all forms, and comes once."""
    return re.sub(r"UserWarning: This overload of .*?(?=^\(|^tensor)", "", said(lines, engine), flags=re.M | re.S)


@each_of(line=OLD)
def test_a_call_of_old_gives_the_same(line: str) -> None:
    lines = [SETUP, f"z = {line}", "x, w.grad, z"]
    assert values(lines, minigrad) == values(lines, torch)


@each_of(line=[*NOTHING, *TAKEN, *FLAGS])
def test_a_call(line: str) -> None:
    assert_alike([SETUP, line, "x, w.grad"], {"np": np})


@each_of(name=READ_ONLY)
def test_an_attribute_that_cannot_be_assigned(name: str) -> None:
    text = said([SETUP, f"x.{name} = 1", f"del x.{name}", f"x.{name}"], minigrad)
    assert text.count("AttributeError") == 2


CONTEXT = """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        {}
        return t * 2
"""


def test_old_forms_have_gradients() -> None:
    lines = [SETUP, "z = w.add(3, y) + torch.addcmul(w, 2, y, w) - w.sub(2, y)", "z.sum().backward()", "w.grad", "z"]
    assert values(lines, minigrad) == values(lines, torch)
