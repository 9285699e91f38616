"""What only makes the engine look like torch: its messages, its printing, its dtypes. Most of it knows no graph.

Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""
