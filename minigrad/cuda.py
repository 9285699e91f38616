"""torch.cuda, for programs that ask before they use it: there is no such device here.

Mirrors https://docs.pytorch.org/docs/stable/cuda.html
"""

from __future__ import annotations


def is_available() -> bool:
    """False: minigrad computes on the CPU.

    >>> "cuda" if is_available() else "cpu"
    'cpu'
    """
    return False


def device_count() -> int:
    """0, as `is_available` says."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing to seed; torch without a device does nothing either."""


manual_seed_all = manual_seed
