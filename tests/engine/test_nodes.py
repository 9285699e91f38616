"""Nodes as a program sees them: hooks, members, what they saved, calling them; `torch.autograd.graph`."""

import gc

import pytest
from engines import assert_alike

import minigrad

LEAVES = "x, w = torch.tensor([1., 2.], requires_grad=True), torch.tensor([3., 4.], requires_grad=True)"
HOOK = "told = lambda word: lambda grad_inputs, grad_outputs: print(word, grad_inputs, grad_outputs)"
PREHOOK = "before = lambda word: lambda grad_outputs: print(word, grad_outputs)"
NAMES = [LEAVES, HOOK, PREHOOK]

# --- hooks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "result",
    [
        "x * 2",
        "x * w",
        "x ** 2",
        "x + torch.tensor([1, 2])",
        "x.sum() + w",
        "x @ w",
        "torch.where(x > 1, x, w)",
        "x[:1] - w",
        "x[[1, 1, 0]]",
        "x.clamp(0, 1)",
        "torch.stack([x, w]).softmax(1)",
        "torch.nn.functional.mse_loss(x, w)",
        "torch.outer(x, w).max(0).values",
        "x.detach() / w",
    ],
)
def test_hooks_of_a_node_see_what_arrives_and_what_leaves(result: str) -> None:
    assert_alike(
        [
            *NAMES,
            f"y = {result}",
            "h = y.grad_fn.register_hook(told('hook')); p = y.grad_fn.register_prehook(before('prehook'))",
            "y.sum().backward(retain_graph=True); print(x.grad, w.grad)",
            "type(h), type(p)",
            "h.remove(); p.remove(); y.sum().backward(); print(x.grad, w.grad)",
        ]
    )


ANSWERS = "5", "g[0]", "()", "(1.,) * len(g)", "(*g, None)", "[*g]", "'g'", "(None,) * len(g)", "(g[0],) * len(g)"
OTHERS = "(g[0] * 10, *g[1:])", "(torch.ones(3), *g[1:])", "(g[0].double(), *g[1:])", "None", "1 / 0"


@pytest.mark.parametrize("answer", [*ANSWERS, *OTHERS])
def test_what_a_hook_of_a_node_returns(answer: str) -> None:
    hooked = ["y.grad_fn", "y.grad_fn.next_functions[0][0]"]
    lines = [LEAVES]
    for node in hooked:
        for registered in (f"register_hook(lambda g, o: {answer})", f"register_prehook(lambda g: {answer})"):
            lines += [f"x.grad = None; y = x * 2; h = {node}.{registered}", "y.sum().backward()", "x.grad; h.remove()"]
    assert_alike([*lines, "y = x * 2; h = y.grad_fn.register_hook(lambda g: None)", "y.sum().backward()"])


def test_a_hook_without_a_name() -> None:
    assert_alike(
        [
            LEAVES,
            "import functools",
            "y = x * 2; h = y.grad_fn.register_hook(functools.partial(lambda a, g, o: (g[0],), 3))",
            "y.sum().backward()",
            "h.remove(); h = y.register_hook(functools.partial(lambda a, g: torch.ones(3), 3))",
            "y.sum().backward()",
        ]
    )


def test_hooks_of_a_leaf_are_at_its_accumulate_grad() -> None:
    assert_alike(
        [
            *NAMES,
            "y = (x * 2).exp(); node = y.grad_fn.next_functions[0][0].next_functions[0][0]",
            "a = node.register_hook(lambda gi, go: print(gi, go, x.grad))",
            "b = node.register_prehook(lambda go: (print(go, x.grad), (go[0] * 3,))[1])",
            "c = x.register_hook(lambda g: print('tensor', g))",
            "d = x.register_post_accumulate_grad_hook(lambda t: print('after', t.grad))",
            "y.sum().backward(retain_graph=True)",
            "y.sum().backward(retain_graph=True)",
            "torch.autograd.grad(y.sum(), x, retain_graph=True)",
            "y.sum().backward(inputs=[x], retain_graph=True)",
            "a.remove(); b.remove(); c.remove(); d.remove()",
            "y.sum().backward(); print(x.grad)",
            "y = x * 2; h = y.grad_fn.next_functions[0][0].register_hook(told('gone')); x.requires_grad_(False)",
            "y.sum().backward(); print(h.remove())",
        ]
    )


def test_the_order_of_hooks_of_tensors_and_nodes() -> None:
    assert_alike(
        [
            *NAMES,
            "y = x * 2; y.retain_grad(); n = y.grad_fn",
            "n.register_hook(told('first')) and n.register_prehook(before('before')) and None",
            "n.register_hook(lambda gi, go: (gi[0] * 3, None)) and n.register_hook(told('third')) and None",
            "n.register_prehook(lambda go: (go[0] * 5,)) and n.register_prehook(before('again')) and None",
            "y.register_hook(lambda g: g * 7) and x.register_hook(print) and None",
            "y.sum().backward(); print(x.grad, y.grad)",
        ]
    )


