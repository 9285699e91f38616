"""The causes that are looked for, in this order: of an error the first that explains it is told."""

from __future__ import annotations

import os

from minigrad_course.explain.causes import (
    ends,
    freed,
    functions,
    in_place,
    leaves,
    losses,
    modules,
    shapes,
    starts,
    steps,
    transforms,
    values,
)
from minigrad_course.explain.findings import Cause, Finding
from minigrad_course.explain.observing.story import Story

CAUSES: list[type[Cause]] = [
    # errors
    leaves.Typo,
    starts.NonScalar,
    ends.NoGraph,
    starts.RowsOfJacobian,
    freed.SecondBackward,
    in_place.ChangedInPlace,
    in_place.LeafInPlace,
    ends.NoneGrad,
    leaves.NotALeaf,
    leaves.EmptyOptimizer,
    in_place.HookedView,
    leaves.Deepcopy,
    leaves.Integers,
    leaves.FlagOfResult,
    leaves.Numpy,
    starts.NotUsed,
    starts.Seed,
    starts.NoTensor,
    leaves.Assigned,
    in_place.Expanded,
    functions.GradientCount,
    functions.GradientShape,
    transforms.Transforms,
    losses.Targets,
    shapes.Dtypes,
    shapes.Matrices,
    shapes.Broadcast,
    # what goes wrong in silence
    leaves.SilentTypo,
    steps.NoBrackets,
    leaves.UsedUp,
    values.NotANumber,
    values.StartsAtZero,
    values.AllZero,
    values.TooSmall,
    values.PaddingRow,
    ends.NoneRead,
    modules.Forgotten,
    modules.NotHeld,
    ends.NeverReached,
    steps.Order,
    steps.AddUp,
    losses.TwiceSoftmax,
    steps.Rebound,
    ends.FlagOnResult,
    losses.Columns,
    modules.Remade,
    modules.Statistics,
    steps.Course,
    steps.DecayOfZeros,
]


def findings(story: Story) -> list[Finding]:
    """The causes of what happened: of an error the first that explains it, of a program that ended all that fit."""
    results: list[Finding] = []
    failed = story.error is not None and not isinstance(story.error, KeyboardInterrupt)
    for cause in CAUSES:
        if cause.silent == failed:
            continue
        if any(item.cause in cause.explained_by for item in results):
            continue
        try:
            results += list(cause().find(story))
        except Exception:  # one cause that stumbles over a program keeps the others from nothing
            if "MINIGRAD_EXPLAIN_DEBUG" in os.environ:
                raise
        if results and failed:
            break
    return results
