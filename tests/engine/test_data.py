"""torch.utils.data on both engines: the same samples in the same order from the same seed, and the same refusals."""

import numpy as np
import pytest
from engines import ENGINES, assert_alike, each_of
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad

SETUP = [
    "import collections, numpy as np",
    "D = torch.utils.data; _ = torch.manual_seed(3); Point = collections.namedtuple('Point', 'x y')",
    "x = torch.arange(22.).reshape(11, 2); y = torch.arange(11); both = D.TensorDataset(x, y)",
    """
class Squares(D.Dataset):
    def __init__(self, count): self.count = count
    def __len__(self): return self.count
    def __getitem__(self, index):
        if index >= self.count: raise IndexError(index)
        return {"number": index, "square": index * 1.5, "name": f"n{index}"}
""",
]
LINES = [
    "len(both), both[3], both[-1], both[2:4]",
    "D.TensorDataset(x, torch.ones(3))",
    "D.Dataset()[0]",
    "more = both + D.Subset(both, [5, 1]); print(len(more), more[12], more[-13], more[0])",
    "(both + both)[-23]",
    "D.ConcatDataset([])",
    "D.ConcatDataset([[1, 2], 'abc']).cumulative_sizes",
    "D.Subset(both, [4, 2])[1], D.Subset(both, [4, 2])[[0, 1]], len(D.Subset(both, [4]))",
    "[part.indices for part in D.random_split(both, [7, 4])]",
    "[part.indices for part in D.random_split(both, [0.5, 0.3, 0.2])]",
    "[part.indices for part in D.random_split(both, [7, 4], torch.Generator().manual_seed(42))]",
    "[part.indices for part in D.random_split([1], [0.5, 0.5])]",
    "D.random_split(both, [7, 5])",
    "D.random_split(both, [-0.5, 1.5])",
    "list(D.SequentialSampler(both)), len(D.SequentialSampler(both))",
    "list(D.RandomSampler(both)), list(D.RandomSampler(both)), len(D.RandomSampler(both))",
    "list(D.RandomSampler(both, num_samples=25)), list(D.RandomSampler(both, True, 70)), torch.rand(1)",
    "list(D.RandomSampler(both, num_samples=22)), list(D.RandomSampler(both, True, 64)), torch.rand(1)",
    "D.RandomSampler([])",
    "D.RandomSampler(both, replacement=1)",
    "list(D.SubsetRandomSampler([3, 1, 4, 1, 5])), len(D.SubsetRandomSampler([3]))",
    "list(D.WeightedRandomSampler([.1, .9, 3., 0.], 9)), list(D.WeightedRandomSampler([.1, .9, 3.], 2, False))",
    "D.WeightedRandomSampler([.1], 0)",
    "D.WeightedRandomSampler([.1], True)",
    "D.WeightedRandomSampler([[.1]], 1)",
    "D.WeightedRandomSampler([.1], 1, 1)",
    "list(D.BatchSampler(range(5), 2, False)), list(D.BatchSampler('abcde', 2, True))",
    "len(D.BatchSampler(range(5), 2, False)), len(D.BatchSampler(range(5), 2, True))",
    "D.BatchSampler(range(5), 0, False)",
    "D.BatchSampler(range(5), 2, 0)",
    "for batch in D.DataLoader(Squares(5), 2): print(batch)",
    "for batch in D.DataLoader(both, 4, drop_last=True): print(batch)",
    "for batch in D.DataLoader(list('abc'), 2): print(batch)",
    "for batch in D.DataLoader(both, 4, collate_fn=lambda samples: len(samples)): print(batch)",
    "for batch in D.DataLoader(both, batch_sampler=[[1, 2], [3]]): print(batch)",
    "for batch in D.DataLoader(both, batch_size=None, sampler=[1, 2]): print(batch)",
    "for batch in D.DataLoader([np.ones(2), {'a': (1, np.float32(2))}, ['b', [3]]], batch_size=None): print(batch)",
    "for batch in D.DataLoader(Squares(2), 2): batch['number'] += 1; print(batch)",
    "len(D.DataLoader(both, 4)), len(D.DataLoader(both, 4, drop_last=True)), len(D.DataLoader(both, None))",
    "next(iter(D.DataLoader(both))), D.DataLoader(both).batch_size, D.DataLoader(both).dataset is both",
    "D.DataLoader(both, shuffle=True, sampler=[1])",
    "D.DataLoader(both, batch_sampler=[[1]], batch_size=2)",
    "D.DataLoader(both, batch_size=None, drop_last=True)",
    "D.DataLoader(both, batch_size=0)",
    "D.DataLoader(both, size=3)",
    "D.DataLoader(both, batch_size=2.5)",
    "D.DataLoader([], shuffle=True)",
    "next(iter(D.DataLoader([[1, 2], [1]], 2)))",
    "next(iter(D.DataLoader([None], 1)))",
    "next(iter(D.DataLoader([torch.ones(2), torch.ones(3)], 2)))",
    "D.default_collate([1, 2]), D.default_collate([True, False]), D.default_collate([1., 2.])",
    "D.default_collate([np.float32(1), np.float32(2)]), D.default_collate([np.ones(2), np.zeros(2)])",
    "D.default_collate([Point(1, 2.), Point(3, 4.)]), D.default_collate([{'a': [1, 'b']}, {'a': [2, 'c']}])",
    "D.default_collate([np.array(['a'])])",
    "D.default_collate([collections.OrderedDict(a=1, b=2.), collections.OrderedDict(a=3, b=4.)])",
    "D.default_convert([np.ones(2), 'a', (1, 2), np.array(['a'])])",
    "type(both), type(D.DataLoader(both)), D.RandomSampler, D.Sampler[int] is D.Sampler or True, D.Dataset[int] and 1",
]


