"""One function on minigrad as each version of torch: for what changed from one to the next."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from minigrad.compat import versions
from minigrad.course.reference import imported_torch


def compare(function: Callable[[Any], Any]) -> None:
    """Print what `function(torch)` returns for each version of torch that minigrad speaks, a line for each; then
    whether the torch that is installed returns the same as the line of its version.
    """
    returned, before = {}, versions.spoken
    minigrad = sys.modules["minigrad"]
    try:
        for version in versions.KNOWN:
            versions.speak(version)
            returned[version] = repr(function(minigrad))
    finally:
        versions.speak(before)
    print(*[f"torch {version}: {text}" for version, text in returned.items()], sep="\n")
    torch = imported_torch()
    agrees = repr(function(torch)) == returned.get(versions.known(torch.__version__) or before)
    print(
        "Your torch says what stands in its line."
        if agrees
        else f"Your torch, {torch.__version__}, says something else."
    )
