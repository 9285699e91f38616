"""The name that `graph`, `recording`, `passing` and `methods` had together, for notebooks that were written with it."""

import importlib
import sys
from types import ModuleType

ROOMS = {
    **dict.fromkeys(("array_ops", "freeing", "hooks", "multi_output", "nodes", "state"), "graph"),
    **dict.fromkeys(("modes", "record", "saved"), "recording"),
    **dict.fromkeys(("fastpath", "gradients", "inplace", "passes", "views"), "passing"),
    **dict.fromkeys(("operators", "saved_attributes"), "methods"),
}


def __getattr__(name: str) -> ModuleType:
    if name not in ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = f"{__package__}.{ROOMS[name]}"
    print(f"minigrad.runtime.{name} is {new}.{name} now: please write that.", file=sys.stderr)
    return importlib.import_module(f"{new}.{name}")
