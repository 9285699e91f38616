"""Anomaly mode: the node whose backward made the first nan, or an error, is named.

While the mode is on, `hooks.visit` lets `state.anomalies` look at the shares of every node, and no pass counts as
ordinary: the walk costs nothing more when the mode is off.

Mirrors https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.compat import checks, messages
from minigrad.compat.messages import warn
from minigrad.compat.typenames import demand_bool
from minigrad.runtime import array_ops, state

_check_nan = True
_since = 0  # nodes with a larger number were made in the mode


class set_detect_anomaly:
    """Switch the mode on or off at once; as a context manager, for a while. `check_nan` says whether nan is an error.

    >>> with set_detect_anomaly(True):
    ...     is_anomaly_enabled()
    True
    >>> is_anomaly_enabled()
    False
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self.before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        _switch(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        _switch(*self.before)


class detect_anomaly:
    """The mode, on in a `with` block. A UserWarning says so.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"), detect_anomaly():
    ...     is_anomaly_enabled()
    True
    """

    def __init__(self, check_nan: bool = True):
        self.check_nan = check_nan
        self.before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging."
        )

    def __enter__(self) -> None:
        _switch(True, self.check_nan)

    def __exit__(self, *error: Any) -> None:
        _switch(*self.before)


def is_anomaly_enabled() -> bool:
    """True while the mode is on."""
    return state.anomalies is not None


def is_anomaly_check_nan_enabled() -> bool:
    """True if the mode, when it is on, takes nan for an error."""
    return _check_nan


def _switch(mode: bool, check_nan: bool) -> None:
    global _check_nan, _since
    demand_bool("set_anomaly_enabled(): argument 'enabled' (position 1)", mode)
    demand_bool("set_anomaly_enabled(): argument 'check_nan' (position 2)", check_nan)
    if mode and not is_anomaly_enabled():
        _since = next(state.numbers)
    state.anomalies, _check_nan = _looked_at if mode else None, check_nan
    checks.hint = messages.CHANGED_HINT_OF_ANOMALY if mode else messages.CHANGED_HINT


def _looked_at(node: Any, visit: Callable[[], list]) -> list:
    """The shares of a node, looked at: RuntimeError for nan, and a UserWarning that names the node for any error."""
    try:
        shares = visit()
        for index, share in enumerate(shares):
            if _check_nan and share is not None and np.isnan(array_ops.raw(share)).any():
                raise RuntimeError(f"Function '{node.name()}' returned nan values in its {index}th output.")
    except Exception:
        forward = "Traceback of forward call that caused the error: minigrad keeps none."
        if node.number < _since:
            forward = (
                "No forward pass information available. Enable detect anomaly during forward pass for more information."
            )
        warn(f"Error detected in {node.name()}. {forward}")
        raise
    return shares
