"""torch.backends, for scripts that ask what there is, or set how it computes: what is set is kept, and has no effect.
Mirrors https://docs.pytorch.org/docs/stable/backends.html
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

_no: Callable[[], bool] = lambda: False  # noqa: E731
_precise = SimpleNamespace(allow_tf32=False)
cudnn = SimpleNamespace(enabled=True, deterministic=False, benchmark=False, allow_tf32=True, is_available=_no)
cuda, mps = SimpleNamespace(is_built=_no, matmul=_precise), SimpleNamespace(is_available=_no, is_built=_no)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for the same numbers in every run: here they always are."""
