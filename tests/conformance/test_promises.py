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
    (
        "a leaf that is used again in a loop gets the sum of all uses",
        "x = leaf(2.); y = 0\nfor i in range(4): y = y + i * x\ny.backward(); assert x.grad == 6",
    ),
    (
        "a mean gives each entry 1 / n",
        "x = leaf([[1., 2.], [3., 4.]]); x.mean().backward(); assert (x.grad == .25).all()",
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
    (
        "backward(ones) gives the column sums of the Jacobian",
        "x = leaf([2., 3.])\n"
        "def f(t): return torch.stack([t[0] * t[1], t[1] ** 2])\n"
        "f(x).backward(torch.ones(2))\n"
        "assert torch.equal(x.grad, torch.autograd.functional.jacobian(f, x.detach()).sum(0))",
    ),
    (
        "None stands for the implicit gradient of a scalar root",
        "a = leaf(2.); torch.autograd.backward([a * a, a * 3], [None, torch.tensor(2.)]); assert a.grad == 10",
    ),
    (
        "`gradient` has the shape of the output",
        "x = leaf([1., 2.])\n"
        "assert 'Mismatch in shape' in error(lambda: (x * x).backward(torch.ones(3)))\n"
        "assert 'Mismatch in shape' in error(lambda: (x * x).sum().backward(torch.ones(1)))",
    ),
    (
        "`gradient` is cast to the dtype of the output",
        "x = leaf([1., 2.]); (x * x).backward(torch.tensor([1, 2])); "
        "assert torch.equal(x.grad, torch.tensor([2., 8.]))",
    ),
    (
        "y.backward(v) is (y * v).sum().backward()",
        "x = leaf([1., 2.]); v = torch.tensor([3., -5.]); (x ** 3).backward(v); g = x.grad; x.grad = None\n"
        "(x ** 3 * v).sum().backward(); assert torch.equal(x.grad, g)",
    ),
    (
        "backward() returns nothing",
        "assert leaf(1.).backward() is None",
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
    (
        "retain_graph follows create_graph if it is not given",
        "x = leaf(3.); y = x ** 3; y.backward(create_graph=True); y.backward(); assert x.grad == 54",
    ),
    (
        "zero_grad(set_to_none=False) leaves zeros",
        "x = leaf([1.]); optimizer = torch.optim.SGD([x], lr=1.); x.sum().backward()\n"
        "optimizer.zero_grad(set_to_none=False); assert torch.equal(x.grad, torch.zeros(1))",
    ),
    (
        "zero_grad() sets None",
        "x = leaf([1.]); optimizer = torch.optim.SGD([x], lr=1.); x.sum().backward()\n"
        "optimizer.zero_grad(); assert x.grad is None",
    ),
    (
        "`inputs` may hold a non-leaf, whose .grad is filled",
        "x = leaf(2.); h = x * 3; (h * h).backward(inputs=[h]); assert h.grad == 12 and x.grad is None",
    ),
    (
        "leaves that are not in `inputs` get nothing",
        "x = leaf(2.); w = leaf(3.); (x * w).backward(inputs=[w]); assert x.grad is None and w.grad == 2",
    ),
    (
        "accumulation changes the tensor that is there",
        "x = leaf(1.); (x * 2).backward(); g = x.grad; (x * 3).backward(); assert x.grad is g and g == 5",
    ),
    (
        "without retain_graph a second backward is an error if something was saved",
        "x = leaf(3.); y = x * x; y.backward(); assert 'backward through the graph a second time' in error(y.backward)",
    ),
    (
        "without anything saved a second backward runs",
        "x = leaf(3.); y = x + x; y.backward(); y.backward(); assert x.grad == 4",
    ),
    (
        "a gradient that is assigned has the shape and the dtype of the tensor",
        "x = leaf([1., 2.]); x.grad = torch.ones(2)\n"
        "for wrong in [torch.ones(3), torch.tensor([1, 2])]:\n"
        "    assert 'attempting to assign a gradient' in error(lambda: setattr(x, 'grad', wrong))",
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
    (
        "the flag of a leaf can be changed at any time",
        "x = torch.ones(2); x.requires_grad = True; x.requires_grad = False; "
        "assert not x.requires_grad_(False).requires_grad",
    ),
    (
        "a leaf whose flag goes off after recording gets no gradient",
        "x = leaf(2.); w = leaf(3.); y = x * w; w.requires_grad_(False); y.backward(); "
        "assert w.grad is None and x.grad == 3",
    ),
    (
        "a cast to the same dtype is the same tensor, any other is a result",
        "x = leaf(1.); assert x.float() is x and x.to(torch.float32) is x and not x.double().is_leaf",
    ),
    (
        "torch.tensor(t) copies the values and leaves the graph",
        "x = leaf([1., 2.]); y = torch.tensor(x); assert not y.requires_grad and torch.equal(x, y)\n"
        "y[0] = 5.; assert x[0] == 1",
    ),
    # retain_grad
    (
        "retain_grad() before backward fills the .grad of a non-leaf",
        "x = leaf(2.); h = x * 3; h.retain_grad(); (h * h).backward(); assert h.grad == 12",
    ),
    (
        "retain_grad() of a constant is an error",
        'assert "can\'t retain_grad on Tensor that has requires_grad=False" in error(torch.ones(1).retain_grad)',
    ),
    (
        "the retained gradient of the loss by itself is 1",
        "x = leaf(2.); y = x * x; y.retain_grad(); y.backward(); assert y.grad == 1",
    ),
    (
        "retains_grad is True for a non-leaf that was asked, and never for a leaf",
        "x = leaf(2.); h = x * 1; assert not h.retains_grad; h.retain_grad(); x.retain_grad()\n"
        "assert h.retains_grad and not x.retains_grad",
    ),
    (
        "a retained gradient accumulates",
        "x = leaf(1.); h = x * 2; h.retain_grad(); y = h * h; y.backward(retain_graph=True); y.backward(); "
        "assert h.grad == 8",
    ),
    # autograd.grad
    (
        "autograd.grad gives a tuple and leaves .grad alone",
        "x = leaf(3.); g = torch.autograd.grad(x * x, x)\nassert isinstance(g, tuple) and g[0] == 6 and x.grad is None",
    ),
    (
        "an unused input is an error, or None with allow_unused",
        "x = leaf(3.); u = leaf(1.)\n"
        "assert 'appears to not have been used in the graph. Set allow_unused=True' in "
        "error(lambda: torch.autograd.grad(x * x, [x, u]))\n"
        "assert torch.autograd.grad(x * x, [x, u], allow_unused=True)[1] is None",
    ),
    (
        "an input that requires no grad is an error even with allow_unused",
        "a = torch.ones(1); b = leaf([1.])\n"
        "assert 'One of the differentiated Tensors does not require grad' in "
        "error(lambda: torch.autograd.grad((a * b).sum(), [a, b], allow_unused=True))",
    ),
    (
        "grad_outputs holds one v for each output",
        "x = leaf([1., 2.]); g, = torch.autograd.grad([x * 2, x * 3], x, [torch.ones(2), torch.tensor([0., 1.])])\n"
        "assert torch.equal(g, torch.tensor([2., 5.]))",
    ),
    (
        "materialize_grads gives zeros for what was not used",
        "x = leaf(3.); u = leaf([1., 1.]); g = torch.autograd.grad(x * x, [x, u], materialize_grads=True)\n"
        "assert torch.equal(g[1], torch.zeros(2))",
    ),
    (
        "the gradient by an intermediate result can be asked for",
        "x = leaf(3.); h = x * 2; g, = torch.autograd.grad(h * h, h); assert g == 12 and h.is_leaf is False",
    ),
    (
        "only with create_graph does the gradient require grad",
        "x = leaf(3.); f = lambda **k: torch.autograd.grad(x ** 3, x, **k)[0]\n"
        "assert not f().requires_grad and f(create_graph=True).requires_grad",
    ),
    (
        "create_graph gives derivatives of any order",
        "x = leaf(2.); g = x ** 3\n"
        "for value in [12, 12, 6]: g, = torch.autograd.grad(g, x, create_graph=True); assert g == value",
    ),
    (
        "the gradient of a linear function is a constant without a graph",
        "x = leaf(2.); g, = torch.autograd.grad(x * 3, x, create_graph=True); assert g == 3 and not g.requires_grad",
    ),
    (
        "a gradient can be part of a loss",
        "x = leaf(2.); g, = torch.autograd.grad(x ** 3, x, create_graph=True); (g * g).backward(); "
        "assert x.grad == 288",
    ),
    # functional
    (
        "jacobian of several inputs gives a tuple",
        "J = torch.autograd.functional.jacobian(lambda a, b: a * b, (torch.tensor([1., 2.]), torch.tensor([3., 4.])))\n"
        "assert isinstance(J, tuple) and torch.equal(J[0], torch.tensor([[3., 0.], [0., 4.]]))",
    ),
    (
        "a Jacobian has the shape of the output followed by that of the input",
        "J = torch.autograd.functional.jacobian(lambda t: t.sum(1), torch.ones(2, 3)); assert J.shape == (2, 2, 3)",
    ),
    (
        "the Hessian of x A x is A + A.T",
        "A = torch.tensor([[1., 2.], [5., -3.]])\n"
        "assert torch.equal(torch.autograd.functional.hessian(lambda t: t @ A @ t, torch.ones(2)), A + A.T)",
    ),
    (
        "vjp gives v^T J and jvp J v, each beside the outputs",
        "A = torch.tensor([[1., 2.], [3., 4.], [5., 6.]]); x = torch.ones(2); v = torch.tensor([1., 0., -1.])\n"
        "assert torch.equal(torch.autograd.functional.vjp(lambda t: A @ t, x, v)[1], v @ A)\n"
        "assert torch.equal(torch.autograd.functional.jvp(lambda t: A @ t, x, x)[1], A @ x)",
    ),
    (
        "gradcheck is True for a right derivative, and an error or False for a wrong one",
        "d = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True); check = torch.autograd.gradcheck\n"
        "assert check(lambda t: t ** 3, d) is True\n"
        "assert error(lambda: check(lambda t: t * t.detach(), d)).startswith('GradcheckError: Jacobian mismatch')\n"
        "assert check(lambda t: t * t.detach(), d, raise_exception=False) is False",
    ),
    # detach
    (
        "detach() shares the memory and the version",
        "x = leaf([1., 2.]); x.detach()[0] = 7.; assert x[0] == 7 and x._version == 1 and x.detach()._version == 1",
    ),
    (
        "a change through detach() is noticed by backward",
        "x = leaf([0., 1.]); y = x.exp(); y.detach().zero_()\n"
        "assert 'modified by an inplace operation' in error(y.sum().backward)",
    ),
    (
        "a change through .data is not noticed",
        "x = leaf([0., 1.]); y = x.exp(); y.data.zero_(); y.sum().backward(); "
        "assert torch.equal(x.grad, torch.zeros(2))",
    ),
    (
        "detach_() makes a leaf of the tensor itself",
        "y = leaf([1., 2.]) * 2; y.detach_(); assert y.is_leaf and not y.requires_grad",
    ),
    (
        "clone() copies the memory and stays in the graph",
        "x = leaf([1., 2.]); y = x.clone(); assert not y.is_leaf and y._version == 0\n"
        "with torch.no_grad(): y[0] = 9.\n"
        "y.sum().backward(); assert x[0] == 1 and torch.equal(x.grad, torch.ones(2))",
    ),
    (
        "numpy() shares the memory, and is refused inside the graph",
        "t = torch.ones(2); t.numpy()[0] = 5.; assert t[0] == 5\n"
        "assert 'Use tensor.detach().numpy() instead' in error(leaf([1.]).numpy)",
    ),
    # no_grad
    (
        "results under no_grad() require no grad",
        "x = leaf(2.)\nwith torch.no_grad(): y = x * 2\nassert not y.requires_grad and y.is_leaf",
    ),
    (
        "a Parameter made under no_grad() requires grad",
        "with torch.no_grad(): p = torch.nn.Parameter(torch.ones(1))\nassert p.requires_grad",
    ),
    (
        "enable_grad() and set_grad_enabled(True) switch recording on again",
        "x = leaf(1.)\n"
        "with torch.no_grad():\n"
        "    with torch.enable_grad(): a = x * 2\n"
        "    with torch.set_grad_enabled(True): b = x * 2\n"
        "assert a.requires_grad and b.requires_grad",
    ),
    (
        "a leaf may be changed in place under no_grad() and is used on as before",
        "w = leaf(4.); (w * w).backward()\n"
        "with torch.no_grad(): w -= .25 * w.grad\n"
        "assert w == 2 and w.is_leaf and w.requires_grad",
    ),
    (
        "no_grad is a decorator, too, and the mode comes back after an error",
        "@torch.no_grad()\ndef f(t): raise ValueError(torch.is_grad_enabled())\n"
        "assert error(lambda: f(leaf(1.))) == 'ValueError: False' and torch.is_grad_enabled()",
    ),
    # changes in place
    (
        "a leaf that requires grad refuses a change in place",
        "x = leaf([1., 2.])\n"
        "assert 'a leaf Variable that requires grad is being used in an in-place operation.' in error(lambda: "
        "x.add_(1))",
    ),
    (
        "so does a view of it",
        "x = leaf([1., 2.])\n"
        "assert 'a view of a leaf Variable that requires grad is being used in an in-place operation.' in "
        "error(lambda: x[:1].add_(1))",
    ),
    (
        "a saved tensor whose version changed is an error in backward",
        "x = leaf([1., 2.]); a = x * 1; b = a ** 2; a[0] = 7.\n"
        "assert 'one of the variables needed for gradient computation has been modified by an inplace operation' in "
        "error(b.sum().backward)",
    ),
    (
        "a change of a tensor that nobody saved is fine",
        "x = leaf([1., 2.]); y = x * 2; y.add_(1); y.sum().backward(); "
        "assert torch.equal(x.grad, torch.tensor([2., 2.]))",
    ),
    (
        "an assigned entry forgets its old value, and the new value gets the gradient",
        "t = leaf([1., 2.]); v = leaf(5.); a = t * t; a[0] = v; a.sum().backward()\n"
        "assert torch.equal(t.grad, torch.tensor([0., 4.])) and v.grad == 1",
    ),
    (
        "a buffer that is written into becomes a non-leaf that requires grad",
        "x = leaf([1., 2.]); b = torch.zeros(2); b[0] = x[1]; assert b.requires_grad and not b.is_leaf\n"
        "b.sum().backward(); assert torch.equal(x.grad, torch.tensor([0., 1.]))",
    ),
    (
        "a view changed in place changes its base, with the gradient",
        "x = leaf([1., 2.]); y = x * 1; y[:1].mul_(10); y.sum().backward(); "
        "assert torch.equal(x.grad, torch.tensor([10., 1.]))",
    ),
    (
        "each change in place counts in _version, of a view and its base alike",
        "t = torch.zeros(3); v = t[1:]; v.add_(1); t[0] = 2.; "
        "assert t._version == v._version == 2 == t.detach()._version",
    ),
    (
        "saved tensors are attributes of the node",
        "x = leaf([1., 2.]); y = x.pow(2); assert y.grad_fn._saved_self is x\n"
        "z = x.exp(); assert torch.equal(z, z.grad_fn._saved_result)",
    ),
    # hooks
    (
        "the handle of a hook removes it",
        "v = leaf(1.); h = v.register_hook(lambda g: g * 2); h.remove(); (v * 3).backward(); assert v.grad == 3",
    ),
    (
        "a hook may replace the gradient",
        "v = leaf(1.); v.register_hook(lambda g: g * 2); (v * 3).backward(); assert v.grad == 6",
    ),
    (
        "a hook that returns None changes nothing, and runs once for all paths",
        "v = leaf(1.); h = v * 1; seen = []; h.register_hook(seen.append); (h * h + h).backward()\n"
        "assert len(seen) == 1 and seen[0] == 3 and v.grad == 3",
    ),
    (
        "the gradient is retained after the hooks",
        "x = leaf(1.); h = x * 2; h.retain_grad(); h.register_hook(lambda g: g * 100); (h * 3).backward()\n"
        "assert h.grad == 300 and x.grad == 600",
    ),
    (
        "post-accumulate hooks run on leaves, after .grad is updated",
        "x = leaf(1.); seen = []; x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.item()))\n"
        "(x * 3).backward(); assert seen == [3.]\n"
        "assert error(lambda: (x * 1).register_post_accumulate_grad_hook(print)).startswith('RuntimeError')",
    ),
    (
        "a hook registered before a change in place belongs to the old value",
        "t = leaf(1.).sin(); seen = []; t.register_hook(lambda g: seen.append(g.item())); t.cos_(); t.backward()\n"
        "assert abs(seen[0] + .745624) < 1e-5",
    ),
    (
        "a tensor without requires_grad takes no hook",
        "assert 'cannot register a hook on a tensor' in error(lambda: torch.ones(1).register_hook(print))",
    ),
    # Function
    (
        "a custom backward returns one gradient for each input, None for what is no tensor",
        "class Scale(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, t, c): ctx.c = c; return t * c\n"
        "    @staticmethod\n"
        "    def backward(ctx, g): return g * ctx.c, None\n"
        "x = leaf([1., 2.]); Scale.apply(x, 5.).backward(torch.tensor([1., 10.]))\n"
        "assert torch.equal(x.grad, torch.tensor([5., 50.]))",
    ),
    (
        "needs_input_grad says who needs a gradient, and saved tensors come back as they were",
        "class Product(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, a, b): ctx.save_for_backward(a, b); return a * b\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        a, b = ctx.saved_tensors; assert a is x and ctx.needs_input_grad == (True, False); "
        "return g * b, None\n"
        "x = leaf([1., 2.]); Product.apply(x, torch.ones(2)).sum().backward(); "
        "assert torch.equal(x.grad, torch.ones(2))",
    ),
    (
        "an output that was not used brings zeros, or None if they are not to be materialized",
        "class Two(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, t, fill): ctx.set_materialize_grads(fill); return t * 2, t * 3\n"
        "    @staticmethod\n"
        "    def backward(ctx, a, b): seen.append(b); return a * 2, None\n"
        "seen = []; x = leaf(1.)\n"
        "for fill in (True, False): Two.apply(x, fill)[0].backward()\n"
        "assert seen[0] == 0 and seen[1] is None and x.grad == 4",
    ),
    (
        "a number of gradients that is not the number of inputs is an error",
        "class Bad(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, a, b): return a * b\n"
        "    @staticmethod\n"
        "    def backward(ctx, g): return g\n"
        "y = Bad.apply(leaf(1.), leaf(2.))\n"
        "assert 'returned an incorrect number of gradients (expected 2, got 1)' in error(y.backward)",
    ),
    # kinks
    (
        "relu and abs have the gradient 0 at 0",
        "x = leaf(0.); torch.relu(x).backward(); assert x.grad == 0; y = leaf(0.); y.abs().backward(); "
        "assert y.grad == 0",
    ),
    (
        "maximum gives each side half at a tie",
        "a = leaf(0.); b = leaf(0.); torch.maximum(a, b).backward(); assert a.grad == .5 and b.grad == .5",
    ),
    (
        "a mask after a division by zero leaves nan in the gradient",
        "x = leaf([1., 1.]); d = torch.tensor([0., 1.]); (x / d)[d != 0].sum().backward()\n"
        "assert x.grad[0].isnan() and x.grad[1] == 1",
    ),
    (
        "max() and amax() share between ties, max(dim) gives all to one",
        "x = leaf([3., 3.]); x.max().backward(); assert x.grad.tolist() == [.5, .5]; x.grad = None\n"
        "x.amax(0).backward(); assert x.grad.tolist() == [.5, .5]; x.grad = None\n"
        "x.max(0)[0].backward(); assert x.grad.tolist() == [1., 0.]",
    ),
    (
        "clamp passes the gradient between its borders, sqrt has an infinite one at 0, norm() the gradient 0",
        "x = leaf([-1., .5, 2.]); x.clamp(0, 1).sum().backward(); assert x.grad.tolist() == [0., 1., 0.]\n"
        "y = leaf(0.); y.sqrt().backward(); assert y.grad.isinf()\n"
        "z = leaf([0., 0.]); z.norm().backward(); assert z.grad.tolist() == [0., 0.]",
    ),
    (
        "prod() has the right gradient with zeros in it",
        "x = leaf([2., 0., 4.]); x.prod().backward(); assert x.grad.tolist() == [0., 8., 0.]",
    ),
    # shapes and dtypes
    (
        "an operand that was broadcast gets the sum",
        "a = leaf([[1.], [2.]]); b = leaf([1., 2., 3.]); (a * b).sum().backward()\n"
        "assert a.grad.tolist() == [[6.], [6.]] and b.grad.tolist() == [3., 3., 3.]",
    ),
    (
        "the gradient has the shape and the dtype of its leaf",
        "x = leaf([1., 2.]); d = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)\n"
        "y = x * d; y.sum().backward(); assert y.dtype == torch.float64\n"
        "assert x.grad.dtype == torch.float32 and d.grad.dtype == torch.float64",
    ),
    (
        "an index that occurs twice gets the sum",
        "x = leaf([1., 2.]); x[[0, 0, 1]].backward(torch.tensor([1., 10., 100.])); "
        "assert x.grad.tolist() == [11., 100.]",
    ),
    (
        "the pieces of cat and split get their part of the gradient",
        "a = leaf([1.]); b = leaf([2., 3.]); torch.cat([a, b]).backward(torch.tensor([1., 2., 3.]))\n"
        "assert a.grad.tolist() == [1.] and b.grad.tolist() == [2., 3.]\n"
        "b.grad = None; b.split(1)[1].sum().backward(); assert b.grad.tolist() == [0., 1.]",
    ),
    (
        "for c = a @ b the gradients are g @ b.T and a.T @ g",
        "a = leaf([[1., 2.], [3., 4.], [5., 6.]]); b = leaf([[1., 0.], [2., 1.]])\n"
        "g = torch.tensor([[1., 2.], [3., 4.], [5., 6.]]); (a @ b).backward(g)\n"
        "assert torch.equal(a.grad, g @ b.detach().T) and torch.equal(b.grad, a.detach().T @ g)",
    ),
    # modules and optimizers
    (
        "a module finds the parameters that are its attributes, and those of its modules",
        "class M(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__(); self.p = torch.nn.Parameter(torch.ones(1)); self.t = torch.ones(1)\n"
        "        self.inner = torch.nn.Linear(2, 1)\n"
        "assert [name for name, _ in M().named_parameters()] == ['p', 'inner.weight', 'inner.bias']",
    ),
    (
        "a frozen layer passes gradients on",
        "a, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1); b.requires_grad_(False); "
        "b(a(torch.ones(2))).sum().backward()\n"
        "assert a.weight.grad is not None and b.weight.grad is None",
    ),
    (
        "an optimizer takes leaves only",
        'assert "can\'t optimize a non-leaf Tensor" in error(lambda: torch.optim.SGD([leaf(1.) * 2], lr=.1))',
    ),
    (
        "a step of SGD is w - lr * grad in place, and skips what has no gradient",
        "w = leaf([1., 2.]); u = leaf([1.]); optimizer = torch.optim.SGD([w, u], lr=.5); (w * w).sum().backward()\n"
        "optimizer.step(); assert w.tolist() == [0., 0.] and u.tolist() == [1.] and w.is_leaf",
    ),
    (
        "the gradient of cross_entropy is (softmax - one-hot) / n",
        "x = leaf([[1., 2.], [3., 3.]]); torch.nn.functional.cross_entropy(x, torch.tensor([0, 1])).backward()\n"
        "assert torch.allclose(x.grad, (x.detach().softmax(1) - torch.eye(2)) / 2)",
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
