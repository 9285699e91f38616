"""What makes the ideas of the chapters survive real programs: nodes, hooks, passes, and the fast path.

Mirrors https://docs.pytorch.org/docs/stable/notes/autograd.html
"""
