"""The `minigrad` script: Ctrl-C ends it with a sentence, even while its modules are being imported.

A module of its own at the top, because importing anything of `minigrad` imports numpy, which takes a while.
"""

from __future__ import annotations

import sys


def main() -> None:
    """The entry point of the `minigrad` script, and of `python -m minigrad`."""
    try:
        from minigrad.commands import main as command

        command()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
    except ModuleNotFoundError as error:
        if not error.name or error.name.partition(".")[0].startswith("minigrad"):
            raise
        print(f"{error.name} is not installed: {sys.executable} -m pip install minigrad-course", file=sys.stderr)
        sys.exit(3)
