"""What lesson 5 asks. What a program needs of the lesson is handed on to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

import minigrad
from minigrad_course.chapters import silent
from minigrad_course.predictions import Lesson

Train = Callable[..., tuple[Any, list[float]]]  # gives a network, of the lesson's own class, and its losses

lesson = Lesson("05_train_a_network")


@lesson.asks(
    "`w.grad` has shape `[5, 3]`, and all 15 weights are different. How many different rows does it have?",
    {
        "5": "So each row of weights would have a gradient of its own. But the chain rule gives ∂L/∂Wᵢⱼ = xᵢ · ∂L/∂zⱼ, "
        "and here every xᵢ is 1.",
        "3": "There are three outputs, and they make the columns differ. Rows belong to inputs.",
        "1": "Row i is xᵢ times the upstream gradient of `z`, and here every xᵢ is 1. The weights count only through "
        "`z`.",
    },
)
def rows(torch: ModuleType) -> object:
    torch.manual_seed(0)
    w, b = torch.randn(5, 3, requires_grad=True), torch.randn(3)
    torch.nn.functional.binary_cross_entropy_with_logits(torch.ones(5) @ w + b, torch.zeros(3)).backward()
    return len({tuple(row) for row in w.grad.tolist()})


@lesson.asks(
    "Two losses, two calls of `backward()`, and only now a step with `lr=0.1`. The gradients are `[3, 3]` and `[2, "
    "4]`. What is `w`, which was `[1, 2]`, afterwards?",
    {
        "`tensor([0.7000, 1.7000])`": "So only the first gradient would count. But nothing keeps the second "
        "`backward()` from adding its own.",
        "`tensor([0.8000, 1.6000])`": "So the second call would have replaced what the first one left. A leaf adds.",
        "`tensor([0.5000, 1.3000])`": "`step()` follows what stands in `.grad`: the sum, `[5, 7]`. It changes the leaf "
        "in place, and does not clear `.grad`.",
        "`tensor([0.7500, 1.6500])`": "So it would follow the mean of both. Gradients are added, and nobody divides.",
    },
)
def both_losses(torch: ModuleType) -> object:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    (3 * w).sum().backward()
    (w @ w).backward()
    optimizer.step()
    return w.detach()


LOSSES = {
    0.0: "A loss of 0 would mean that it is sure, and right, about every point. It has not learned anything yet.",
    0.5: "It is wrong about half of the points, but the loss does not count errors. It is −log of a probability.",
    0.69: "The right class gets about one half, and −log ½ = 0.69: the loss of knowing nothing, with two classes.",
    2.3: "−log 0.1 would be the loss of knowing nothing with ten classes. Here there are two.",
}


@lesson.asks(
    "The weights are random and small, and nothing is learned yet. What is the first loss?",
    {f"about {item:g}": said for item, said in LOSSES.items()},
)
def first_loss(torch: ModuleType, begun: Callable[[ModuleType], tuple[object, Callable[[], float]]]) -> object:
    _, step = begun(torch)
    loss = step()
    return f"about {min(LOSSES, key=lambda item: abs(item - loss)):g}"


@lesson.asks(
    "The network has two products of matrices and two of a matrix with a vector, and takes 300 steps. How often does "
    "`matmul.backward` run?",
    {
        "300": "Once per step would do for a network with one product of matrices. This one has two.",
        "600": "Two nodes, 300 steps. A node runs once per pass, however many points go through it, and returns the "
        "shares of both factors in one call.",
        "1,200": "You may count one call for each factor, or the products with a vector as well. One call returns both "
        "shares, and a vector goes through `mv`.",
        "72,000": "That is one call for each of the 120 points. All points go through the product together, as the "
        "rows of one matrix.",
    },
)
def how_often(torch: ModuleType, train: Train, steps: int) -> object:
    network, _ = train(torch, range(0))
    loss = network.loss(torch.ones(3, 2).double(), torch.tensor([0, 1, 1]))
    waiting, result = [loss.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is not None and node not in result:
            result.add(node)
            waiting += [next_node for next_node, _ in node.next_functions]
    return f"{steps * sum(node.name() == 'MmBackward0' for node in result):,}"


@lesson.asks(
    "Between the steps 10 and 20 the loss falls more slowly than before and after: from 0.60 to 0.56. What does the "
    "boundary look like after 20 steps?",
    {
        "nearly a straight line": "It is about as good as a straight line can be. From there every small change helps "
        "little, so the gradient is small and the loss falls slowly.",
        "a ring": "The arms wind around each other, and the inner end of each lies as near to the centre as that of "
        "the other. A ring would hardly part them.",
        "half a spiral": "Half a spiral would be right about many more points, and the loss would be much lower than "
        "0.56.",
    },
)
def boundary(torch: ModuleType, train: Train) -> object:
    network, _ = train(torch, range(20))
    side = np.linspace(-1, 1, 41)
    plane = np.stack(np.meshgrid(side, side), -1).reshape(-1, 2)
    positive = np.argmax(network(torch.tensor(plane)).tolist(), 1) == 1
    corners = np.hstack([plane, np.ones((len(plane), 1))])
    line, *_ = np.linalg.lstsq(corners, positive - 0.5, rcond=None)
    if np.mean((corners @ line > 0) == positive) > 0.9:
        return "nearly a straight line"
    far = np.hypot(*plane.T) > 0.9
    return "a ring" if abs(positive[far].mean() - 0.5) > 0.4 else "half a spiral"


@lesson.asks(
    "torch runs the same function with the same seed: 300 steps, each built on the one before, so that any difference "
    "may grow. How far apart are the two loss curves at most?",
    {
        "more than 10⁻²": "You would see that in a plot. Both start from the same weights and compute the same "
        "derivatives.",
        "between 10⁻⁵ and 10⁻²": "Rounding in 32 bits might grow to that. `double()` asks for 64, with errors near "
        "10⁻¹⁶.",
        "less than 10⁻⁵": "Both compute the same derivatives in the same precision, and what is left is rounding in "
        "the last bits.",
    },
)
def curves(torch: ModuleType, train: Train, ours: list[float]) -> object:
    _, theirs = train(torch, range(len(ours)))
    apart = max(abs(one - other) for one, other in zip(ours, theirs, strict=True))
    return "more than 10⁻²" if apart > 1e-2 else "less than 10⁻⁵" if apart < 1e-5 else "between 10⁻⁵ and 10⁻²"


@lesson.asks(
    "With sigmoids, how does the first layer's gradient compare with the last one's?",
    {
        "about equal": "On its way back the gradient is multiplied once per layer. To stay equal, the factors would "
        "have to be near 1.",
        "100 times smaller": "The derivative of a sigmoid is at most ¼, and there are seven of them on the way: ¼⁷ is "
        "already less than 1/10,000.",
        "more than 100,000 times smaller": "The derivative of a sigmoid is at most ¼. Seven of them make at most 4⁻⁷ ≈ "
        "6·10⁻⁵, and small weights do the rest.",
    },
)
def deep_sigmoids(torch: ModuleType, norms: Callable[[ModuleType, object], Sequence[float]]) -> object:
    first, *_, last = norms(torch, torch.nn.Sigmoid)
    ratio = last / first
    choices = {1: "about equal", 100: "100 times smaller"}
    return next((said for most, said in choices.items() if ratio < 10 * most), "more than 100,000 times smaller")


@lesson.asks(
    "How many of 300 images that it has never seen does it get right?",
    {
        "about a third": "That is guessing among three kinds. It has seen 120 images, and its loss has fallen.",
        "about two thirds": "So it would have learned its images by heart. But a shape moves and the noise changes "
        "even among those, so by heart does not get far.",
        "more than nine in ten": "From 120 images it has learned the shapes, not the images.",
    },
)
def unseen(
    torch: ModuleType,
    reader: Callable[[minigrad.Tensor], minigrad.Tensor],
    drawn: Callable[..., tuple[np.ndarray, np.ndarray]],
) -> object:
    images, kinds = drawn(300, seed=12)
    share = np.mean(np.argmax(reader(minigrad.tensor(images)).tolist(), 1) == kinds)
    return "more than nine in ten" if share > 0.9 else "about two thirds" if share > 0.5 else "about a third"


@lesson.asks(
    "Three of the seven give the same 100 losses, to the last digit. Which?",
    {
        "detached, no_grad left on, and left out": "In all three the first layer stays where it was, and the last one "
        "learns alone. Only `.grad` of the first layer tells one of them from the others.",
        "detached, no_grad left on, and every pair": "The first two have the same effect. But every pair changes the "
        "loss itself, from the first step on.",
        "not cleared, sum for mean, and every pair": "All three change the gradient, and each changes it in another "
        "way.",
        "none: each leaves losses of its own": "Look at what each of them does to the leaves, not at how it is "
        "written.",
    },
)
def alike(torch: ModuleType) -> object:
    losses = {name: tuple(silent.ran(torch, name)["losses"]) for name in silent.CHANGES if name != "right"}
    same = [name for name, each in losses.items() if list(losses.values()).count(each) > 1]
    return f"{', '.join(same[:-1])}, and {same[-1]}" if same else "none: each leaves losses of its own"


@lesson.asks(
    "An optimizer is given `Scaled().parameters()`. Which of the two tensors does it get?",
    {
        "both: both require grad": "A module does not look at the flag. It lists what was registered with it, and that "
        "takes more than `requires_grad`.",
        "only `scale`": "It is a plain tensor with a flag. How would a module know that it is meant to be trained?",
        "only `shift`": "A `Parameter` is what a module lists. `scale` is a leaf and will receive its gradient, and "
        "nobody will ever use it.",
        "neither: nothing was registered": "Setting an attribute of a module does register it, if it is of the right "
        "kind.",
    },
)
def registered(torch: Any) -> object:  # for a class in it to extend one of its classes
    class Scaled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.ones(3, requires_grad=True)
            self.shift = torch.nn.Parameter(torch.zeros(3))

    names = [name for name, _ in Scaled().named_parameters()]
    return {2: "both: both require grad", 0: "neither: nothing was registered"}.get(len(names), f"only {names[0]}")
