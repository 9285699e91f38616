"""What a node keeps for its backward: saved tensors, each with the version it had.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#saved-tensors
"""

from __future__ import annotations

from minigrad import leaf
from minigrad.tensor import Tensor


def guard(result: Tensor, *tensors: Tensor | None) -> Tensor:
    """The result, whose node keeps these tensors as well: to change one in place before its backward is an error."""
    node = result._made_by
    if node is not None:
        node.saved = (*node.saved, *tensors)
        found = leaf.versions(node.saved)
        node.versions = found if any(found) else None
    return result
