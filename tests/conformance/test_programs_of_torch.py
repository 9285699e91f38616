"""Each program in `programs/` prints, on both engines, the text in the `.out` file beside it, character by character.

The texts are torch's; running torch here as well says so, and tells when a new torch prints something else.
`texts.py` writes them. minigrad prints them twice, with its fast path and with the general methods alone.
"""

from pathlib import Path

import pytest
from texts import FOLDER, PROGRAMS, texts


@pytest.fixture(scope="module", params=["torch", "minigrad", "minigrad, the general methods"])
def printed(request: pytest.FixtureRequest) -> dict[str, str]:
    """What every program prints on an engine."""
    engine, _, general = request.param.partition(", ")
    return texts(engine, MINIGRAD_FASTPATH="0" if general else "1")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.relative_to(FOLDER).with_suffix("").as_posix())
def test_a_program_prints_its_text(program: Path, printed: dict[str, str]) -> None:
    text = printed[program.relative_to(FOLDER).as_posix()]
    assert text == program.with_suffix(".out").read_text(encoding="utf-8")
    assert "\n!! " not in f"\n{text}"


def test_every_program_has_a_text_and_every_text_a_program() -> None:
    assert PROGRAMS
    assert sorted(FOLDER.rglob("*.out")) == sorted(path.with_suffix(".out") for path in PROGRAMS)
