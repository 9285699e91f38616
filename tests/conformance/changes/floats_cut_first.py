import torch

for number, dtype in ((127.5, torch.int8), (255.5, torch.uint8), (2.0**63, torch.int64)):
    try:
        print(torch.tensor([number], dtype=dtype))
    except RuntimeError as error:
        print(error)
