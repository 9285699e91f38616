"""What teaches: parts and their mistakes, checks, pictures, and the builder of the notebooks.

In a notebook, `%load_ext minigrad.course` brings `@part`, `%%check`, `%hint`, `%myparts` and `%progress`.
"""

from __future__ import annotations

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext minigrad.course`."""
    from minigrad.course import magics  # IPython is there when this is called, and not needed before

    magics.load(shell)
