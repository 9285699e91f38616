"""minigrad: a small engine that prints what torch prints.

`import minigrad as torch` and run a snippet: the names here are torch's. Read the engine in this order:
`scalar`, `upstream`, `jacobian`, `leaf` (the chapters) and `tensor`.

>>> import minigrad as torch
>>> x = torch.tensor([1., 2.], requires_grad=True)
>>> y = x * 3
>>> y.backward(torch.tensor([1., 10.]))
>>> y, x.grad
(tensor([3., 6.], grad_fn=<MulBackward0>), tensor([ 3., 30.]))

Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

import gc
import importlib
from math import e, inf, nan, pi
from typing import Any

_collecting = gc.isenabled()
gc.disable()  # there is no garbage among modules, and looking for it would take a fifth of the import
try:
    from minigrad.compat.messages import set_warn_always
    from minigrad.methods import operators
    from minigrad.passing import fastpath
    from minigrad.tensor import Size, Tensor

    # isort: split
    from minigrad import jacobian, leaf, scalar, upstream
    from minigrad.compat import unsupported, versions
    from minigrad.compat.dtypes import bool_ as bool
    from minigrad.compat.dtypes import default as get_default_dtype
    from minigrad.compat.dtypes import dtype, float16, float32, float64, int8, int16, int32, int64, uint8
    from minigrad.compat.dtypes import set_default as set_default_dtype
    from minigrad.compat.printing import set_printoptions
    from minigrad.ops import functions, register
    from minigrad.ops.creation import *
    from minigrad.recording.modes import enable_grad, is_grad_enabled, set_grad_enabled

    # isort: split
    from minigrad.ops.creation.legacy import *
    from minigrad.random import *
finally:
    if _collecting:
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()  # everything counts as old now, as after a collection
        gc.enable()

unsupported.mark(Tensor)

newaxis = None

half, float, double = float16, float32, float64
short, int, long = int16, int32, int64


def is_tensor(value: object) -> Any:
    """True for a Tensor."""
    return isinstance(value, Tensor)


# Names that many programs never use are loaded on first use.
_PACKAGES = {name: name for name in ("autograd", "func", "nn", "optim", "parts", "utils")}
_PACKAGES |= {"backends": "compat.backends", "cuda": "compat.cuda"}
_ELSEWHERE = {
    "autograd.anomaly_mode": ("is_anomaly_enabled", "is_anomaly_check_nan_enabled"),
    "autograd.grad_mode": ("inference_mode", "is_inference_mode_enabled"),
    "compat.backends": ("use_deterministic_algorithms",),
    "compat.device": ("get_default_device", "set_default_device"),
    "ops.dlpack": ("from_dlpack", "to_dlpack"),
    "func": ("vmap",),
    "nn.functional": ("pairwise_distance",),
    "ops.memory": ("finfo", "iinfo", "promote_types", "result_type"),
    "utils.saving": ("load", "save"),
}
_MODULE_OF = {name: module for module, names in _ELSEWHERE.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":  # of the torch that it mirrors: a program that asks takes torch's branch
        return f"{versions.said}+minigrad"
    if name == "no_grad":
        return leaf.no_grad  # a part of the last chapter, which you can replace
    if name in functions:
        return functions[name]
    if name in _PACKAGES:
        return importlib.import_module(f"minigrad.{_PACKAGES[name]}")
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"minigrad.{_MODULE_OF[name]}"), name)
    return unsupported.refuse("minigrad", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *functions.names(), *_PACKAGES, *_MODULE_OF, "no_grad"})
