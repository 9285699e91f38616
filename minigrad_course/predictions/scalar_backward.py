"""What lesson 1 asks."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

from minigrad_course.predictions import Lesson

if TYPE_CHECKING:
    from torch import Tensor

lesson = Lesson("01_scalar_backward")


@lesson.asks(
    "What is `a.grad` after `c.backward()`?",
    {
        "42": "That is the value of `a` itself. A gradient says how `c` changes when `a` does, and `c = a * b` grows "
        "by `b` times as much.",
        "99": "If `a` grows by a tiny step, `c` grows by 99 such steps: ∂(ab)/∂a = b.",
        "4158": "That is the value of `c`. `backward()` stores no values, it stores slopes: how fast `c` changes with "
        "`a`.",
    },
)
def product(torch: ModuleType) -> object:
    a, b = (torch.tensor(value, requires_grad=True) for value in (42.0, 99.0))
    (a * b).backward()
    return f"{a.grad.item():g}"


@lesson.asks(
    "a, b, c, d, e are 2, 4, 6, 8, 10, and each grows by the same tiny step. To which of them does `f` answer least?",
    {
        "`a`, the smallest": "A leaf's own size is not its slope. To `a` it is the partner in the product, 4.",
        "`b`": "Its slope is its partner's value, 2, and the other four are larger: 4, 6.4, 9.6, and 3.84 downwards.",
        "`c`, which only scales a fraction": "The fraction is d²/e, and that is 64/10: more than you would think.",
        "`e`, which is divided by": "A tenth of 384 is divided once more by 10, and that still leaves 3.84, with a "
        "minus.",
    },
)
def least(torch: ModuleType) -> object:
    values = {"a": 2.0, "b": 4.0, "c": 6.0, "d": 8.0, "e": 10.0}
    leaves = {name: torch.tensor(value, requires_grad=True) for name, value in values.items()}
    a, b, c, d, e = leaves.values()
    (a * b + c * d**2 / e).backward()
    name = min(leaves, key=lambda each: abs(leaves[each].grad.item()))
    said = {"a": "`a`, the smallest", "c": "`c`, which only scales a fraction", "e": "`e`, which is divided by"}
    return said.get(name, name)


@lesson.asks(
    "The second `y` is `x - x`: 0, whatever `x` is. What does `x.grad` hold after its `y.backward()`?",
    {
        "`None`": "So nothing would have come back. But the subtraction was recorded, and it sends something to each "
        "of its two inputs.",
        "`tensor(0.)`": "A difference sends 1 to its first input and −1 to its second. Both are `x`, and both arrive.",
        "`tensor(-1.)`": "So what comes last would replace what came before. Then the first `y` would give 3.",
        "`tensor(2.)`": "It does get two shares. But the local derivative to the second input of a difference has a "
        "minus.",
    },
)
def square(torch: ModuleType) -> object:
    x = torch.tensor(3.0, requires_grad=True)
    (x - x).backward()
    return x.grad


@lesson.asks(
    "minigrad lets you plug in an order of your own. With this one, what becomes of `x.grad`, which should be 39? Once "
    "the program says `h * (h + 1)`, once `(h + 1) * h`.",
    {
        "It is 39 both times: multiplication does not care about order": "The values do not care. The search follows "
        "the edges as they were written, and lists `h` as soon as it gets there.",
        "It is too large: `h` is visited twice": "Look at `listed`: the search never lists a node a second time. A "
        "node that is visited too early has another problem.",
        "It is too small both times": "Follow the search for `(h + 1) * h`. Its first edge leads to the sum, and the "
        "sum is a user of `h`.",
        "It is too small once, and right once": "In `h * (h + 1)` the search reaches `h` by the short path, and sends "
        "on what is there so far. With the factors swapped it happens to meet the sum first.",
    },
)
def order(torch: ModuleType) -> object:
    import minigrad
    from minigrad_course.explorers.racing import depth_first

    results = []
    spellings: list[Callable[[Tensor], Tensor]] = [lambda h: h * (h + 1), lambda h: (h + 1) * h]
    for spelling in spellings:
        x = torch.tensor(2.0, requires_grad=True)
        spelling(x * 3).backward()
        mine = minigrad.tensor(2.0, requires_grad=True)
        with minigrad.parts.replace("scalar.topological_order", depth_first):
            spelling(mine * 3).backward()
        results.append((mine.grad.item() > x.grad.item()) - (mine.grad.item() < x.grad.item()))
    return {
        (0, 0): "It is 39 both times: multiplication does not care about order",
        (-1, -1): "It is too small both times",
        (-1, 0): "It is too small once, and right once",
        (1, 1): "It is too large: `h` is visited twice",
    }.get((results[0], results[1]), str(results))


@lesson.asks(
    "What is `x.grad` after the second time round the loop?",
    {
        "`tensor([2., 4., 6.])`": "So `backward()` would begin with an empty `.grad` each time. Nothing in this loop "
        "clears it.",
        "`tensor([4., 8., 12.])`": "The second call adds to what the first one left, and nothing clears `.grad` for "
        "you: to start afresh, set `x.grad = None`.",
        "`tensor([4., 16., 36.])`": "So the second gradient would be multiplied by the first. What is kept in a leaf "
        "is not part of the graph.",
        "An error: the graph is used up": "Each time round the loop `x @ x` makes a new graph. Only the leaf is the "
        "same.",
    },
)
def twice_round(torch: ModuleType) -> object:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    for _ in range(2):
        (x @ x).backward()
    return x.grad
