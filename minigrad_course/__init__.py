"""The teaching side: parts and their mistakes, checks, pictures, and the notebook builder.

In a notebook, `%load_ext minigrad_course` adds `@part`, `%%check`, `%hint`, `%myparts` and `%progress`.
"""

from __future__ import annotations

import warnings
from typing import Any

# torch's forward mode calls torch's own `torch.jit.script`, and since 2.14 it warns everybody that this is deprecated.
warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", FutureWarning)


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext minigrad_course`."""
    from minigrad_course.learner import magics  # IPython is needed only when this is called

    magics.load(shell)
