"""A process that has imported torch, and runs edited programs one after the other: `python -m …worker`.

It reads a job in a line of JSON from its standard input, and answers in a line on its standard output. Each job runs in
a module of its own, in its own folder; what a program may have left in torch is put back in between, and a process of
which that is not sure says so (`spent`), and is not used again.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import traceback
import warnings
from typing import Any

import torch

from minigrad_course.explain.causes import findings
from minigrad_course.explain.observing import running
from minigrad_course.explain.observing.modes import undisturbed
from minigrad_course.explain.reading import Source
from minigrad_course.explain.trials.outcome import outcome


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """Run one job: {source, seeds, deep, most, find, free} to {outcome, findings}."""
    source = Source(**{**job["source"], "cells": [tuple(cell) for cell in job["source"]["cells"]]})
    os.chdir(source.folder)
    inside = None if job.get("free") else source.folder
    done = running.run(source, job["seeds"], job.get("deep"), job.get("most"), inside, quiet=True)
    if done.story is None:
        return {"outcome": {"broken": True, "error": ["", done.broken[-1500:], 0]}, "findings": []}
    result = findings(done.story) if job.get("find") else []
    told = [item.as_json(source.folder) for item in result]
    return {"outcome": outcome(done.story), "findings": told}


def spent() -> bool:
    """True if a program has left something that cannot be put back."""
    return threading.active_count() > 1 or torch._C._len_torch_function_stack() > 0


def main() -> None:
    """Answer jobs until there are none."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    jobs = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    leaf = torch.nn.Parameter(torch.zeros(1))
    torch.optim.SGD([leaf], lr=0.1).step()  # the first optimizer imports much
    environment, path, modules = dict(os.environ), [*sys.path], set(sys.modules)
    filters: Any = warnings.filters[:]
    home = os.getcwd()
    replies.write("ready\n")
    replies.flush()
    for line in jobs:
        try:
            with undisturbed():
                reply = answer(json.loads(line))
        except BaseException:
            reply = {"outcome": {"broken": True, "error": ["", traceback.format_exc()[-1500:], 0]}, "findings": []}
        for name in set(sys.modules) - modules:  # of libraries one copy is enough, of the program's modules it is not
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(json.loads(line)["source"]["folder"]):
                del sys.modules[name]
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:] = path
        warnings.filters = filters[:]
        with contextlib.suppress(OSError):
            os.chdir(home)
        reply["spent"] = spent()
        replies.write(json.dumps(reply, default=str) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
