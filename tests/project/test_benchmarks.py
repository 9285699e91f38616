"""Every engine of the benchmarks computes the same numbers in everything that is timed. Nothing is timed here."""

from __future__ import annotations

import numpy as np
import operations
import pytest
import workloads
from races import ENGINES, WORKLOADS, Missing, made

SHORT = [name for name in WORKLOADS if name != "long chain"]  # which is the chain with another length

STEPS = {"classifier": 3, "regression": 2}  # of a training; of anything else, one shows all


@pytest.mark.parametrize("workload", SHORT)
@pytest.mark.parametrize("engine", [each for each in ENGINES if each != "numpy"])
def test_an_engine_computes_what_the_formulas_give(engine: str, workload: str) -> None:
    if engine not in WORKLOADS[workload]:
        pytest.skip(f"{engine} has no way to do it")
    try:
        ours, theirs = made(workload, engine), made(workload, "numpy")
    except Missing as reason:
        pytest.skip(str(reason))
    losses = []
    for _ in range(STEPS.get(workload, 1)):
        ours.step()
        theirs.step()
        losses.append(float(theirs.numbers()[0]))
    found, expected = ours.numbers(), theirs.numbers()
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
    if workload in STEPS:
        assert losses[-1] < losses[0]  # it learns


def test_minigrad_and_torch_are_in_every_workload_and_nobody_else_is_needed() -> None:
    for makers in WORKLOADS.values():
        assert {"minigrad", "numpy", "torch"} <= set(makers) <= set(ENGINES)
        assert makers["minigrad"] is makers["torch"] or makers is WORKLOADS["long chain"]


@pytest.mark.parametrize("name", operations.OPERATIONS)
def test_an_operation_computes_what_torch_computes(name: str) -> None:
    found = []
    for engine in operations.loaded():
        inputs = operations.tensors(engine, operations.OPERATIONS[name], 12)
        result = operations.once(engine, operations.OPERATIONS[name], inputs)
        found.append([result.detach().numpy(), *[item.grad.numpy() for item in inputs]])
    for ours, theirs in zip(*found, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", workloads.WORKLOADS)
def test_a_workload_computes_what_torch_computes(name: str) -> None:
    found = []
    for engine in operations.loaded():
        step = workloads.WORKLOADS[name][1](engine)
        results = [step() for _ in range(2)]
        found.append([np.asarray(item.detach().numpy(), np.float64) for item in results])
    np.testing.assert_allclose(*found, rtol=1e-3, atol=1e-5)
