"""The programs of `sessions/` say on minigrad, line by line, what they say on torch."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from engines import ENGINES, assert_alike
from sessions import FILES, NAMES, programs

MISTYPED = re.compile(r"^(NameError|SyntaxError|IndentationError): ", re.M)

with warnings.catch_warnings():  # torch warns about what it is made of, once
    warnings.simplefilter("ignore")
    torch.func.jacfwd(torch.sin)(torch.ones(1))
    torch.func.jvp(torch.sin, (torch.ones(1),), (torch.ones(1),))


@pytest.fixture(autouse=True)
def every_warning() -> Iterator[None]:
    """Both engines warn, also where another program has met the warning before on one of them."""
    for engine in ENGINES:
        engine.set_warn_always(True)
    yield
    for engine in ENGINES:
        engine.set_warn_always(False)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_engines_say_the_same(path: Path) -> None:
    failed = []
    for heading, lines in programs(path):
        try:
            mistyped = MISTYPED.search(assert_alike(lines, NAMES))
            assert not mistyped, f"{mistyped}\n{lines}"
        except AssertionError as error:
            failed.append(f"{heading}: {error}")
    assert not failed, "\n\n".join([f"{len(failed)} programs fail", *failed])
