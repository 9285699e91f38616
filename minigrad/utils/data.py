"""torch.utils.data: data sets, and what makes batches of them, in this process and, from a seed, in torch's order.
Mirrors https://docs.pytorch.org/docs/stable/data.html
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from minigrad.compat import dtypes, unsupported
from minigrad.compat.messages import warn
from minigrad.compat.pickling import Mirrored
from minigrad.ops import creation, functions
from minigrad.random import Generator
from minigrad.tensor import Tensor

SAMPLERS = "BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler WeightedRandomSampler"
SETS = "ConcatDataset Dataset Subset TensorDataset random_split"
__all__ = [*SAMPLERS.split(), *SETS.split(), "DataLoader", "default_collate", "default_convert"]


class Dataset(Mirrored, home="torch.utils.data.dataset"):
    """The base of data sets: a subclass has `__getitem__(index)`, and `__len__`. `Dataset[int]` says of what type."""

    __class_getitem__ = classmethod(lambda cls, kind: cls)

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class TensorDataset(Dataset, home="torch.utils.data.dataset"):
    """Tensors with the same number of rows: a sample is a row of each. AssertionError if the numbers differ."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: object) -> tuple:
        return tuple([tensor[index] for tensor in self.tensors])

    def rows(self, indices: Any) -> list[Tensor] | None:
        """What `default_collate` makes of these samples, without making each; None for what is not that plain."""
        count = len(self)
        if type(indices) is not list or not all(type(index) is int and -count <= index < count for index in indices):
            return None
        if not indices or any(type(tensor) is not Tensor or tensor.requires_grad for tensor in self.tensors):
            return None
        return [Tensor._of(tensor._array[indices]) for tensor in self.tensors]

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class ConcatDataset(Dataset, home="torch.utils.data.dataset"):
    """Data sets one after the other. AssertionError for none."""

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if -idx > len(self):
            raise ValueError("absolute value of index should not exceed dataset length")
        idx += len(self) if idx < 0 else 0
        place = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[place][idx - (self.cumulative_sizes[place - 1] if place else 0)]


