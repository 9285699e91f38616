"""The part `rebound`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import show, squared, weights
from minigrad_course.programs.program import Place

mistake = Mistakes("rebound")


def descend(torch: ModuleType, xs: list[float], ys: list[float], changed: Callable[[Tensor], Tensor]) -> None:
    """The program with a given update."""
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    for _ in range(5):
        w.grad = None
        loss = squared(w * x, y)
        show(loss, w)
        loss.backward()
        w = changed(w)
    print("a leaf:", w.is_leaf)


@mistake(
    "a new tensor",
    "`w - …` makes a new tensor and gives it the name w: a non-leaf, which keeps no gradient",
)
def new_tensor(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    descend(torch, xs, ys, lambda w: w - 0.05 * w.grad)


@mistake("recorded", "you change a leaf that requires grad in place while operations are recorded")
def changed_while_recorded(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    descend(torch, xs, ys, lambda w: w.sub_(0.05 * w.grad))


@mistake(
    "a constant",
    "you make the new w under no_grad, or detach it: it is a constant, and the next loss has no graph",
)
def new_constant(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    descend(torch, xs, ys, torch.no_grad()(lambda w: w - 0.05 * w.grad))


@mistake(
    "zeros",
    "w stays put without an error: the new w is not a leaf and gets no gradient, and zeros in `.grad`, or a step left "
    "out, only hide that",
)
def zeros_instead_of_none(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    for _ in range(5):
        w.grad = torch.zeros(1)
        loss = squared(w * x, y)
        show(loss, w)
        loss.backward()
        w = w - 0.05 * w.grad
    print("a leaf:", w.is_leaf)


@mistake(
    "retained",
    "`retain_grad` lets each new w keep its gradient; it runs, but every w is the result of the previous one, and each "
    "backward goes back through all of them to the first",
)
def retained_by_all(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    def changed(w: Tensor) -> Tensor:
        moved = w - 0.05 * w.grad
        moved.retain_grad()
        return moved

    descend(torch, xs, ys, changed)


def in_place(
    torch: ModuleType, xs: list[float], ys: list[float], change: Callable[[Tensor], object], cleared: bool = True
) -> None:
    """The program with a change of the leaf itself."""
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    for _ in range(5):
        if cleared:
            w.grad = None
        loss = squared(w * x, y)
        show(loss, w)
        loss.backward()
        with torch.no_grad():
            change(w)
    print("a leaf:", w.is_leaf)


@mistake("uphill", "you add the gradient: it points to where the loss grows")
def uphill(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    in_place(torch, xs, ys, lambda w: w.add_(0.05 * w.grad))


@mistake("not cleared", "you no longer clear `.grad`: each step follows the sum of all gradients so far")
def not_cleared(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    in_place(torch, xs, ys, lambda w: w.sub_(0.05 * w.grad), cleared=False)


@mistake("no step", "you never change w: the step is gone along with the error")
def no_step(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    in_place(torch, xs, ys, lambda w: None)


@mistake("cleared too soon", "you clear `.grad` before you take the step: then the step has no gradient to use")
def cleared_too_soon(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    def change(w: Tensor) -> None:
        w.grad = None
        w.sub_(0.05 * w.grad)

    in_place(torch, xs, ys, change)


@mistake(
    "all in no_grad", "you compute the loss inside `no_grad` as well, so it has no graph: only the update belongs there"
)
def all_in_no_grad(torch: ModuleType, xs: list[float], ys: list[float]) -> None:
    in_place(torch, xs, ys, lambda w: (w * 1).sum().backward())


part = Part(
    Place("rebound", "program", "descend", steady=True),
    points=2,
    minutes=6,
    difficulty=1,
    hints=(
        "Print `w.is_leaf` before and after the update.",
        "`w = w - …` makes a new tensor. The leaf that received the gradient still exists, but without a name.",
        "Change the leaf itself, `w -= 0.05 * w.grad`, but not while operations are recorded.",
    ),
    mistakes=tuple(mistake),
    probe="""
steps = [(f"{what} in step {n}", 1) for n in range(1, 6) for what in ("the loss", "w")]
printed(lambda: descend(torch, [1.0, 2.0, -1.0], [1000.0, 3000.0, 500.0]), *steps)
""",
)
