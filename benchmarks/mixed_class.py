"""Time `minigrad grade` on a class whose answers are right, wrong and hanging, for one checkout or several by turns.

    python benchmarks/mixed_class.py --students 60 --turns 3 . ../another-checkout

Each checkout is run with the Python of its own `.venv`, or with this one. The class is made from this checkout: of each
student five exercises, four answers in five are ours with a helper of the student's own, one in seven is a wrong answer
of the tests, one in twenty is still to be written; one notebook in twenty-five has a loop that never ends.
"""

from __future__ import annotations

import argparse
import copy
import csv
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from grading import ENVIRONMENT, facts_of_machine

from minigrad_course.parts import chapters
from minigrad_course.texts import source

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests" / "course"))
WRONG, OPEN = 1 / 7, 1 / 20  # of answers
HANGING = 25  # of so many notebooks, one hangs


def hanging(text: str) -> str:
    """An answer whose first function never ends: `forward`, `backward`, or the function that the part asks for."""
    lines = text.splitlines()
    starts = [index for index, line in enumerate(lines) if line.lstrip().startswith("def ")]
    if not starts:
        return f"while True:\n    pass\n{text}"
    end = next(index for index in range(starts[0], len(lines)) if lines[index].rstrip().endswith(":"))
    indent = " " * (len(lines[starts[0]]) - len(lines[starts[0]].lstrip()) + 4)
    return "\n".join([*lines[: end + 1], f"{indent}while True:", f"{indent}    pass", *lines[end + 1 :]])


def made_class(folder: Path, students: int, seed: int) -> int:
    """Write the class, a folder a student; return how many notebooks that is."""
    from test_wrong_answers import WRONG as KNOWN
    from test_wrong_answers import written

    draw = random.Random(seed)
    count = 0
    for chapter in chapters():
        solved = nbformat.read(source.notebooks_folder() / "solutions" / f"{chapter.name}.ipynb", as_version=4)
        given = nbformat.read(source.notebooks_folder() / "exercises" / f"{chapter.name}.ipynb", as_version=4)
        stubs = {part_of(cell): cell.source for cell in given.cells if part_of(cell)}
        for number in range(students):
            notebook = copy.deepcopy(solved)
            notebook.metadata["minigrad"]["kind"] = "exercises"
            answers = [cell for cell in notebook.cells if part_of(cell)]
            for cell in answers:
                part, luck = part_of(cell), draw.random()
                if luck < WRONG and KNOWN.get(part):
                    cell.source = written(part, draw.choice(KNOWN[part])[1])
                elif luck < WRONG + OPEN:
                    cell.source = stubs[part]
                else:
                    cell.source = f"# student {number}\n{cell.source}\n\n\ndef helper{number}():\n    return {number}"
            if count % HANGING == HANGING - 1:
                cell = draw.choice(answers)
                cell.source = hanging(cell.source)
            place = folder / f"student{number:03}"
            place.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, place / f"{chapter.name}.ipynb")
            count += 1
    return count


def part_of(cell: Any) -> str:
    """The part that a cell answers, or an empty text."""
    return str(cell.metadata.get("minigrad", {}).get("part", ""))


def graded(checkout: Path, submitted: Path, workers: int, seed: int) -> tuple[float, str]:
    """Seconds by the clock from start to end, and what the marks come to."""
    python = checkout / ".venv" / "bin" / "python"
    program = str(python if python.exists() else Path(sys.executable))
    with tempfile.TemporaryDirectory() as name:
        grades = Path(name, "grades")
        command = [
            program,
            "-m",
            "minigrad_course",
            "grade",
            str(submitted),
            "--to",
            str(grades),
            "--workers",
            str(workers),
        ]
        begun = time.perf_counter()
        subprocess.run(
            [*command, "--seed", str(seed)],
            cwd=checkout,
            env=ENVIRONMENT | {"PYTHONPATH": str(checkout)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,  # 1 says that not everything passes
        )
        return time.perf_counter() - begun, marks(grades / "grades.csv")


def marks(path: Path) -> str:
    """The points of all students, to see that two checkouts agree."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return " ".join(row.get("points", row.get("total", "")) for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time `minigrad grade` on a mixed class, for checkouts by turns.")
    parser.add_argument(
        "checkouts", nargs="*", type=Path, default=[ROOT], help="folders of checkouts; this one if none"
    )
    parser.add_argument("--students", type=int, default=60, help="each hands in five exercises")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    checkouts = [each.resolve() for each in options.checkouts]
    times: dict[Path, list[float]] = {each: [] for each in checkouts}
    with tempfile.TemporaryDirectory() as name:
        submitted = Path(name, "submitted")
        count = made_class(submitted, options.students, options.seed)
        print(f"{count} notebooks, {options.workers} workers. {facts_of_machine()}.", flush=True)
        said: dict[str, str] = {}
        for _ in range(options.turns):
            for checkout in checkouts:
                seconds, points = graded(checkout, submitted, options.workers, options.seed)
                times[checkout].append(seconds)
                said[points] = checkout.name
                print(f"{checkout.name}: {seconds:.1f} s, {60 * count / seconds:.0f} a minute", flush=True)
    for checkout, found in times.items():
        ratio = statistics.median(times[checkouts[-1]]) / statistics.median(found)
        print(f"{checkout.name}: median {statistics.median(found):.1f} s, {ratio:.2f} × the last one's rate")
    print("All of them give the same marks." if len(said) == 1 else "The marks differ.")


if __name__ == "__main__":
    main()
