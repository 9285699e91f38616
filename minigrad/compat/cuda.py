"""torch.cuda, for programs that check before they use it: there is no such device here.
Mirrors https://docs.pytorch.org/docs/stable/cuda.html
"""

from __future__ import annotations

from typing import NoReturn


def is_available() -> bool:
    """False: minigrad computes on the CPU."""
    return False


def device_count(device: object = None) -> int:
    """0: the number of devices, and of bytes on one of them."""
    return 0


def manual_seed(seed: int = 0) -> None:
    """Do nothing, like torch without a device."""


def synchronize(*args: object, **kwargs: object) -> NoReturn:
    """Raise the AssertionError of a torch that was built without CUDA."""
    raise AssertionError("Torch not compiled with CUDA enabled")


is_initialized = is_available
manual_seed_all = empty_cache = manual_seed
memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = device_count
current_device = current_stream = default_stream = get_device_capability = get_device_name = synchronize
get_device_properties = get_rng_state = init = initial_seed = mem_get_info = synchronize
