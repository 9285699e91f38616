"""Small noisy images of three shapes, to be told apart by a network of lesson 5."""

from __future__ import annotations

import numpy as np

NAMES = ("ring", "cross", "slash")
SIZE = 8
SHAPES = [
    np.array([list(row) for row in name.split()], float)
    for name in (
        "011110 100001 100001 100001 100001 011110",
        "001100 001100 111111 111111 001100 001100",
        "000011 000111 001110 011100 111000 110000",
    )
]


def drawn(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Images, of shape (count, 8, 8), and the kind of each: a shape of 6 × 6 somewhere, under noise as strong as it."""
    random = np.random.default_rng(seed)
    kinds, images = random.integers(3, size=count), random.random((count, SIZE, SIZE))
    for image, kind, (down, right) in zip(images, kinds, random.integers(3, size=(count, 2)), strict=True):
        image[down : down + 6, right : right + 6] += SHAPES[kind]
    return images, kinds
