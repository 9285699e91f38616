"""`attempt`: show what an action gives, or the first sentence of its error, so that a lesson can go on."""

from __future__ import annotations

from collections.abc import Callable


def attempt(action: Callable[[], object]) -> None:
    """Print what an action returns, or the first sentence of its RuntimeError, TypeError or ValueError."""
    try:
        print(action())
    except (RuntimeError, TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {str(error).split('. ')[0]}")


def first_sentence(problem: Exception | str) -> str:
    """An error or a warning with its name, as far as its first full stop."""
    return f"{type(problem).__name__}: {str(problem).split('. ')[0].rstrip('.')}."
