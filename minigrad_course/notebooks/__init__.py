"""Notebooks built from their sources, renewed where they were given out, and the kernels they run in."""
