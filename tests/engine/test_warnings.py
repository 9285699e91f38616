"""A warning has torch's words and kind, and points at the line of the program that caused it, wherever it arises."""

import functools
import re
import textwrap
import types
import warnings

import pytest
from engines import ENGINES, NATIVE, each_of, printed_by_fresh

import minigrad

SETUP = """
import types
nn, F, optim, autograd = torch.nn, torch.nn.functional, torch.optim, torch.autograd
x = torch.tensor([[1., 2.]], requires_grad=True); c = torch.tensor([1., 2.])
layer = nn.Linear(2, 1); sgd = optim.SGD(layer.parameters(), lr=0.1)
class Twice(autograd.Function):
    @staticmethod
    def forward(ctx, a): ctx.save_for_backward(a); return a * 2
    @staticmethod
    def backward(ctx, g): ctx.saved_variables; return g * 2
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(2, 2), nn.Softmax())
    def forward(self, x):
        return self.inner(x)
"""
LINES = [
    # through the calls of modules
    "nn.Softmax()(x)",
    "nn.Sequential(nn.Linear(2, 2), nn.LogSoftmax())(x)",
    "nn.MSELoss()(x, torch.ones(1, 1))",
    "nn.L1Loss(size_average=False)",
    "nn.L1Loss()(x, torch.ones(2, 1, 1))",
    # functions
    "F.softmax(x)",
    "F.log_softmax(x)",
    "F.mse_loss(x, torch.ones(1, 1))",
    "F.mse_loss(x, x, reduce=False)",
    "F.smooth_l1_loss(x, torch.ones(1))",
    "nn.init.kaiming_uniform_(torch.empty(0, 2))",
    "nn.utils.clip_grad_norm_(iter([]) and (p for p in []), 1.0)",
    "torch.tensor(c)",
    "c.new_tensor(c)",
    "torch.std(torch.ones(1))",
    "torch.var(torch.ones(0))",
    # graphs and optimizers
    "autograd.backward(x.sum(), grad_variables=torch.tensor(1.))",
    "autograd.gradcheck(lambda a: a * 2, x, raise_exception=False)",
    "autograd.detect_anomaly()",
    "autograd.Variable(c, volatile=True)",
    "optim.SGD([x, x], lr=0.1)",
    "optim.lr_scheduler.StepLR(sgd, 1).step()",
    "optim.lr_scheduler.StepLR(sgd, 1).get_lr()",
    # calls of old, and decorated classes
    "c.add_(-0.1, c)",
]


def caught(engine: types.ModuleType, line: str) -> list[tuple[str, str, bool]]:
    """For each warning of a line its kind, its words, and whether it points at the line."""
    namespace = {"torch": engine}
    exec(SETUP, namespace)
    engine.set_warn_always(True)  # also what another test may have met before
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            exec(compile(f"\n\n{line}", "<program>", "exec"), namespace)
    finally:
        engine.set_warn_always(False)
    return [
        (each.category.__name__, str(each.message).split(NATIVE)[0], (each.filename, each.lineno) == ("<program>", 3))
        for each in found
    ]


@each_of(line=LINES)
def test_the_words_are_torchs_and_the_place_is_the_programs(line: str) -> None:
    theirs, ours = (caught(engine, line) for engine in ENGINES)
    assert ours
    assert len(ours) == len(theirs)
    for (kind, words, _), (its_kind, its_words, _) in zip(ours, theirs, strict=True):
        assert kind == its_kind and (words == its_words or words.startswith(its_words.partition(" is deprecated:")[0]))
    assert all(points for *_, points in ours)


def test_inside_a_module_of_the_program_the_line_is_the_calls_in_it() -> None:
    """The first line outside the engine, not the outermost: there the program calls what warns."""
    namespace = {"torch": minigrad}
    exec(compile(SETUP, "<net>", "exec"), namespace)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        exec(compile("Net()(x)", "<program>", "exec"), namespace)
    line = SETUP.split("\n").index("        return self.inner(x)") + 1
    assert [(each.filename, each.lineno) for each in found] == [("<net>", line)]


# --- once in a process ---

HEARD = """
import warnings
warnings.simplefilter("always")
def heard(message, category, file, line, *_):
    place = "somewhere" if "create_graph" in str(message) else line if file == "<program>" else "elsewhere"
    print(place, category.__name__, str(message).split(NATIVE)[0])
warnings.showwarning = heard
x = torch.tensor([1., 2., 3.], requires_grad=True)
"""
ONCE = {
    "three warnings": """
        for _ in range(2):
            x.T
            float(x[0])
            int(x[0])
            (x[0] ** 2).backward(create_graph=True)
            x.grad = None
        """,
    "whatever the filter": """
        with warnings.catch_warnings(record=True) as found:
            for again in range(3):
                float(x.sum()); torch.tensor(1.).T
        print(len(found))
        """,
    "arrays": """
        import numpy as np
        arrays = [np.array([1, 2]), np.array([3, 4])]
        frozen = np.broadcast_to(np.array([1.0]), (2,))
        torch.tensor([arrays[0], [3, 4]])
        torch.tensor(arrays)
        torch.tensor(frozen)
        torch.from_numpy(frozen)
        torch.as_tensor(frozen)
        """,
}


@functools.cache
def once() -> dict[str, list[str]]:
    """What each program says on both engines, in processes that have said nothing yet."""
    programs = [
        f"import {engine} as torch\nNATIVE = {NATIVE!r}{HEARD}{textwrap.dedent(program)}"
        for program in ONCE.values()
        for engine in ("torch", "minigrad")
    ]
    texts = printed_by_fresh(programs, "import torch, minigrad")
    return dict(zip(ONCE, map(list, zip(texts[::2], texts[1::2], strict=True)), strict=True))


@pytest.mark.parametrize("name", ONCE)
def test_minigrad_says_once_what_torch_says_once(name: str) -> None:
    theirs, ours = once()[name]
    assert ours == theirs
    assert "Traceback" not in theirs and "elsewhere" not in theirs


def test_how_often_torch_says_it() -> None:
    heads = re.findall(r"^(\w+) UserWarning (.*?[`.=])", once()["three warnings"][0], re.M)
    places = [int(head[0]) for head in heads[:2]]
    assert places[1] == places[0] + 1 and [(place, text) for place, text in heads[2:]] == [
        ("somewhere", "Using backward() with create_graph=")
    ]
    assert [text for _, text in heads[:2]] == ["The use of `", "Converting a tensor with requires_grad="]
    assert once()["whatever the filter"][0] == "2\n"
    assert once()["arrays"][0].count("UserWarning") == 2
