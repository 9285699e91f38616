"""The part `frozen`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import sgd, show, squared, update
from minigrad_course.programs.program import Place

mistake = Mistakes("frozen")


def fit_head(
    torch: ModuleType,
    start: tuple[list[list[float]], list[float]],
    rows: list[list[float]],
    ys: list[float],
    output: Callable[[Tensor, Tensor], Tensor],
    trained: int = 2,
    cleared: bool = False,
) -> None:
    """The program with a given way from features and head to the output; the last `trained` leaves are optimized."""
    x, y = torch.tensor(rows), torch.tensor(ys)
    body, head = [torch.tensor(item, requires_grad=True) for item in start]
    optimizer = sgd(torch, [body, head][-trained:], 0.1)
    for _ in range(4):
        features = torch.tanh(x @ body)
        loss = squared(output(features, head), y)
        update(optimizer, loss)
        if cleared:
            body.grad = None
        show(loss, head)
    show(body)
    print(body.grad, features.requires_grad)


@mistake(
    "flag of a non-leaf",
    "you set the flag of a tensor with a history to False, which only a leaf allows; or nothing is left that learns",
)
def flag_of_a_non_leaf(
    torch: ModuleType, body: list[list[float]], head: list[float], rows: list[list[float]], ys: list[float]
) -> None:
    def output(features: Tensor, head: Tensor) -> Tensor:
        features.requires_grad = False
        return features @ head

    fit_head(torch, (body, head), rows, ys, output)


@mistake("not frozen", "the error is gone, and the body learns along with the head")
def not_frozen(
    torch: ModuleType, body: list[list[float]], head: list[float], rows: list[list[float]], ys: list[float]
) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features @ head)


@mistake("the head", "the head is detached, so the body learns instead")
def frozen_head(
    torch: ModuleType, body: list[list[float]], head: list[float], rows: list[list[float]], ys: list[float]
) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features @ head.detach())


@mistake(
    "the optimizer alone",
    "the optimizer has only the head: the body stays as it is, but each backward still computes its gradient and "
    "adds it to a `.grad` that nobody clears",
)
def the_optimizer_alone(
    torch: ModuleType, body: list[list[float]], head: list[float], rows: list[list[float]], ys: list[float]
) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features @ head, trained=1)


@mistake(
    "gradient cleared",
    "the body stays and its `.grad` is None, but `features` still belongs to its graph, and time is spent on that",
)
def gradient_cleared(
    torch: ModuleType, body: list[list[float]], head: list[float], rows: list[list[float]], ys: list[float]
) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features @ head, trained=1, cleared=True)


@mistake("no path", "you cut off the head as well: no path is left, and nothing learns")
def no_path(
    torch: ModuleType, body: list[list[float]], head: list[float], rows: list[list[float]], ys: list[float]
) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features.detach() @ head.detach())


@mistake("too late", "you freeze the body after the first backward, so it has already taken a step")
def too_late(
    torch: ModuleType, body: list[list[float]], head: list[float], rows: list[list[float]], ys: list[float]
) -> None:
    x, y = torch.tensor(rows), torch.tensor(ys)
    leaves = [torch.tensor(item, requires_grad=True) for item in (body, head)]
    optimizer = sgd(torch, leaves, 0.1)
    for _ in range(4):
        features = torch.tanh(x @ leaves[0])
        loss = squared(features @ leaves[1], y)
        optimizer.zero_grad()
        loss.backward()
        leaves[0].requires_grad_(False)
        optimizer.step()
        show(loss, leaves[1])
    show(leaves[0])
    print(leaves[0].grad, features.requires_grad)


@mistake("zero for None", "you set `.grad` to the number 0: it must be a tensor, or None for no gradient")
def zero_for_none(
    torch: ModuleType, body: list[list[float]], head: list[float], rows: list[list[float]], ys: list[float]
) -> None:
    torch.tensor(body, requires_grad=True).grad = 0


part = Part(
    Place("frozen", "program", "fit_head", steady=True),
    points=2,
    minutes=6,
    difficulty=2,
    hints=(
        "`features` is recomputed in each round. What could its flag still change, when you set it afterwards?",
        "Either tell the leaf that it wants no gradient, or cut the path to it.",
        "`features = torch.tanh(x @ body).detach()`; or `body.requires_grad_(False)`, once, before the loop.",
    ),
    mistakes=tuple(mistake),
    probe="""
steps = [(f"the loss in step {n}", 1) if what else (f"head after step {n}", 2) for n in range(1, 5) for what in (1, 0)]
body, rows = [[0.1, 0.5], [0.3, -0.2], [-0.4, 0.6]], [[1.0, 2.0, 0.5], [0.5, -1.0, 2.0], [0.2, 0.3, -1.0]]
printed(lambda: fit_head(torch, body, [100.0, 200.0], rows, [700.0, 500.0, -900.0]), *steps, ("body at the end", 6))
""",
)
