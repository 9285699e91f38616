"""What learners imported from `minigrad.course`, before the course was a package of its own, still works.

Each old name says once, in one line, what to write now.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

import minigrad_course
from minigrad import parts

NAMES = {
    **dict.fromkeys(("explorers", "parts", "pictures", "predictions"), ""),
    **dict.fromkeys(("attempt", "calls", "progress_bar", "shapes", "torches", "train_spirals"), "chapters."),
    "environment": "learner.",
    "program": "programs.",
}


class Finder(MetaPathFinder, Loader):
    """Finds modules of the course under a name that it had."""

    def __init__(self, old: str) -> None:
        self.old = old

    def new(self, name: str) -> str | None:
        """The name that a module has now; None if it never had the old one."""
        old, _, below = name.removeprefix(f"{self.old}.").partition(".")
        if not name.startswith(f"{self.old}.") or old not in NAMES:
            return None
        return f"{minigrad_course.__name__}.{NAMES[old]}{old}{below and '.'}{below}"

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_loader(fullname, self) if self.new(fullname) else None

    def exec_module(self, module: ModuleType) -> None:
        new = self.new(module.__name__)
        assert new is not None
        sys.modules[module.__name__] = with_former(importlib.import_module(new))
        say(module.__name__, new)


def with_former(module: ModuleType) -> ModuleType:
    """The module, or, where it has lost a name that lesson 1 used, one that has it as well."""
    if module.__name__ != "minigrad_course.programs.program":
        return module
    both = ModuleType(module.__name__, module.__doc__)
    vars(both).update(vars(module), replaced=replaced)
    return both


def replaced(owner: ModuleType, attribute: str, value: object) -> parts.Change:
    """What `minigrad.parts.replace` was called."""
    place = f"{owner.__name__.removeprefix('minigrad.')}.{attribute}"
    say("minigrad.course.program.replaced", f'minigrad.parts.replace("{place}", …)')
    return parts.replace(place, value)


def say(old: str, new: str) -> None:
    """One line about an old name."""
    print(f"{old} is {new} now: please write that.", file=sys.stderr)


def stand_in(old: str) -> None:
    """Find the modules of the course below an old name of the package, whose module is there."""
    sys.modules[old].__path__ = []
    sys.meta_path.append(Finder(old))


def load_ipython_extension(shell: object) -> None:
    """Called by `%load_ext` with the old name."""
    say("minigrad.course", minigrad_course.__name__)
    minigrad_course.load_ipython_extension(shell)
