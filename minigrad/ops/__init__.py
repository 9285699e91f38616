"""Operations beyond the chapters. `register` makes each a method of Tensor and a function of `torch.`: ours, and one
that a program adds.
Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from minigrad.ops.registry import REPLACEABLE, call_of, functions, register, unregister

__all__ = ["REPLACEABLE", "call_of", "functions", "register", "unregister"]
