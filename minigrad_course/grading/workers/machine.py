"""How many workers to start: one per processor, and fewer where memory is short or a class is small."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil

WORKER_BYTES = 300_000_000  # at most, its sandbox included; `benchmarks/grading.py` measures it
GROUPS, OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
PAYS = 30  # submissions of a class for which another worker is worth its start
# of a control group, in its second and its first version: the limit, and how much is used
FILES = (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes"))


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers_here(submissions: int) -> tuple[int, str]:
    """How many workers to start, and a sentence if memory decides that.

    While a worker starts, it and its sandbox keep two processors busy. So a small class gets half as many.
    """
    most, free = processors(), free_bytes()
    fit = max(free // WORKER_BYTES, 1)
    if fit >= most:
        return max(1, most // 2, min(most, submissions // PAYS)), ""
    workers = "1 worker" if fit == 1 else f"{fit} workers"
    free_gb, each = free / 1e9, WORKER_BYTES / 1e9
    return fit, (
        f"Memory is short: {free_gb:.1f} GB are free, and a worker takes up to {each:.1f} GB. So {workers} for "
        f"{most} processors; --workers sets another number."
    )


def free_bytes() -> int:
    """The memory that this process may still take: of the machine, or of what a container or a job is allowed."""
    return min([int(psutil.virtual_memory().available), *left_in_groups()])


def left_in_groups() -> Iterator[int]:
    """What is left in each control group of this process that has a limit."""
    for folder in groups():
        for limit, used in FILES:
            try:
                most, now = (int((folder / name).read_text()) for name in (limit, used))
                stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            except (OSError, ValueError):  # no such file, or no limit: "max"
                continue
            yield most - now + int(stat.get("total_inactive_file", stat.get("inactive_file", 0)))  # a cache can go


def groups() -> Iterator[Path]:
    """The folders of the control groups of this process, from its own up to the root."""
    try:
        lines = OWN_GROUPS.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, place = line.split(":", 2)
        if controllers in ("", "memory"):
            own = GROUPS / controllers / place.lstrip("/")
            yield from (item for item in (own, *own.parents) if item.is_relative_to(GROUPS / controllers))
