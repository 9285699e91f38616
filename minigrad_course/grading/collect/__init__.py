"""Whose work is what: trees, zips, rosters and labels of people."""
