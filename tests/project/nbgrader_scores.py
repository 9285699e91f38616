"""Does several things with nbgrader, which takes long to import, in one process.

python nbgrader_scores.py FOLDER release|grade      every assignment of a course; prints the scores as JSON
python nbgrader_scores.py commands JSON             commands, [FOLDER, ARGUMENT, …] each, in processes of their own
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

from nbgrader.apps import NbGraderAPI
from nbgrader.apps.nbgraderapp import NbGraderApp
from traitlets.config.loader import PyFileConfigLoader


def opened(course: Path) -> NbGraderAPI:
    """A course, with the settings that lie in its folder."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    config.CourseDirectory.root = str(course)
    api = NbGraderAPI(config=config)
    api.log.setLevel(logging.CRITICAL)
    return api


def demand(assignment: str, done: dict[str, Any]) -> None:
    """The end, unless nbgrader says that a step succeeded."""
    if not done["success"]:
        sys.exit(f"{assignment}: {done['error']} {done['log']}")


def release(api: NbGraderAPI, assignments: list[str]) -> list[str]:
    """Make the release of each assignment."""
    for assignment in assignments:
        demand(assignment, api.generate_assignment(assignment))
    return assignments


def scores(api: NbGraderAPI, assignments: list[str]) -> dict[str, dict[str, list[float]]]:
    """For each assignment and student: the score, and the most there is."""
    found = {}
    for assignment in assignments:
        for student in sorted(api.get_submitted_students(assignment)):
            demand(assignment, api.autograde(assignment, student))
        found[assignment] = {
            each["student"]: [each["score"], each["max_score"]] for each in api.get_submissions(assignment)
        }
    return found


def command(folder: str, *arguments: str) -> None:
    """A command of nbgrader as its script runs it, in a copy of this process; the end if it fails."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.chdir(folder)
        sys.argv = ["nbgrader", *arguments]
        sys.exit(NbGraderApp.launch_instance())
    if os.waitpid(child, 0)[1]:
        sys.exit(f"nbgrader {' '.join(arguments)} failed")


if __name__ == "__main__" and sys.argv[1] == "commands":
    for each in json.loads(sys.argv[2]):
        command(*each)
elif __name__ == "__main__":
    folder = Path(sys.argv[1])
    step = {"release": release, "grade": scores}[sys.argv[2]]
    print(json.dumps(step(opened(folder), sorted(path.name for path in (folder / "source").iterdir()))))
