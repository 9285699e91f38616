"""torch.utils.data on both engines: the same samples in the same order from the same seed, and the same refusals."""

from engines import assert_alike
from hypothesis import given, settings
from hypothesis import strategies as st


@st.composite
def loaders(draw: st.DrawFn) -> str:
    """A loader, whatever its settings."""
    size = draw(st.integers(1, 70))
    arguments = [f"list(range({size}))", f"batch_size={draw(st.integers(1, 9))}"]
    order = draw(st.sampled_from(["", "shuffle=True", "sampler=", "generator"]))
    if order == "sampler=":
        count, again = draw(st.integers(1, 99)), draw(st.booleans())
        weights = [draw(st.integers(1, 9)) / 4 for _ in range(size)]
        order += draw(
            st.sampled_from(
                [
                    f"D.RandomSampler(range({size}), {again}, {count})",
                    f"D.SubsetRandomSampler(range({size}))",
                    f"D.WeightedRandomSampler({weights}, {count}, True)",
                    f"D.WeightedRandomSampler({weights}, {size}, False)",
                ]
            )
        )
    elif order == "generator":
        order = f"shuffle=True, generator=torch.Generator().manual_seed({draw(st.integers(0, 99))})"
    arguments += [order] * bool(order) + ["drop_last=True"] * draw(st.booleans())
    return f"D.DataLoader({', '.join(arguments)})"


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 2**40), loaders(), st.integers(1, 3))
def test_batches_come_in_torchs_order(seed: int, loader: str, epochs: int) -> None:
    lines = [f"_ = torch.manual_seed({seed}); loader = {loader}; print(len(loader))"]
    lines += ["[batch.tolist() for batch in loader]"] * epochs
    assert_alike(["D = torch.utils.data", *lines, "torch.rand(1)"])


WEIGHTS = st.lists(st.integers(0, 8).map(lambda number: number / 8), min_size=1, max_size=12).filter(any)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 2**40), WEIGHTS, st.integers(1, 20), st.booleans(), st.sampled_from(["float32", "float64"]))
def test_multinomial_draws_what_torch_draws(seed: int, weights: list, count: int, again: bool, dtype: str) -> None:
    count = count if again else min(count, len([each for each in weights if each]))
    call = f"torch.tensor({weights}, dtype=torch.{dtype}).multinomial({count}, {again})"
    rows = f"torch.multinomial(torch.tensor([{weights}, {weights[::-1]}], dtype=torch.{dtype}), {count}, {again})"
    assert_alike([f"_ = torch.manual_seed({seed})", call, rows, "torch.rand(1)"])
