"""Time training steps and derivatives as users write them beside torch: `python benchmarks/workloads.py`.

As in `operations.py` both engines take turns in one process with one thread, and the fastest call of each counts. Then
each workload runs alone, once in a process of each engine, for the most memory that it takes above the import.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import math
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from operations import by_turns, geometric_mean, loaded, table, with_one_thread
from rich.console import Console
from rich.progress import track
from run import multiple

GOALS = (1.35, 2.5)  # the geometric mean and the worst that we want, as multiples of torch's time
TURNS, TURN = 5, 0.3
STEPS = 5  # of which the most memory is taken
WORKLOADS: dict[str, tuple[str, Callable[[Any], Callable[[], object]]]] = {}


def workload(title: str) -> Callable:
    """Decorator: a function that takes an engine and gives a step, whose result does not depend on the engine."""

    def add(make: Callable) -> Callable:
        WORKLOADS[make.__name__] = title, make
        return make

    return add


def mlp(torch: Any, sizes: tuple[int, ...], activation: str) -> Any:
    """Linear layers with an activation between them, from seed 0."""
    torch.manual_seed(0)
    layers: list = []
    for pair in itertools.pairwise(sizes):
        layers += [torch.nn.Linear(*pair), getattr(torch.nn, activation)()]
    return torch.nn.Sequential(*layers[:-1])


def trained(torch: Any, parameters: Any, optimizer: str, rate: float, loss: Callable) -> Callable:
    """A step of an optimizer; it gives the loss."""
    chosen = getattr(torch.optim, optimizer)([*parameters], rate)

    def step() -> Any:
        chosen.zero_grad()
        value = loss()
        value.backward()
        chosen.step()
        return value

    return step


def classified(torch: Any, net: Any, features: int, classes: int, optimizer: str, rate: float) -> Callable:
    """Steps of training on a batch of 128."""
    x, y = torch.randn(128, features), torch.arange(128) % classes
    return trained(torch, net.parameters(), optimizer, rate, lambda: torch.nn.functional.cross_entropy(net(x), y))


@workload("MLP 784-256-256-10 with ReLU, batch 128, SGD step")
def mlp_sgd(torch: Any) -> Callable:
    return classified(torch, mlp(torch, (784, 256, 256, 10), "ReLU"), 784, 10, "SGD", 0.1)


@workload("MLP 784-256-256-10 with tanh, batch 128, Adam step")
def mlp_adam(torch: Any) -> Callable:
    return classified(torch, mlp(torch, (784, 256, 256, 10), "Tanh"), 784, 10, "Adam", 1e-3)


@workload("Linear 64-128, BatchNorm1d, GELU, Linear 128-10, batch 128, AdamW step")
def batch_norm(torch: Any) -> Callable:
    torch.manual_seed(0)
    nn = torch.nn
    net = nn.Sequential(nn.Linear(64, 128), nn.BatchNorm1d(128), nn.GELU(), nn.Linear(128, 10))
    return classified(torch, net, 64, 10, "AdamW", 1e-3)


@workload("transformer block, batch 8, 32 tokens, 64 numbers, 4 heads, AdamW step")
def transformer(torch: Any) -> Callable:
    torch.manual_seed(0)
    nn, batch, tokens, size, heads, words = torch.nn, 8, 32, 64, 4, 65
    embedding, first, second = nn.Embedding(words, size), nn.LayerNorm(size), nn.LayerNorm(size)
    into, out_of = nn.Linear(size, 3 * size), nn.Linear(size, size)
    wide, narrow, head = nn.Linear(size, 4 * size), nn.Linear(4 * size, size), nn.Linear(size, words)
    layers = [embedding, first, second, into, out_of, wide, narrow, head]
    given = (torch.arange(batch * tokens) * 7 % words).reshape(batch, tokens)
    right = torch.arange(batch * tokens) * 5 % words
    later = torch.ones(tokens, tokens).tril() == 0

    def loss() -> Any:
        x = embedding(given)
        q, k, v = [
            part.view(batch, tokens, heads, size // heads).transpose(1, 2) for part in into(first(x)).split(size, dim=2)
        ]
        scores = ((q @ k.transpose(-2, -1)) * (size // heads) ** -0.5).masked_fill(later, float("-inf"))
        x = x + out_of((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, tokens, size))
        x = x + narrow(nn.functional.gelu(wide(second(x))))
        return nn.functional.cross_entropy(head(x).reshape(-1, words), right)

    return trained(torch, [item for layer in layers for item in layer.parameters()], "AdamW", 1e-3, loss)


@workload("makemore's MLP: embedding by index, tanh, cross-entropy, a step by hand")
def makemore(torch: Any) -> Callable:
    torch.manual_seed(0)
    shapes = (27, 10), (30, 200), (200,), (200, 27), (27,)
    parameters = [torch.randn(shape).mul_(0.1).requires_grad_() for shape in shapes]
    table, w1, b1, w2, b2 = parameters
    x, y = (torch.arange(96) * 5 % 27).reshape(32, 3), torch.arange(32) % 27

    def step() -> Any:
        hidden = torch.tanh(table[x].view(-1, 30) @ w1 + b1)
        loss = torch.nn.functional.cross_entropy(hidden @ w2 + b2, y)
        for item in parameters:
            item.grad = None
        loss.backward()
        for item in parameters:
            item.data += -0.01 * item.grad
        return loss

    return step


@workload("RNN of 50 steps by hand, batch 8, 32 numbers")
def rnn(torch: Any) -> Callable:
    torch.manual_seed(0)
    w, u = [torch.randn(rows, 32).mul_(0.1).requires_grad_() for rows in (16, 32)]
    x = torch.randn(50, 8, 16)

    def step() -> Any:
        state = torch.zeros(8, 32)
        for now in range(50):
            state = torch.tanh(x[now] @ w + state @ u)
        w.grad = u.grad = None
        state.sum().backward()
        return u.grad

    return step


@workload("autograd.functional.jacobian of a net 50-50-50")
def jacobian(torch: Any) -> Callable:
    net, x = mlp(torch, (50, 50, 50), "Tanh"), torch.randn(50)
    return lambda: torch.autograd.functional.jacobian(net, x)


@workload("func.jacrev of a net 50-50-50")
def jacrev(torch: Any) -> Callable:
    net, x = mlp(torch, (50, 50, 50), "Tanh"), torch.randn(50)
    return lambda: torch.func.jacrev(net)(x)


@workload("autograd.functional.hessian of a net 30-30-1")
def hessian(torch: Any) -> Callable:
    net, x = mlp(torch, (30, 30, 1), "Tanh"), torch.randn(30)
    return lambda: torch.autograd.functional.hessian(lambda x: net(x).sum(), x)


@workload("gradient penalty: backward through a gradient, batch 100")
def gradient_penalty(torch: Any) -> Callable:
    net, x = mlp(torch, (10, 64, 1), "Tanh"), torch.randn(100, 10, requires_grad=True)

    def step() -> Any:
        net.zero_grad()
        (slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        penalty = ((slope.norm(dim=1) - 1) ** 2).mean()
        penalty.backward()
        return penalty

    return step


@workload("gradients of 64 samples: vmap(grad(functional_call))")
def per_sample(torch: Any) -> Callable:
    net, x = mlp(torch, (10, 32, 1), "Tanh"), torch.randn(64, 10)
    parameters = {name: item.detach() for name, item in net.named_parameters()}
    of_one = torch.func.grad(lambda parameters, x: torch.func.functional_call(net, parameters, (x,)).sum())
    return lambda: torch.func.vmap(of_one, (None, 0))(parameters, x)["0.weight"]


@workload("gradcheck of 6 numbers")
def gradcheck(torch: Any) -> Callable:
    torch.manual_seed(0)
    x = torch.randn(6, dtype=torch.float64, requires_grad=True)
    return lambda: torch.tensor(torch.autograd.gradcheck(lambda x: (x.exp() * x).sum(), (x,)))


@workload("repr of 1,000 numbers")
def printed(torch: Any) -> Callable:
    torch.manual_seed(0)
    x = torch.randn(1000)
    return lambda: torch.tensor(len(repr(x)))


@workload("tolist of 100,000 numbers")
def listed(torch: Any) -> Callable:
    torch.manual_seed(0)
    x = torch.randn(100_000)
    return lambda: torch.tensor(len(x.tolist()))


@workload("DataLoader of 2,000 rows, shuffled, in batches of 32")
def loader(torch: Any) -> Callable:
    torch.manual_seed(0)
    rows = torch.utils.data.TensorDataset(torch.randn(2000, 8), torch.arange(2000))
    batches = torch.utils.data.DataLoader(rows, batch_size=32, shuffle=True)
    return lambda: torch.stack([y.sum() for _, y in batches]).sum()


def by_turns_anew(make: Callable, engines: list[Any]) -> list[float]:
    """The seconds of the fastest step of each engine. Each turn begins anew: a network that has learned its batch by
    heart computes with numbers so small that processors are slow with them.
    """
    best = [math.inf] * len(engines)
    for _ in range(TURNS):
        best = [min(known, *by_turns([make(engine)], 1, TURN)) for known, engine in zip(best, engines, strict=True)]
    return best


def peak() -> int:
    """The most memory that this process has had, in bytes. On Linux getrusage counts that of the parent as well."""
    with contextlib.suppress(OSError):
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return 1024 * int(status.partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def alone(name: str, engine: str) -> None:
    """Print what some steps take above the import of the engine."""
    (module,) = loaded([engine])
    module.randn(2, 2, requires_grad=True).mm(module.randn(2, 2)).sum().backward()
    before = peak()
    step = WORKLOADS[name][1](module)
    for _ in range(STEPS):
        step()
    print(peak() - before)


def memory(name: str, engine: str) -> int:
    """The same of a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--alone", name, engine], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def report(seconds: dict[str, list[float]], kept: dict[str, list[int]]) -> str:
    """The table, the slowest first, and below it the mean and the worst beside what we want."""
    ratios = {name: ours / torch for name, (ours, torch) in seconds.items()}
    lines = [["workload", "minigrad / torch", "torch", *(["memory, minigrad", "torch"] if kept else [])]]
    for name in sorted(ratios, key=ratios.__getitem__, reverse=True):
        sizes = [f"{size / 1e6:.1f} MB" for size in kept.get(name, ())]
        lines.append(
            [f"{name}: {WORKLOADS[name][0]}", multiple(ratios[name]), f"{seconds[name][1] * 1e3:.3g} ms", *sizes]
        )
    mean, worst = geometric_mean(ratios.values()), max(ratios.values())
    text = f"Geometric mean {multiple(mean)} (wanted: {GOALS[0]}), worst {multiple(worst)} (wanted: {GOALS[1]})."
    return f"{table(lines, 'l' + 'r' * (len(lines[0]) - 1))}\n\n{text}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Time workloads of minigrad beside torch.")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=list(WORKLOADS), help="only these workloads")
    parser.add_argument("--no-memory", action="store_true", help="leave out the memory, two processes for each")
    parser.add_argument("--alone", nargs=2, metavar=("NAME", "ENGINE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        alone(*options.alone)
        return
    if unknown := [name for name in options.only if name not in WORKLOADS]:
        parser.error(f"no such workload: {', '.join(unknown)}. There are: {' '.join(WORKLOADS)}")
    with_one_thread()
    engines = loaded()
    seconds: dict[str, list[float]] = {}
    kept: dict[str, list[int]] = {}
    for name in track(options.only, "workloads", console=Console(stderr=True), transient=True):
        seconds[name] = by_turns_anew(WORKLOADS[name][1], engines)
        if not options.no_memory:
            kept[name] = [memory(name, engine.__name__) for engine in engines]
    print(report(seconds, kept))


if __name__ == "__main__":
    main()
