"""`minigrad watch`: check an exercise again each time it is saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
import watchfiles
from rich.console import Console

from minigrad_course import parts
from minigrad_course.checks.exercise import judged
from minigrad_course.cli.ending import FAILED, stop
from minigrad_course.cli.learner.shown import in_brief, total
from minigrad_course.cli.learner.student import (
    SUFFIX,
    Folder,
    check_names,
    checks_called,
    demand_torch,
    exercises,
    folder_in,
    found_by,
)
from minigrad_course.cli.screen import Screen
from minigrad_course.parts import Chapter

# In milliseconds.
DEBOUNCE = 400  # an editor saves in several steps; events closer together than this count as one
TURN = 200


def watch(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="A part, a last check, or a chapter: its number, name or notebook. There can be several. "
            "Default: everything.",
            autocompletion=check_names,
            show_default=False,
        ),
    ] = None,
    folder: Folder = None,
) -> None:
    """Check an exercise again each time you save it, until Ctrl-C."""
    called: dict[Chapter, list[str]] = {} if names else {chapter: chapter.checks for chapter in parts.chapters()}
    for name in names or []:
        chapter, checks = checks_called(name)
        called[chapter] = list(dict.fromkeys([*called.get(chapter, []), *checks]))
    demand_torch()
    place, screen = exercises(folder_in((names or [""])[0], folder)), Screen()
    try:
        Watch(place, called, screen, found_by(folder)).run()
    except (OSError, RuntimeError) as error:  # watchfiles has a RuntimeError of its own
        stop(f"{place} cannot be watched: {error}. Set WATCHFILES_FORCE_POLLING=1 to poll it instead.", FAILED)
    except KeyboardInterrupt:
        screen.print()
        raise typer.Exit(0) from None


class Watch:
    """The watched exercises, and the last verdict on each check."""

    def __init__(self, folder: Path, called: dict[Chapter, list[str]], screen: Console, where: str = ""):
        self.folder, self.called, self.screen, self.where = folder, called, screen, where
        self.said: dict[str, str] = {}

    def run(self) -> None:
        """Judge everything once, then each exercise when it is saved. KeyboardInterrupt ends it."""
        # Start watching before the first judgement, so that nothing saved in between is missed.
        saved = saves(self.folder, {f"{chapter.name}{SUFFIX}" for chapter in self.called})
        next(saved)
        for chapter, checks in self.called.items():
            self.judge(chapter, checks, every=False)
        self.screen.print("Watching. Save an exercise to check it again; press Ctrl-C to stop.")
        for names in saved:
            for chapter, checks in self.called.items():
                if f"{chapter.name}{SUFFIX}" in names:
                    self.judge(chapter, checks)

    def judge(self, chapter: Chapter, checks: list[str], every: bool = True) -> None:
        """Judge an exercise and print what is new since last time; the first time (not `every`) only what is wrong."""
        outcomes = tuple(judged(chapter, self.folder / f"{chapter.name}{SUFFIX}", checks))
        if outcomes[0].verdict is None:  # it is gone, or only half saved
            gone = next(in_brief(outcomes[:1]))
            if self.said.get(chapter.name) != gone.plain:
                self.screen.print(gone)
            self.said[chapter.name] = gone.plain
            return
        self.said.pop(chapter.name, None)
        said = {outcome.check: next(iter(in_brief([outcome]))).plain for outcome in outcomes}
        new = [outcome for outcome in outcomes if said[outcome.check] != self.said.get(outcome.check)]
        for text in in_brief(item for item in new if every or item.state == "wrong"):
            self.screen.print(text)
        self.said |= said
        total(outcomes, self.screen, where=self.where, more=any(item.state == "wrong" for item in new))


def saves(folder: Path, names: set[str]) -> Iterator[set[str]]:
    """The named files saved, moved or deleted since the last look, if any. Watching starts at the first `next`."""
    changes = watchfiles.watch(
        folder,
        watch_filter=lambda change, path: Path(path).name in names,
        debounce=DEBOUNCE,
        rust_timeout=TURN,
        yield_on_timeout=True,
        recursive=False,
    )
    for item in changes:
        yield {Path(path).name for _, path in item}
