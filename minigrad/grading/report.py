"""What a grading came to, for people (a table) and for programs (JSON)."""

from __future__ import annotations

import dataclasses
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from minigrad.grading.judge import Result, plain

STYLES = {"passed": "green", "failed": "red", "open": "blue"}
MARKS = {"passed": "✓ passed", "failed": "✗ failed", "open": "… open"}


@dataclasses.dataclass
class FileReport:
    """One file's grading. `error` is why it could not be graded; `notices` are what a person should know."""

    path: Path
    name: str | None = None
    error: str | None = None
    notices: list[str] = dataclasses.field(default_factory=list)
    results: list[Result] = dataclasses.field(default_factory=list)

    @property
    def passed(self) -> bool:
        """True only if everything ran, everything agreed, and nobody tampered with the file."""
        return not self.error and not self.notices and bool(self.results) and all(r.passed for r in self.results)

    @property
    def points(self) -> int:
        return sum(result.points for result in self.results)

    @property
    def possible(self) -> int:
        return sum(result.possible for result in self.results)


def show(report: FileReport, console: Console) -> None:
    """Print one file's table, or the line that says why there is none."""
    path = plain(str(report.path))
    if report.error:
        console.print(Text(f"{path}: {plain(report.error)}", style="red"), soft_wrap=True)
        return
    table = Table(title=Text(path), title_justify="left", title_style="bold", expand=False)
    table.add_column("part", no_wrap=True)
    table.add_column("result", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("what differed", overflow="fold")
    for result in report.results:
        table.add_row(
            result.check,
            Text(MARKS[result.word], style=STYLES[result.word]),
            f"{result.points}/{result.possible}",
            Text(result.what),
        )
    table.add_section()
    table.add_row("total", "", f"{report.points}/{report.possible}", "")
    console.print(table)
    for notice in report.notices:
        console.print(Text(f"{path}: {plain(notice)}", style="yellow"), soft_wrap=True)


def as_data(reports: list[FileReport], seed: int, unconfined: list[str]) -> dict[str, Any]:
    """The whole grading as JSON data."""
    return {
        "seed": seed,
        "versions": {name: version_of(name) for name in ("minigrad-course", "torch", "numpy", "nbval")},
        "unconfined": unconfined,
        "passed": all(report.passed for report in reports),
        "files": [
            {
                "file": str(report.path),
                "exercise": report.name,
                "passed": report.passed,
                "error": report.error,
                "notices": report.notices,
                "points": report.points,
                "possible": report.possible,
                "parts": [part_data(result) for result in report.results],
            }
            for report in reports
        ],
    }


def part_data(result: Result) -> dict[str, Any]:
    """One check's result as JSON data."""
    return {
        "part": result.check,
        "result": result.word,
        "points": result.points,
        "possible": result.possible,
        "what": result.what,
        "mistake": result.mistake.name if result.mistake else None,
    }


def version_of(distribution: str) -> str | None:
    """The installed version; None for what runs without being installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
