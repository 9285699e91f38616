"""Time how long minigrad takes until it has answered: `python benchmarks/starting.py`.

Each command runs in a process of its own, by turns with `python -c "import torch"`, and the fastest run of each counts.
"""

from __future__ import annotations

import argparse
import math
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from operations import table
from run import multiple

from minigrad_course.texts import source

CHAPTER = "01_scalar_backward"
IMPORT = [sys.executable, "-c", "import torch"]
COMMAND = [sys.executable, "-m", "minigrad_course"]
# What is timed, and how many times as long as `import torch` it may take.
ASKED = {
    "import minigrad": ([sys.executable, "-c", "import minigrad"], 0.1),
    "minigrad check mul": ([*COMMAND, "check", "mul"], 1.3),
    "minigrad status": ([*COMMAND, "status"], 1.5),
    "minigrad grade of one notebook": ([*COMMAND, "grade", "submitted", "--to", "grades"], 2.0),
}


def once(command: list[str], folder: Path) -> float:
    """The seconds that a command takes. It may say that something is wrong, but not end by a signal."""
    shutil.rmtree(folder / "grades", ignore_errors=True)
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    seconds = time.perf_counter() - begun
    if done.returncode < 0 or done.returncode > 1:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr.decode()[-1500:]}")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Time minigrad's commands from start to end.")
    parser.add_argument("--turns", type=int, default=7, metavar="N", help="runs of each, of which the fastest counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([*COMMAND, "start", "course"], cwd=folder, capture_output=True, check=True)
        place = folder / "submitted" / "student" / CHAPTER
        place.mkdir(parents=True)
        shutil.copy(source.notebooks_folder() / "solutions" / f"{CHAPTER}.ipynb", place)
        best = dict.fromkeys(["import torch", *ASKED], math.inf)
        for _ in range(options.turns):
            for title in best:
                command = IMPORT if title == "import torch" else ASKED[title][0]
                best[title] = min(best[title], once(command, folder))
    lines = [["from start to end", "times import torch", "wanted", "seconds"]]
    for title, (_, most) in ASKED.items():
        lines.append([title, multiple(best[title] / best["import torch"]), f"≤ {most:g}", f"{best[title]:.2f}"])
    print(table(lines, "lrrr"))
    print(f"\nimport torch takes {best['import torch']:.2f} s here; each was run {options.turns} times.")


if __name__ == "__main__":
    main()
