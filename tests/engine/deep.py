"""Build deep graphs in many ways and free them, in a thread with a small stack: `deep.py NUMBER-OF-OPERATIONS WAY…`.

Each way prints its name once its graph is gone. A process that frees recursively in C dies of a segmentation fault.
"""

import gc
import sys
import threading

import minigrad
from minigrad import Tensor

STACK = 256 * 1024  # half of what a thread has on macOS


def leaf(*shape: int) -> Tensor:
    """Ones that require grad."""
    return minigrad.ones(shape, dtype=minigrad.float64, requires_grad=True)


def chain(count: int) -> Tensor:
    """The result of so many operations, each on the one before."""
    y = leaf()
    for _ in range(count):
        y = y * 1.0
    return y


def in_a_scope(count: int) -> None:
    chain(count)


def after_backward(count: int) -> None:
    x = leaf()
    y = x
    for _ in range(count // 2):
        y = y * 1.0 + 1.0
    y.backward()
    assert (y.item(), x.grad.item()) == (count // 2 + 1, 1.0)
    del y


def after_a_backward_that_retains(count: int) -> None:
    chain(count).backward(retain_graph=True)


def with_saved_inputs(count: int) -> None:
    x = leaf()
    y = x
    for _ in range(count):
        y = y * x


def with_saved_results(count: int) -> None:
    y = leaf()
    for _ in range(count // 2):
        y = y.exp().log()


def by_its_node(count: int) -> None:
    node = chain(count).grad_fn
    del node


def after_an_error(count: int) -> None:
    try:
        y = chain(count)
        y.undefined()
    except AttributeError:
        pass


def changed_in_place(count: int) -> None:
    y = leaf() * 1.0
    for _ in range(count):
        y.mul_(1.0)


def changed_in_part(count: int) -> None:
    y = leaf(2) * 1.0
    for _ in range(count // 4):
        y[0] = y[1] * 1.0


def through_views(count: int) -> None:
    y = leaf(2)
    for _ in range(count // 2):
        y = y.view(2) * 1.0


def views_of_views(count: int) -> None:
    y = leaf(2)
    for _ in range(count):
        y = y.view(2)


def views_of_a_constant(count: int) -> None:
    y = minigrad.ones(2, 2)
    for _ in range(count):
        y = y.view(2, 2)
        y.t_()


def through_several_results(count: int) -> None:
    y = leaf(2, 2)
    for _ in range(count):
        y, _ = y.max(0, keepdim=True)


class Identity(minigrad.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.a = a
        ctx.save_for_backward(a)
        return a * 1.0

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


def through_a_function(count: int) -> None:
    y = leaf()
    for _ in range(count):
        y = Identity.apply(y)


def of_a_gradient(count: int) -> None:
    x = leaf()
    y = x
    for _ in range(count // 4):
        y = y * x
    (grad,) = minigrad.autograd.grad(y, x, create_graph=True)
    del x, y
    assert grad.item() == count // 4 + 1


def held_by_hooks(count: int) -> None:
    y = leaf()
    for _ in range(count):
        before, y = y, y * 1.0
        y.register_hook(lambda grad, before=before: None)


def with_packed_values(count: int) -> None:
    y = leaf()
    with minigrad.autograd.graph.saved_tensors_hooks(lambda t: [t], lambda packed: packed[0]):
        for _ in range(count):
            y = y * y


def beside_other_graphs(count: int) -> None:
    """Between two nodes of the chain come three others."""
    x = leaf()
    y = x
    for place in range(count):
        if place % 4:
            x * 2.0
        else:
            y = y * 1.0


def in_a_cycle(count: int) -> None:
    """The garbage collector finds it, and not by the number of references."""
    y = chain(count)
    y.itself = y
    del y
    gc.collect()


WAYS = {name: way for name, way in globals().items() if getattr(way, "__annotations__", {}).get("return", 0) is None}


def run(count: int, names: list[str]) -> None:
    """Build and free a graph in each of the ways."""
    for name in names:
        WAYS[name](count)
        print(name, flush=True)


if __name__ == "__main__":
    number, *chosen = sys.argv[1:]
    threading.stack_size(STACK)
    thread = threading.Thread(target=run, args=(int(number), chosen or [*WAYS]))
    thread.start()
    thread.join()
