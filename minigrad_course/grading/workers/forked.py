"""What the process does that workers are forked from: once for all of them, and in memory that they share.

Importing this module does it, because that is all such a process can be told.
"""

from __future__ import annotations

import gc

gc.disable()  # what comes into being here stays

from minigrad_course.programs import process  # noqa: E402

process.claim()

from minigrad_course.grading.judge import nbval  # noqa: E402, F401
from minigrad_course.grading.judge.judge import Judge  # noqa: E402
from minigrad_course.grading.workers import pool  # noqa: E402, F401
from minigrad_course.parts import chapters  # noqa: E402
from minigrad_course.texts import source  # noqa: E402

Judge(0).sandbox.compile()
source.read("solutions", chapters()[0].name)  # imports what reads a text; which texts are needed, nobody knows yet
gc.freeze()  # a collection in a worker then leaves the shared pages alone
gc.enable()
