"""The way of a notebook through a grading: `python docs/climbs.py exercises/01_scalar_backward.ipynb`.

Runs `minigrad grade` on files or folders in this process with a profiler, which hears every call. Counted are the
modules of the grader and of its command (`grading`, `cli.instructor`) in which a function of ours runs between the
command and its end: each once, in the order in which the first call comes to it. What is only imported does not count.

Two kinds of modules are printed apart and not counted. The sandbox is a boundary, behind which strangers' code runs:
`grading.judge.sandbox`, whatever of it runs on this side. What lies around the grader serves others as well: the
checks, which notebook and terminal ask, the parts, the programs, the texts, and what all commands share. The engine
is left out, and so is what runs in the sandbox's own processes.

A climb is a call from a room of a later stage into one of an earlier. Rooms below all stages may be called by each; and
who takes the next of what a generator gives has been handed data, and calls nobody.
"""

from __future__ import annotations

import collections
import dataclasses
import inspect
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

COURSE = "minigrad_course."
COUNTED = ("grading", "cli.instructor")
BOUNDARY = "grading.judge.sandbox"
# in order; what is in none of them lies below all
STAGES = (
    ("the command", ("cli.instructor", "grading.grade")),
    ("collect", ("grading.collect",)),
    ("judge", ("grading.judge",)),
    ("book", ("grading.book",)),
    ("report", ("grading.report",)),
)


def room_of(module: str) -> str:
    """The room of a module; a module beside the rooms is its own."""
    return ".".join(module.split(".")[1:3])


def stage_of(module: str) -> int | None:
    """The stage of a module, None for those below all."""
    inside = module.removeprefix(COURSE)
    for number, (_, rooms) in enumerate(STAGES):
        if any(inside == room or inside.startswith(f"{room}.") for room in rooms):
            return number
    return None


def is_in(module: str, *rooms: str) -> bool:
    """True for a module of the course in one of these rooms."""
    inside = module.removeprefix(COURSE)
    return inside != module and any(inside == each or inside.startswith(f"{each}.") for each in rooms)


@dataclasses.dataclass
class Way:
    """The modules in order, each with the one that called it first; and the calls that climb."""

    modules: dict[str, str] = dataclasses.field(default_factory=dict)
    behind: dict[str, None] = dataclasses.field(default_factory=dict)  # the boundary
    around: dict[str, None] = dataclasses.field(default_factory=dict)  # the grader
    doors: dict[str, None] = dataclasses.field(default_factory=dict)  # those that another room calls
    climbs: collections.Counter[tuple[str, str]] = dataclasses.field(default_factory=collections.Counter)

    def hear(self, frame: FrameType, event: str, _: Any) -> None:
        """A profiler's function: take in a call."""
        module = name_of(frame)
        if event != "call" or not module.startswith(COURSE) or module in self.around:
            return
        if any(each.f_code.co_name == "<module>" and name_of(each).startswith(COURSE) for each in frames_of(frame)):
            return
        if not is_in(module, *COUNTED):
            self.around[module] = None
            return
        above = [each for each in frames_of(frame) if is_in(name_of(each), *COUNTED)]
        caller = above[1] if len(above) > 1 else None
        before = name_of(caller) if caller else ""
        if is_in(module, BOUNDARY):
            self.behind[module] = None
        else:
            self.modules.setdefault(module, before)
            if room_of(before) != room_of(module):
                self.doors.setdefault(module)
        one, other = stage_of(before), stage_of(module)
        pulled = frame.f_code.co_flags & inspect.CO_GENERATOR
        if caller and not pulled and one is not None and other is not None and other < one:
            self.climbs[f"{before}.{caller.f_code.co_name}", f"{module}.{frame.f_code.co_name}"] += 1


def name_of(frame: FrameType) -> str:
    """The module that a frame runs in."""
    return str(frame.f_globals.get("__name__", ""))


def frames_of(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame and those around it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def way_of(paths: Sequence[str]) -> Way:
    """The way of some work through `minigrad grade`."""
    from minigrad_course.cli import app

    way = Way()
    sys.setprofile(way.hear)
    try:
        app(["grade", *paths, "--seed", "5"], standalone_mode=False)
    finally:
        sys.setprofile(None)
    return way


def main() -> int:
    """Print the way."""
    way = way_of(sys.argv[1:])
    for number, module in enumerate(way.modules, start=1):
        stage = stage_of(module)
        where = "" if stage is None else STAGES[stage][0]
        door = "door" if module in way.doors else ""
        print(f"{number:3} {where:12} {door:5} {module.removeprefix(COURSE)}")
    for what, modules in (("behind the boundary", way.behind), ("around the grader", way.around)):
        print(f"{what}, not counted: {', '.join(sorted(each.removeprefix(COURSE) for each in modules))}")
    for (caller, called), count in way.climbs.items():
        print(f"climb: {caller} calls {called} {count} times")
    print(f"{len(way.modules)} modules, {len(way.doors)} of them doors, {len(way.climbs)} climbs")
    return int(bool(way.climbs))


if __name__ == "__main__":
    sys.exit(main())
