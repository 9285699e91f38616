"""Classes show themselves as torch's, and what they make can be copied and pickled all the same."""

import copy
import pickle
import subprocess
import sys

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


PROGRAM = """
import pickle, sys
sys.modules['torch'] = None
for again in pickle.loads(sys.stdin.buffer.read()):
    print(type(again).__qualname__, again if type(again).__name__ != 'Generator' else '', sep="\\n", end="\\0")
"""


def test_a_pickle_comes_back_where_there_is_no_torch() -> None:
    made = {name: make() for name, make in MADE.items()}
    given = pickle.dumps([*made.values()])
    done = subprocess.run([sys.executable, "-c", PROGRAM], input=given, capture_output=True, check=True)
    wanted = {
        name: f"{type(each).__qualname__}\n{each if name != 'a generator' else ''}\n".rstrip("\n")
        for name, each in made.items()
    }
    texts = [text.rstrip("\n") for text in done.stdout.decode().split("\0")[:-1]]
    assert dict(zip(made, texts, strict=True)) == wanted
    assert [name for name, each in made.items() if type(copy.deepcopy(each)) is not type(each)] == []
