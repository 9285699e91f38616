"""What watching costs: `python benchmarks/explaining.py [--long]`.

A step of an MLP, a convolution and a transformer, alone and watched by turns, in CPU time: the median of the ratios,
and whether the losses are the same to the last bit. With --long: 30,000 passes of a small net, each way in a process of
its own; their times and the memory that watching adds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from minigrad_course.explain.observing.observe import Observer
from minigrad_course.explain.observing.places import Frames

STEPS = {"mlp": 300, "conv": 60, "transformer": 60}
LONG = 30_000


def model(kind: str) -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    """A net with a batch and targets."""
    torch.manual_seed(0)
    if kind == "mlp":
        return (
            nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)),
            torch.randn(64, 32),
            torch.randint(10, (64,)),
        )
    if kind == "conv":
        net = nn.Sequential(
            nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * 13 * 13, 10),
        )  # fmt: skip
        return net, torch.randn(16, 3, 32, 32), torch.randint(10, (16,))
    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, dropout=0.0)
    net = nn.Sequential(
        nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Flatten(), nn.Linear(64 * 16, 10)
    )
    return net, torch.randn(16, 16, 64), torch.randint(10, (16,))


def train(kind: str, steps: int) -> tuple[float, float]:
    """(CPU seconds, the last loss) of some steps."""
    net, x, y = model(kind)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    began = time.process_time()
    for _ in range(steps):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
    return time.process_time() - began, loss.item()


def watched(kind: str, steps: int) -> tuple[float, float]:
    """The same, watched."""
    with Observer(Frames({__file__})):
        return train(kind, steps)


def resident() -> float:
    """The resident memory of this process, in MB."""
    import psutil

    return float(psutil.Process().memory_info().rss / 2**20)


def long_run(watch: bool) -> None:
    """Print the seconds and the memory of many passes."""
    train("mlp", 50)
    before = resident()
    seconds, _ = (watched if watch else train)("mlp", LONG)
    print(seconds, resident() - before)


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--long", action="store_true")
    options.add_argument("--turns", type=int, default=7)
    options.add_argument("--one", choices=["alone", "watched"], help="what --long runs in processes of their own")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    if chosen.one:
        return long_run(chosen.one == "watched")
    for kind, steps in STEPS.items():
        train(kind, 5)
        watched(kind, 5)
        pairs = [(train(kind, steps), watched(kind, steps)) for _ in range(chosen.turns)]
        ratios = sorted(two[0] / one[0] for one, two in pairs)
        same = all(one[1] == two[1] for one, two in pairs)
        alone = statistics.median(one[0] for one, _ in pairs) / steps * 1000
        ratio = statistics.median(ratios)
        print(
            f"{kind:12} {alone:6.2f} ms, watched {ratio:4.2f} × ({ratios[0]:.2f} to {ratios[-1]:.2f}), same loss: "
            f"{same}"
        )
    if chosen.long:
        found = {}
        for way in ("alone", "watched"):
            environment = {**os.environ, "OMP_NUM_THREADS": "1"}
            command = [sys.executable, __file__, "--one", way]
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
            found[way] = [float(each) for each in done.stdout.split()]
        (alone, base), (seen, more) = found["alone"], found["watched"]
        print(f"{LONG} passes  {alone:.1f} s, watched {seen / alone:.2f} ×, {more - base:.0f} MB more")


if __name__ == "__main__":
    main()
