import torch
from torch import nn

torch.manual_seed(0)
attention = nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True)
out = nn.Linear(8, 1)
tokens = torch.randn(3, 4, 8)
lengths = torch.tensor([4, 2, 0])
padding = torch.arange(4)[None] >= lengths[:, None]
opt = torch.optim.SGD([*attention.parameters(), *out.parameters()], lr=0.1)
for step in range(3):
    opt.zero_grad()
    mixed, _ = attention(tokens, tokens, tokens, key_padding_mask=padding)
    mixed = mixed.masked_fill(padding[..., None], 0.0)
    loss = (out(mixed.sum(1)) - 1).pow(2).mean()
    loss.backward()
    opt.step()
