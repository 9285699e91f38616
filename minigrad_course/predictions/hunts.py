"""What exercises ask above a program to debug: what is wrong with it? No points hang on it."""

from __future__ import annotations

import math
from types import ModuleType
from typing import TYPE_CHECKING

from minigrad_course.predictions import Lesson

if TYPE_CHECKING:
    from torch import Tensor

questions = Lesson("hunts")


def leaf(torch: ModuleType, *numbers: float) -> Tensor:
    """A leaf of these numbers."""
    return torch.tensor(numbers, requires_grad=True)


@questions.asks(
    "The first line of `rectangle` is right, and the second repeats it. Why?",
    {
        "Nobody cleared the gradients of the area": "Then the second line would show a sum, of the area's gradients "
        "and the diagonal's. It shows the very same numbers again.",
        "`backward()` does nothing the second time": "It would raise an error if it could not run. It does run, "
        "through a graph. Ask where that graph ends.",
        "No path leads from the diagonal back to the sides": "`item()` gives a Python number, and the tensor made from "
        "it is a new leaf: `backward()` ends there. That is one fault. The check tells you if another one is left.",
    },
)
def repair(torch: ModuleType) -> str:
    side = leaf(torch, 3.0)
    torch.tensor((side**2).item() ** 0.5, requires_grad=True).backward()
    return "No path leads from the diagonal back to the sides" if side.grad is None else "another"


@questions.asks(
    "The line `fit` is right. What does the line `size` show?",
    {
        "The gradient of `size`, times `importance`": "`importance` comes in later, in the third line.",
        "The gradients of `fit` and `size`, added up": "`w.grad` still holds what the first `backward()` left. Look at "
        "the third line with the same eyes: what should it hold, and how much should each loss count?",
        "Zeros, because `fit` has freed the graph": "A freed graph raises an error, and `retain_graph=True` keeps it.",
    },
)
def losses(torch: ModuleType) -> str:
    w = leaf(torch, 2.0)
    prediction = w * 3
    fit, size = (prediction - 1) ** 2, prediction**2
    alone = [torch.autograd.grad(item, w, retain_graph=True)[0] for item in (fit, size)]
    fit.backward(retain_graph=True)
    size.backward()
    return "The gradients of `fit` and `size`, added up" if w.grad == sum(alone) else "another"


@questions.asks(
    "The loss never changes. What happens to a parameter in `descend`?",
    {
        "It moves the wrong way": "Minus the gradient is downhill. And the loss would change, whichever way it moved.",
        "Its gradient is gone before it is used": "The step is computed in the line above the one that clears it.",
        "Nothing: the name `w` is bound to a new tensor": "The loop's `w` was another name for the parameter. After "
        "`w = …` it names the result, and the list still holds the old tensor.",
    },
)
def descend(torch: ModuleType) -> str:
    parameters = [leaf(torch, 1.0)]
    (parameters[0] * 2).backward()
    for w in parameters:
        w = w - 0.1 * w.grad
    return (
        "Nothing: the name `w` is bound to a new tensor" if parameters[0].item() == 1 and w.item() != 1 else "another"
    )


@questions.asks(
    "Why does the loss of `fit_line` swing?",
    {
        "The learning rate is too large": "A single step of this size lowers the loss, as the first lines show. "
        "Something changes from step to step.",
        "Each step also follows the gradients of all earlier steps": "`w.grad` holds the sum of all backward "
        "passes. The sum still points ahead long after the slope has turned.",
        "The optimizer moves a copy of `w`": "The second number in each line is `w` itself, and it moves.",
    },
)
def zeroing(torch: ModuleType) -> str:
    w = leaf(torch, 1.0)
    (w * 2).backward()
    first = w.grad.clone()
    (w * 2).backward()
    return "Each step also follows the gradients of all earlier steps" if w.grad == 2 * first else "another"


@questions.asks(
    "Why does `fit_rows` learn only the average?",
    {
        "A line needs a bias, and there is none": "There is one: the 1 in each row has a weight of its own.",
        "The learning rate is too small for the second weight": "It is the same for both weights, and the second goes "
        "to nothing instead of growing slowly.",
        "Every prediction is compared with every target": "The shapes are `[6, 1]` and `[6]`, and their difference has "
        "the shape `[6, 6]`. The best answer to all targets at once is their mean.",
    },
)
def column(torch: ModuleType) -> str:
    difference = torch.ones(6, 2) @ torch.zeros(2, 1) - torch.ones(6)
    return "Every prediction is compared with every target" if difference.shape == (6, 6) else "another"


@questions.asks(
    "Why is `w.grad` None in the second step of `descend`?",
    {
        "`w.grad = None` is in the wrong place": "It comes before `backward()`, which fills `.grad` again. In the "
        "first step that works.",
        "The loss does not depend on `w`": "It does, and `backward()` runs without a complaint.",
        "`w` is not a leaf any more": "After `w = w - …` the name belongs to the result of a subtraction, and results "
        "do not keep a gradient.",
    },
)
def rebound(torch: ModuleType) -> str:
    w = leaf(torch, 1.0)
    (w * 2).backward()
    w = w - 0.1 * w.grad
    return "another" if w.is_leaf else "`w` is not a leaf any more"


