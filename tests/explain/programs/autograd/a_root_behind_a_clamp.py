import torch
x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
y = x.clamp(min=0.0)
loss = y.sqrt().sum()
loss.backward()
print(x.grad)
