"""The part `train`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.parts import Mistakes, Part
from minigrad.course.parts.train_a_network.programs import show
from minigrad.course.program import Place

mistake = Mistakes("train")


def loop(
    parameters: list, loss_of: Callable[[], Any], steps: int, change: Callable[[Any], Any], zeroed: bool = True
) -> None:
    """The training loop with a given way to change a parameter that has a gradient."""
    for _ in range(steps):
        for each in parameters if zeroed else ():
            each.grad = None
        loss = loss_of()
        show(loss)
        loss.backward()
        for each in parameters:
            if each.grad is not None:
                change(each)


@mistake("no zeroing", "the gradient of each step is added to those of all steps before")
def train_without_zeroing(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    loop(parameters, loss_of, steps, torch.no_grad()(lambda each: each.sub_(rate * each.grad)), zeroed=False)


@mistake("not in place", "a new tensor is made at each update, and the leaf that the loss looks at stays")
def train_not_in_place(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    loop(parameters, loss_of, steps, lambda each: each - rate * each.grad)


@mistake("uphill", "the gradient is added: it points to where the loss grows")
def train_uphill(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    loop(parameters, loss_of, steps, torch.no_grad()(lambda each: each.add_(rate * each.grad)))


@mistake("recorded", "a leaf that requires grad is changed in place while operations are recorded")
def train_recorded(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    loop(parameters, loss_of, steps, lambda each: each.sub_(rate * each.grad))


@mistake("unused", "a parameter that the loss does not use is updated too, and its `.grad` is None")
def train_with_unused(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    for _ in range(steps):
        loss = loss_of()
        show(loss)
        loss.backward()
        with torch.no_grad():
            for each in parameters:
                each -= rate * each.grad


@mistake("shown late", "the loss is shown after the step; show the one that the step starts from")
def train_shown_late(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    for _ in range(steps):
        loss_of().backward()
        with torch.no_grad():
            for each in parameters:
                if each.grad is not None:
                    each -= rate * each.grad
                each.grad = None
        show(loss_of())


part = Part(
    Place("train", "program", "train"),
    points=2,
    minutes=12,
    difficulty=1,
    hints=(
        "Five things in each round: clear the gradients, compute the loss, show it, backward, update. In which "
        "order may they stand?",
        "The update has to change the same leaf, so it is made in place. What must be switched off for that?",
        "`with torch.no_grad():`, and in it `each -= rate * each.grad` for every parameter whose `.grad` is not "
        "None. Clear with `each.grad = None` before the loss's backward().",
    ),
    mistakes=tuple(mistake),
)
