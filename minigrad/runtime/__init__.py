"""What makes the chapters' idea survive real programs: views, changes in place, hooks, passes, speed.

The chapters call it through a few seams (`record`, `saved`, `hooks.visit`); it calls the chapters' functions through
their modules, at the moment of the call, so that a part can be replaced at run time.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html#how-autograd-encodes-the-history
"""
