"""The layer `limits`: memory, processor time, and the numbers of processes and files."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from .sentences import NO_LIMITS, NO_MEMORY_LIMIT

if sys.platform != "win32":
    import resource


def limit_resources(limits: Mapping[str, float]) -> list[str]:
    """Limit this process permanently (see `Confinement.apply`); returns what is not limited, in sentences."""
    if sys.platform == "win32":
        return [NO_LIMITS]
    space = int(limits["memory_mb"] * 2**20)
    processor = max(1, int(-(-limits["cpu_seconds"] // 1)))
    bounds = {
        "RLIMIT_CPU": (processor, processor + 1),  # the first asks, the second kills
        "RLIMIT_FSIZE": (0, 0),
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_NOFILE": (64, 64),
        "RLIMIT_NPROC": (0, 0),
        "RLIMIT_MEMLOCK": (0, 0),
        "RLIMIT_MSGQUEUE": (0, 0),
    }
    memory = sys.platform != "darwin"
    if memory:
        bounds["RLIMIT_AS"] = (_address_space() + space,) * 2
    for name, (soft, hard) in bounds.items():
        if (kind := getattr(resource, name, None)) is None:
            continue
        ceiling = resource.getrlimit(kind)[1]
        if ceiling != resource.RLIM_INFINITY:  # without privileges a ceiling only sinks
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(kind, (soft, hard))
    return [] if memory else [NO_MEMORY_LIMIT]


def _address_space() -> int:
    """Bytes of address space that this process has now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:  # no /proc: allow what Python with numpy commonly has
        return 2**30
