"""Calls commands of nbgrader, which takes long to import, in copies of one process.

python nbgrader_commands.py     on each line of standard input [[FOLDER, ARGUMENT, …] for each command], and a line with
                                DONE when they are
"""

from __future__ import annotations

import json
import os
import sys

from nbgrader.apps.nbgraderapp import NbGraderApp


def command(folder: str, *arguments: str) -> None:
    """A command of nbgrader as its script runs it; the end if it fails."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(folder)
        sys.argv = ["nbgrader", *arguments]
        sys.exit(NbGraderApp.launch_instance())
    if os.waitpid(child, 0)[1]:
        sys.exit(f"nbgrader {' '.join(arguments)} failed")


DONE = "\0"
for line in sys.stdin:
    for each in json.loads(line):
        command(*each)
    print(DONE, flush=True)
