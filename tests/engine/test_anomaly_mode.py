"""The anomaly mode: which node it names, and how it nests."""

import pytest

import minigrad
from minigrad import scalar


def test_anomaly_mode_names_the_node_that_was_made_in_it() -> None:
    plain = scalar.Function.pullback
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        mode = minigrad.autograd.detect_anomaly()
    with mode:
        assert minigrad.autograd.anomaly_mode.is_anomaly_enabled()
        x = minigrad.tensor([0.0], requires_grad=True)
        y = x / x
        with (
            pytest.warns(UserWarning, match=r"Error detected in DivBackward0\. Traceback of forward call"),
            pytest.raises(RuntimeError, match=r"Function 'DivBackward0' returned nan values in its 1th output\."),
        ):
            y.backward()
    assert x.grad is None
    assert scalar.Function.pullback is plain


def test_anomaly_modes_nest() -> None:
    def state() -> tuple[bool, bool]:
        mode = minigrad.autograd.anomaly_mode
        return mode.is_anomaly_enabled(), mode.is_anomaly_check_nan_enabled()

    switch = minigrad.autograd.set_detect_anomaly
    with switch(True, check_nan=False):
        with switch(True):
            assert state() == (True, True)
            with switch(False):
                assert state() == (False, True)
            assert state() == (True, True)
        assert state() == (True, False)
    assert state() == (False, True)
