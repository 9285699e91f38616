"""What is timed: the same work for every engine, written as its users would write it.

A workload is made for an engine by `made(workload, engine)`. It starts from the same numbers everywhere, and
`numbers()` gives what it has computed, so that a test can hold the engines against each other.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

RATE = 0.1  # of the updates

# Each engine with the module it lies in; "numpy" is the same work with the derivatives written out by hand.
ENGINES = {
    "minigrad": "minigrad",
    "numpy": "numpy",
    "torch": "torch",
    "micrograd": "micrograd.engine",
    "autograd": "autograd",
    "mygrad": "mygrad",
}


@dataclass
class Work:
    """`step()` does the work once; `numbers()` gives everything that it has computed."""

    step: Callable[[], Any]
    numbers: Callable[[], list[Any]]


class Missing(Exception):
    """The engine cannot do this work, or is not installed; the text says which."""


def made(workload: str, engine: str) -> Work:
    """The workload on an engine, ready to step. Missing if there is none."""
    make = WORKLOADS[workload].get(engine)
    if make is None:
        raise Missing(f"{engine} has no way to do it")
    try:
        module = importlib.import_module(ENGINES[engine])
    except ImportError:
        raise Missing(f"{engine} is not installed: pip install -e '.[bench]'") from None
    if engine == "torch":
        module.set_num_threads(1)
    return make(module)


# --- a classifier: 64-128-10, batch of 128, cross-entropy, one step of gradient descent --------------


def classifier_numbers() -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Inputs (128, 64) and weights as float32, and the right classes (128) as int64."""
    random = np.random.default_rng(0)
    inputs = random.standard_normal((128, 64), np.float32)
    classes = random.integers(0, 10, 128)
    shapes = [(64, 128), (128,), (128, 10), (10,)]
    return inputs, classes, [0.1 * random.standard_normal(shape, np.float32) for shape in shapes]


def classifier_torch(torch: Any) -> Work:
    """For torch and minigrad alike."""
    given, right, weights = classifier_numbers()
    inputs, classes = torch.tensor(given), torch.tensor(right)
    parameters = [torch.tensor(each, requires_grad=True) for each in weights]
    w1, b1, w2, b2 = parameters
    cross_entropy = torch.nn.functional.cross_entropy
    losses = []

    def step() -> None:
        loss = cross_entropy((inputs @ w1 + b1).relu() @ w2 + b2, classes)
        loss.backward()
        with torch.no_grad():
            for each in parameters:
                each -= RATE * each.grad
                each.grad = None
        losses[:] = [loss.item()]

    return Work(step, lambda: [losses[0], *(each.detach().numpy() for each in parameters)])


def classifier_numpy(_: Any) -> Work:
    inputs, classes, parameters = classifier_numbers()
    w1, b1, w2, b2 = parameters
    count = len(classes)
    rows = np.arange(count)
    losses = []

    def step() -> None:
        before = inputs @ w1 + b1
        hidden = np.maximum(before, 0)
        scores = hidden @ w2 + b2
        shifted = scores - scores.max(1, keepdims=True)
        powers = np.exp(shifted)
        sums = powers.sum(1, keepdims=True)
        loss = (np.log(sums[:, 0]) - shifted[rows, classes]).mean()
        slope = powers / sums
        slope[rows, classes] -= 1
        slope /= count
        slope_w2, slope_b2 = hidden.T @ slope, slope.sum(0)
        back = (slope @ w2.T) * (before > 0)
        slope_w1, slope_b1 = inputs.T @ back, back.sum(0)
        for each, its in zip(parameters, (slope_w1, slope_b1, slope_w2, slope_b2), strict=True):
            each -= RATE * its
        losses[:] = [loss]

    return Work(step, lambda: [losses[0], *parameters])


def descent_of_autograd(autograd: Any, loss_of: Callable[[list[Any]], Any], parameters: list[Any]) -> Work:
    """Steps of gradient descent with autograd, from the loss as a function of the parameters."""
    slopes_of, losses = autograd.value_and_grad(loss_of), []

    def step() -> None:
        loss, slopes = slopes_of(parameters)
        for each, its in zip(parameters, slopes, strict=True):
            each -= RATE * its
        losses[:] = [loss]

    return Work(step, lambda: [losses[0], *parameters])


