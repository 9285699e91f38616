import torch
import torch.nn.functional as F

p = torch.tensor([[0.5, 0.3, 0.2]])
q = torch.tensor([[0.2, 0.2, 0.6]])
kl = F.kl_div(q.log(), p, reduction="batchmean")
print(f"{kl.item():.4f}")
print(f"{(p * (p / q).log()).sum().item():.4f}")
print("mean:", F.kl_div(q.log(), p, reduction="mean").item() < kl.item())
print("negative if you forget the log:", F.kl_div(q, p, reduction="batchmean").item() < 0)
