"""Explain many programs in one process that has imported torch, and compare what is said with what was read before.

`python tests/explain/gate.py [FOLDER ...]` prints a table; with --write it records what is said now.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from minigrad_course.explain import advice
from minigrad_course.explain.pool import Pool
from minigrad_course.explain.program import Program
from minigrad_course.explain.reading import from_file

PROGRAMS = Path(__file__).parent / "programs"
SEEDS = {"torch": 1, "python": 1}


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


def main() -> None:
    """Print a table of folders of programs."""
    arguments = [each for each in sys.argv[1:] if each != "--write"]
    pool = Pool()
    for name in arguments or sorted(os.listdir(PROGRAMS)):
        paths = sorted((PROGRAMS / name).glob("*.py")) if not name.endswith(".py") else [Path(name)]
        for path in paths:
            began = time.perf_counter()
            text, line = said(path, pool)
            expected = path.with_suffix(".txt")
            if "--write" in sys.argv:
                expected.write_text(text, encoding="utf-8")
            same = "" if not expected.exists() or expected.read_text(encoding="utf-8") == text else " CHANGED"
            print(f"{path.parent.name}/{path.stem:45} {time.perf_counter() - began:5.1f}  {line}{same}", flush=True)
    pool.close()


if __name__ == "__main__":
    main()
