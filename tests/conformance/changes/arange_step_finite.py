import torch

for step in (float("nan"), float("inf"), 0):
    try:
        print(torch.arange(0, 1, step))
    except RuntimeError as error:
        print(error)
