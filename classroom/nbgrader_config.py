"""Settings for a course with nbgrader: copy this file into the course's folder, and fill in the first two.

Students' machines need only those two.
"""

import secrets

from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearOutput, ClearSolutions

c = get_config()  # noqa: F821 (nbgrader defines it)

c.CourseDirectory.course_id = "backward"
c.Exchange.root = "/srv/nbgrader/exchange"  # a folder that everybody can write to


def without_ours(step):
    """A step of nbgrader's release that skips minigrad's exercises, and treats all others as usual."""

    class Step(step):
        def preprocess(self, notebook, resources):
            ours = notebook.metadata.get("minigrad", {}).get("kind") == "exercises"
            return (notebook, resources) if ours else super().preprocess(notebook, resources)

    Step.__name__ = Step.__qualname__ = step.__name__
    return Step


# Our exercises contain no solutions: nbgrader would only remove stubs, the programs to repair, and the target below
# each check, which is what torch prints.
c.GenerateAssignment.preprocessors = [
    without_ours(each) if each in (ClearSolutions, ClearOutput) else each for each in GenerateAssignment().preprocessors
]

# The time limit for a cell, in seconds. The first check imports torch, which takes a while on a busy machine. Checks
# have their own limit of about 10 seconds; this one is for endless loops outside checks.
c.Execute.timeout = 120
c.Execute.iopub_timeout = 30  # a busy machine may need this long to deliver what a cell printed

# nbgrader gives full points to a check that did not run, and skips any that a student has tagged to be skipped.
c.Execute.skip_cells_with_tag = secrets.token_hex()
