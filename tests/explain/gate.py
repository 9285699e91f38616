"""Explain many programs in one process that has imported torch, and compare what is said with what was read before.

`python tests/explain/gate.py [FOLDER ...]` prints a table; with --write it records what is said now. Where a newer
torch leads to another text than the ones before it, that lies in NAME.2.14.txt beside NAME.txt.
"""

from __future__ import annotations

import os
import sys
import time
from importlib.metadata import version
from pathlib import Path

from minigrad_course.explain import advice
from minigrad_course.explain.program import Program
from minigrad_course.explain.reading import from_file
from minigrad_course.explain.trials.pool import Pool

PROGRAMS = Path(__file__).parent / "programs"
SEEDS = {"torch": 1, "python": 1}
KNOWN = ("2.13", "2.14", "2.15")  # torches, the first of which has the plain names
HERE = ".".join(version("torch").split(".")[:2])


def said(path: Path, pool: Pool) -> tuple[str, str]:
    """What is said of a program, and a line for the table."""
    source = from_file(str(path), [])
    told, outcome = advice.in_pool(source, SEEDS, pool)
    programs = {source.path: Program(source.path, source.text, cells=source.cells)}
    text = "\n".join(advice.lines(told, programs, source.path))
    causes = " ".join(f"{each.finding.cause}:{len(each.advice)}/{each.tried}" for each in told)
    if outcome.get("broken"):
        causes = "BROKEN " + str(outcome.get("error"))
    return text + "\n" if text else "", f"{'error ' if outcome.get('error') else ''}{causes or '-'}"


def records(path: Path) -> list[Path]:
    """The files that may hold what is said of a program on the torch that is here, the newest first."""
    newer = [each for each in KNOWN[1:] if KNOWN.index(each) <= (KNOWN.index(HERE) if HERE in KNOWN else len(KNOWN))]
    return [*[path.with_suffix(f".{each}.txt") for each in reversed(newer)], path.with_suffix(".txt")]


def recorded(path: Path) -> str | None:
    """What was recorded of a program for the torch that is here; None if nothing was."""
    file = next((each for each in records(path) if each.exists()), None)
    return None if file is None else file.read_text(encoding="utf-8")


def main() -> None:
    """Print a table of folders of programs."""
    arguments = [each for each in sys.argv[1:] if each != "--write"]
    pool = Pool()
    for name in arguments or sorted(os.listdir(PROGRAMS)):
        paths = sorted((PROGRAMS / name).glob("*.py")) if not name.endswith(".py") else [Path(name)]
        for path in paths:
            began = time.perf_counter()
            text, line = said(path, pool)
            same = "" if recorded(path) in (None, text) else " CHANGED"
            if "--write" in sys.argv and recorded(path) != text:
                records(path)[0].write_text(text, encoding="utf-8")
            print(f"{path.parent.name}/{path.stem:45} {time.perf_counter() - began:5.1f}  {line}{same}", flush=True)
    pool.close()


if __name__ == "__main__":
    main()
