"""Settings for a course with nbgrader: copy this file into the course's folder, and fill in the first two.

Students' machines need no more than those two.
"""

import secrets

from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearOutput, ClearSolutions

c = get_config()  # noqa: F821 (nbgrader defines it)

c.CourseDirectory.course_id = "backward"
c.Exchange.root = "/srv/nbgrader/exchange"  # a folder that everybody may write to


def without_ours(step):
    """A step of nbgrader's release that leaves the exercises of minigrad as they are, and treats others as ever."""

    class Step(step):
        def preprocess(self, notebook, resources):
            ours = notebook.metadata.get("minigrad", {}).get("kind") == "exercises"
            return (notebook, resources) if ours else super().preprocess(notebook, resources)

    Step.__name__ = Step.__qualname__ = step.__name__
    return Step


# Our exercises hold no solution: what nbgrader would take out are stubs, the programs that are to be repaired, and
# below each check what torch prints, which is the goal.
c.GenerateAssignment.preprocessors = [
    without_ours(each) if each in (ClearSolutions, ClearOutput) else each for each in GenerateAssignment().preprocessors
]

# The most a cell may take, in seconds. The first check imports torch, which on a busy machine takes a while; a check
# ends by itself after 10 seconds or so, and this is for endless loops outside of checks.
c.Execute.timeout = 120
c.Execute.iopub_timeout = 30  # what a busy machine may take to hand over what a cell printed

# nbgrader gives all points to a check that did not run, and would not run one that a student has tagged so.
c.Execute.skip_cells_with_tag = secrets.token_hex()
