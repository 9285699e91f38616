"""The operations of networks that torch records as one node each: activations, losses, layers.

`minigrad.nn.functional` checks the arguments and applies them.

Mirrors https://docs.pytorch.org/docs/stable/nn.functional.html
"""
