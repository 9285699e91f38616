"""Inference mode: what is made in it has no count of its changes, and by that it is known ever after.

A node that would save such a tensor sees that it has been changed, and `Uncounted` says why that cannot be.
Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#inference-mode
"""

from __future__ import annotations

from typing import Any

from minigrad.compat import messages


class Uncounted(list):
    """Stands where other tensors count their changes; shared by all inference tensors. RuntimeError for a change
    outside inference mode: after it, as in torch.
    """

    def __setitem__(self, place: Any, value: Any) -> None:
        if counter is None:
            raise RuntimeError(messages.INFERENCE_CHANGED)


_NONE = Uncounted([1])  # as after a change, so that a node that saves the tensor looks at it
counter: Uncounted | None = None  # what a new tensor counts its changes with: nothing yet, or never


def switch(on: bool) -> bool:
    """Begin or end inference mode; whether it was on."""
    global counter
    before, counter = counter is not None, _NONE if on else None
    return before


_asked = False  # whether recording was switched on in it: torch says so, and records nothing all the same


def ask(on: bool) -> bool:
    """Note that recording is switched on or off in inference mode; what it was."""
    global _asked
    before, _asked = _asked, on and counter is not None
    return before


def asked() -> bool:
    """True if inference mode has been told to record."""
    return _asked and counter is not None


def is_inference(tensor: Any) -> bool:
    """True for a tensor that was made in inference mode, or shares the memory of one."""
    return type(tensor._counter) is Uncounted


def version(tensor: Any) -> int:
    """How often the tensor's memory was changed in place. RuntimeError for an inference tensor."""
    if is_inference(tensor):
        raise RuntimeError("Inference tensors do not track version counter.")
    return tensor._counter[0] if tensor._counter else 0
