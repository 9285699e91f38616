"""torch.save and torch.load, in a format of their own that holds no code: a file can be loaded whoever wrote it.
It is a zip. `minigrad.json` holds the value: numbers, strings and None as they are; anything else as {kind: content},
where the content of a Tensor is the number of its array, and whether it requires grad; of one that is a part of the
array also where it begins, in bytes, its shape and its strides. `0.npy`, `1.npy`, … are the arrays; tensors that share
memory have one, and share it again when they are loaded.
Mirrors https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections import Counter, OrderedDict
from typing import IO, Any, TypeAlias

import numpy as np

from minigrad.compat import dtypes, pickling
from minigrad.compat.device import demand_cpu, device
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Size, Tensor

KINDS = {item.__name__: item for item in (list, tuple, Size, dict, OrderedDict, Counter)}
CONTENT = "minigrad.json"
File: TypeAlias = str | os.PathLike[str] | IO[bytes]  # its path, or the open file


def save(obj: object, f: File, pickle_module: object = None, pickle_protocol: int = 2) -> None:
    """Write a value into a file, or what can be written to like one: tensors, numbers, strings and None, and lists,
    tuples and dicts of them; so a `state_dict()`. NotImplementedError for anything else, such as a module itself.
    """
    arrays: dict[object, tuple[int, np.ndarray]] = {}

    def told(value: Any) -> Any:
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        kind = type(value)
        if isinstance(value, Tensor):
            name = "Parameter" if isinstance(value, Parameter) else "Tensor"
            array = value.detach()._memory()
            memory, start = (pickling.whole(array) if array.size else None) or (array, 0)
            key = memory.__array_interface__["data"][0] if array.size else ("", id(value))
            number = arrays.setdefault(key, (len(arrays), memory))[0]
            plain = memory.shape == array.shape and memory.strides == array.strides
            form = [] if plain else [start, array.shape, array.strides]
            return {name: [number, value.requires_grad, *form]}
        if isinstance(value, (dtypes.dtype, device)):
            return {kind.__name__: str(value).removeprefix("torch.")}
        if kind not in KINDS.values():
            what = "tensors, numbers, strings and None, and lists, tuples and dicts of them"
            hint = ": save its state_dict()" if hasattr(value, "state_dict") else ""
            raise NotImplementedError(f"minigrad's torch.save keeps {what}, but no {kind.__name__}{hint}")
        entries = value.items() if isinstance(value, dict) else [value]
        inner = [[told(item) for item in entry] for entry in entries]
        return {kind.__name__: inner if isinstance(value, dict) else inner[0]}

    content = json.dumps(told(obj))
    with zipfile.ZipFile(f, "w") as file:
        file.writestr(CONTENT, content)
        for number, array in arrays.values():
            memory = io.BytesIO()
            np.save(memory, array, allow_pickle=False)
            file.writestr(f"{number}.npy", memory.getvalue())


def load(f: File, map_location: object = None, pickle_module: object = None, **settings: object) -> Any:
    """What `save` wrote. RuntimeError for any other file, such as those of torch itself, which hold pickled code."""
    if isinstance(map_location, (str, device)):
        demand_cpu(map_location)
    try:
        names = zipfile.ZipFile(f).namelist()
    except zipfile.BadZipFile:
        names = []
    if CONTENT not in names:
        what = "another zip, as torch itself writes" if names else "another file"
        rule = "minigrad's torch.load reads what its own torch.save wrote, and runs no pickled code"
        raise RuntimeError(f"{rule}: this is {what}: {f}")
    with zipfile.ZipFile(f) as file:
        arrays: dict[int, np.ndarray] = {}

        def again(value: Any) -> Any:
            if not isinstance(value, dict):
                return value
            ((kind, inner),) = value.items()
            if kind in ("Tensor", "Parameter"):
                number, requires_grad, *form = inner
                if number not in arrays:
                    arrays[number] = np.load(io.BytesIO(file.read(f"{number}.npy")), allow_pickle=False)
                start, *rest = form or [0]
                array = pickling.part(arrays[number], start, *map(tuple, rest)) if form else arrays[number]
                tensor = Tensor._of(array)
                return Parameter(tensor, requires_grad) if kind == "Parameter" else tensor.requires_grad_(requires_grad)
            if kind in ("dtype", "device"):
                return device(inner) if kind == "device" else next(item for item in dtypes.ALL if item.name == inner)
            if issubclass(KINDS[kind], dict):
                return KINDS[kind]({again(key): again(item) for key, item in inner})
            return KINDS[kind]([again(item) for item in inner])

        return again(json.loads(file.read(CONTENT)))
