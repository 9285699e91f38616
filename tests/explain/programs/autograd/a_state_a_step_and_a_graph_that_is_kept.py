import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
h = torch.zeros(2)
for t in range(3):
    h = torch.tanh(w * h + 1)
    loss = (h ** 2).sum()
    loss.backward(retain_graph=True)
    opt.step()
