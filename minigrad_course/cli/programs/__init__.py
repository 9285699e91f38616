"""The commands for a program of one's own: run, compare, explain."""
