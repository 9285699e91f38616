"""The pictures of the course: each an SVG with alternative text, drawn from what the engine computes."""

from minigrad.course.pictures.canvas import Picture, picture_of
from minigrad.course.pictures.curves import bars, curve, images, lines, memory, regions
from minigrad.course.pictures.graphs import graph
from minigrad.course.pictures.jacobians import heat_map, jacobian, slices
from minigrad.course.pictures.leaves import leaf_table

__all__ = [
    "Picture",
    "bars",
    "curve",
    "graph",
    "heat_map",
    "images",
    "jacobian",
    "leaf_table",
    "lines",
    "memory",
    "picture_of",
    "regions",
    "slices",
]
