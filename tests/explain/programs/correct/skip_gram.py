import torch
from torch import nn

torch.manual_seed(0)
words, contexts = nn.Embedding(20, 6, sparse=True), nn.Embedding(20, 6, sparse=True)
opt = torch.optim.SparseAdam([*words.parameters(), *contexts.parameters()], lr=0.05)
for step in range(5):
    centre, near = torch.randint(0, 20, (8,)), torch.randint(0, 20, (8,))
    noise = torch.randint(0, 20, (8, 3))
    v = words(centre)
    good = (v * contexts(near)).sum(1)
    bad = torch.bmm(contexts(noise), v[:, :, None]).squeeze(2)
    loss = -(nn.functional.logsigmoid(good) + nn.functional.logsigmoid(-bad).sum(1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