def descent_of_mygrad(loss_of: Callable[[], Any], parameters: list[Any]) -> Work:
    """Steps of gradient descent with mygrad, from what computes the loss."""
    losses = []

    def step() -> None:
        loss = loss_of()
        loss.backward()
        for each in parameters:
            each.data -= RATE * each.grad
            each.null_grad()
        losses[:] = [loss.item()]

    return Work(step, lambda: [losses[0], *(each.data for each in parameters)])


def classifier_autograd(autograd: Any) -> Work:
    anp = importlib.import_module("autograd.numpy")
    inputs, classes, parameters = classifier_numbers()
    rows = np.arange(len(classes))

    def loss_of(weights: list[Any]) -> Any:
        w1, b1, w2, b2 = weights
        scores = anp.maximum(inputs @ w1 + b1, 0) @ w2 + b2
        shifted = scores - anp.max(scores, 1, keepdims=True)
        return anp.mean(anp.log(anp.sum(anp.exp(shifted), 1)) - shifted[rows, classes])

    return descent_of_autograd(autograd, loss_of, parameters)


def classifier_mygrad(mygrad: Any) -> Work:
    nnet = importlib.import_module("mygrad.nnet")
    inputs, classes, weights = classifier_numbers()
    parameters = [mygrad.tensor(each) for each in weights]
    w1, b1, w2, b2 = parameters

    def loss_of() -> Any:
        hidden = nnet.activations.relu(mygrad.matmul(inputs, w1) + b1)
        return nnet.losses.softmax_crossentropy(mygrad.matmul(hidden, w2) + b2, classes)

    return descent_of_mygrad(loss_of, parameters)


# --- a small regression: 2-16-16-1 on 100 points, mean squared error, one step ------------------------

SIZES = [2, 16, 16, 1]


def regression_numbers() -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Points (100, 2), values (100, 1), and a weight and a bias for each layer; all float32."""
    random = np.random.default_rng(1)
    points = random.standard_normal((100, 2), np.float32)
    values = np.sin(points[:, :1]) * points[:, 1:]
    parameters = []
    for into, out in itertools.pairwise(SIZES):
        parameters += [0.5 * random.standard_normal((into, out), np.float32), np.zeros(out, np.float32)]
    return points, values, parameters


def regression_torch(torch: Any) -> Work:
    """For torch and minigrad alike."""
    given, wanted, weights = regression_numbers()
    points, values = torch.tensor(given), torch.tensor(wanted)
    parameters = [torch.tensor(each, requires_grad=True) for each in weights]
    w1, b1, w2, b2, w3, b3 = parameters
    losses = []

    def step() -> None:
        hidden = (points @ w1 + b1).relu()
        hidden = (hidden @ w2 + b2).relu()
        loss = ((hidden @ w3 + b3 - values) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for each in parameters:
                each -= RATE * each.grad
                each.grad = None
        losses[:] = [loss.item()]

    return Work(step, lambda: [losses[0], *(each.detach().numpy() for each in parameters)])


def regression_numpy(_: Any) -> Work:
    points, values, parameters = regression_numbers()
    w1, b1, w2, b2, w3, b3 = parameters
    losses = []

    def step() -> None:
        one = np.maximum(points @ w1 + b1, 0)
        two = np.maximum(one @ w2 + b2, 0)
        missed = two @ w3 + b3 - values
        loss = (missed**2).mean()
        slope = missed * np.float32(2 / len(missed))
        slope_w3, slope_b3 = two.T @ slope, slope.sum(0)
        back = (slope @ w3.T) * (two > 0)
        slope_w2, slope_b2 = one.T @ back, back.sum(0)
        back = (back @ w2.T) * (one > 0)
        slope_w1, slope_b1 = points.T @ back, back.sum(0)
        for each, its in zip(parameters, (slope_w1, slope_b1, slope_w2, slope_b2, slope_w3, slope_b3), strict=True):
            each -= RATE * its
        losses[:] = [loss]

    return Work(step, lambda: [losses[0], *parameters])


def regression_autograd(autograd: Any) -> Work:
    anp = importlib.import_module("autograd.numpy")
    points, values, parameters = regression_numbers()

    def loss_of(weights: list[Any]) -> Any:
        w1, b1, w2, b2, w3, b3 = weights
        hidden = anp.maximum(points @ w1 + b1, 0)
        hidden = anp.maximum(hidden @ w2 + b2, 0)
        return anp.mean((hidden @ w3 + b3 - values) ** 2)

    return descent_of_autograd(autograd, loss_of, parameters)


def regression_mygrad(mygrad: Any) -> Work:
    relu = importlib.import_module("mygrad.nnet").activations.relu
    points, values, weights = regression_numbers()
    parameters = [mygrad.tensor(each) for each in weights]
    w1, b1, w2, b2, w3, b3 = parameters

    def loss_of() -> Any:
        hidden = relu(mygrad.matmul(points, w1) + b1)
        hidden = relu(mygrad.matmul(hidden, w2) + b2)
        return mygrad.mean((mygrad.matmul(hidden, w3) + b3 - values) ** 2)

    return descent_of_mygrad(loss_of, parameters)


def regression_micrograd(_: Any) -> Work:
    """One scalar at a time, in micrograd's own MLP."""
    network = importlib.import_module("micrograd.nn").MLP(SIZES[0], SIZES[1:])
    points, values, weights = regression_numbers()
    for layer, weight, bias in zip(network.layers, weights[::2], weights[1::2], strict=True):
        for neuron, column, offset in zip(layer.neurons, weight.T.tolist(), bias.tolist(), strict=True):
            neuron.b.data = offset
            for value, number in zip(neuron.w, column, strict=True):
                value.data = number
    rows, wanted = points.tolist(), values[:, 0].tolist()
    losses = []

    def step() -> None:
        missed = [network(row) - value for row, value in zip(rows, wanted, strict=True)]
        loss = sum((each**2 for each in missed[1:]), missed[0] ** 2) * (1 / len(missed))
        loss.backward()
        for each in network.parameters():
            each.data -= RATE * each.grad
        network.zero_grad()
        losses[:] = [loss.data]

    def numbers() -> list[Any]:
        found = [losses[0]]
        for layer in network.layers:
            found.append(np.array([[value.data for value in neuron.w] for neuron in layer.neurons]).T)
            found.append(np.array([neuron.b.data for neuron in layer.neurons]))
        return found

    return Work(step, numbers)


