"""numpy's warnings about 1/0 and overflow, off while the engine computes: torch gives inf and nan in silence.

`numpy.errstate` says the same, and costs as much as ten multiplications of two numbers. numpy keeps that state in a
context variable; found once through the standard library's `contextvars`, it is switched in a tenth of the time.

    token = errstate.STATE.set(errstate.IGNORE)
    try: ...
    finally: errstate.STATE.reset(token)

Mirrors https://numpy.org/doc/stable/reference/generated/numpy.errstate.html
"""

from __future__ import annotations

import contextvars
from typing import Any

import numpy as np


class _Slow:
    """The same methods through numpy's public functions, should a numpy keep its state elsewhere."""

    def get(self) -> Any:
        return IGNORE if set(np.geterr().values()) == {"ignore"} else None

    def set(self, state: Any) -> Any:
        return np.seterr(**state)

    def reset(self, token: Any) -> None:
        np.seterr(**token)


def _found() -> tuple[Any, Any]:
    """The context variable that `numpy.seterr` changes, and its value when everything is ignored."""
    before = dict(contextvars.copy_context().items())
    trial = contextvars.copy_context()
    trial.run(np.seterr, all="ignore")
    changed = [(variable, state) for variable, state in trial.items() if before.get(variable) is not state]
    return changed[0] if len(changed) == 1 else (_Slow(), {"all": "ignore"})


STATE, IGNORE = _found()
