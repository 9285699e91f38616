"""Whose work is what: trees, zips, and the people whose names are in them."""
