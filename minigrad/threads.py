"""How many threads torch may compute with: kept for programs that say so, it changes nothing here.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.set_num_threads.html
"""

from __future__ import annotations

import os
from typing import Any

from minigrad.legacy import typename

_threads = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)


def get_num_threads() -> int:
    """The number that `set_num_threads` was told; before that OMP_NUM_THREADS, or how many processors there are.

    >>> set_num_threads(2)
    >>> get_num_threads()
    2
    """
    return _threads


def set_num_threads(number: int, /) -> None:
    """Keep the number. RuntimeError for what is no int, or not positive."""
    global _threads
    kind: Any = type(number)
    if kind is not int:
        raise RuntimeError(f"set_num_threads expects an int, but got {typename(number)}")
    if number <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _threads = number
