import torch
w = torch.tensor([0.0, 1.0, -4.0], requires_grad=True)
penalty = w.norm(p=0.5)
print(penalty)
penalty.backward()
print(w.grad)
w2 = torch.tensor([0.5, 1.0, -4.0], requires_grad=True)
w2.norm(p=0.5).backward()
print(w2.grad)
