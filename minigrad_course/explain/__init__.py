"""Explain what a program does with torch's autograd: it runs on the installed torch, is watched, and advice is tried.

`python -m minigrad_course.explain FILE` works alone; it needs torch and nothing else.
"""
