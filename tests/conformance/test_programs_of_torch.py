"""Each program in `programs/` prints, on both engines, the text in the `.out` file beside it, character by character.

The texts are torch's; running the torch that is here as well says so, and tells when it prints something else.
`texts.py` writes them. minigrad prints those of every torch that it speaks, and once with the general methods alone.
"""

from pathlib import Path

import pytest
from texts import FOLDER, KNOWN, PROGRAMS, text_of, texts, version_here


@pytest.fixture(scope="module", params=["torch", *[f"minigrad {each}" for each in KNOWN], "minigrad, general methods"])
def printed(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    """The version of torch that an engine speaks, and what every program prints on it."""
    engine, _, version = request.param.partition(" ")
    if version in KNOWN:
        return version, texts(engine, MINIGRAD_TORCH=version)
    return version_here(), texts(engine.rstrip(","), MINIGRAD_FASTPATH="0" if version else "1")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.relative_to(FOLDER).with_suffix("").as_posix())
def test_a_program_prints_its_text(program: Path, printed: tuple[str, dict[str, str]]) -> None:
    version, found = printed
    text = found[program.relative_to(FOLDER).as_posix()]
    assert text == text_of(program, version)
    assert "\n!! " not in f"\n{text}"


def test_every_program_has_a_text_and_every_text_a_program() -> None:
    assert PROGRAMS
    suffixes = [*[f".{version}.out" for version in KNOWN[1:]], ".out"]  # the longer ones first
    found = set()
    for path in FOLDER.rglob("*.out"):
        suffix = next(each for each in suffixes if path.name.endswith(each))
        found.add((path.with_name(path.name.removesuffix(suffix) + ".py"), suffix == ".out"))
    assert {program for program, is_first in found if is_first} == set(PROGRAMS)
    assert {program for program, _ in found} == set(PROGRAMS)
