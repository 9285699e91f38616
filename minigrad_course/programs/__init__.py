"""Run a program's text on an engine, in this process: its cells, its numbers, what it prints, and how that compares."""
