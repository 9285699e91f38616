"""What is said of each program is what was recorded and read, and each rule refuses an edit that once was wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from explain.gate import PROGRAMS, recorded, said

from minigrad.compat.versions import CHANGES
from minigrad_course.explain.causes import values
from minigrad_course.explain.reading import Source
from minigrad_course.explain.trials import trial
from minigrad_course.explain.trials.pool import Pool

CASES = sorted(PROGRAMS.glob("*/*.py"))
SEEDS = {"torch": 1, "python": 1}
BEGIN = "import torch\nfrom torch import nn\ntorch.manual_seed(0)\n"
STEPS = """for turn in range(5):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
"""
CARRIED = f"""{BEGIN}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = 0.01 * nn.Parameter(torch.ones(3))
        self.b = nn.Parameter(torch.zeros(1))
    def forward(self, x):
        return x @ self.w + self.b
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(9):
    opt.zero_grad()
    loss = ((net(torch.eye(3)) - 1) ** 2).mean()
    loss.backward()
    opt.step()
"""
GAN = f"""{BEGIN}
gen, disc = nn.Linear(2, 1), nn.Linear(1, 1)
of_g, of_d = torch.optim.SGD(gen.parameters(), 0.1), torch.optim.SGD(disc.parameters(), 0.1)
for turn in range(3):
    fake = gen(torch.ones(3, 2))
    out = disc(fake)
    d_loss = (out ** 2).sum()
    of_d.zero_grad()
    d_loss.backward(retain_graph=True)
    of_d.step()
    g_loss = -out.sum()
    of_g.zero_grad()
    g_loss.backward()
    of_g.step()