class Subset(Dataset, home="torch.utils.data.dataset"):
    """The samples of a data set that the indices name."""

    def __init__(self, dataset: Dataset, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx: int | list[int]) -> Any:
        return self.dataset[[self.indices[k] for k in idx] if isinstance(idx, list) else self.indices[idx]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Dataset, lengths: Sequence[float], generator: Generator | None = None) -> list[Subset]:
    """Subsets of these lengths without a common sample, drawn at random; fractions that sum to 1 are lengths, too, and
    what they leave is dealt out one by one. ValueError if the lengths do not sum to that of the data set.
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for place, part in enumerate(lengths):
            if part < 0 or part > 1:
                raise ValueError(f"Fraction at index {place} is not between 0 and 1")
        lengths = [math.floor(len(dataset) * part) for part in lengths]
        for place in range(len(dataset) - int(sum(lengths))):
            lengths[place % len(lengths)] += 1
        for place in [place for place, length in enumerate(lengths) if not length]:
            warn(f"Length of split at index {place} is 0. This might result in an empty dataset.")
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = creation.randperm(int(sum(lengths)), generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


class Sampler(Mirrored, home="torch.utils.data.sampler"):
    """The base of all samplers: one can iterate over it, and gets indices. `Sampler[int]` says of what type."""

    __class_getitem__ = classmethod(lambda cls, kind: cls)


class SequentialSampler(Sampler, home="torch.utils.data.sampler"):
    """0, 1, … as many as the data source has samples."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler, home="torch.utils.data.sampler"):
    """All indices in random order, again and again until there are `num_samples`; with `replacement` each is drawn
    from all. Without a generator the default one draws the seed of a new one. ValueError for no samples.
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.num_samples = len(data_source) if num_samples is None else num_samples
        _demand("positive integer", self.num_samples > 0, num_samples=self.num_samples)

    def __iter__(self) -> Iterator[int]:
        generator = self.generator or Generator().manual_seed(drawn_seed(None))
        size, count = len(self.data_source), self.num_samples
        for start in range(0, count + 1, 32 if self.replacement else size):  # torch draws for the rest, were it empty
            if self.replacement:
                yield from creation.randint(size, (min(32, count - start),), generator=generator).tolist()
            else:
                yield from creation.randperm(size, generator=generator).tolist()[: count - start]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler, home="torch.utils.data.sampler"):
    """The given indices in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        order = creation.randperm(len(self.indices), generator=self.generator).tolist()
        return iter([self.indices[place] for place in order])

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler, home="torch.utils.data.sampler"):
    """`num_samples` indices, each as often as its weight says. ValueError for weights that are no vector."""

    def __init__(
        self,
        weights: Tensor | Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        _demand("positive integer", type(num_samples) is int and num_samples > 0, num_samples=num_samples)
        _demand("boolean", isinstance(replacement, bool), replacement=replacement)
        self.weights = creation.as_tensor(weights, dtype=dtypes.float64)
        if self.weights.ndim != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {shape}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = creation.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler, home="torch.utils.data.sampler"):
    """Lists of `batch_size` indices of another sampler; what is left at the end is a shorter one, or dropped."""

    def __init__(self, sampler: Sampler | Sequence[int], batch_size: int, drop_last: bool) -> None:
        _demand("positive integer", type(batch_size) is int and batch_size > 0, batch_size=batch_size)
        _demand("boolean", isinstance(drop_last, bool), drop_last=drop_last)
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := [*itertools.islice(indices, self.batch_size)]:
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        return (len(self.sampler) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size


def drawn_seed(generator: Generator | None) -> int:
    """A number of 63 bits, as torch draws it to seed something else with."""
    memory = creation.empty((), dtype=dtypes.int64)
    return int(memory.random_(generator=generator).item())


def _demand(what: str, fits: bool, **argument: object) -> None:
    """ValueError, in torch's words, unless an argument fits."""
    for name, value in {} if fits else argument.items():
        raise ValueError(f"{name} should be a {what} value, but got {name}={value}")


def default_convert(data: object) -> object:
    """Arrays and numbers of numpy as tensors, also those in lists, tuples and dicts; anything else as it is."""
    if isinstance(data, (np.ndarray, np.generic)):
        return data if data.dtype.kind in "SUO" else creation.as_tensor(data)
    if isinstance(data, dict):
        return {key: default_convert(item) for key, item in data.items()}
    return [default_convert(item) for item in data] if isinstance(data, (list, tuple)) else data


def default_collate(batch: Any) -> Any:
    """One value out of the samples of a batch: tensors are stacked, numbers become a tensor; of tuples, lists and dicts
    the parts are collated, strings stay a list. RuntimeError for lists of different lengths, TypeError for the rest.
    """
    first = batch[0]
    if isinstance(first, np.ndarray) and first.dtype.kind not in "SUO":
        first, batch = Tensor(), [creation.as_tensor(item) for item in batch]
    if isinstance(first, Tensor):
        return functions["stack"](list(batch), 0)
    if isinstance(first, (float, int, np.generic)):
        dtype = dtypes.float64 if isinstance(first, float) else None
        return creation.as_tensor(batch) if isinstance(first, np.generic) else creation.tensor(batch, dtype=dtype)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        results: Any = {key: default_collate([item[key] for item in batch]) for key in first}
        return type(first)(results)  # type: ignore[call-arg]
    if not isinstance(first, Sequence):
        what = "tensors, numpy arrays, numbers, dicts or lists"
        wrong = first.dtype if isinstance(first, np.ndarray) else type(first)
        raise TypeError(f"default_collate: batch must contain {what}; found {wrong}")
    if any(len(item) != len(first) for item in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    values = [default_collate(pair) for pair in zip(*batch, strict=True)]
    return type(first)(*values) if hasattr(first, "_fields") else values


class DataLoader(Mirrored, home="torch.utils.data.dataloader"):
    """Batches of a data set: `for x, y in loader`. Each iteration is a new one; `shuffle` orders it anew. A sampler
    says the order instead, a batch_sampler the batches; with batch_size None there are none. ValueError for settings
    that exclude each other, NotImplementedError for workers.
    """

    def __init__(
        self,
        dataset: Sized,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Sequence[int] | None = None,
        batch_sampler: Sampler | Sequence[int] | None = None,
        num_workers: int = 0,
        collate_fn: Callable | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable | None = None,
        multiprocessing_context: object = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if not hasattr(dataset, "__getitem__"):
            what = "IterableDataset"
            raise NotImplementedError(f"minigrad's DataLoader has no {what}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            excluded = "batch_size, shuffle, sampler, and drop_last"
            raise ValueError(f"batch_sampler option is mutually exclusive with {excluded}")
        if batch_size is None and drop_last:
            disabled = "batch_size=None option disables auto-batching"
            raise ValueError(f"{disabled} and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.__dict__.update({name: value for name, value in locals().items() if name != "self"})

    def __iter__(self) -> Iterator:
        order = iter(self.sampler if self.batch_sampler is None else self.batch_sampler)
        drawn_seed(self.generator)  # torch draws one for workers, even where there are none
        return map(self._fetched, order)

    def _fetched(self, index: object) -> object:
        """What the loader gives for an index, or for those of a batch."""
        if self.batch_sampler is None:
            return self.collate_fn(self.dataset[index])
        if type(self.dataset) is TensorDataset and self.collate_fn is default_collate:
            rows = self.dataset.rows(index)
            if rows is not None:
                return rows
        several = getattr(self.dataset, "__getitems__", lambda index: [self.dataset[item] for item in index])
        return self.collate_fn(several(index))

    def __len__(self) -> int:
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


__getattr__ = unsupported.lacking(__name__)
