"""What minigrad has not, it says in a sentence of its own; it never gives a silent wrong answer."""

import importlib
import importlib.util
import sys
import traceback
from itertools import groupby
from pathlib import Path

import pytest
import torch
from engines import said

import minigrad
from minigrad.compat import unsupported

SETUP = "x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; c = torch.tensor([1., 2.])"

# What torch has and minigrad has not, and the error that says so.
MISSING = [
    ("torch.fft", "AttributeError"),
    ("torch.jit", "AttributeError"),
    ("torch.nn.Conv2d", "AttributeError"),
    ("torch.complex64", "AttributeError"),
    ("torch.tensor([1j])", "NotImplementedError"),
    ("x.svd()", "AttributeError"),
]


@pytest.mark.parametrize(("line", "kind"), MISSING, ids=[line for line, _ in MISSING])
def test_what_minigrad_has_not_is_said_in_a_sentence(line: str, kind: str) -> None:
    text = said([SETUP, line], minigrad)
    assert text.startswith(f"{kind}: ")
    assert text.count("\n") == 1
    assert "minigrad" in text


def test_of_every_method_that_torch_has_beyond_minigrad_it_says_so() -> None:
    """And not what Python would say: did you mean …"""
    for name in dir(torch.Tensor):
        if not name.startswith("_") and not hasattr(minigrad.Tensor, name):
            with pytest.raises(AttributeError, match=f"minigrad's Tensor has no attribute '{name}'"):
                getattr(minigrad.Tensor([1.0]), name)


ABSENT = [tuple(each.rsplit(".", 1)) for each in unsupported.KINDS if not each.startswith("torch.Tensor.")]
PAGE = Path(__file__).parents[2] / "docs" / "engine" / "absent.md"


@pytest.mark.parametrize(("place", "name"), ABSENT, ids=[".".join(each) for each in ABSENT])
def test_a_name_of_the_list_is_torchs_and_not_minigrads(place: str, name: str) -> None:
    theirs = importlib.import_module(place)
    assert hasattr(theirs, name) or importlib.util.find_spec(f"{place}.{name}")
    sentence = f"minigrad has no {place}.{name} ({unsupported.KINDS[f'{place}.{name}']}): run this with torch"
    assert said([f"{place}.{name}"], minigrad) == f"AttributeError: {sentence}\n"
    assert not hasattr(eval(place, {"torch": minigrad}), name)


def test_methods_of_the_list_are_not_there() -> None:
    names = [each.rpartition(".")[2] for each in unsupported.KINDS if each.startswith("torch.Tensor.")]
    assert len(names) > 100
    assert [name for name in names if hasattr(minigrad.Tensor, name) or not hasattr(torch.Tensor, name)] == []


IMPORTS = [
    ("from minigrad.nn import Conv2d", "torch.nn.Conv2d"),
    ("from minigrad.nn import Linear, LSTM", "torch.nn.LSTM"),
    ("from minigrad import compile", "torch.compile"),
    ("from minigrad.nn.functional import conv2d as c", "torch.nn.functional.conv2d"),
    ("from minigrad.utils.data import IterableDataset", "torch.utils.data.IterableDataset"),
]


@pytest.mark.parametrize(("line", "name"), IMPORTS)
def test_an_import_of_what_is_not_there_says_the_same(line: str, name: str) -> None:
    with pytest.raises(ImportError, match=rf"^minigrad has no {name} \(.*\): run this with torch$") as caught:
        exec(line, {})
    shown = traceback.format_exception_only(caught.type, caught.value)
    assert "Did you mean" not in "".join(shown)
    with pytest.raises(ImportError, match=r"minigrad\.nn has no 'Conv7d' \(torch\.nn may have it\)"):
        exec("from minigrad.nn import Conv7d", {})
    assert "minigrad.nn" in sys.modules


def test_a_function_of_a_class_that_is_not_there() -> None:
    text = said(["torch.nn.Embedding.from_pretrained(torch.ones(2, 2))"], minigrad)
    assert text == "AttributeError: minigrad's Embedding has no attribute 'from_pretrained' (torch's has)\n"


def test_the_manual_shows_the_list() -> None:
    kinds: dict[str, dict[str, list[str]]] = {}
    shown = "`{}`".format
    for full, kind in unsupported.KINDS.items():
        place, _, name = full.rpartition(".")
        kinds.setdefault(kind, {}).setdefault(place, []).append(name)
    methods = sorted(kinds.pop("further methods")["torch.Tensor"], key=lambda name: (name.lower(), name))
    rows = [
        f"| {kind} | {'; '.join(f'`{place}`: ' + ' '.join(map(shown, names)) for place, names in places.items())} |"
        for kind, places in kinds.items()
    ]
    rows += ["- " + ", ".join(map(shown, names)) for _, names in groupby(methods, lambda name: name[0].lower())]
    rows.append(f"<summary>{len(methods)} methods of <code>torch.Tensor</code></summary>")
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if row not in page] == []
