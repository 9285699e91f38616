import torch

x = torch.tensor([[1, 2], [3, 4]])
for wrong in (x.mean, x.std, x.norm, x.bool().argmax, lambda: torch.linalg.inv(x)):
    try:
        wrong()
    except RuntimeError as error:
        print(type(error).__name__, str(error)[:60])
