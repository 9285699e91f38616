"""p[arange(n), labels] picks one entry of each row: the loss of a classifier by hand."""

import torch

logits = torch.tensor([[2.0, 0.5, -1.0], [0.0, 3.0, 1.0]], requires_grad=True)
labels = torch.tensor([0, 2])
p = logits.softmax(dim=1)
loss = -p[torch.arange(2), labels].log().mean()
loss.backward()
print(loss)
print(logits.grad)
one_hot = torch.zeros(2, 3)
one_hot[torch.arange(2), labels] = 1
print(((p - one_hot) / 2).detach())
print(logits.gather(1, labels.unsqueeze(1)))
