"""Classes show themselves as torch's, and what they make can be copied and pickled all the same."""

import copy
import pickle
import subprocess
import sys

from engines import each_of

import minigrad
from minigrad import nn

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
