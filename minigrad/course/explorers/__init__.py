"""What a reader can move: the pictures of the course with controls, still pictures where there is no kernel."""

from minigrad.course.explorers.explorer import Explorer, View
from minigrad.course.explorers.inspector import leaves
from minigrad.course.explorers.prediction import predict
from minigrad.course.explorers.slicing import slices, wrong_cells
from minigrad.course.explorers.training import training
from minigrad.course.explorers.walking import walk
from minigrad.course.explorers.weights import upstream

__all__ = ["Explorer", "View", "leaves", "predict", "slices", "training", "upstream", "walk", "wrong_cells"]
