"""Who keeps a gradient, on both engines: hooks, retained gradients, changes in place, views, grad modes, freeing."""

from collections.abc import Iterator

import pytest
from engines import ENGINES, assert_alike, each_of


@pytest.fixture(autouse=True)
def every_warning() -> Iterator[None]:
    """Both engines warn, also where another test has met the warning before on one of them."""
    for engine in ENGINES:
        engine.set_warn_always(True)
    yield
    for engine in ENGINES:
        engine.set_warn_always(False)


X = "x = torch.tensor([1., 2.], requires_grad=True)"

SQUARE = ["x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)", "y = x * 1"]

CASES = {
    "a base gets other memory": [
        *SQUARE,
        "v = y[0]",
        "y.data = torch.ones(3)",
        "v",
        "y",
    ],
    **{
        f"some entries of an expanded tensor change: {line}": [
            X,
            "e = torch.ones(1).expand(3)",
            *line.split("; "),
            "e",
        ]
        for line in (
            "e[0] = 4.",
            "e[:2] = 0",
            "e.mul_(2)",
            "e.unsqueeze_(0).shape",
            "e = torch.ones(1).expand(2, 3); e.t_().shape",
        )
    },
    "a hook sees and replaces": [
        X,
        "h = x * 3",
        "handle = h.register_hook(lambda g: g * 100)",
        "handle = x.register_hook(lambda g: print('x', g))",
        "(h * h).sum().backward()",
        "x.grad",
        "handle.remove()",
        "x.grad = None",
        "(x * 3).sum().backward()",
        "x.grad",
    ],
    "hooks run in the order they were registered, then the gradient is retained": [
        X,
        "h = x * 3",
        "h.retain_grad()",
        "handle = h.register_hook(lambda g: print('first', g))",
        "handle = h.register_hook(lambda g: g + 100)",
        "handle = h.register_hook(lambda g: print('third', g))",
        "(h * h).sum().backward()",
        "h.grad, x.grad, h.retains_grad, x.retains_grad",
    ],
    "leaf hooks before, post-accumulate hooks after": [
        X,
        "handle = x.register_hook(lambda g: g * 2)",
        "handle = x.register_post_accumulate_grad_hook(lambda t: print('after', t.grad))",
        "(x * 3).sum().backward()",
        "handle.remove()",
        "(x * 3).sum().backward()",
        "x.grad",
    ],
    "a leaf of another shape than what it keeps": [
        "w = torch.ones(2, requires_grad=True); (w * 2).sum().backward()",
        "with torch.no_grad(): w.unsqueeze_(0)",
        "(w * 2).sum().backward()",
        "w = torch.tensor(2., requires_grad=True); (w * 2).sum().backward()",
        "with torch.no_grad(): w.unsqueeze_(0)",
        "(w * 2).sum().backward()",
        "w.grad",
    ],
    "what a post-accumulate hook returns": [
        line
        for hook in ("lambda p: p.data.sub_(0.1 * p.grad)", "lambda p: p", "lambda p: None", "lambda p: p.grad")
        for line in (
            f"x = torch.tensor([1., 2.], requires_grad=True); h = x.register_post_accumulate_grad_hook({hook})",
            "(x * 2).sum().backward()",
            "x.grad",
        )
    ],
    "a leaf is filled as soon as its last share has come": [
        X,
        "b = torch.tensor([5., 6.], requires_grad=True)",
        "handle = x.register_hook(lambda g: print('x', g))",
        "handle = b.register_hook(lambda g: print('b', g))",
        "h = x * 2",
        "handle = h.register_hook(lambda g: print('h', g))",
        "(h + b).sum().backward()",
    ],
    "what a backward that fails has filled": [
        X,
        "z = torch.tensor([3.], requires_grad=True)",
        "t = z.sum()",
        "y = x * x",
        "s = y.sum()",
        "s.backward()",
        "x.grad = None",
        "(s + t).backward()",
        "x.grad, z.grad",
        "y = x * x",
        "s = y.sum()",
        "s.backward()",
        "(s + z.sum()).backward()",
        "x.grad, z.grad",
    ],
    "wrong answers of hooks": [
        X,
        "y = x * 2",
        "handle = y.register_hook(lambda g: torch.ones(3))",
        "y.sum().backward()",
        "handle.remove()",
        "y = x * 2",
        "handle = y.register_hook(lambda g: 1.0)",
        "y.sum().backward()",
        "torch.ones(2).register_hook(print)",
        "y.register_post_accumulate_grad_hook(print)",
        "torch.ones(2).register_post_accumulate_grad_hook(print)",
        "torch.ones(2).retain_grad()",
    ],
    "a hook as a context manager": [
        X,
        "with x.register_hook(lambda g: g * 0): (x * 3).sum().backward()",
        "(x * 3).sum().backward()",
        "x.grad",
    ],
    "a changed tensor retains the gradient of its new value; a hook stays with the old": [
        X,
        "h = x * 2",
        "handle = h.register_hook(lambda g: print('hook', g))",
        "h.retain_grad()",
        "r = h.mul_(2)",
        "h.sum().backward()",
        "h.grad, x.grad, h.retains_grad",
    ],
    "writing into a part": [
        X,
        "b = torch.zeros(3)",
        "b[0] = x[1] * 2",
        "b[1:] = x * 3",
        "b, b.is_leaf, b._version",
        "b.grad_fn.next_functions[0][0].name()",
        "b.backward(torch.tensor([1., 10., 100.]))",
        "x.grad",
        "b.backward(torch.tensor([1., 10., 100.]))",
    ],
    "all of it": [
        X,
        "b = torch.zeros(2)",
        "b[:] = x",
        "b, b.grad_fn.next_functions[0]",
        "c = torch.zeros(2, 2)",
        "c[...] = x",
        "c",
        "c.backward(torch.tensor([[1., 2.], [10., 20.]]))",
        "x.grad",
    ],
    "overwriting cuts the old gradient": [
        X,
        "y = x * x",
        "y[0] = 4.",
        "y, y.grad_fn.next_functions[1]",
        "y.sum().backward()",
        "x.grad",
    ],
    "a change of a view reaches its base, and the other way": [
        X,
        "y = x * 2",
        "v = y[0]",
        "r = v.mul_(3)",
        "y, v, v.grad_fn.next_functions[0][0].name(), y._version, v._version",
        "(y * torch.tensor([1., 10.])).sum().backward()",
        "x.grad",
        "y = x * 2",
        "v, w = y[0], y[1]",
        "r = y.add_(1)",
        "v, w",
        "x.grad = None",
        "(v + w * 10).backward()",
        "x.grad",
    ],
    "a view of a constant becomes part of the graph": [
        X,
        "b = torch.zeros(2)",
        "v = b[0]",
        "r = b.add_(x)",
        "v, v.requires_grad, v.is_leaf",
        "v.backward()",
        "x.grad",
        "b = torch.zeros(2, 2)",
        "r = b[0].add_(x)",
        "b",
        "b[1] += b[0]",
        "b",
        "b.sum().backward()",
        "x.grad",
    ],
    "a chain of views": [
        X,
        "b = torch.zeros(2, 2)",
        "b[0][1] = x[0]",
        "b",
        "c = b * 1",
        "c.T[0, 1] = x[1] * 10",
        "c",
        "c.backward(torch.tensor([[1., 10.], [100., 1000.]]))",
        "x.grad",
    ],
    "a leaf cannot be changed, nor its views": [
        X,
        "x += 1",
        "x[0] = 5.",
        "x.mul_(2)",
        "x.unsqueeze(0).add_(1)",
        "x.expand(2, 2).add_(1)",
        "x.detach().expand(2, 2).add_(1)",
        "v = torch.zeros(2)[0].requires_grad_()",
        "v.add_(1)",
        "c = torch.ones(2)",
        "v = c[0]",
        "r = c.requires_grad_()",
        "v.requires_grad",
        "v.add_(1)",
        "x, c",
    ],
    "under no_grad it can": [
        X,
        "y = (x * x).sum()",
        "with torch.no_grad(): x -= 0.5",
        "x, x._version",
        "y.backward()",
        "with torch.no_grad(): x[0] = 7.",
        "x, x.is_leaf",
    ],
    "a view taken under no_grad": [
        X,
        "y = x * 2",
        "with torch.no_grad(): v = y.unsqueeze(0)",
        "v.requires_grad, v.is_leaf",
        "v.add_(1)",
        "with torch.no_grad(): w = v.add_(1)",
        "y",
        "c = torch.zeros(2)",
        "with torch.no_grad(): v = c.unsqueeze(0)",
        "v.add_(1)",
        "v.add_(x)",
    ],
    "several views of one node": [
        X,
        "y = x * 2",
        "a, b = y.unbind()",
        "a.add_(1)",
        "a.grad_fn is b.grad_fn, a.output_nr, b.output_nr",
        "(b * 2).grad_fn.next_functions[0][1]",
        "(a * 3 + b * b).backward()",
        "x.grad",
        "for row in torch.eye(2) * x: print(row)",
    ],
    "saved values that changed": [
        X,
        "y = x * 1",
        "z = y * y",
        "r = y.add_(1)",
        "z.sum().backward()",
        "y = x * 1",
        "z = y ** 2",
        "y[0] = 3.",
        "z.sum().backward()",
        "z = x ** 2",
        "with torch.no_grad(): r = x.add_(1)",
        "z.sum().backward()",
        "y = x * 2",
        "r = y.mul_(y)",
        "y.sum().backward()",
        "y = x * 2",
        "r = y.detach().add_(1)",
        "y._version",
        "r = y.data.add_(1)",
        "y._version, y",
    ],
    "a change may come between saving and saving again": [
        X,
        "y = x * 1",
        "a = y * y",
        "r = y.add_(1)",
        "b = y * y",
        "b.sum().backward()",
        "x.grad",
        "a.sum().backward()",
    ],
    "what does not fit in place": [
        "c = torch.tensor([1., 2.])",
        "c.add_(torch.ones(2, 2))",
        "torch.tensor([1, 2]).add_(.5)",
        "c[0] = torch.ones(2)",
        "c[5] = 1.",
        "c[0] = 'a'",
        "c",
    ],
    "detach": [
        X,
        "y = x * 2",
        "d = y.detach()",
        "d.requires_grad, d.is_leaf, d._version",
        "y.detach_() is y",
        "y, y.is_leaf",
        "(x * 2)[0].detach_()",
        "x.data = torch.ones(3)",
        "x",
        "x.data = torch.tensor([1, 2])",
        "x.data = 5.",
    ],
    "grad modes": [
        X,
        "torch.is_grad_enabled()",
        "with torch.no_grad(): print(torch.is_grad_enabled(), (x * 2).requires_grad)",
        "with torch.no_grad():\n    with torch.enable_grad(): print((x * 2).requires_grad)",
        "with torch.set_grad_enabled(False): print(torch.is_grad_enabled())",
        "torch.is_grad_enabled()",
        "f = torch.set_grad_enabled(False)",
        "torch.is_grad_enabled()",
        "f = torch.set_grad_enabled(True)",
        "g = torch.no_grad()(lambda t: t * 2)",
        "g(x)",
        "g = torch.no_grad(lambda t: t * 2)",
        "g(x)",
        "g = torch.set_grad_enabled(False)(lambda t: t * 2)",
        "g(x), x * 2",
        "with torch.no_grad(): raise ValueError('inside')",
        "torch.is_grad_enabled()",
    ],
    "assigning .grad": [
        X,
        "x.grad = torch.ones(3)",
        "x.grad = torch.tensor([1, 2])",
        "x.grad = [1., 2.]",
        "x.grad = x",
        "x.grad = torch.tensor([5., 6.])",
        "x.sum().backward()",
        "x.grad",
        "del x.grad",
        "x.grad",
        "y = x * 2",
        "y.grad",
        "y.grad = torch.ones(2)",
        "y.grad",
    ],
    "inputs=": [
        X,
        "w = torch.tensor([3., 4.], requires_grad=True)",
        "h = x * w",
        "out = (h * h).sum()",
        "out.backward(inputs=[x], retain_graph=True)",
        "x.grad, w.grad",
        "out.backward(inputs=h, retain_graph=True)",
        "h.grad, x.grad, h.retains_grad",
        "out.backward(inputs=[])",
        "out.backward(inputs=[torch.ones(2)])",
        "out.backward(inputs=[x, w])",
        "x.grad, w.grad",
    ],
    "second derivatives": [
        X,
        "y = (x ** 3).sum()",
        "y.backward(create_graph=True)",
        "x.grad",
        "g = x.grad",
        "x.grad = None",
        "g.backward(torch.tensor([1., 10.]))",
        "x.grad",
    ],
    "second derivatives through a change in place": [
        X,
        "w = torch.tensor(2., requires_grad=True)",
        "b = torch.zeros(2)",
        "b[0] = x[1] * w",
        "b[1] = x[0] ** 3",
        "(b * b).sum().backward(create_graph=True)",
        "x.grad, w.grad",
        "g = x.grad",
        "x.grad = w.grad = None",
        "g.backward(torch.tensor([1., 10.]))",
        "x.grad, w.grad",
    ],
    "names of what is saved": [
        X,
        "y = x * x",
        "y.grad_fn._saved_self is x",
        "y.grad_fn._saved_other is x",
        "y.sum().backward()",
        "y.grad_fn._saved_self",
        "(x ** 2).grad_fn._saved_exponent",
    ],
}


