"""What minigrad has not, it says in a sentence of its own; it never gives a silent wrong answer."""

import pytest
from engines import said

import minigrad

SETUP = "x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; c = torch.tensor([1., 2.])"

# What torch has and minigrad has not, and the error that says so.
MISSING = [
    ("torch.fft", "AttributeError"),
    ("x.svd()", "AttributeError"),
    ("torch.jit", "AttributeError"),
    ("torch.nn.Conv2d", "AttributeError"),
    ("torch.complex64", "AttributeError"),
    ("torch.tensor([1j])", "NotImplementedError"),
]


@pytest.mark.parametrize(("line", "kind"), MISSING, ids=[line for line, _ in MISSING])
def test_what_minigrad_has_not_is_said_in_a_sentence(line: str, kind: str) -> None:
    text = said([SETUP, line], minigrad)
    assert text.startswith(f"{kind}: ")
    assert text.count("\n") == 1
    assert "minigrad" in text
