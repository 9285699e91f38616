"""The named tuples that `max(dim)`, `sort` and the like return.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.max.html
"""

from __future__ import annotations

import operator
from typing import Any, Self

from minigrad.compat import pickling


class Named(tuple):
    """Several results, with names; prints with the name of what made them."""

    __slots__ = ()
    names: tuple[str, ...]

    def __init_subclass__(cls) -> None:
        cls.__module__ = "torch.return_types"
        for place, name in enumerate(cls.names):
            setattr(cls, name, property(operator.itemgetter(place)))

    def __new__(cls, *parts: Any) -> Self:
        return super().__new__(cls, parts[0] if len(parts) == 1 else parts)

    def __reduce__(self) -> tuple:
        return pickling.restored, (__name__, type(self).__name__, tuple(self))

    def __repr__(self) -> str:
        parts = ",\n".join([f"{name}={value!r}" for name, value in zip(self.names, self, strict=True)])
        return f"torch.return_types.{type(self).__name__}(\n{parts})"


def named(name: str, *names: str) -> Any:
    """The result class of an operation with this name."""
    text = f"What `{name}` returns: ({', '.join(names)})."
    return type(name, (Named,), {"__doc__": text, "names": names})


aminmax, nanmedian = named("aminmax", "min", "max"), named("nanmedian", "values", "indices")
PAIRS = ("max", "min", "median", "sort", "topk", "cummax", "cummin", "kthvalue", "mode")
max, min, median, sort, topk, cummax, cummin, kthvalue, mode = (named(pair, "values", "indices") for pair in PAIRS)
linalg_slogdet, linalg_qr = named("linalg_slogdet", "sign", "logabsdet"), named("linalg_qr", "Q", "R")
slogdet, qr = named("slogdet", "sign", "logabsdet"), named("qr", "Q", "R")
linalg_eigh, linalg_svd = named("linalg_eigh", "eigenvalues", "eigenvectors"), named("linalg_svd", "U", "S", "Vh")
