"""Classes show themselves as torch's, and what they make can be copied and pickled all the same."""

import copy
import pickle
import subprocess
import sys

from engines import assert_alike, each_of

import minigrad
from minigrad import nn

SETUP = [
    "nn = torch.nn",
    "x = torch.tensor([1., 2.], requires_grad=True)",
    "sgd = torch.optim.SGD([x], lr=1.)",
    "class Net(nn.Module): pass",
]
OBJECTS = """
    x; x.shape; x.dtype; x.device; x * 2; (x * 2).grad_fn; nn.Parameter(torch.ones(2)); nn.Linear(1, 1); nn.Tanh()
    nn.Sequential(nn.ReLU()); nn.ModuleList(); nn.Dropout(); nn.Embedding(2, 2); nn.Flatten(); nn.LayerNorm(2); Net()
    sgd; torch.optim.Adam([x]); torch.optim.RMSprop([x]); torch.optim.lr_scheduler.StepLR(sgd, 1); torch.ones(2).max(0)
    torch.ones(2).sort(); torch.finfo(); torch.iinfo(torch.int8); nn.MSELoss()
"""
CLASSES = "torch.Tensor; torch.Size; torch.dtype; torch.device; nn.Module; nn.Parameter; torch.optim.Optimizer; Net"


def test_classes_are_printed_as_torchs() -> None:
    objects = [each.strip() for line in OBJECTS.strip().splitlines() for each in line.split(";") if each.strip()]
    lines = [f"type({each}), type({each}).__module__, type({each}).__qualname__" for each in objects]
    assert_alike([*SETUP, *lines, *CLASSES.split("; "), "torch.set_grad_enabled(True)", "f'{type(x)}', x.__class__"])


def test_copies_and_pickles_of_tensors() -> None:
    values = ["x", "x * 2", "x.detach()", "x.dtype", "torch.bool", "x.shape", "x.device", "torch.tensor(3)"]
    again = ["copy.copy({})", "copy.deepcopy({})", "pickle.loads(pickle.dumps({}))"]
    kept = [f"nn.Parameter(torch.ones(2)), {each.format('nn.Parameter(torch.ones(2))')}" for each in again]
    lines = [each.format(value) for value in values for each in again if (value, each) != ("x * 2", again[1])]
    shared = ["a = torch.ones(2)", "b = copy.copy(a)", "b[0] = 5", "a, b"]
    assert_alike(["import copy, pickle", *SETUP, *lines, *kept, *shared])


MADE = {
    "a tensor": lambda: minigrad.ones(2),
    "a pair": lambda: minigrad.ones(2, 2).max(0),
    "a module": lambda: nn.Sequential(nn.Linear(2, 1), nn.ReLU()),
    "an optimizer": lambda: minigrad.optim.SGD([minigrad.ones(2)], lr=0.1, momentum=0.9),
    "a device": lambda: minigrad.device("cuda:0"),
    "a generator": lambda: minigrad.Generator(),
}


@each_of(name=MADE)
def test_a_pickle_comes_back_where_there_is_no_torch(name: str) -> None:
    made = MADE[name]()
    program = (
        "import pickle, sys; sys.modules['torch'] = None; "
        "again = pickle.loads(sys.stdin.buffer.read()); print(type(again).__qualname__); print(again)"
    )
    done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(made), capture_output=True, check=True)
    first, *rest = done.stdout.decode().splitlines()
    assert first == type(made).__qualname__
    assert name == "a generator" or "\n".join(rest) == str(made)
    assert type(copy.deepcopy(made)) is type(made)
