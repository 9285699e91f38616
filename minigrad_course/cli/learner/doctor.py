"""`minigrad doctor`: what the course needs, looked at one by one. Nothing heavy is imported to look at it."""

from __future__ import annotations

import filecmp
import functools
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import typer
from rich.text import Text

import minigrad_course
from minigrad_course.cli.ending import FAILED, RIGHT
from minigrad_course.cli.learner.student import SUFFIX, Folder, current, demand_folder, is_copy, is_pristine
from minigrad_course.cli.screen import Screen
from minigrad_course.learner import environment
from minigrad_course.parts import chapters
from minigrad_course.texts.folders import (
    COPY,
    EXERCISES,
    courses_below,
    exercises_folder,
    holds_exercises,
    near,
    way_back,
)
from minigrad_course.texts.submitted import Unreadable, content_of, loaded

GOOD, WORTH, BAD = "✓", "!", "✗"  # ! is worth mending, but the course works
STYLES = {GOOD: "bold green", WORTH: "bold yellow", BAD: "bold red"}
EXPLORERS = "minigrad-explorers"
STATIC = Path(minigrad_course.__file__).parent / "explorers" / "labextension" / "static"
WIDGETS = {"ipywidgets": "@jupyter-widgets/jupyterlab-manager", "anywidget": "anywidget"}
GIB = 2**30
MEMORY = 1.0  # GiB: torch and a kernel take about half of it
DISK = 0.5  # GiB


def doctor(folder: Folder = None) -> None:
    """Look at this computer, and say in a line for each thing whether it is as the course needs it."""
    if folder:
        demand_folder(exercises_folder(folder))
    screen, bad = Screen(), 0
    for look in looks(folder):
        for line in look():
            screen.print(Text.assemble((line[0], STYLES[line[0]]), line[1:]))
            bad += line[0] == BAD
    if bad:
        many = "One thing has" if bad == 1 else f"{bad} things have"
        screen.print(
            f"{many} to be mended before all of the course works here, marked {BAD}. Then run this again.",
        )
    else:
        screen.print("The course works here. To begin: minigrad lab")
    raise typer.Exit(FAILED if bad else RIGHT)


def looks(folder: Path | None) -> Iterator[Callable[[], Iterator[str]]]:
    """What is looked at, in order. Each gives its lines, which begin with their mark."""
    yield lambda: iter([environment.python(exact=True), environment.torch(exact=True)])
    yield lambda: iter([environment.package(name, exact=True) for name in environment.OTHERS])
    yield engines
    yield extensions
    yield kernel
    yield sandbox
    yield functools.partial(course, folder)
    yield functools.partial(room, folder)


def engines() -> Iterator[str]:
    """Does torch run, and does it agree with minigrad? That it is installed says little."""
    if importlib.util.find_spec("torch") is None:
        return
    try:
        yield environment.engines()
    except (ImportError, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        yield f"{BAD} torch does not start ({reason}): pip install --force-reinstall torch=={environment.TORCH}"


def extensions() -> Iterator[str]:
    """Does JupyterLab find what draws the explorers and the widgets?"""
    from jupyter_core.paths import jupyter_path

    places = [Path(item) for item in jupyter_path("labextensions")]

    def found(name: str) -> Path | None:
        return next((place / name for place in places if (place / name / "package.json").is_file()), None)

    again = (
        "install the course again: pip install --force-reinstall --no-deps minigrad-course (in a clone: -e '.[grade]')"
    )
    if (ours := found(EXPLORERS)) is None:
        yield f"{BAD} JupyterLab does not find the explorers in {places[0]}: {again}"
    elif any(filecmp.cmpfiles(STATIC, ours / "static", [path.name for path in STATIC.iterdir()], shallow=False)[1:]):
        yield f"{WORTH} The explorers in {ours} are those of another version: {again}"
    else:
        yield f"{GOOD} JupyterLab finds the explorers"
    for package, name in WIDGETS.items():
        if found(name):
            yield f"{GOOD} JupyterLab finds {package}"
        else:
            yield f"{BAD} JupyterLab does not find {package}: pip install --force-reinstall {package}"


def kernel() -> Iterator[str]:
    """Do notebooks run in this Python? A kernel of the same name in the home folder comes before it."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        spec = KernelSpecManager().get_kernel_spec("python3")
    except NoSuchKernel:
        yield f"{BAD} There is no Python kernel for notebooks: pip install --force-reinstall ipykernel"
        return
    started = shutil.which(spec.argv[0]) or spec.argv[0]
    if os.path.isabs(spec.argv[0]) and os.path.realpath(started) != os.path.realpath(sys.executable):
        yield (
            f"{BAD} Notebooks would run in {spec.argv[0]}, not in {sys.executable}: "
            f"{sys.executable} -m ipykernel install --sys-prefix, or remove {spec.resource_dir}"
        )
    else:
        yield f"{GOOD} notebooks run in {sys.executable}"


def sandbox() -> Iterator[str]:
    """What can the grader confine here? Only who grades the work of others needs that."""
    from minigrad_course.grading.judge.sandbox import Sandbox

    try:
        with Sandbox({}, "") as tried:
            ends = tried.unconfined
    except (OSError, RuntimeError) as error:
        ends = [f"it does not start: {error}"]
    if not ends:
        yield f"{GOOD} the grader confines what it runs"
        return
    yield f"{WORTH} The grader cannot confine everything here: grade the work of others on Linux 5.13 or newer"
    yield from (f"{WORTH}   {end}" for end in ends)


def course(folder: Path | None) -> Iterator[str]:
    """Is there a folder to work in, and may one write there?"""
    place = exercises_folder(folder or "")
    here = current()
    if folder is None and here and place not in near(here) and place.parent.name != COPY.name:
        if len(below := [item for item in courses_below(here) if is_copy(item)]) != 1:
            yield f"{WORTH} There is no course in this folder: cd to yours, or minigrad start FOLDER"
            return
        place = below[0] / EXERCISES
    if not holds_exercises(place):
        yield f"{BAD} There are no exercises in {place}: minigrad start FOLDER"
    elif is_pristine(place):
        yield f"{WORTH} You have no copy of the course here: minigrad lab makes one, or cd to yours"
    elif not os.access(place, os.W_OK):
        yield f"{BAD} Nothing can be saved in {place}: make a copy elsewhere with minigrad start FOLDER"
    else:
        spoilt = [*unreadable(place)]
        yield from (f"{BAD} {item}" for item in spoilt)
        if not spoilt:
            yield f"{GOOD} your exercises are in {place}"


def unreadable(place: Path) -> Iterator[str]:
    """A sentence for each exercise that is missing or cannot be opened."""
    for chapter in chapters():
        path = place / f"{chapter.name}{SUFFIX}"
        try:
            loaded(content_of(path))
        except Unreadable as error:
            yield f"{path.name}: {error} {way_back(path)}"


def room(folder: Path | None) -> Iterator[str]:
    """Are there memory and disk enough?"""
    memory = psutil.virtual_memory().available / GIB
    if memory < MEMORY:
        yield f"{WORTH} Only {memory:.1f} GiB of memory are free, and torch may want {MEMORY:.0f}: close other programs"
    else:
        yield f"{GOOD} {memory:.1f} GiB of memory are free"
    place = exercises_folder(folder or "")
    existing = next((item for item in (place, *place.absolute().parents) if item.exists()), Path.home())
    disk = shutil.disk_usage(existing).free / GIB
    if disk < DISK:
        yield f"{WORTH} Only {disk:.1f} GiB of disk are free in {existing}: delete what you do not need"
    else:
        yield f"{GOOD} {disk:.1f} GiB of disk are free"
