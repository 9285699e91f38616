"""`minigrad.compat.printing` writes what torch writes: torch is run beside it, and the texts compared.

Tables hold every boundary of the rules. Random programs (`writer/`) print what nobody thought of.
"""

import doctest
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from engines import each_of
from hypothesis import given, settings
from hypothesis import strategies as st

from minigrad.compat import printing
from minigrad.compat.printing import set_printoptions, tensor_text

FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")


def get_printoptions() -> dict:
    """The options as they are, in a copy."""
    return dict(vars(printing._options))


def set_both(**options: object) -> None:
    """Change the print options of torch and of minigrad alike."""
    torch.set_printoptions(**options)
    set_printoptions(**options)


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    """Leave the options of both engines as they were, and start from the defaults."""
    set_both(profile="default")
    yield
    set_both(profile="default")


def assert_alike(tensor: torch.Tensor, **notes: object) -> None:
    """Compare the texts of a tensor; `notes` is what minigrad is told of its graph."""
    assert tensor_text(tensor.detach().numpy(), **notes) == repr(tensor)


def custom_function(name: str) -> type[torch.autograd.Function]:
    """A custom autograd.Function with this class name, the identity."""

    def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    def backward(ctx: object, upstream: torch.Tensor) -> torch.Tensor:
        return upstream

    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(name, (torch.autograd.Function,), methods)


def overwrite(x: torch.Tensor) -> torch.Tensor:
    """A tensor written through a view of it, as an item assignment does."""
    result = torch.zeros_like(x)
    result.view_as(result).copy_(x)
    return result


NODES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "ExpBackward0": torch.exp,
    "MulBackward0": lambda x: x * 1,
    "CloneBackward0": torch.clone,
    "UnsqueezeBackward0": lambda x: x.unsqueeze(0),
    "LogSigmoidBackward0": torch.nn.functional.logsigmoid,
    "BinaryCrossEntropyWithLogitsBackward0": lambda x: torch.nn.functional.binary_cross_entropy_with_logits(
        x, torch.zeros_like(x), reduction="none"
    ),
    "CopySlices": overwrite,
    "SqBackward": custom_function("Sq").apply,
}
# From 30 on, a name reaches the end of a line on which only a dtype stands.
NODES |= {f"{n * 'F'}Backward": custom_function(n * "F").apply for n in (1, 20, *range(30, 38), 59)}


# Boundaries of the format


@each_of(
    dtype=FLOATS,
    entries=[
        [1.0, 1000.0],
        [1.0, 1001.0],
        [0.5, 500.0],
        [0.5, 500.5],
        [0.0009765625, 0.9765625],  # the ratio is 1000 in every float dtype
        [0.0009765625, 0.9770508],
        [-1.0, 1001.0],
        [0.0, 1001.0],
        [1.0, math.inf],
        [5e-5, 4e-5],
        [0.00010001659, 0.001],
        [2.0, 0.5, 0.25],
        [1.0, 2.0, -3.0],
        [100.0, 2.0],
        [1.0, 2.5, 100.0],
        [0.00005, 1.0],
        [0.99999, 9.99996],
        [65504.0],
        [-65504.0, 65.504],
    ],
)
def test_scientific_whole_or_fixed(entries: list[float], dtype: str) -> None:
    assert_alike(torch.tensor(entries, dtype=getattr(torch, dtype)))


@each_of(
    dtype=["float32", "float64"],
    value=[1e8, 1e-4, 1e-45, 3e38, 99999999.0, 123456789.0, 1e-3],
    side=[-math.inf, 0.0, math.inf],
    sign=[1, -1],
)
def test_one_value_at_and_beside_a_limit(value: float, side: float, sign: int, dtype: str) -> None:
    exact = np.array(sign * value, dtype=dtype)
    beside = np.nextafter(exact, np.array(side, dtype=dtype)) if side else exact
    assert_alike(torch.from_numpy(np.array(beside)))
    assert_alike(torch.from_numpy(np.array([beside, beside])))


@each_of(low=[1.0, 0.5, 0.001953125, 3.0], side=[-math.inf, 0.0, math.inf])
def test_ratio_at_and_beside_1000(low: float, side: float) -> None:
    high = math.nextafter(1000 * low, side) if side else 1000 * low
    assert_alike(torch.tensor([low, high], dtype=torch.float64))


def test_a_ratio_beyond_the_largest_double() -> None:
    assert_alike(torch.tensor([5e-324, 1.7e308], dtype=torch.float64))


@each_of(
    dtype=FLOATS,
    others=[[], [1.0], [1.5], [100.0], [-1.5e-7], [1e4, 0.1]],
    specials=[
        [0.0],
        [-0.0],
        [math.nan],
        [-math.nan],
        [math.inf],
        [-math.inf],
        [0.0, math.nan, -0.0, -math.inf],
    ],
)
def test_zeros_nan_and_infinities_have_no_say(specials: list[float], others: list[float], dtype: str) -> None:
    for entries in (specials + others, others + specials, 12 * (specials + others)):
        assert_alike(torch.tensor(entries, dtype=getattr(torch, dtype)))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype: str) -> None:
    limits = np.iinfo(dtype)
    for entries in ([0], [0, 1, 10], [limits.min, limits.max, 0], [limits.max] * 40):
        array = np.array(entries, dtype=dtype)
        assert tensor_text(array) == repr(torch.from_numpy(array))


