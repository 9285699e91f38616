import torch

w = torch.tensor(3.0, requires_grad=True)
loss = w ** 2 + 2 * w

for i in range(3):
    loss.backward(retain_graph=True)
    print("call", i + 1, "grad =", w.grad.item())

# I expected 8 every time
w.grad.zero_()
loss.backward()
print("after zero_:", w.grad.item())
