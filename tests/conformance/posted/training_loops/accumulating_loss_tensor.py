import torch
import torch.nn as nn

torch.manual_seed(0)
fc = nn.Linear(2, 1)
running, running_item = 0, 0.0
for i in range(3):
    loss = fc(torch.full((4, 2), float(i))).pow(2).mean()
    running += loss
    running_item += loss.item()

print(type(running), running.requires_grad)
print(running.grad_fn.name())
print(f"{running_item:.4f}", abs(running.item() - running_item) < 1e-5)
print("avg: {:.4f}".format(running_item / 3))
