"""A gradient on minigrad as each version of torch: for what changed from one to the next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from minigrad.compat import versions
from minigrad_course.checks.reference import imported_torch


def compare(function: Callable[[Any], Any], values: Sequence[float]) -> None:
    """Print the gradient of the sum of `function(t)` at these values, a line for each version of torch that minigrad
    speaks; then whether the torch that is installed says the same as the line of its version.
    """

    def gradient(engine: ModuleType) -> list[float]:
        t = engine.tensor(values, requires_grad=True)
        return engine.autograd.grad(function(t).sum(), t)[0].tolist()

    result, before = {}, (versions.spoken, versions.said)
    try:
        for version in versions.KNOWN:
            versions.speak(version)
            result[version] = gradient(sys.modules["minigrad"])
    finally:
        versions.speak(*before)
    print(*[f"torch {version}: {numbers}" for version, numbers in result.items()], sep="\n")
    torch = imported_torch()
    agrees = repr(gradient(torch)) == repr(result.get(versions.known(torch.__version__) or before[0]))
    print(f"Your torch {'says what stands in its line' if agrees else torch.__version__ + ' says something else'}.")
