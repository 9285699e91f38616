"""A gradient on minigrad as each version of torch, and on the torch that is here."""

import pytest

import minigrad
from minigrad.compat import versions
from minigrad_course.chapters import torches


def test_each_version_has_its_line_and_the_torch_that_is_here_agrees(capsys):
    torches.compare(lambda t: t.clamp(min=0), [0.0, 1.0])
    assert capsys.readouterr().out == (
        "torch 2.13: [1.0, 1.0]\ntorch 2.14: [0.0, 1.0]\ntorch 2.15: [0.0, 1.0]\n"
        "Your torch says what stands in its line.\n"
    )


def test_a_torch_that_does_not_agree_is_named(capsys):
    torches.compare(lambda t: t * (2 if isinstance(t, minigrad.Tensor) else 3), [1.0])
    said = capsys.readouterr().out
    assert said.endswith("says something else.\n") and "its line" not in said


def test_afterwards_it_speaks_as_before():
    before = versions.spoken, minigrad.__version__

    def fails(t):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        torches.compare(fails, [1.0])
    assert (versions.spoken, minigrad.__version__) == before
