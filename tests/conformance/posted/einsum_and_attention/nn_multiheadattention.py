import torch
import torch.nn as nn

torch.manual_seed(0)
mha = nn.MultiheadAttention(embed_dim=6, num_heads=3, batch_first=True)
x = torch.randn(2, 4, 6)
pad = torch.tensor([[False, False, False, True], [False, False, True, True]])
out, w = mha(x, x, x, key_padding_mask=pad)
print(out.shape, w.shape)
print(w[1, 0])