# --- x * y + w on three scalars ----------------------------------------------------------------------

SCALARS = (3.0, -2.0, 10.0)


def scalars_torch(torch: Any) -> Work:
    """For torch and minigrad alike: tensors without dimensions."""
    x, y, w = (torch.tensor(each, requires_grad=True) for each in SCALARS)
    slopes = []

    def step() -> None:
        z = x * y + w
        z.backward()
        slopes[:] = [z, x.grad, y.grad, w.grad]
        x.grad = y.grad = w.grad = None

    return Work(step, lambda: [each.item() for each in slopes])


def scalars_numpy(_: Any) -> Work:
    x, y, w = (np.float32(each) for each in SCALARS)
    slopes = []

    def step() -> None:
        z = x * y + w
        one = np.float32(1)
        slopes[:] = [z, one * y, one * x, one]

    return Work(step, lambda: [each.item() for each in slopes])


def scalars_micrograd(micrograd: Any) -> Work:
    x, y, w = (micrograd.Value(each) for each in SCALARS)
    slopes = []

    def step() -> None:
        z = x * y + w
        z.backward()
        slopes[:] = [z.data, x.grad, y.grad, w.grad]
        x.grad = y.grad = w.grad = 0

    return Work(step, lambda: list(slopes))


def scalars_autograd(autograd: Any) -> Work:
    slopes_of = autograd.value_and_grad(lambda x, y, w: x * y + w, argnum=(0, 1, 2))
    slopes = []

    def step() -> None:
        z, (x, y, w) = slopes_of(*SCALARS)
        slopes[:] = [z, x, y, w]

    return Work(step, lambda: [float(each) for each in slopes])


def scalars_mygrad(mygrad: Any) -> Work:
    x, y, w = (mygrad.tensor(each) for each in SCALARS)
    slopes = []

    def step() -> None:
        z = x * y + w
        z.backward()
        slopes[:] = [z, x.grad, y.grad, w.grad]
        x.null_grad()
        y.null_grad()
        w.null_grad()

    return Work(step, lambda: [each.item() for each in slopes])


