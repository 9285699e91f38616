"""One small training, and seven mistakes in it that raise no error: what each leaves to be seen, side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from minigrad_course.pictures.leaves import Table
from minigrad_course.programs.program import compiled

PROGRAM = """\
torch.manual_seed(0)
x = torch.linspace(-1, 1, 32)[:, None]
y = torch.sin(3 * x[:, 0])
first, last = torch.nn.Linear(1, 8), torch.nn.Linear(8, 1)
leaves = [*first.parameters(), *last.parameters()]
optimizer = torch.optim.SGD(leaves, lr=0.1, momentum=0.9)
losses = []
for _ in range(100):
    hidden = torch.tanh(first(x))
    prediction = last(hidden).squeeze(1)
    loss = ((prediction - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
"""
# name -> what stands in the program, and what stands there instead
CHANGES = {
    "right": ("", ""),
    "not cleared": ("    optimizer.zero_grad()\n", ""),
    "detached": ("torch.tanh(first(x))", "torch.tanh(first(x)).detach()"),
    "no_grad left on": (
        "    hidden = torch.tanh(first(x))\n",
        "    with torch.no_grad():\n        hidden = torch.tanh(first(x))\n",
    ),
    "left out": ("SGD(leaves,", "SGD(last.parameters(),"),
    "every pair": (".squeeze(1)", ""),
    "sum for mean": (".mean()", ".sum()"),
    "overwritten": ("    loss =", "    prediction[:16] = y[:16]\n    loss ="),
}
BARS = "▁▂▃▄▅▆▇█"
COLUMNS = ("mistake", "the line", "loss", "at the end", "first.weight.grad", "last.weight.grad")
CAPTION = "One training, right at the top, and with one mistake in each row"


def changed(name: str) -> str:
    """The program with a mistake in it. KeyError if none has this name."""
    before, after = CHANGES[name]
    return PROGRAM.replace(before, after, 1) if before else PROGRAM


def ran(torch: ModuleType, name: str) -> dict[str, Any]:
    """What the names of the program hold after it has run on an engine."""
    namespace: dict[str, Any] = {"torch": torch}
    exec(compiled(changed(name), f"<{name}>"), namespace)
    return namespace


def side_by_side(torch: ModuleType) -> Table:
    """Run all of them on an engine, and show their losses, and what is in `.grad` at the end."""
    rows = []
    for name, (before, after) in CHANGES.items():
        after_all = ran(torch, name)
        line = after.strip().split("\n")[0] or (f"no {before.strip()}" if before else "")
        grads = [word(after_all[layer].weight.grad) for layer in ("first", "last")]
        losses = after_all["losses"]
        end = f"{losses[-1]:.3f}" if losses[-1] < 1e6 else "ran away"
        rows.append((name, line, sparkline(losses), end, *grads))
    return Table(CAPTION, rows, COLUMNS, "Seven mistakes side by side")


def word(grad: Any) -> str:
    """None, not a number, nearly 0, or something."""
    if grad is None:
        return "None"
    size = grad.norm().item()
    return "not finite" if not math.isfinite(size) else "huge" if size > 1e6 else "filled"


def sparkline(losses: Sequence[float], count: int = 10) -> str:
    """A row of bars, of the losses at `count` steps: from 0 to the first one, and "!" where it is far above that."""
    some = [losses[round(place * (len(losses) - 1) / (count - 1))] for place in range(count)]
    return "".join(bar(each / losses[0]) for each in some)


def bar(share: float) -> str:
    """The bar for a share of the first loss."""
    return "!" if not share <= 2 else BARS[min(int(share * (len(BARS) - 1) + 0.5), len(BARS) - 1)]
