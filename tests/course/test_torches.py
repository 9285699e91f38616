"""A function on minigrad as each version of torch, and on the torch that is here."""

import pytest

import minigrad
from minigrad.compat import versions
from minigrad.course import torches


def clamped(torch):
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    x.clamp(min=0).sum().backward()
    return x.grad.tolist()


def test_each_version_has_its_line_and_the_torch_that_is_here_agrees(capsys):
    torches.compare(clamped)
    assert capsys.readouterr().out == (
        "torch 2.13: [1.0, 1.0]\ntorch 2.14: [0.0, 1.0]\ntorch 2.15: [0.0, 1.0]\n"
        "Your torch says what stands in its line.\n"
    )


def test_a_torch_that_does_not_agree_is_named(capsys):
    torches.compare(lambda torch: torch is minigrad)
    assert "Your torch says" not in (said := capsys.readouterr().out) and "says something else." in said


def test_afterwards_it_speaks_as_before():
    before = versions.spoken

    def fails(torch):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        torches.compare(fails)
    assert versions.spoken == before and minigrad.__version__ == f"{before}.0+minigrad"
