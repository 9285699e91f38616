"""Each program prints, on both engines, the text in the `.out` file beside it, character by character.

The texts are torch's; running the torch that is here as well says so, and tells when it prints something else.
`texts.py` writes them. minigrad prints those of every torch that it speaks, and the same with the general methods
alone. The programs in `posted/` were written without looking at minigrad, as people post them: it
prints torch's text or says what it has not. How many stop at a missing name may only fall.
"""

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

import preloaded
import pytest
from texts import CHANGES, FOLDER, FOLDERS, HERE, KNOWN, POSTED, POSTS, PROGRAMS, text_of, texts, version_here

from minigrad.compat import versions

ROWS = versions.CHANGES
# What these need is not there: the sentence says so, and up to it they print what torch prints.
STOP = [
    "backward_errors/hidden_state_not_detached",
    "data_loading/pad_sequence_collate",
    "dtypes_and_conversion/casting_ways",
    "einsum_and_attention/nn_multiheadattention",
    "func_transforms/compile_simple_function",
    "hooks/save_activations",
    "layers_and_modules/count_parameters",
    "layers_and_modules/lstm_output_shapes",
    "leaf_and_grad/requires_grad_flags",
    "linear_algebra/eigenvalues_symmetric",
    "linear_algebra/least_squares_line",
    "numerics_and_printing/complex_and_sparse",
    "numpy_bridge/image_to_conv_input",
    "random_and_seeds/fork_and_normal_distribution",
]
# These say something else than torch, for the reason beside them.
OTHERWISE = {
    "linear_algebra/singular_matrix": "the error does not name the diagonal entry, and there is no pinv",
}
MISSING = re.compile(
    r"^!! (Attribute|Import|ModuleNotFound|NotImplemented)Error: minigrad(\.[\w.]+|'s Tensor|'s torch\.\w+)? "
)


Said = dict[str, dict[Path, str]]  # what every program prints, by the version of torch


@pytest.fixture(scope="module")
def on_torch() -> dict[Path, str]:
    """What every program prints on the torch that is here."""
    return texts("torch", FOLDERS, preloaded.python())[""]


@pytest.fixture(scope="module")
def on_minigrad() -> Said:
    """What every program prints on minigrad, as it speaks each version."""
    return texts("minigrad", FOLDERS, speaks=KNOWN)


def differences(said: dict[Path, str], programs: Iterable[Path], version: str) -> dict[str, str]:
    """The programs that print something else than torch, and what."""
    found = {}
    for program in programs:
        texts = text_of(program, version), said[program]
        if texts[0] != texts[1]:
            lines = [text.splitlines(keepends=True) for text in texts]
            found[name_of(program)] = "".join(difflib.unified_diff(*lines, "torch", "here", n=1))
    return found


def name_of(program: Path) -> str:
    return program.relative_to(HERE).with_suffix("").as_posix()


def test_the_torch_that_is_here_prints_the_texts(on_torch: dict[Path, str]) -> None:
    assert differences(on_torch, [*PROGRAMS, *POSTS], version_here()) == {}


@pytest.mark.parametrize("version", KNOWN)
def test_minigrad_prints_the_texts_of_every_torch(version: str, on_minigrad: Said) -> None:
    assert differences(on_minigrad[version], PROGRAMS, version) == {}


def test_the_general_methods_print_the_same(on_minigrad: Said) -> None:
    said = texts("minigrad", [FOLDER, POSTED], MINIGRAD_FASTPATH="0")[""]
    assert said == {each: text for each, text in on_minigrad[version_here()].items() if each in said}


def test_no_program_of_ours_ends_in_an_error() -> None:
    assert [name_of(each) for each in PROGRAMS if re.search("^!! ", text_of(each, KNOWN[0]), re.M)] == []


@pytest.mark.parametrize("version", KNOWN)
def test_a_posted_program_prints_its_text_or_says_what_is_not_there(version: str, on_minigrad: Said) -> None:
    said = on_minigrad[version]
    otherwise = [POSTED / f"{name}.py" for name in OTHERWISE]
    stop = [POSTED / f"{name}.py" for name in STOP]
    assert differences(said, set(POSTS) - {*otherwise, *stop}, version) == {}
    assert len(differences(said, otherwise, version)) == len(OTHERWISE)  # else it leaves the list
    unsaid = {}
    for program in stop:
        before, mark, sentence = said[program].rpartition("!! ")
        right = text_of(program, version).startswith(before)
        if not (right and MISSING.match(mark + sentence) and sentence.count("\n") == 1):
            unsaid[name_of(program)] = said[program]
    assert unsaid == {}


def test_a_row_of_the_table_of_changes_is_true(on_torch: dict[Path, str], on_minigrad: Said) -> None:
    """`changes/NAME.py` shows the row NAME, on minigrad where it has what the row is about."""
    programs = {CHANGES / f"{name}.py": row.here for name, row in ROWS.items()}
    assert differences(on_torch, programs, version_here()) == {}
    here = [program for program, is_here in programs.items() if is_here]
    for version in KNOWN:
        # of the others the row would say too little
        assert set(programs) - set(here) == {
            each for each in programs if name_of(each) in differences(on_minigrad[version], programs, version)
        }


def test_a_version_whose_rows_nobody_asked_for_prints_the_same_in_a_process_of_its_own(on_minigrad: Said) -> None:
    """As `MINIGRAD_TORCH` lets it speak from the first import on."""
    alone = texts("minigrad", [CHANGES], MINIGRAD_TORCH=KNOWN[-1])[""]
    assert alone == {each: text for each, text in on_minigrad[KNOWN[-1]].items() if each in alone}


def test_every_program_has_a_text_and_every_text_a_program() -> None:
    assert PROGRAMS
    suffixes = [*[f".{version}.out" for version in KNOWN[1:]], ".out"]  # the longer ones first
    found = set()
    for path in FOLDER.rglob("*.out"):
        suffix = next(each for each in suffixes if path.name.endswith(each))
        found.add((path.with_name(path.name.removesuffix(suffix) + ".py"), suffix == ".out"))
    assert {program for program, is_first in found if is_first} == set(PROGRAMS)
    assert {program for program, _ in found} == set(PROGRAMS)
