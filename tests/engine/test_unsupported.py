"""What minigrad has not, it says in a sentence of its own; it never gives a silent wrong answer."""

import importlib
import importlib.util
import re
import sys
import traceback
from itertools import groupby
from pathlib import Path

import pytest
import torch
from engines import said

import minigrad
from minigrad.compat import unsupported

SETUP = """
x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; c = torch.tensor([1., 2.]); m = torch.ones(2, 3) * (x * 1)[0]
A, F, L, nn, optim = torch.autograd, torch.nn.functional, torch.optim.lr_scheduler, torch.nn, torch.optim
sgd = optim.SGD([x], lr=1.); step = L.StepLR(sgd, 2); data = torch.utils.data; import numpy as np
def made(forward): return type("F", (A.Function,), {"forward": staticmethod(forward)})
"""

# What a line says that needs what minigrad has not: the end of its text, and lines with that end.
LACKING = {
    r"AttributeError: .*minigrad.*": ["torch.fft", "torch.jit", "torch.nn.Conv2d", "torch.complex64", "x.svd()"],
    r"AttributeError: minigrad.nn has no 'Conv7d' \(torch.nn may have it\)": ["nn.Conv7d"],
    r"AttributeError: minigrad.nn.functional has no 'conv7d' \(torch.nn.functional may have it\)": ["F.conv7d"],
    r"AttributeError: minigrad.nn.init has no 'one' \(torch.nn.init may have it\)": ["nn.init.one"],
    r"AttributeError: minigrad.nn.utils has no 'one' \(torch.nn.utils may have it\)": ["nn.utils.one"],
    r"AttributeError: minigrad.optim has no 'Adam7' \(torch.optim may have it\)": ["optim.Adam7"],
    r"AttributeError: minigrad.optim.lr_scheduler has no 'One' \(torch.optim.lr_scheduler may have it\)": ["L.One"],
    r"AttributeError: .*torch's may have it.*": ["A.profiler", "A.grad_mode.one"],
    r"AttributeError: .*has no '\w+' \(torch.autograd.graph may have it\)": [
        "A.graph.set_warn_on_accumulate_grad_stream_mismatch",
    ],
    r"AttributeError: .*no torch\.utils\.data\.IterableDataset.*": ["data.IterableDataset"],
    r"AttributeError: minigrad has no 'einsums'.*": ["torch.einsums"],
    r"NotImplementedError: .*write mask\.bool\(\).*": ["c[torch.tensor([1, 0]).byte()]", "c[torch.tensor(1).byte()]"],
    r"NotImplementedError: .*write x\[tuple\(index\)\].*": [
        *("m[[[0, 1], [1, 0]]]", "m[[0, slice(None)]]", "m[[..., 1]]"),
    ],
    r"NotImplementedError: .*inside a graph: write x = x.*": [
        *("m.t_()", "m.unsqueeze_(0)", "m.squeeze_()", "m.transpose_(0, 1)"),
    ],
    r"TypeError: .*apply\(\) passes these by position only: n.*": [
        "made(lambda ctx, t, m=1, n=2: t * n).apply(x, n=3)"
    ],
    r"NotImplementedError: .*no Function that changes a view in place.*": [
        "made(lambda ctx, t: (ctx.mark_dirty(t), t)[1]).apply((x * 1)[:1])",
    ],
    r"NotImplementedError: .*one gradient at a time.*": [
        f"A.gradcheck(lambda t: t * t, x, {other}=True)"
        for other in ("check_forward_ad", "check_batched_grad", "check_batched_forward_grad", "nondet_tol")
    ],
    r"NotImplementedError: .*no forward mode.*": [
        "A.functional.hessian(lambda t: t.prod(), c, outer_jacobian_strategy='forward-mode')",
    ],
    r"NotImplementedError: minigrad's (vjp|jvp|vhp|hvp|hessian) has no strict=True.*": [
        f"A.functional.{name}(lambda t: (t * t).sum(), c, strict=True)"
        for name in ("vjp", "jvp", "vhp", "hvp", "hessian")
    ],
    r"(Value|Runtime)Error: .*(grad_outputs|grad_output\[0\]|zip).*": [
        f"A.grad({outputs}, x, {given}, is_grads_batched=True)"
        for outputs, given in [
            *(("y", "None"), ("y", "torch.tensor(1.)"), ("y", "torch.ones(3, 3)")),
            ("[y, x.sum()]", "[torch.ones(2, 2), torch.ones(3)]"),
        ]
    ],
    r"NotImplementedError: .*minigrad's optimizers.*": [
        f"optim.Adam([x], {each})" for each in ("differentiable=True", "capturable=True", "lr=torch.tensor(0.1)")
    ],
    r"NotImplementedError: .*returns None, and no other arguments.*": [
        "_ = sgd.register_step_pre_hook(lambda *a: 3); sgd.step()",
    ],
    r"NotImplementedError: .*not the deprecated step\(epoch\).*": ["step.step(3)"],
    r"ValueError: SequentialLR with 1 schedulers takes 0 milestones.*": ["L.SequentialLR(sgd, [step], [3])"],
    r"TypeError: .*one of the params is tuple.*": ["optim.SGD([('x', x)])"],
    r"NotImplementedError: minigrad's ParameterList holds tensors, no int.*": ["nn.ParameterList([3])"],
    r"(Assertion|NotImplemented|Runtime)Error: .*": ["nn.Linear(1, 1).cuda()", "nn.Linear(1, 1).to('cuda')"],
    r"NotImplementedError: .*no IterableDataset.*": ["data.DataLoader(iter([1]))"],
    r"NotImplementedError: minigrad has the CPU only, not the device (meta|meta:0|hpu).*": [
        f"torch.zeros(2, device='{name}')" for name in ("meta", "meta:0", "hpu")
    ],
    r"NotImplementedError: minigrad has no complex numbers.*": [
        *("torch.zeros(2, dtype=complex)", "torch.tensor([1j])", "torch.full((2,), 1j)", "c * 1j", "1j * c", "c + 1j"),
        *("c / 2j", "c ** 1j"),
    ],
    r"NotImplementedError: minigrad has no dtype \w+.*": [
        f"torch.from_numpy(np.zeros(2, '{name}'))" for name in ("complex64", "uint16", "uint64")
    ],
    r"NotImplementedError: .*no integers beyond 16777216.*": ["c.random_(2**25, 2**25 + 1)", "c.random_(2**24 + 5)"],
    r"NotImplementedError: .*minigrad.*": ["m.norm('nuc')", "c.unique(dim=0)", "torch.linalg.norm(m, 1)"],
    r"AttributeError: .*": [
        f"{how}c.{name}{value}"
        for name in (
            *("is_leaf", "grad_fn", "shape", "dtype", "retains_grad", "T", "mT", "device", "ndim", "is_cuda", "is_cpu"),
            *("name", "output_nr", "_version", "_base", "layout", "itemsize", "nbytes"),
        )
        for how, value in (("", " = 1"), ("del ", ""))
    ],
    r"RuntimeError: unsupported operation: some elements of the input tensor and the written-to.*": [
        *(
            "m = torch.ones(3, 3); m /= m[:, :1]",
            "m = torch.ones(3, 3); m += m[:, 0]",
            "m.detach()[:, 1:] = m.detach()[:, :-1]",
        ),
        *("m.detach().sub_(m.detach()[:, 1:2])", "m.data += m.data[:, :1]"),
    ],
}