"""
TRAIN = f"""{BEGIN}
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(8, 2), torch.randn(8, 1)
{STEPS}"""
UPDATE = f"""{BEGIN}
w = torch.ones(2, requires_grad=True)
for turn in range(3):
    loss = (w ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
"""
TYPO = TRAIN.replace("opt = ", "for p in net[0].parameters(): p.require_grad = False\nopt = ")
DEAD = f"""{BEGIN}
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1), nn.ReLU())
nn.init.constant_(net[2].bias, -50.0)
opt = torch.optim.SGD(net.parameters(), lr=0.3)
x, y = torch.randn(8, 2) * 3, torch.rand(8, 1)
{STEPS}"""
NORM = f"""{BEGIN}
bn = nn.BatchNorm1d(1)
x = torch.ones(2, 1, requires_grad=True)
bn.eval()
y = bn(x)
bn.train()
bn(torch.tensor([[1.0], [9.0]]))
y.sum().backward()
"""
# the rule, the program, the wrong edit, what it promised
WRONG: list[tuple[str, str, tuple[str, str], dict[str, Any]]] = [
    ("ends_well", TRAIN + "loss.backward()\n", ("turn in range(5)", "turn in range(4)"), {"kind": "runs"}),
    ("no_nan", TRAIN, ("lr=0.05", "lr=1e30"), {"kind": "grad"}),
    (
        "same_first_loss",
        TRAIN + "loss.backward()\n",
        ("(net(x) - y) ** 2", "net(x) - y ** 2"),
        {"kind": "grad", "further": True},
    ),
    ("same_first_step", GAN, ("    of_d.step()\n    g_loss", "    g_loss"), {"kind": "runs"}),
    ("no_parameter_lost", TRAIN, ("net(x) - y", "net[2](net[1](net[0](x)).detach()) - y"), {"kind": "runs"}),
    (
        "trained_to_the_end",
        CARRIED,
        ("    opt.step()\n", "    opt.step()\n    net.w = net.w.detach()\n"),
        {"kind": "runs"},
    ),
    ("changed_loss_falls", DEAD, ("), nn.ReLU())", "))"), {"kind": "grad", "loss": True, "names": ["net[0].weight"]}),
    (
        "last_loss_is_no_worse",
        DEAD,
        ("), nn.ReLU())", "), nn.LeakyReLU())"),
        {"kind": "grad", "loss": True, "names": ["net[0].weight"]},
    ),
    ("statistics_stay", NORM, ("y.sum()", "(2 * y).sum()"), {"kind": "statistics"}),
    ("leaves_stay", UPDATE, ("w -= 0.1 * w.grad", "w = w - 0.1 * w.grad; break"), {"kind": "moves", "names": ["w"]}),
    (
        "gradients_come",
        TRAIN,
        ("net(x) - y", "net(x).detach() + net[2].bias - y"),
        {"kind": "grad", "names": ["net[0].weight"], "loss": True},
    ),
    ("value_stays_finite", TRAIN, ("** 2", "** 4"), {"kind": "finite"}),
    ("they_move", TRAIN, ("lr=0.05", "lr=0.0"), {"kind": "moves", "names": ["net[0].weight"]}),
    (
        "they_stay",
        TYPO,
        ("require_grad = False", "requires_gradient = False"),
        {"kind": "frozen", "names": ["net[0].weight"]},
    ),
    ("loss_falls", TRAIN, ("opt.step()", "pass"), {"kind": "falls"}),
    ("more_updates", TRAIN, ("range(5)", "range(4)"), {"kind": "updates"}),
    ("optimizer_holds_more", TRAIN, ("net.parameters()", "net[0].parameters()"), {"kind": "optimizer"}),
    ("no_parameter_idle", TRAIN, ("(net(x) - y)", "(net(x) * nn.Parameter(torch.ones(1)) - y)"), {"kind": "runs"}),
]


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """One process for all programs."""
    made = Pool()
    yield made
    made.close()


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_said_is_what_was_read(path: Path, pool: Pool) -> None:
    text, _ = said(path, pool)
    assert text == recorded(path)


def test_nothing_is_said_of_a_correct_program() -> None:
    correct = [path for path in CASES if path.parent.name == "correct"]
    assert len(correct) >= 20
    assert all(path.with_suffix(".txt").read_text() == "" for path in correct)


def outcome(pool: Pool, folder: Path, text: str) -> trial.Outcome:
    """What comes of a program."""
    source = Source(str(folder / "program.py"), text, str(folder), ["program.py"])
    found: trial.Outcome = pool.run(source, [], SEEDS)["outcome"]
    assert not found.get("broken"), found
    return found


@pytest.mark.parametrize(("name", "program", "edit", "promise"), WRONG, ids=[each[0] for each in WRONG])
def test_a_wrong_edit_is_refused_by_its_rule(
    name: str, program: str, edit: tuple[str, str], promise: dict[str, Any], pool: Pool, tmp_path: Path
) -> None:
    assert program.count(edit[0]) == 1
    old, new = outcome(pool, tmp_path, program), outcome(pool, tmp_path, program.replace(*edit))
    rule = next(each for each in trial.RULES if each.__name__ == name)
    assert rule(promise, old, new) is not None, (old, new)


def test_every_rule_has_a_program_that_taught_it() -> None:
    assert {each.__name__ for each in trial.RULES} == {each[0] for each in WRONG}


def test_what_was_seen_without_the_edit_too_is_no_evidence(pool: Pool, tmp_path: Path) -> None:
    one_step = TYPO.replace("net.parameters()", "net[2].parameters()")
    old = outcome(pool, tmp_path, one_step)
    assert trial.refused({"kind": "runs"}, old, old) == "nothing that was seen is different"
    assert trial.refused({"kind": "grad", "names": ["net[2].weight"]}, old, old) is not None
    promise = {"kind": "frozen", "names": ["net[0].weight"]}
    new = outcome(pool, tmp_path, one_step.replace("require_grad = False", "requires_grad = False"))
    assert trial.refused(promise, old, new) is None
    assert trial.seen(promise, old, new) == "`net[0].weight` gets no gradient any more"


def test_a_grad_that_is_read_is_evidence_when_it_is_none_no_longer(pool: Pool, tmp_path: Path) -> None:
    program = BEGIN + "h = torch.ones(1, requires_grad=True) * 2\nh.sum().backward()\nprint(h.grad)\n"
    old = outcome(pool, tmp_path, program)
    new = outcome(pool, tmp_path, program.replace("h.sum()", "h.retain_grad(); h.sum()"))
    assert trial.refused({"kind": "runs"}, old, new) is None
    assert trial.seen({"kind": "runs"}, old, new) == "none of the `.grad` that the program reads are None"


def test_the_rows_that_explain_names_are_on_the_page_of_changes() -> None:
    for anchor in (values.AT_BOUND, values.BEHIND_CLAMP):
        change = next(each for each in CHANGES.values() if each.anchor == anchor)
        assert change.since == ".".join(map(str, values.CHANGED)) and change.until is None
        page = Path(__file__).parents[2] / values.PAGE
        assert f"({anchor})=" in page.read_text(encoding="utf-8")
