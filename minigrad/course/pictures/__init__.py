"""The pictures of the course: SVGs with alternative text, drawn from the engine's results."""

from minigrad.course.pictures.curves import bars, curve, images, lines, memory, regions
from minigrad.course.pictures.graphs import graph
from minigrad.course.pictures.jacobians import heat_map, jacobian, slices
from minigrad.course.pictures.leaves import leaf_table
from minigrad.course.pictures.shown import Picture
from minigrad.course.pictures.ways import ways_table

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
    "regions",
    "slices",
    "ways_table",
]