def test_hooks_of_nodes_in_a_pass_for_chosen_inputs() -> None:
    assert_alike(
        [
            *NAMES,
            "y = x * w; n = y.grad_fn; l = y.sum()",
            "n.register_hook(told('hook')) and n.register_prehook(before('prehook')) and None; h = y.register_hook(print)",
            "a = n.next_functions[0][0]; b = n.next_functions[1][0]",
            "a.register_hook(told('x')) and a.register_prehook(before('x')) and b.register_hook(told('w')) and None",
            "torch.autograd.grad(l, x, retain_graph=True)",
            "torch.autograd.grad(l, y, retain_graph=True)",
            "torch.autograd.grad(l, [x, y], retain_graph=True)",
            "l.backward(inputs=[x], retain_graph=True); print(x.grad, w.grad)",
            "l.backward(inputs=[y], retain_graph=True); print(x.grad, w.grad, y.grad)",
            "g, = torch.autograd.grad(l, [x], create_graph=True); print(g)",
            "torch.autograd.grad(g.sum(), w)",
        ]
    )


def test_what_hooks_of_nodes_return_is_recorded() -> None:
    assert_alike(
        [
            LEAVES,
            "y = x ** 3; h = y.grad_fn.register_hook(lambda gi, go: (gi[0] * x,))",
            "g, = torch.autograd.grad(y.sum(), x, create_graph=True); print(g)",
            "torch.autograd.grad(g.sum(), x)",
        ]
    )


def test_hooks_of_nodes_with_several_results() -> None:
    assert_alike(
        [
            *NAMES,
            "u, v = (x * 2).unbind(); n = u.grad_fn",
            "n.register_hook(told('hook')) and n.register_prehook(before('prehook')) and None",
            "u.backward(retain_graph=True)",
            "(u * v).backward(retain_graph=True); print(x.grad)",
            "h = n.register_prehook(lambda go: (None, go[1])); (u * v).backward(retain_graph=True); print(x.grad)",
            "h.remove(); h = n.register_prehook(lambda go: (None, None)); (u * v).backward(); print(x.grad)",
        ]
    )


def test_hooks_of_a_changed_base_and_of_a_view() -> None:
    assert_alike(
        [
            *NAMES,
            "y = x * 1; z = w.sum(); y[0] = z; v = y[1:]",
            "y.grad_fn.register_hook(told('base')) and y.grad_fn.register_prehook(before('base')) and None",
            "v.grad_fn.register_hook(told('view')) and None",
            "(y.sum() + v.sum()).backward(); print(x.grad, w.grad)",
        ]
    )


def test_hooks_of_a_programs_function() -> None:
    forward = "forward = staticmethod(lambda ctx, a, k, b: (a * 2, b * 3))"
    backward = "backward = staticmethod(lambda ctx, g, h: (print('runs', g, h), g * 2, None, h * 3)[1:])"
    assert_alike(
        [
            *NAMES,
            f"class F(torch.autograd.Function): {forward}; {backward}",
            "p, q = F.apply(x, 5, w); n = p.grad_fn",
            "n.register_hook(told('hook')) and n.register_prehook(before('prehook')) and None",
            "p.register_hook(lambda g: print('p', g)) and q.register_hook(lambda g: print('q', g)) and None",
            "p.sum().backward(retain_graph=True)",
            "(p.sum() + q.sum()).backward(retain_graph=True); print(x.grad, w.grad)",
            "h = n.register_prehook(lambda go: (None, None))",
            "(p.sum() + q.sum()).backward(retain_graph=True); print(x.grad, w.grad, h.remove())",
            "h = n.register_hook(lambda gi, go: (None, None))",
            "(p.sum() + q.sum()).backward(retain_graph=True); print(x.grad, w.grad, h.remove())",
            "h = n.register_prehook(lambda go: (go[0], torch.ones(2)))",
            "p.sum().backward(retain_graph=True)",
            "h.remove(); torch.autograd.grad(p.sum(), x)",
            "n.metadata, n.metadata is n.metadata, n.requires_grad",
        ]
    )


def test_a_hook_that_removes_itself_runs_once() -> None:
    assert_alike(
        [
            LEAVES,
            "y = (x * 2).sum(); h = y.grad_fn.register_hook(lambda gi, go: h.remove() or print('once'))",
            "y.backward(retain_graph=True); y.backward(); print(x.grad)",
            "with x.sum().grad_fn.register_hook(print) as h: print(type(h))",
        ]
    )


def test_hooks_of_nodes_form_no_cycle() -> None:
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            x = minigrad.tensor([1.0, 2.0], requires_grad=True)
            y = x * 2
            y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: None)
            y.grad_fn.next_functions[0][0].register_hook(lambda grad_inputs, grad_outputs: None)
            y.grad_fn.metadata["key"] = 1
            y.sum().backward()
            del x, y
        assert gc.collect() == 0
    finally:
        gc.enable()
