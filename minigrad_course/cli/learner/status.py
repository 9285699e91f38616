"""`minigrad status`: every part of every chapter, judged as last saved, and the predictions made in the lessons."""

from __future__ import annotations

import os

import typer

from minigrad_course.cli.ending import FAILED, RIGHT, WRONG
from minigrad_course.cli.learner.student import Folder, demand_torch, exercises, followed
from minigrad_course.cli.screen import Screen
from minigrad_course.learner.progress import Standing, how_many, outcomes_in, predictions_beside

PIPE = 1000  # columns where nobody looks: a path stays on its line


def status(folder: Folder = None) -> None:
    """Show what is done, open or wrong in your saved exercises, and what to do next."""
    demand_torch()
    place, screen = exercises(folder), Screen()
    if not screen.is_terminal and "COLUMNS" not in os.environ:
        screen.width = PIPE
    standing = Standing(tuple(followed(outcomes_in(place), how_many(), screen)), predictions_beside(place))
    screen.print(standing)
    unread = any(outcome.verdict is None for outcome in standing.outcomes)
    raise typer.Exit(FAILED if unread else WRONG if standing.count("wrong") else RIGHT)
