"""Time each operation, forward and backward, beside torch: `python benchmarks/operations.py`.

Both engines run in this process, with one thread, in short turns one after the other, so that whatever else the
machine does hits both; what counts is the fastest call of each. A figure is minigrad's time divided by torch's: below
1, minigrad is faster. The worst rows stand first.

    python benchmarks/operations.py --only gelu topk --sizes 1000 1000000
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import itertools
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from run import ONE_THREAD, multiple

SIZES = (8, 1_000, 1_000_000)
GROWING = (1_000, 100_000, 10_000_000)  # numbers of entries from which slopes are taken
# The geometric mean of all operations and the worst of them that we want at a size, as multiples of torch's time.
GOALS = {8: (0.9, 2.0), 1_000: (1.2, 2.0), 1_000_000: (1.6, 4.5)}
TURNS, TURN = 5, 0.03  # how many turns an engine has, and the seconds that each of them takes
LARGE = 100_000  # entries; from here on a turn takes longer


@dataclass(frozen=True)
class Operation:
    """`function(engine, *tensors)`, for this many vectors or matrices of float32."""

    function: Callable[..., Any]
    count: int = 1
    matrix: bool = False
    positive: bool = False  # entries of at least 0.5, where the function has no value for others
    most: int = 10**9  # entries, where the work grows faster than their number


OPERATIONS: dict[str, Operation] = {}


def of_vectors(count: int = 1, positive: bool = False, **functions: Callable[..., Any]) -> None:
    for name, function in functions.items():
        OPERATIONS[name] = Operation(function, count, positive=positive)


def of_matrix(most: int = 10**9, **functions: Callable[..., Any]) -> None:
    for name, function in functions.items():
        OPERATIONS[name] = Operation(function, matrix=True, most=most)


def named(name: str, place: str = "") -> Callable[..., Any]:
    """The engine's function of this name."""
    path = [*filter(None, place.split(".")), name]
    return lambda engine, x: functools.reduce(getattr, path, engine)(x)


def classes(engine: Any, x: Any) -> Any:
    """Class 0 for each row."""
    return engine.zeros(x.shape[0], dtype=engine.int64)


for each in [
    "exp",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "relu",
    "abs",
    "neg",
    "square",
    "erf",
    "expm1",
    "atan",
    "floor",
    "sign",
]:
    of_vectors(**{each: named(each)})
for each in ["log", "sqrt", "rsqrt", "log1p", "reciprocal"]:
    of_vectors(positive=True, **{each: named(each)})
for each in ["softplus", "gelu", "silu", "leaky_relu", "elu"]:
    of_vectors(**{each: named(each, "nn.functional")})
