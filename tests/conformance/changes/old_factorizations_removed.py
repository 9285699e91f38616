import torch

matrix = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
for name in ("cholesky", "qr"):
    try:
        print(getattr(torch, name)(matrix)[0])
    except RuntimeError as error:
        print(str(error).splitlines()[0])
