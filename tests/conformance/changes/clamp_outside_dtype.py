import torch

for x, bounds in (
    (torch.tensor([-100, 5, 100], dtype=torch.int8), {"max": 1000}),
    (torch.tensor([0, 5, 200], dtype=torch.uint8), {"min": -1}),
    (torch.tensor([0, 5, 200], dtype=torch.uint8), {"max": -1}),
):
    try:
        print(x.clamp(**bounds))
    except RuntimeError as error:
        print(error)
