import torch

mask = torch.tensor([True, False])
for wrong in (lambda: 1 - mask, lambda: -mask, mask.relu):
    try:
        wrong()
    except RuntimeError as error:
        print(type(error).__name__, str(error)[:60])
