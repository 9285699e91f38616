"""Four decimals, or none if all entries are whole; zeros, nan and inf have no say."""

import torch

rows = [
    [1.0, 2.0],
    [1.0, 2.5],
    [0.1, 1000.0],
    [0.1, 100.0],
    [0.0, 0.0],
    [-0.0, 1.0],
    [float("nan"), 1.0],
    [float("inf"), -float("inf")],
    [float("nan"), 1.5, -float("inf")],
    [1e8, 1.0],
    [1e8],
    [2e8],
    [1e-4],
    [1e-5],
    [1e-45, 0.0],
    [12345.678],
    [0.00012345, 0.1],
    [99999.5],
    [-1.0, 10.0, 100.0],
    [1 / 3, 2 / 3],
]
for row in rows:
    print(torch.tensor(row), torch.tensor(row[0]))