of_vectors(
    clamp=lambda engine, x: x.clamp(-0.5, 0.5),
    sum=lambda engine, x: x.sum(),
    mean=lambda engine, x: x.mean(),
    var=lambda engine, x: x.var(),
    std=lambda engine, x: x.std(),
    norm=lambda engine, x: x.norm(),
    prod=lambda engine, x: x.prod(),
    max=lambda engine, x: x.max(),
    pow2=lambda engine, x: x**2,
    pow3=lambda engine, x: x**3,
    logsumexp=lambda engine, x: engine.logsumexp(x, 0),
    cumsum=lambda engine, x: x.cumsum(0),
    cumprod=lambda engine, x: x.cumprod(0),
    sort=lambda engine, x: x.sort()[0],
    topk=lambda engine, x: x.topk(min(5, x.numel()))[0],
    flip=lambda engine, x: x.flip(0),
    roll=lambda engine, x: x.roll(1),
    median=lambda engine, x: x.median(),
)
of_vectors(
    2,
    add=lambda engine, a, b: a + b,
    sub=lambda engine, a, b: a - b,
    mul=lambda engine, a, b: a * b,
    maximum=lambda engine, a, b: engine.maximum(a, b),
    atan2=lambda engine, a, b: engine.atan2(a, b),
    where=lambda engine, a, b: engine.where(a > b, a, b),
    mse_loss=lambda engine, a, b: engine.nn.functional.mse_loss(a, b),
    huber_loss=lambda engine, a, b: engine.nn.functional.huber_loss(a, b),
    bce_with_logits=lambda engine, a, b: engine.nn.functional.binary_cross_entropy_with_logits(a, b.sigmoid()),
)
of_vectors(2, positive=True, div=lambda engine, a, b: a / b, pow=lambda engine, a, b: a**b)
of_matrix(
    sum0=lambda engine, x: x.sum(0),
    sum1=lambda engine, x: x.sum(1),
    mean1=lambda engine, x: x.mean(1),
    max1=lambda engine, x: x.max(1)[0],
    amax1=lambda engine, x: x.amax(1),
    var1=lambda engine, x: x.var(1),
    norm1=lambda engine, x: x.norm(dim=1),
    softmax=lambda engine, x: x.softmax(1),
    log_softmax=lambda engine, x: x.log_softmax(1),
    logsumexp1=lambda engine, x: x.logsumexp(1),
    cumsum1=lambda engine, x: x.cumsum(1),
    layer_norm=lambda engine, x: engine.nn.functional.layer_norm(x, (x.shape[1],)),
    normalize=lambda engine, x: engine.nn.functional.normalize(x),
    cross_entropy=lambda engine, x: engine.nn.functional.cross_entropy(x, classes(engine, x)),
    transposed=lambda engine, x: x.T * 2,
    bias=lambda engine, x: x + x[0],
    outer=lambda engine, x: x[:, :1] * x[:1],
    index_rows=lambda engine, x: x[[0, 1, 1, 0]],
    slice=lambda engine, x: x[::2, 1:],
    mask=lambda engine, x: x[x > 0],
    gather=lambda engine, x: x.gather(1, classes(engine, x)[:, None]),
    cat=lambda engine, x: engine.cat([x, x]),
    stack=lambda engine, x: engine.stack([x, x]),
    permute=lambda engine, x: x.permute(1, 0).reshape(-1),
    tril=lambda engine, x: x.tril(),
    unfold=lambda engine, x: x.unfold(1, 2, 1),
    repeat=lambda engine, x: x.repeat(2, 2),
    expand=lambda engine, x: x[None].expand(3, -1, -1) * 1.0,
    chunk=lambda engine, x: x.chunk(2, 1)[0],
    cdist=lambda engine, x: engine.cdist(x[:50], x[:50]),
    embedding=lambda engine, x: engine.nn.functional.embedding(
        engine.arange(min(x.shape[0], 64)) % x.shape[0],
        x,
    ),
    scatter_add=lambda engine, x: engine.zeros(x.shape).scatter_add(1, engine.zeros_like(x, dtype=engine.int64), x),
    index_add=lambda engine, x: engine.zeros(x.shape).index_add(0, engine.arange(x.shape[0]) % 2, x),
)
of_matrix(
    250_000,
    matmul=lambda engine, x: x @ x.T,
    einsum=lambda engine, x: engine.einsum("ij,kj->ik", x, x),
)


