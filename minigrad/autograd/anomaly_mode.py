"""Anomaly mode: name the node whose backward produced the first nan, or an error.
While the mode is on, `hooks.visit` lets `state.anomalies` inspect the shares of every node; no pass is ordinary.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad.compat.messages import warn
from minigrad.graph import array_ops, nodes, state

_check_nan = True
_since = 0  # nodes with a larger number were made while the mode was on


class set_detect_anomaly:
    """Switch the mode on or off immediately, or for a `with` block. `check_nan` says whether nan is an error."""

    def __init__(self, mode: bool, check_nan: bool = True):
        self.before = is_anomaly_enabled(), _check_nan
        _switch(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        _switch(*self.before)


class detect_anomaly(set_detect_anomaly):
    """Switch the mode on in a `with` block. A UserWarning says so."""

    def __init__(self, check_nan: bool = True):
        self.check_nan, self.before = check_nan, (is_anomaly_enabled(), _check_nan)
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging."
        )

    def __enter__(self) -> None:
        _switch(True, self.check_nan)


def is_anomaly_enabled() -> bool:
    """True while the mode is on."""
    return state.anomalies is not None


def is_anomaly_check_nan_enabled() -> bool:
    """True if the mode, when on, treats nan as an error."""
    return _check_nan


def _switch(mode: bool, check_nan: bool) -> None:
    global _check_nan, _since
    if mode and not is_anomaly_enabled():
        _since = next(state.numbers)
    state.anomalies, _check_nan = _looked_at if mode else None, check_nan


def _looked_at(node: nodes.Operation, visit: Callable[[], list]) -> list:
    """Check the shares of a node: RuntimeError for nan, and a UserWarning that names the node for any error."""
    try:
        shares = visit()
        for index, share in enumerate(shares):
            if _check_nan and share is not None and np.isnan(array_ops.raw(share)).any():
                raise RuntimeError(f"Function '{node.name()}' returned nan values in its {index}th output.")
    except Exception:
        forward = (
            "No forward pass information available. Enable detect anomaly during forward pass for more information."
        )
        if node.number >= _since:
            forward = "Traceback of forward call that caused the error: minigrad keeps none."
        warn(f"Error detected in {node.name()}. {forward}")
        raise
    return shares
