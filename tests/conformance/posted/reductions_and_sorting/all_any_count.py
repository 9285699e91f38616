import torch

pred = torch.tensor([0, 1, 1, 2, 2])
true = torch.tensor([0, 1, 2, 2, 1])
correct = pred == true
print(correct)
print(correct.sum().item(), "/", len(true))
print(f"accuracy: {correct.float().mean().item():.2%}")
print(correct.all(), correct.any(), torch.count_nonzero(~correct))
if correct:
    print("all right")
