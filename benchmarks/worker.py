"""One engine in a process of its own: does what `run.py` asks for and answers in JSON, one line each.

python worker.py time WORKLOAD ENGINE     then a number of steps per line of input: seconds per step
python worker.py memory ENGINE LENGTH     bytes that each recorded operation keeps
python worker.py garbage WORKLOAD ENGINE  objects that only the cyclic garbage collector could free after ten steps
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
import time
from typing import Any

import psutil
from races import CHAINS, ENGINES, Missing, Work, made

WARM_UP = 3  # steps, or fewer if they are long
WARM_SECONDS = 0.5
STEPS = 10


def answer(**fields: Any) -> None:
    print(json.dumps(fields), flush=True)


def timed(work: Work) -> None:
    """Answer each number of steps with the seconds one of them took, what it left behind collected."""
    begun = time.perf_counter()
    for _ in range(WARM_UP):
        work.step()
        if time.perf_counter() - begun > WARM_SECONDS:
            break
    gc.collect()
    gc.freeze()  # a collection then looks at what the steps have made, and not at all of torch
    answer(ready=True)
    for line in sys.stdin:
        steps = range(int(line))
        begun = time.perf_counter()
        for _ in steps:
            work.step()
        gc.collect()
        answer(seconds=(time.perf_counter() - begun) / len(steps))


def memory(engine: str, length: int) -> None:
    """Answer with what the process grows by while a chain is built, divided by its length."""
    process = psutil.Process()
    module = importlib.import_module(ENGINES[engine])
    CHAINS[engine](module, 1000).step()
    gc.collect()
    before = process.memory_info().rss
    work = CHAINS[engine](module, length, lambda: answer(bytes=(process.memory_info().rss - before) / length))
    work.step()


def garbage(work: Work) -> None:
    """Answer with what a collection finds after some steps without one."""
    work.step()
    gc.collect()
    gc.disable()
    for _ in range(STEPS):
        work.step()
    answer(objects=gc.collect())


def main(what: str, *names: str) -> None:
    try:
        if what == "memory":
            engine, length = names
            memory(engine, int(length))
        else:
            {"time": timed, "garbage": garbage}[what](made(*names))
    except Missing as reason:
        answer(missing=str(reason))
    except (RecursionError, MemoryError) as error:
        answer(missing=f"{names[-1]} ends in {type(error).__name__}")


if __name__ == "__main__":
    main(*sys.argv[1:])
