"""For a class in Classroom 50: it runs this for each submission and reads the marks from result.json.

Fill in COURSE, and put the file into your classroom50 repository as CLASSROOM/autograder.py. It follows the page
«Advanced Autograding» of the wiki of foundation50/classroom50.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

COURSE = "git+https://github.com/OWNER/REPOSITORY@TAG"  # where pip finds the course that you installed yourself

if importlib.util.find_spec("minigrad") is None:
    wanted = ["torch==2.13.0", f"minigrad-course[grade] @ {COURSE}"]
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *wanted], check=True)

grades = Path(os.environ.get("RUNNER_TEMP", "."), "grades.json")
files = sorted(map(str, Path("exercises").glob("*.ipynb")))
graded = subprocess.run([sys.executable, "-P", "-m", "minigrad", "grade", *files, "--json", str(grades)], check=False)
if graded.returncode not in (0, 1):  # 1: something is wrong or open, which is a result
    sys.exit(graded.returncode)

tests = [
    {
        "test-name": f"{file['exercise'] or file['file']}: {part['part']}",
        "passed": part["result"] == "passed",
        "score": part["points"],
        "max-score": part["possible"],
        "output": part["what"],
    }
    for file in json.loads(grades.read_text(encoding="utf-8"))["files"]
    for part in file["parts"]
]
committed = ["git", "show", "-s", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%cd", "HEAD"]
when = subprocess.run(committed, env=os.environ | {"TZ": "UTC"}, capture_output=True, text=True, check=True).stdout
result = {
    "schema": "classroom50/result/v1",
    "classroom": os.environ["CLASSROOM"],
    "assignment": os.environ["ASSIGNMENT"],
    "submission": os.environ["SUBMISSION_TAG"],
    "commit": os.environ["COMMIT_URL"],
    "release": os.environ["RELEASE_URL"],
    "review": os.environ.get("REVIEW_URL") or os.environ["COMMIT_URL"],
    "datetime": when.strip(),
    "score": sum(test["score"] for test in tests),
    "max-score": sum(test["max-score"] for test in tests),
    "tests": tests,
}
Path("result.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
