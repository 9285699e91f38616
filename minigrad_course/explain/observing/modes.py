"""What a program can set in torch for the whole process, put back after it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

MODES: tuple[tuple[Callable[[], Any], Callable[[Any], object]], ...] = (
    (torch.is_grad_enabled, torch.set_grad_enabled),
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.is_warn_always_enabled, torch.set_warn_always),
    (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
    (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    (torch.get_num_threads, torch.set_num_threads),
)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Keep grad mode, dtype, printing, warnings, threads, anomaly mode, determinism and the generator as they were."""
    before = [get() for get, _ in MODES]
    numbers, options = torch.get_rng_state(), vars(torch._tensor_str.PRINT_OPTS).copy()
    try:
        yield
    finally:
        for (get, put), old in zip(MODES, before, strict=True):
            if get() != old:  # some import much to set what is set already
                put(old)
        torch.set_rng_state(numbers)
        vars(torch._tensor_str.PRINT_OPTS).update(options)
