"""The part `train`: its hints, and the mistakes people make in it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from minigrad.tensor import Tensor
from minigrad_course.parts import Mistakes, Part
from minigrad_course.parts.train_a_network.programs import show
from minigrad_course.programs.program import Place

mistake = Mistakes("train")


def loop(
    parameters: list[Tensor],
    loss_of: Callable[[], Tensor],
    steps: int,
    change: Callable[[Tensor], object],
    zeroed: bool = True,
) -> None:
    """The training loop, given a way to change a parameter that has a gradient."""
    for _ in range(steps):
        for parameter in parameters if zeroed else ():
            parameter.grad = None
        loss = loss_of()
        show(loss)
        loss.backward()
        for parameter in parameters:
            if parameter.grad is not None:
                change(parameter)


@mistake("no zeroing", "the gradient of each step is added to those of all earlier steps")
def train_without_zeroing(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    loop(parameters, loss_of, steps, torch.no_grad()(lambda item: item.sub_(rate * item.grad)), zeroed=False)


@mistake(
    "nothing moves",
    "the leaves stay where they are: `p = p - …` makes a new tensor next to the leaf, and gradients cleared before "
    "the update leave it nothing to use",
)
def train_not_in_place(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    loop(parameters, loss_of, steps, lambda item: item - rate * item.grad)


@mistake("uphill", "you add the gradient: it points to where the loss grows")
def train_uphill(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    loop(parameters, loss_of, steps, torch.no_grad()(lambda item: item.add_(rate * item.grad)))


@mistake("recorded", "you change a leaf that requires grad in place while operations are recorded")
def train_recorded(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    loop(parameters, loss_of, steps, lambda item: item.sub_(rate * item.grad))


@mistake("unused", "you also update a parameter that the loss does not use, and its `.grad` is None")
def train_with_unused(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    for _ in range(steps):
        loss = loss_of()
        show(loss)
        loss.backward()
        with torch.no_grad():
            for each in parameters:
                each -= rate * each.grad


@mistake("shown late", "you show the loss after the step; show the one that the step starts from")
def train_shown_late(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    for _ in range(steps):
        loss_of().backward()
        with torch.no_grad():
            for each in parameters:
                if each.grad is not None:
                    each -= rate * each.grad
                each.grad = None
        show(loss_of())


@mistake(
    "two losses", "you compute the loss twice, show one of the two and go back from the other: each step needs one"
)
def train_on_two_losses(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    for _ in range(steps):
        for parameter in parameters:
            parameter.grad = None
        loss = loss_of()
        show(loss_of())
        loss.backward()
        with torch.no_grad():
            for each in parameters:
                if each.grad is not None:
                    each -= rate * each.grad


@mistake("zero for None", "you set `.grad` to the number 0: it must be a tensor, or None for no gradient")
def train_with_zero(
    torch: ModuleType, parameters: list[Any], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    parameters[0].grad = 0


@mistake(
    "zero_ of None", "`.grad` is None before the first backward(), and None has no `zero_`: set it to None instead"
)
def train_with_zero_of_none(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    parameters[0].grad.zero_()


@mistake(
    "all in no_grad",
    "you compute the loss inside `no_grad` as well, so it has no graph: only the update belongs there",
)
def train_in_no_grad(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    with torch.no_grad():
        loss = loss_of()
        show(loss)
        loss.backward()


@mistake(
    "loss computed once", "you compute the loss once, before the loop: each step needs its own loss, with its own graph"
)
def train_on_one_loss(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    loss = loss_of()
    loop(parameters, lambda: loss, steps, torch.no_grad()(lambda item: item.sub_(rate * item.grad)))


@mistake("no rate", "the step is the whole gradient: multiply it by `rate`")
def train_without_rate(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    loop(parameters, loss_of, steps, torch.no_grad()(lambda item: item.sub_(item.grad)))


@mistake("the first alone", "you update only the first parameter; all of them should learn")
def train_the_first(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    def change(item: Tensor) -> None:
        if item is parameters[0]:
            item.sub_(rate * item.grad)

    loop(parameters, loss_of, steps, torch.no_grad()(change))


@mistake("not shown", "you do not show the losses: call `show(loss)` before the step that starts from it")
def train_in_silence(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    for _ in range(steps):
        for parameter in parameters:
            parameter.grad = None
        loss_of().backward()
        with torch.no_grad():
            for each in parameters:
                if each.grad is not None:
                    each -= rate * each.grad


@mistake(
    "zeros for all",
    "you give zeros to a parameter that the loss does not use: leave it alone, so its `.grad` stays None",
)
def train_with_zeros(
    torch: ModuleType, parameters: list[Tensor], loss_of: Callable[[], Tensor], rate: float, steps: int
) -> None:
    for _ in range(steps):
        for parameter in parameters:
            parameter.grad = torch.zeros_like(parameter)
        loss = loss_of()
        show(loss)
        loss.backward()
        with torch.no_grad():
            for each in parameters:
                each -= rate * each.grad


part = Part(
    Place("train", "program", "train", by_hand=True),
    points=2,
    minutes=12,
    difficulty=1,
    hints=(
        "Each round has five steps: clear the gradients, compute the loss, show it, backward, update. In which "
        "order can they go?",
        "The update must change the same leaf, so it happens in place. What must be switched off for that?",
        "`with torch.no_grad():`, and inside it `each -= rate * each.grad` for every parameter whose `.grad` is not "
        "None. Clear with `each.grad = None` before the loss's backward().",
    ),
    mistakes=tuple(mistake),
    probe="""
def trained(steps, rate, used, unused=True):
    after = f"after {steps} step" + "s" * (steps > 1)
    parameters = leaves([1.0, 2.0], [3.0, 4.0])
    losses = []

    def loss_of():
        losses.append(sum((each**2).sum() for each in parameters[:used]))
        return losses[-1]

    told = parameters if unused else parameters[:used]
    tell(lambda: train(torch, told, loss_of, rate, steps), f"the training of {steps} steps| ")
    for place, each in enumerate(parameters):
        which = "a parameter" if place < used else "a parameter that the loss does not use"
        tell(lambda: each, f"{which} {after}| ")
        tell(lambda: each.is_leaf, f"`is_leaf` of {which}| ")
    tell(lambda: len(losses), f"how often the loss is computed| ")

trained(1, 0.1, 1, unused=False)
trained(3, 0.1, 1, unused=False)
trained(1, 0.1, 2)
trained(3, 0.1, 2)
trained(1, 0.1, 1)
trained(3, 0.1, 1)
""",
)
