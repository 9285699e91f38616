"""Whatever only makes the engine look like torch: messages, printing, dtypes. Most of it knows no graph.
Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""
