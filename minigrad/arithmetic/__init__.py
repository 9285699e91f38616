"""Arithmetic as torch does it: sums in its order, rounded once, and no warnings of numpy."""