def test_what_minigrad_has_not_is_said_in_a_sentence() -> None:
    other = {}
    for sentence, lines in LACKING.items():
        for line in lines:
            *_, end = said([SETUP, line], minigrad).splitlines() or [""]
            if not re.fullmatch(sentence, end):
                other[line] = end
    assert other == {}


FOREIGN = [
    *("x + own", "own * x", "x @ own", "torch.exp(own)", "torch.stack([x, own])", "(x * 1).backward(own)"),
    *("nn.Linear(2, 1)(own)", "F.mse_loss(x, own)", "nn.Parameter(own)", "optim.SGD([own.requires_grad_()], lr=0.1)"),
    *("x[own.long()]", "c[0] = own[0]"),
]


def test_a_tensor_of_torch_itself_is_told_what_to_do() -> None:
    sentence = r"(Type|Index)Error: .*torch's own Tensor \(minigrad.tensor\(x\) makes minigrad's of.*\n"
    said_of = {line: said([SETUP, line], minigrad, {"own": torch.ones(2)}) for line in FOREIGN}
    assert {line: text for line, text in said_of.items() if not re.fullmatch(sentence, text)} == {}
    copied = minigrad.tensor(torch.ones(2, dtype=torch.float64))
    assert type(copied) is minigrad.Tensor and copied.dtype is minigrad.float64 and copied.tolist() == [1, 1]


def test_of_every_method_that_torch_has_beyond_minigrad_it_says_so() -> None:
    """And not what Python would say: did you mean …"""
    for name in dir(torch.Tensor):
        if not name.startswith("_") and not hasattr(minigrad.Tensor, name):
            with pytest.raises(AttributeError, match=f"minigrad's Tensor has no attribute '{name}'"):
                getattr(minigrad.Tensor([1.0]), name)


ABSENT = [tuple(each.rsplit(".", 1)) for each in unsupported.KINDS if not each.startswith("torch.Tensor.")]
PAGE = Path(__file__).parents[2] / "docs" / "engine" / "absent.md"


def test_a_name_of_the_list_is_torchs_and_not_minigrads() -> None:
    other = {}
    for place, name in ABSENT:
        theirs = importlib.import_module(place)
        assert hasattr(theirs, name) or importlib.util.find_spec(f"{place}.{name}")
        sentence = f"minigrad has no {place}.{name} ({unsupported.KINDS[f'{place}.{name}']}): run this with torch"
        text = said([f"{place}.{name}"], minigrad)
        if text != f"AttributeError: {sentence}\n" or hasattr(eval(place, {"torch": minigrad}), name):
            other[place, name] = text
    assert other == {}


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