@questions.asks(
    "Why does the optimizer of `fit_from` refuse `w`?",
    {
        "A `Parameter` does not require grad unless you say so": "It does: that is what a `Parameter` is for.",
        "`w` is a product, and the `Parameter` has no name": "`nn.Parameter(…) * 0.1` makes a leaf and then a result "
        "of it. The result is what `w` names.",
        "Weights as small as these cannot be trained": "The optimizer does not look at their size.",
    },
)
def scaled(torch: ModuleType) -> str:
    parameter = torch.nn.Parameter(torch.ones(2))
    w = parameter * 0.1
    return "`w` is a product, and the `Parameter` has no name" if parameter.is_leaf and not w.is_leaf else "another"


@questions.asks(
    "Why does the second `backward()` of `read_along` fail?",
    {
        "`memory` still belongs to the graph of the step before": "So the second loss leads back through the first "
        "step, whose saved values are gone.",
        "`w` cannot be used in two losses": "It can, if each loss has a graph of its own. A leaf saves nothing.",
        "`w.grad` was not cleared": "Gradients that add up never raise an error, and here they are meant to.",
    },
)
def recurrent(torch: ModuleType) -> str:
    w, memory = leaf(torch, 0.9), torch.tensor(0.5)
    memory = torch.tanh(w * memory)
    return "`memory` still belongs to the graph of the step before" if memory.grad_fn is not None else "another"


@questions.asks(
    "Where does the nan in `fit_known` come from?",
    {
        "The step is too large: `w` becomes negative": "The gradient of the very first loss is nan already, before any "
        "step.",
        "`where` adds the unused errors to the loss": "The loss is a proper number, so it leaves them out.",
        "The 0 that goes to an unused error meets an infinite derivative": "`where` sends 0 to each error it left out. "
        "But the logarithm of 0 was taken all the same, and 0 times infinity is nan.",
    },
)
def masked(torch: ModuleType) -> str:
    w, x = leaf(torch, 1.0), torch.tensor([0.0])
    loss = torch.where(x > 0, torch.log(w * x), torch.zeros(1)).sum()
    loss.backward()
    result = loss.item() == 0 and math.isnan(w.grad.item())
    return "The 0 that goes to an unused error meets an infinite derivative" if result else "another"


@questions.asks(
    "Why does `w` stay where it is in `fit_classes`?",
    {
        "No path leads from the loss to `w`": "A comparison has no derivative, and records nothing. With "
        "`requires_grad_(True)` the loss is a leaf of its own, and `backward()` ends where it starts.",
        "The steps are too small to change a guess": "`w` does not move at all: its `.grad` is None.",
        "`requires_grad_(True)` comes after the loss was computed": "Earlier it would do no better: ask what the loss "
        "was computed from.",
    },
)
def accuracy(torch: ModuleType) -> str:
    guess = (torch.sigmoid(leaf(torch, 1.0)) > 0.5).float()
    return "another" if guess.requires_grad else "No path leads from the loss to `w`"


@questions.asks(
    "Why does the penalty of `fit_small` not pull?",
    {
        "The factor 2 is too small beside the error": "With 2000 in its place, `w` comes out the same.",
        "The penalty is a number with no way back to `w`": "`item()` gives a Python number. It adds to the loss that "
        "is printed, and nothing to the gradient.",
        "`zero_grad()` clears the gradient of the penalty": "It runs before `backward()`: there is none yet.",
    },
)
def penalty(torch: ModuleType) -> str:
    w = leaf(torch, 3.0)
    (w * 2 + 2000 * (w**2).sum().item()).backward()
    return "The penalty is a number with no way back to `w`" if w.grad.item() == 2 else "another"


@questions.asks(
    "Why can the flag of `features` in `fit_head` not be set?",
    {
        "`features` is a result: whether it requires grad follows from what it was made of": "Only a leaf has a flag "
        "of its own. Change what goes into the result, or take the result out of the graph.",
        "The optimizer holds `body`": "The error comes in the same way without an optimizer.",
        "It is set too early: the loss still needs it": "Later it is the same error, and by then the time has been "
        "spent.",
    },
)
def frozen(torch: ModuleType) -> str:
    features = torch.tanh(leaf(torch, 1.0))
    right = "`features` is a result: whether it requires grad follows from what it was made of"
    return right if features.requires_grad and not features.is_leaf else "another"


@questions.asks(
    "Which operation of `fit_growth` has saved the tensor that `h += 1` overwrites?",
    {
        "`w * x`": "It has saved `w` and `x`, and nobody changes these.",
        "`torch.exp`": "It is its own derivative, so it saves its result. That is `h`, before the 1 was added.",
        "`b * h`": "It saves `h` as well, but after the addition. That is the value it needs.",
        "the square": "It saves the difference, a tensor of its own.",
    },
)
def shifted(torch: ModuleType) -> str:
    h = torch.exp(leaf(torch, 1.0))
    return "`torch.exp`" if h.grad_fn._saved_result.data_ptr() == h.data_ptr() else "another"
