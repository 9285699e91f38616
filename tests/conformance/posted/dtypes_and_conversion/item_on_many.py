import torch

loss = torch.tensor([0.25])
print(loss.item(), float(loss))
t = torch.tensor([1, 2, 3])
print(t.tolist(), [v.item() for v in t])
print(int(t[0]), t[1] + 1)
try:
    t.item()
except RuntimeError as e:
    print("item():", e)
print(float(t))
