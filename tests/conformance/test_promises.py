"""Promises that torch's documentation makes about backward(), each as one small program that holds on both engines."""

import types
import warnings

import pytest
import torch

import minigrad

ENGINES = [torch, minigrad]

# (what is promised, the program); `leaf(v)` is `torch.tensor(v, requires_grad=True)`, `error(f)` the error f() raises.
PROMISES = [
    # a scalar
    ("backward() on a scalar needs no argument", "x = leaf(3.); (x * x).backward(); assert x.grad == 6"),
    (
        "one element in any number of dimensions counts as a scalar",
        "x = leaf([[3.]]); (x * x).backward(); assert x.grad.shape == (1, 1)",
    ),
    (
        "the contributions of all paths to a leaf are added",
        "x = leaf(3.); a = x * x; (a * (a + x)).backward(); assert x.grad == 135",
    ),
    # the argument
    (
        "several elements need `gradient`",
        "x = leaf([1., 2.])\n"
        "assert error((x * x).backward) == 'RuntimeError: grad can be implicitly created only for scalar outputs'",
    ),
    (
        "backward(v) gives the vector-Jacobian product",
        "A = torch.tensor([[1., 2.], [3., 4.], [5., 6.]]); v = torch.tensor([1., 0., -1.])\n"
        "x = leaf([1., 1.]); (A @ x).backward(v); assert torch.equal(x.grad, v @ A)",
    ),
    (
        "`gradient` is a Tensor or None: a list or a number is a TypeError",
        "x = leaf([1., 2.])\n"
        "assert error(lambda: (x * x).backward([1., 1.])).startswith('TypeError')\n"
        "assert error(lambda: (x * x).sum().backward(1.)).startswith('TypeError')",
    ),
    (
        "`gradient` itself gets no gradient",
        "x = leaf([1., 2.]); g = leaf([1., 1.]); (x * x).backward(g)\n"
        "assert not x.grad.requires_grad and g.grad is None",
    ),
    # accumulation
    (
        "a later backward adds into .grad",
        "x = leaf(1.); (x * 2).backward(); (x * 3).backward(); assert x.grad == 5",
    ),
    (
        ".grad = None and .grad.zero_() start afresh",
        "x = leaf(1.); (x * 2).backward(); x.grad = None; (x * 3).backward(); assert x.grad == 3\n"
        "x.grad.zero_(); (x * 4).backward(); assert x.grad == 4",
    ),
    ("a leaf that was not used gets nothing", "x = leaf(1.); u = leaf(1.); (x * 2).backward(); assert u.grad is None"),
    (
        "retain_graph=True allows another backward, and gradients accumulate",
        "x = leaf(3.); y = x * x; y.backward(retain_graph=True); y.backward(); assert x.grad == 12",
    ),
    # leaves
    ("what needs no gradient is a leaf, even a result", "assert (torch.ones(2) * 2).is_leaf"),
    (
        "a result of something that requires grad is not a leaf",
        "y = leaf(1.) + 2; assert not y.is_leaf and y.grad_fn is not None",
    ),
    (
        "a result requires grad if an input does",
        "a = torch.ones(2); w = leaf([1., 1.]); assert not (a * a).requires_grad and (a * w).requires_grad",
    ),
    ("without such an input nothing is recorded", "assert (torch.ones(2) * 3).grad_fn is None"),
    (
        "requires_grad is False unless asked for, except in a Parameter",
        "assert not torch.ones(1).requires_grad and torch.nn.Parameter(torch.ones(1)).requires_grad",
    ),
    (
        "the flag of a non-leaf cannot be set to False",
        "y = leaf(1.) * 2\n"
        "assert 'you can only change requires_grad flags of leaf variables' in error(lambda: y.requires_grad_(False))",
    ),
    (
        "only floating tensors may require grad",
        "assert 'can require gradients' in error(lambda: torch.tensor([1], requires_grad=True))\n"
        "assert 'can require gradients' in error(lambda: torch.tensor([1]).requires_grad_())",
    ),
    ("backward on a leaf stores the seed", "x = leaf(5.); x.backward(); assert x.grad == 1"),
    (
        "a non-leaf keeps no gradient",
        "x = leaf(2.); h = x * 3; (h * h).backward(); assert h.grad is None",
    ),
    (
        "detach() gives a leaf that requires no grad",
        "d = (leaf(2.) * 3).detach(); assert not d.requires_grad and d.is_leaf and d.grad_fn is None",
    ),
]


def error(call) -> str:
    """`Type: message` of the error that a call raises."""
    try:
        call()
    except Exception as caught:
        return f"{type(caught).__name__}: {caught}"
    raise AssertionError("the call raised no error")


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize(("promise", "program"), PROMISES, ids=[promise for promise, _ in PROMISES])
def test_a_promise_holds(promise: str, program: str, engine: types.ModuleType) -> None:
    def leaf(value):
        return engine.tensor(value, requires_grad=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(program, {"torch": engine, "leaf": leaf, "error": error})
