"""The operators and methods of Tensor, and the attributes of nodes, which call all of the above."""