def numbers(operation: Operation, size: int) -> list[np.ndarray]:
    """What an operation is given: float32, `size` entries each, or the most that it takes."""
    random = np.random.default_rng(0)
    size = min(size, operation.most)
    shape: tuple[int, ...] = (size,)
    if operation.matrix:
        rows = next(rows for rows in range(math.isqrt(size - 1) + 1, size + 1) if size % rows == 0)
        shape = (rows, size // rows)
    entries = [random.standard_normal(shape, np.float32) for _ in range(operation.count)]
    return [abs(item) + np.float32(0.5) for item in entries] if operation.positive else entries


def tensors(engine: Any, operation: Operation, size: int) -> list[Any]:
    """The same as tensors of an engine, which want gradients."""
    return [engine.tensor(item, requires_grad=True) for item in numbers(operation, size)]


def once(engine: Any, operation: Operation, inputs: list[Any]) -> Any:
    """Forward and backward; the result."""
    for item in inputs:
        item.grad = None
    result = operation.function(engine, *inputs)
    (result.sum() if result.dim() else result).backward()
    return result


def turn(step: Callable[[], object], seconds: float) -> float:
    """Repeat a step for some time, at least once; the seconds of the fastest."""
    best, clock = math.inf, time.perf_counter
    end = clock() + seconds
    while True:
        begun = clock()
        step()
        now = clock()
        best = min(best, now - begun)
        if now > end:
            return best


def by_turns(steps: list[Callable[[], object]], turns: int, seconds: float) -> list[float]:
    """The seconds of the fastest call of each step."""
    best = [math.inf] * len(steps)
    for step in steps:
        step()  # what is only done the first time
    gc.collect()
    for _ in range(turns):
        best = [min(known, turn(step, seconds)) for known, step in zip(best, steps, strict=True)]
    return best


def measured(name: str, size: int, engines: list[Any]) -> tuple[float, ...]:
    """The seconds of each engine."""
    operation = OPERATIONS[name]
    steps = [
        functools.partial(once, engine, operation, inputs)
        for engine, inputs in [(engine, tensors(engine, operation, size)) for engine in engines]
    ]
    return tuple(by_turns(steps, TURNS, TURN if size < LARGE else 2 * TURN))


def geometric_mean(ratios: Iterable[float]) -> float:
    return statistics.geometric_mean(ratios)


def table(lines: list[list[str]], align: str) -> str:
    """Markdown; `align` has an l or an r for each column."""
    rule = ["---" if side == "l" else "---:" for side in align]
    return "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], rule, *lines[1:]])


def summary(ratios: dict[str, dict[int, float]], sizes: list[int]) -> str:
    """For each size the geometric mean, how many are slower than torch, and the worst, beside what we want."""
    lines = [["entries", "geometric mean", "wanted", "slower than torch", "worst", "wanted"]]
    for size in sizes:
        found = {name: row[size] for name, row in ratios.items()}
        worst = max(found, key=found.__getitem__)
        mean, most = [f"≤ {goal:g}" for goal in GOALS[size]] if size in GOALS else ["", ""]
        slower = f"{sum(ratio > 1 for ratio in found.values())} of {len(found)}"
        mean_found = multiple(geometric_mean(found.values()))
        lines.append([f"{size:,}", mean_found, mean, slower, f"{worst} {multiple(found[worst])}", most])
    return table(lines, "rrrrll")


def worst_first(ratios: dict[str, dict[int, float]], sizes: list[int]) -> str:
    """A row for each operation; those that are slowest with the most entries come first."""
    ordered = sorted(ratios, key=lambda name: -ratios[name][sizes[-1]])
    lines = [["operation", *[f"{size:,}" for size in sizes]]]
    lines += [[name, *[multiple(ratios[name][size]) for size in sizes]] for name in ordered]
    return table(lines, "l" + "r" * len(sizes))


def slopes(seconds: dict[str, dict[int, tuple[float, ...]]], sizes: list[int]) -> str:
    """By how much the time grows, as a power of the number of entries: n^1 is proportional. Those that grow most beside
    torch come first.
    """
    pairs = [*itertools.pairwise(sizes)]
    lines = [["operation", *[f"{engine}, {a:,} to {b:,}" for a, b in pairs for engine in ("minigrad", "torch")]]]
    found = {
        name: [math.log(row[b][k] / row[a][k]) / math.log(b / a) for a, b in pairs for k in (0, 1)]
        for name, row in seconds.items()
    }
    for name in sorted(found, key=lambda name: found[name][-1] - found[name][-2]):
        lines.append([name, *[f"{power:.2f}" for power in found[name]]])
    return table(lines, "l" + "r" * 2 * len(pairs))


def with_one_thread() -> None:
    """Start again with one thread for linear algebra, unless this is so: numpy and torch ask when they are loaded."""
    if ONE_THREAD.items() - os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})


def loaded(names: Iterable[str] = ("minigrad", "torch")) -> list[Any]:
    """The engines, torch with one thread."""
    engines = [importlib.import_module(name) for name in names]
    for engine in engines:
        if engine.__name__ == "torch":
            engine.set_num_threads(1)
    return engines


def main() -> None:
    parser = argparse.ArgumentParser(description="Time each operation of minigrad, forward and backward, beside torch.")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=list(OPERATIONS), help="only these operations")
    parser.add_argument("--sizes", nargs="+", type=int, metavar="N", help="numbers of entries")
    parser.add_argument("--slopes", action="store_true", help="how the time grows with the number of entries")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the seconds of both engines to a file")
    options = parser.parse_args()
    options.sizes = options.sizes or list(GROWING if options.slopes else SIZES)
    if unknown := [name for name in options.only if name not in OPERATIONS]:
        parser.error(f"no such operation: {', '.join(unknown)}. There are: {' '.join(OPERATIONS)}")
    if min(options.sizes) < 4:
        parser.error("an operation takes at least 4 entries")
    with_one_thread()
    engines = loaded()
    seconds: dict[str, dict[int, tuple[float, ...]]] = {}
    for name in track(options.only, "operations", console=Console(stderr=True), transient=True):
        seconds[name] = {size: measured(name, size, engines) for size in options.sizes}
    ratios = {name: {size: ours / torch for size, (ours, torch) in row.items()} for name, row in seconds.items()}
    print(summary(ratios, options.sizes), worst_first(ratios, options.sizes), sep="\n\n")
    if options.slopes:
        print("", slopes(seconds, options.sizes), sep="\n")
    print("\nminigrad's time divided by torch's, one thread, the fastest call of each in the same turns.")
    if options.json:
        options.json.write_text(json.dumps(seconds, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
