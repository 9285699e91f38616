"""The pictures of the course: SVGs with alternative text, drawn from the engine's results."""

from minigrad_course.pictures.curves import bars, curve, images, lines, memory, regions
from minigrad_course.pictures.graphs import graph
from minigrad_course.pictures.jacobians import heat_map, jacobian, slices
from minigrad_course.pictures.leaves import leaf_table
from minigrad_course.pictures.shown import Picture
from minigrad_course.pictures.ways import ways_table

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
