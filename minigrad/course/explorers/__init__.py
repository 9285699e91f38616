"""What a reader can move: the pictures of the course with controls.

They need no kernel: Python computes the data, a view draws them. Only `playground` does, where a reader types another
function; without one it is the explorer of the function that stands there at first.
"""

from minigrad.course.explorers.deciding import leaves
from minigrad.course.explorers.learning import training
from minigrad.course.explorers.mistaken import mistakes
from minigrad.course.explorers.playing import playground
from minigrad.course.explorers.prediction import predict
from minigrad.course.explorers.racing import race
from minigrad.course.explorers.reaching import reach
from minigrad.course.explorers.secants import secant
from minigrad.course.explorers.sides import sides
from minigrad.course.explorers.slicing import slices
from minigrad.course.explorers.strips import memory
from minigrad.course.explorers.walking import walk
from minigrad.course.explorers.weights import weights
from minigrad.course.pictures.shown import Shown

__all__ = [
    "Shown",
    "leaves",
    "memory",
    "mistakes",
    "playground",
    "predict",
    "race",
    "reach",
    "secant",
    "sides",
    "slices",
    "training",
    "walk",
    "weights",
]
