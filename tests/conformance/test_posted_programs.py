"""Programs as people post them, on both engines: minigrad prints torch's text, or says what it has not.

The programs were written without looking at minigrad. How many stop at a missing name may only fall.
"""

import re
from pathlib import Path

import pytest
from texts import KNOWN, POSTED, POSTS, text_of, texts, version_here

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
    "func_transforms/per_sample_gradients": "func.grad takes tensors, and no dict of them",
    "func_transforms/vmap_batched_dot": "vmap is a loop: a function that gives no tensor is another error",
    "linear_algebra/singular_matrix": "the error does not name the diagonal entry, and there is no pinv",
}
MISSING = re.compile(
    r"^!! (Attribute|Import|ModuleNotFound|NotImplemented)Error: minigrad(\.[\w.]+|'s Tensor|'s torch\.\w+)? "
)


@pytest.fixture(scope="module", params=["torch", *[f"minigrad {each}" for each in KNOWN]])
def printed(request: pytest.FixtureRequest) -> tuple[str, str, dict[str, str]]:
    """An engine, the version of torch that it speaks, and what every program prints on it."""
    engine, _, version = request.param.partition(" ")
    version = version or version_here()
    return engine, version, texts(engine, POSTED, MINIGRAD_TORCH=version)


@pytest.mark.parametrize("program", POSTS, ids=lambda path: path.relative_to(POSTED).with_suffix("").as_posix())
def test_a_program_prints_its_text_or_says_what_is_not_there(
    program: Path, printed: tuple[str, str, dict[str, str]]
) -> None:
    engine, version, found = printed
    text = found[program.relative_to(POSTED).as_posix()]
    torch_s = text_of(program, version)
    name = program.relative_to(POSTED).with_suffix("").as_posix()
    if engine == "minigrad" and name in OTHERWISE:
        assert text != torch_s  # else it leaves the list
    elif engine == "minigrad" and name in STOP:
        before, mark, sentence = text.rpartition("!! ")
        assert torch_s.startswith(before) and MISSING.match(mark + sentence) and sentence.count("\n") == 1, text
    else:
        assert text == torch_s
