"""The way of a notebook through a grading: `python docs/climbs.py exercises/01_scalar_backward.ipynb`.

Runs `minigrad grade` on files or folders in this process with a profiler, which hears every call. Counted are the
modules of the grader, of the checks and of the command in which a function of ours runs between the command and its
end: each once, in the order in which the first call comes to it. What runs in the sandbox is not heard, nor imports.

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
COUNTED = ("grading", "checks", "cli.instructor")
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


def is_counted(module: str) -> bool:
    """True for the modules that count."""
    inside = module.removeprefix(COURSE)
    return inside != module and any(inside == each or inside.startswith(f"{each}.") for each in COUNTED)


@dataclasses.dataclass
class Way:
    """The modules in order, each with the one that called it first; and the calls that climb."""

    modules: dict[str, str] = dataclasses.field(default_factory=dict)
    doors: dict[str, None] = dataclasses.field(default_factory=dict)  # those that another room calls
    climbs: collections.Counter[tuple[str, str]] = dataclasses.field(default_factory=collections.Counter)

    def hear(self, frame: FrameType, event: str, _: Any) -> None:
        """A profiler's function: take in a call."""
        if event != "call" or not is_counted(module := name_of(frame)):
            return
        above = list(frames_of(frame))
        if any(each.f_code.co_name == "<module>" for each in above):
            return
        caller = above[1] if len(above) > 1 else None
        before = name_of(caller) if caller else ""
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
    """A frame and those around it that run in modules that count."""
    while frame is not None:
        if is_counted(name_of(frame)):
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
    for (caller, called), count in way.climbs.items():
        print(f"climb: {caller} calls {called} {count} times")
    print(f"{len(way.modules)} modules, {len(way.doors)} of them doors, {len(way.climbs)} climbs")
    return int(bool(way.climbs))


if __name__ == "__main__":
    sys.exit(main())
