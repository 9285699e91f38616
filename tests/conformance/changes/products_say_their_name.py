import torch

for wrong in (lambda: torch.ones(2, 3) @ torch.ones(2, 3), lambda: torch.nn.Linear(4, 1)(torch.ones(2, 3))):
    try:
        wrong()
    except RuntimeError as error:
        print(error)
