"""torch.save and torch.load on both engines: what comes back is what was saved, and no code with it."""

import io
import json
import pickle
import zipfile
from pathlib import Path

import pytest
import torch

import minigrad


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