@each_of(name=CASES)
def test_both_engines_say_the_same(name: str) -> None:
    assert_alike(CASES[name])


GENERATOR = """
@torch.no_grad()
def steps():
    while True:
        try:
            print("sent", (yield torch.is_grad_enabled()))
        except ValueError as error:
            print("thrown", error, torch.is_grad_enabled())
        finally:
            print("finally", torch.is_grad_enabled())
"""
ENDING = """
@torch.no_grad()
def steps():
    try:
        yield 1
    except ValueError:
        return 5
"""


def test_a_decorated_generator_is_told_of_throw_and_close() -> None:
    assert_alike(
        [
            GENERATOR,
            "g = steps(); print(next(g), g.send(3), g.throw(ValueError('mine')), torch.is_grad_enabled())",
            "g.close(); torch.is_grad_enabled()",
            "g.throw(KeyError('gone'))",
            ENDING,
            "g = steps(); next(g); g.throw(ValueError)",
            "g = steps(); next(g); g.throw(KeyError('other'))",
        ]
    )


def test_the_data_of_a_tensor_cannot_be_deleted() -> None:
    assert_alike(["x = torch.ones(2, requires_grad=True)", "del x.data", "x"])


@pytest.mark.parametrize("change", ["p.mul_(2)", "opt.step()", "p.__isub__(p.grad)", "p.__setitem__(0, 5)"])
def test_a_leaf_that_its_hook_changes_in_place_is_seen_to_be_changed(change: str) -> None:
    assert_alike(
        [
            "x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)",
            "opt = torch.optim.SGD([x], lr=0.1)",
            f"def hook(p):\n    with torch.no_grad(): {change}",
            "h = x.register_post_accumulate_grad_hook(hook)",
            "y = (x * x).sum(); y.backward(retain_graph=True); print(x, x._version)",
            "y.backward()",
            "y = (w * x.detach() * x).sum(); y.backward()",
            "x._version, w.grad",
        ]
    )
