"""Random torch programs, line by line, and the run that compares two engines on them.

`sheet` holds a program in the making; `values`, `shapes`, `graphs` and `training` are what can be written on it, by
topic; `campaign` draws whole programs from a topic and runs them.
"""
