"""Generates and autogrades every assignment of an nbgrader course, in one process, and prints the scores as JSON.

python nbgrader_scores.py FOLDER
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

from nbgrader.apps import NbGraderAPI
from traitlets.config import Config


def scores(course: Path) -> dict[str, dict[str, list[float]]]:
    """For each assignment and student: the score, and the most there is."""
    config = Config()
    config.CourseDirectory.root = str(course)
    api = NbGraderAPI(config=config)
    api.log.setLevel(logging.CRITICAL)
    found = {}
    for assignment in sorted(path.name for path in (course / "source").iterdir()):
        for done in (
            api.generate_assignment(assignment),
            *(api.autograde(assignment, student) for student in sorted(api.get_submitted_students(assignment))),
        ):
            if not done["success"]:
                sys.exit(f"{assignment}: {done['error']} {done['log']}")
        found[assignment] = {
            each["student"]: [each["score"], each["max_score"]] for each in api.get_submissions(assignment)
        }
    return found


if __name__ == "__main__":
    print(json.dumps(scores(Path(sys.argv[1]))))
