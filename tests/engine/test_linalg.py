"""Products of vectors, matrices and stacks, and einsum, are torch's: values, graphs, derivatives, errors."""

import itertools
import math

import pytest
from asking import look
from engines import assert_alike, each_of


@each_of(
    second=["4", "4, 2", "3, 4, 2", "1, 4, 2", "2, 3, 4, 2"],
    first=["4", "5, 4", "3, 5, 4", "1, 5, 4", "2, 1, 5, 4"],
    asked=[(True, True), (True, False), (False, True)],
)
def test_matmul_takes_the_way_of_torch(first: str, second: str, asked: tuple[bool, bool]) -> None:
    shapes = zip("ab", (first, second), asked, strict=True)
    leaves = [
        f"{name} = (torch.arange(torch.ones({shape}).numel()) % 5 - 2.0).reshape({shape}).requires_grad_({wanted})"
        for name, shape, wanted in shapes
    ]
    wanted = [name for name, each in zip("ab", asked, strict=True) if each]
    assert_alike([*leaves, f"look(torch, a @ b, {', '.join(wanted)})"], {"look": look})


@pytest.mark.parametrize("shape", [(2, 1, 3), (1, 3, 2), (3, 1, 1), (2, 1, 3, 1), (1, 3, 1, 2), (3, 1, 2, 2)])
def test_axes_of_size_one_may_have_any_stride(shape: tuple[int, ...]) -> None:
    lines = [f"a = torch.arange({math.prod(shape)}.0).reshape{shape}.requires_grad_()"]
    for order in itertools.permutations(range(len(shape))):
        for cut in ("", "[:1]", "[:, :1]", "[:, ::2]", "[..., :1]"):
            lines += [f"s = a.permute({order}){cut}", "look(torch, s @ torch.ones(s.shape[-1], 2), a)"]
            lines += ["look(torch, torch.ones(s.shape[-2]) @ s, a)"]
    assert_alike(lines, {"look": look})