# --- a chain of multiplications by the same scalar: built, walked back, freed --------------------------

CHAIN = 10_000
LONG_CHAIN = 1_000_000


@contextlib.contextmanager
def room_for(calls: int) -> Iterator[None]:
    """A higher limit, for engines that go down a graph by calls inside calls."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + calls)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def idle() -> None:
    """What a chain does between the way there and the way back; a measurement of memory comes here."""


def chain_torch(torch: Any, length: int = CHAIN, standing: Callable[[], Any] = idle) -> Work:
    """For torch and minigrad alike."""
    x = torch.tensor(1.0, requires_grad=True)
    slopes = []

    def step() -> None:
        t = x
        for _ in range(length):
            t = t * x
        standing()
        t.backward()
        slopes[:] = [x.grad]
        x.grad = None

    return Work(step, lambda: [each.item() for each in slopes])


def chain_numpy(_: Any, length: int = CHAIN, standing: Callable[[], Any] = idle) -> Work:
    x = np.float32(1)
    slopes = []

    def step() -> None:
        values = [x]
        for _ in range(length):
            values.append(values[-1] * x)
        standing()
        slope, total = np.float32(1), np.float32(0)
        for value in reversed(values[:-1]):
            total += slope * value
            slope = slope * x
        slopes[:] = [total + slope]

    return Work(step, lambda: [each.item() for each in slopes])


def chain_micrograd(micrograd: Any, length: int = CHAIN, standing: Callable[[], Any] = idle) -> Work:
    x = micrograd.Value(1.0)
    slopes = []

    def step() -> None:
        t = x
        for _ in range(length):
            t = t * x
        standing()
        with room_for(2 * length):
            t.backward()
        slopes[:] = [x.grad]
        x.grad = 0

    return Work(step, lambda: list(slopes))


def chain_autograd(autograd: Any, length: int = CHAIN, standing: Callable[[], Any] = idle) -> Work:
    def power(x: Any) -> Any:
        t = x
        for _ in range(length):
            t = t * x
        standing()
        return t

    slope_of = autograd.grad(power)
    slopes = []

    def step() -> None:
        slopes[:] = [slope_of(1.0)]

    return Work(step, lambda: [float(each) for each in slopes])


def chain_mygrad(mygrad: Any, length: int = CHAIN, standing: Callable[[], Any] = idle) -> Work:
    x = mygrad.tensor(1.0)
    slopes = []

    def step() -> None:
        t = x
        for _ in range(length):
            t = t * x
        standing()
        with room_for(10 * length):
            t.backward()
        slopes[:] = [x.grad]
        x.null_grad()

    return Work(step, lambda: [each.item() for each in slopes])


def long(make: Callable[..., Work]) -> Callable[[Any], Work]:
    """The same chain, a hundred times as long."""
    return lambda module: make(module, LONG_CHAIN)


CHAINS = {
    "minigrad": chain_torch,
    "numpy": chain_numpy,
    "torch": chain_torch,
    "micrograd": chain_micrograd,
    "autograd": chain_autograd,
    "mygrad": chain_mygrad,
}

WORKLOADS: dict[str, dict[str, Callable[[Any], Work]]] = {
    # micrograd would need two million objects for one step of this one.
    "classifier": {
        "minigrad": classifier_torch,
        "numpy": classifier_numpy,
        "torch": classifier_torch,
        "autograd": classifier_autograd,
        "mygrad": classifier_mygrad,
    },
    "regression": {
        "minigrad": regression_torch,
        "numpy": regression_numpy,
        "torch": regression_torch,
        "micrograd": regression_micrograd,
        "autograd": regression_autograd,
        "mygrad": regression_mygrad,
    },
    "scalars": {
        "minigrad": scalars_torch,
        "numpy": scalars_numpy,
        "torch": scalars_torch,
        "micrograd": scalars_micrograd,
        "autograd": scalars_autograd,
        "mygrad": scalars_mygrad,
    },
    "chain": dict(CHAINS),
    # autograd and mygrad take minutes for it.
    "long chain": {engine: long(CHAINS[engine]) for engine in ("minigrad", "numpy", "torch", "micrograd")},
}
