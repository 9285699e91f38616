import torch

for data in ([1, 2, 3], [1.0, 2.0, 3.0], [True, False, True]):
    try:
        t = torch.tensor(data, requires_grad=True)
        print(t, "->", t.dtype)
    except RuntimeError as e:
        print(data, "failed:", e)
