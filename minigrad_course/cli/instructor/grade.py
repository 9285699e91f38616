"""`minigrad grade`: grade exercise notebooks, one or a whole class. The options, and nothing that is long to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from minigrad_course.grading.records.record import GRADES, VIEWS, Limits, Settings, drawn_seed
from minigrad_course.grading.workers.start import start_importing

LARGEST_SEED = 2**32 - 1  # the most that every random generator accepts


def grade(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="Completed exercise notebooks: files, folders of them (STUDENT/EXERCISE/NOTEBOOK.ipynb as in "
            "nbgrader, STUDENT/NOTEBOOK.ipynb or STUDENT.ipynb), or a zip from a learning management system.",
        ),
    ],
    exercise: Annotated[
        list[str] | None,
        typer.Option(
            "--exercise",
            metavar="EXERCISE",
            help="What is assigned, by number or name; can be repeated. Points are out of that, for everybody, and "
            "nothing else counts. It is kept with the grades; `all` ends it.",
        ),
    ] = None,
    course_file: Annotated[
        Path | None,
        typer.Option(
            "--course",
            metavar="FILE.toml",
            help="The rules of the course: exercises, weights, deadlines, attempts, and points and comments by hand. "
            "An example is below. It is kept with the grades.",
        ),
    ] = None,
    roster_file: Annotated[
        Path | None,
        typer.Option(
            "--roster",
            metavar="FILE.csv",
            help="The class list: id, name, email, or your system's export. Everybody on it gets a row, and "
            "work that belongs to nobody on it is reported. It is kept with the grades.",
        ),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Regrade everything, including unchanged files.")] = False,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help=f"Keep the grades in this folder. Default: ./{GRADES} for folders and zips, none for single files.",
        ),
    ] = None,
    write_only: Annotated[
        list[str] | None,
        typer.Option("--write", metavar="VIEW", help=f"Write only this one of {', '.join(VIEWS)}; can be repeated."),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json",
            metavar="FILE",
            help="Also write the results to this file as JSON; - for standard output: all else then goes to stderr.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, max=LARGEST_SEED, help="Seed for the numbers, to repeat a grading. Default: a new one."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=1024,
            help="Number of worker processes. Default: one per processor, as far as memory allows; half for few files.",
        ),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Grade on a Dask cluster at this address, such as tcp://HOST:8786."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0.1,
            help="Time limit for one check, in seconds. "
            f"Default: {Limits.cpu_seconds:g} of processor time, {Limits.seconds:g} by the clock.",
        ),
    ] = None,
    cell_seconds: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Time limit for one answer cell, in seconds.")
    ] = (Limits.cell_seconds),
    memory: Annotated[
        float, typer.Option(metavar="MIB", min=16, help="Memory limit for one check in MiB, on top of Python's own.")
    ] = (Limits.memory_mb),
    output: Annotated[
        int, typer.Option(metavar="BYTES", min=1000, help="Most bytes one check may print.")
    ] = Limits.output_bytes,
    submission_seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=1, help="Time limit for all checks of one submission together, in seconds."
        ),
    ] = Settings.submission_seconds,
    require_sandbox: Annotated[
        bool, typer.Option("--require-sandbox", help="Refuse to run unless everything is confined.")
    ] = False,
) -> None:
    """Grade exercise notebooks. The exit status is 0 only if everything passes."""
    if len(paths) > 1 or not paths[0].is_file() or paths[0].suffix == ".zip":
        start_importing()  # the workers do, while this process does
    from minigrad_course.cli.instructor.grading import graded

    limits = Limits(
        seconds=seconds or Limits.seconds,
        cpu_seconds=seconds or Limits.cpu_seconds,
        cell_seconds=cell_seconds,
        memory_mb=memory,
        output_bytes=output,
    )
    drawn = drawn_seed() if seed is None else seed
    raise typer.Exit(
        graded(
            paths,
            to,
            Settings(drawn, limits, submission_seconds, require_sandbox=require_sandbox),
            asked=seed is not None,
            views=write_only or (),
            json_file=json_file,
            roster_file=roster_file,
            course_file=course_file,
            exercises=exercise or (),
            again=again,
            workers=workers,
            dask=dask,
        )
    )
