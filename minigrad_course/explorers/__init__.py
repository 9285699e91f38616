"""What a reader can move: the pictures of the course with controls.

They need no kernel: Python computes the data, a view draws them. Only `playground` does, where a reader types another
function; without one it is the explorer of the function that stands there at first.
"""

from minigrad_course.explorers.deciding import leaves
from minigrad_course.explorers.learning import training
from minigrad_course.explorers.mistaken import mistakes
from minigrad_course.explorers.playing import playground
from minigrad_course.explorers.prediction import predict
from minigrad_course.explorers.racing import race
from minigrad_course.explorers.reaching import reach
from minigrad_course.explorers.secants import secant
from minigrad_course.explorers.sides import sides
from minigrad_course.explorers.slicing import slices
from minigrad_course.explorers.strips import memory
from minigrad_course.explorers.walking import walk
from minigrad_course.explorers.weights import weights
from minigrad_course.pictures.shown import Shown

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
