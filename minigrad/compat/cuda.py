"""torch.cuda, for programs that ask before they use it: there is no such device here.

Mirrors https://docs.pytorch.org/docs/stable/cuda.html
"""

from __future__ import annotations

from typing import Any, NoReturn


def is_available() -> bool:
    """False: minigrad computes on the CPU.

    >>> "cuda" if is_available() else "cpu"
    'cpu'
    """
    return False


def is_initialized() -> bool:
    """False, as `is_available` says.

    >>> is_initialized()
    False
    """
    return False


def device_count() -> int:
    """0, as `is_available` says.

    >>> device_count()
    0
    """
    return 0


def manual_seed(seed: int) -> None:
    """Nothing to seed; torch without a device does nothing either.

    >>> manual_seed(0)
    """


def empty_cache() -> None:
    """Nothing to empty.

    >>> empty_cache()
    """


def memory_allocated(device: Any = None) -> int:
    """0 bytes.

    >>> memory_allocated()
    0
    """
    return 0


def synchronize(*args: Any, **kwargs: Any) -> NoReturn:
    """What needs a device raises the AssertionError of a torch that was built without CUDA."""
    raise AssertionError("Torch not compiled with CUDA enabled")


manual_seed_all = manual_seed
max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated
current_device = current_stream = default_stream = get_device_capability = get_device_name = synchronize
get_device_properties = get_rng_state = init = initial_seed = mem_get_info = synchronize
