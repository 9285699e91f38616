"""What lesson 6 asks. The answers are those of torch: the engine of the lesson has to give them too."""

from __future__ import annotations

from types import ModuleType

from minigrad_course.predictions import Lesson

lesson = Lesson("06_your_own_engine")


@lesson.asks(
    "Three operations: `square = b * b`, `product = square * a`, `total = product + b`. How many of them are recorded?",
    {
        "all three": "So `b * b` would be recorded too. But neither of its inputs requires a gradient, so nobody will "
        "ever ask for its derivative.",
        "two": "`b * b` is not recorded. The product is, because of `a`, and its result wants a gradient. So the sum "
        "is recorded as well, although `b` wants none.",
        "only one": "In one of them alone stands `a` itself. But what comes out of it wants a gradient as well, and is "
        "used again.",
    },
)
def recorded(torch: ModuleType) -> object:
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0)
    square = b * b
    product = square * a
    total = product + b
    return {3: "all three", 2: "two", 1: "only one"}[sum(item.grad_fn is not None for item in (square, product, total))]


@lesson.asks(
    "How often would an engine that goes path by path arrive at `x`?",
    {
        "20 times": "That is the number of operations, and how often an engine with an order works. Paths are another "
        "thing: at each `y + y` one becomes two.",
        "40 times": "That is the number of arrows. But a path is a choice at each of the sums, and choices multiply.",
        "1,048,576 times": "At each of the twenty sums a path goes left or right: two to the power of twenty. The "
        "slope is the same number, since each path brings a 1.",
    },
)
def paths(torch: ModuleType) -> object:
    y = x = torch.tensor(1.0, requires_grad=True)
    for _ in range(20):
        y = y + y
    y.backward()  # each path brings a 1
    return f"{round(x.grad.item()):,} times"


@lesson.asks(
    "The loss is `(x * y).sum()`. What does each entry of `x.grad` hold?",
    {
        "`2.5`": "So the copies would be averaged. But the loss contains each of them in full, and nobody divides.",
        "`4`": "That counts the copies. Each of them counts with the number that it is multiplied by.",
        "`10`": "Each entry of `x` was copied four times, and each copy met another number of `y`: 1 + 2 + 3 + 4.",
        "`[1, 2, 3, 4]`": "That is the share as it leaves `mul`, in the shape of the product. `x` has one number in a "
        "row, and so has its gradient.",
    },
)
def copied(torch: ModuleType) -> object:
    x = torch.tensor([[5.0], [6.0], [7.0]], requires_grad=True)
    (x * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    return f"`{x.grad[0].item():g}`"
