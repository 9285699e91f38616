"""torch.save and torch.load on both engines: what comes back is what was saved, and no code with it."""

import io
import json
import pickle
import zipfile
from pathlib import Path

import pytest
import torch
from engines import assert_alike
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad

SETUP = [
    "import io, collections; nn = torch.nn; _ = torch.manual_seed(1)",
    """
def again(value, **settings):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **settings)
""",
]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=True),
    st.text(max_size=3),
    st.sampled_from(
        [
            "torch.tensor([1., -2.5])",
            "torch.tensor(3)",
            "torch.zeros(2, 0)",
            "torch.ones(2, 3).T",
            "torch.tensor([True])",
            "torch.ones(2, dtype=torch.float16)",
            "torch.tensor(2., requires_grad=True)",
            "nn.Parameter(torch.ones(1, 2))",
            "nn.Parameter(torch.ones(2), requires_grad=False)",
            "torch.Size([2, 3])",
            "torch.float64",
            "torch.device('cpu')",
            "collections.Counter('aab')",
        ]
    ).map(lambda text: Written(text)),
)


class Written:
    """An expression that stands in a program as it is."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def nested(inner: st.SearchStrategy) -> st.SearchStrategy:
    pairs = st.dictionaries(st.one_of(st.text(max_size=2), st.integers(), st.tuples(st.integers())), inner, max_size=3)
    ordered = pairs.map(lambda found: Written(f"collections.OrderedDict({list(found.items())!r})"))
    return st.one_of(st.lists(inner, max_size=3), st.lists(inner, max_size=3).map(tuple), pairs, ordered)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.recursive(LEAVES, nested, max_leaves=8))
def test_what_is_saved_comes_back(value: object) -> None:
    names = {"nan": float("nan"), "inf": float("inf")}
    text = assert_alike([*SETUP, f"value = {value!r}", "print(type(again(value)), again(value))"], names)
    assert "Error" not in text


def test_a_file_by_its_path(tmp_path: Path) -> None:
    for place in (tmp_path / "a.pt", str(tmp_path / "b.pt")):
        minigrad.save({"a": minigrad.ones(2)}, place)
        assert str(minigrad.load(place)) == "{'a': tensor([1., 1.])}"
    with pytest.raises(FileNotFoundError):
        minigrad.load(tmp_path / "c.pt")
    with zipfile.ZipFile(tmp_path / "a.pt") as file:
        assert file.namelist() == ["minigrad.json", "0.npy"]
        assert json.loads(file.read("minigrad.json")) == {"dict": [["a", {"Tensor": [0, False]}]]}


def test_a_file_that_torch_or_pickle_wrote_is_refused_in_a_sentence(tmp_path: Path) -> None:
    place = tmp_path / "model.pt"
    torch.save(torch.ones(2), place)
    with pytest.raises(
        RuntimeError, match=r"^minigrad's torch\.load reads .* another zip, as torch itself writes: .*model\.pt$"
    ):
        minigrad.load(place)
    place.write_bytes(pickle.dumps([1]))
    with pytest.raises(RuntimeError, match="runs no pickled code: this is another file"):
        minigrad.load(place)
    with zipfile.ZipFile(place, "w") as file:
        file.writestr("a", "b")
    with pytest.raises(RuntimeError, match="this is another zip"):
        minigrad.load(place)


def test_an_array_of_objects_is_not_unpickled(tmp_path: Path) -> None:
    place = tmp_path / "model.pt"
    objects = io.BytesIO()
    torch.ones(1).numpy().astype(object).dump(objects)
    with zipfile.ZipFile(place, "w") as file:
        file.writestr("minigrad.json", '{"Tensor": [0, false]}')
        file.writestr("0.npy", objects.getvalue())
    with pytest.raises(ValueError, match="pickled"):
        minigrad.load(place)


def test_what_cannot_be_saved_leaves_no_file(tmp_path: Path) -> None:
    place = tmp_path / "model.pt"
    with pytest.raises(NotImplementedError, match=r"but no Linear: save its state_dict\(\)$"):
        minigrad.save(minigrad.nn.Linear(1, 1), place)
    with pytest.raises(NotImplementedError, match=r"but no set$"):
        minigrad.save({"a": {1}}, place)
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA"):
        minigrad.load(io.BytesIO(), map_location="cuda")
    assert not place.exists()