@each_of(line=LINES)
def test_a_line(line: str) -> None:
    assert_alike([*SETUP, line, "torch.rand(2)"])


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


@settings(max_examples=120, deadline=None, derandomize=True)
@given(st.integers(0, 2**40), loaders(), st.integers(1, 3))
def test_batches_come_in_torchs_order(seed: int, loader: str, epochs: int) -> None:
    lines = [f"_ = torch.manual_seed({seed}); loader = {loader}; print(len(loader))"]
    lines += ["[batch.tolist() for batch in loader]"] * epochs
    assert_alike([*SETUP[:2], *lines, "torch.rand(1)"])


WEIGHTS = st.lists(st.integers(0, 8).map(lambda number: number / 8), min_size=1, max_size=12).filter(any)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(st.integers(0, 2**40), WEIGHTS, st.integers(1, 20), st.booleans(), st.sampled_from(["float32", "float64"]))
def test_multinomial_draws_what_torch_draws(seed: int, weights: list, count: int, again: bool, dtype: str) -> None:
    count = count if again else min(count, len([each for each in weights if each]))
    call = f"torch.tensor({weights}, dtype=torch.{dtype}).multinomial({count}, {again})"
    rows = f"torch.multinomial(torch.tensor([{weights}, {weights[::-1]}], dtype=torch.{dtype}), {count}, {again})"
    assert_alike([f"_ = torch.manual_seed({seed})", call, rows, "torch.rand(1)"])


REFUSED = [
    "torch.tensor([1, 2]), 1",
    "torch.tensor([1., 2.]), 0",
    "torch.ones(1, 1, 2), 1",
    "torch.tensor(1.), 1",
    "torch.ones(2), 3",
    "torch.tensor([-1., 2.]), 1",
    "torch.tensor([-1., 2.]), 3, True",
    "torch.tensor([1., float('nan')]), 3, True",
    "torch.tensor([1., float('inf')]), 3, True",
    "torch.zeros(2), 1",
    "torch.zeros(2, 2), 3, True",
    "torch.zeros(0), 3, True",
    "torch.ones(0, 2), 1",
    "torch.ones(2), 'a'",
    "torch.ones(2)",
    "torch.ones(2, requires_grad=True), 1",
    "torch.ones(2), 1, 1",
    "torch.ones(2, dtype=torch.float16), 1",
]


@each_of(arguments=REFUSED)
def test_what_multinomial_takes(arguments: str) -> None:
    assert_alike(["_ = torch.manual_seed(1)", f"torch.multinomial({arguments})"])


def test_what_is_not_there_is_said() -> None:
    load = minigrad.utils.data.DataLoader
    with pytest.raises(NotImplementedError, match="no workers: leave num_workers=0"):
        load([1], num_workers=2)
    with pytest.raises(NotImplementedError, match="no IterableDataset"):
        load(iter([1]))
    with pytest.raises(AttributeError, match=r"no torch\.utils\.data\.IterableDataset"):
        _ = minigrad.utils.data.IterableDataset


def test_every_name_is_torchs() -> None:
    ours = minigrad.utils.data
    assert [name for name in ours.__all__ if not hasattr(ENGINES[0].utils.data, name)] == []


def test_a_loader_trains() -> None:
    program = """
torch.manual_seed(0)
x = torch.randn(40, 3); y = (x.sum(1, keepdim=True) > 0).float()
net = torch.nn.Linear(3, 1); step = torch.optim.SGD(net.parameters(), lr=0.5)
for epoch in range(4):
    for batch, target in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), 8, shuffle=True):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(batch), target)
        step.zero_grad(); loss.backward(); step.step()
    print(f"{loss.item():.5f}")
"""
    text = assert_alike([program])
    assert np.unique(text.split()).size == 4