# Boundaries of the layout


@each_of(
    shape=[
        (1000,),
        (1001,),
        (10, 100),
        (7, 143),
        (6, 167),
        (7, 167),
        (167, 6),
        (167, 7),
        (1, 1001),
        (1001, 1),
        (6, 6, 28),
        (6, 7, 28),
        (7, 6, 28),
        (2, 2, 2, 2, 63),
        (7, 1, 7, 1, 30),
        (1001, 0, 3),
    ],
    dtype=["float32", "int64"],
)
def test_more_than_1000_entries_are_cut(shape: tuple[int, ...], dtype: str) -> None:
    assert_alike(torch.arange(math.prod(shape), dtype=getattr(torch, dtype)).reshape(shape))


def test_entries_left_out_have_no_say_in_the_format() -> None:
    tensor = torch.ones(40, 40)
    tensor[3:37, 3:37] = 1.5e-9
    assert_alike(tensor)
    tensor[2, 2] = 1.5e-9
    assert_alike(tensor)


def test_only_the_shown_entries_are_read() -> None:
    # 10**12 entries in the memory of one: whoever reads all of them never ends.
    array = np.broadcast_to(np.float32(1.5), (10**6, 10**6))
    assert tensor_text(array) == repr(torch.tensor(1.5).expand(10**6, 10**6))


@each_of(width=range(1, 20), depth=range(4))
def test_rows_break_at_80_columns(width: int, depth: int) -> None:
    for count in (*range(1, 42), 80):
        row = torch.full((count,), int("1" * min(width, 18)))
        assert_alike(row.reshape((1,) * depth + (count,)))


# Notes


@pytest.mark.parametrize("dtype", FLOATS)
def test_notes_move_down_when_the_line_is_full(dtype: str) -> None:
    for shape in (*((count,) for count in range(1, 21)), (2, 5), (3, 1, 2)):
        leaf = torch.ones(shape, dtype=getattr(torch, dtype), requires_grad=True)
        assert_alike(leaf, requires_grad=True)
        for name, node in NODES.items():
            assert_alike(node(leaf), requires_grad=True, grad_fn=name)


# Options


def option_sets() -> st.SearchStrategy[dict[str, object]]:
    """Arguments of `set_printoptions`, some of them None."""
    return st.fixed_dictionaries(
        {},
        optional={
            "precision": st.none() | st.integers(0, 9),
            "threshold": st.none() | st.sampled_from([-1, 0, 1, 5, 12, 24, 1000, math.inf]),
            "edgeitems": st.none() | st.integers(0, 5),
            "linewidth": st.none() | st.integers(0, 130),
            "profile": st.none() | st.sampled_from(["default", "short", "full", "unknown"]),
            "sci_mode": st.none() | st.booleans(),
        },
    )


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(option_sets(), max_size=4))
def test_options_change_as_in_torch(calls: list[dict[str, object]]) -> None:
    set_both(profile="default")
    for options in calls:
        set_both(**options)
        assert get_printoptions() == torch._tensor_str.get_printoptions()


SHOWN = [
    torch.tensor([1e-4, 1.0, 12345.678]),
    torch.tensor([[0.5, -123456.0], [math.nan, math.inf]], dtype=torch.float64),
    torch.arange(-30, 30).reshape(3, 20) * 1001,
    torch.full((4, 3, 5), 1 / 3, dtype=torch.float16),
    torch.zeros(2, 0),
]


@each_of(
    options=[
        *({"precision": digits} for digits in (0, 2, 9)),
        *({"threshold": most} for most in (0, 5, 59, 60, math.inf)),
        *({"threshold": 5, "edgeitems": count} for count in (0, 1, 2, 5)),
        *({"linewidth": width} for width in (0, 20, 41, 130)),
        *({"profile": name} for name in ("default", "short", "full", "unknown")),
        *({"sci_mode": mode, "precision": 3} for mode in (True, False)),
    ]
)
def test_tensors_print_as_in_torch_under_changed_options(options: dict[str, object]) -> None:
    set_both(profile="default")
    set_both(**options)
    for tensor in SHOWN:
        assert_alike(tensor)


def test_options_are_returned_as_a_copy_that_can_be_set_again() -> None:
    set_printoptions(precision=2, sci_mode=True)
    saved = get_printoptions()
    saved_text = tensor_text(np.array([1.5]))
    set_printoptions(profile="default")
    assert get_printoptions() != saved
    set_printoptions(**saved)
    assert tensor_text(np.array([1.5])) == saved_text
    saved["precision"] = 9
    assert get_printoptions()["precision"] == 2


def test_negative_edgeitems_are_refused_and_change_nothing() -> None:
    before = get_printoptions()
    with pytest.raises(ValueError, match="edgeitems must be 0 or more, not -1"):
        set_printoptions(precision=2, edgeitems=-1)
    assert get_printoptions() == before


def test_the_examples_of_the_docstrings() -> None:
    results = doctest.testmod(printing)
    assert results.attempted > 0
    assert results.failed == 0
