import torch
import torch.nn as nn

class SelfAttention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = [t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in (q, k, v)]
        att = (q @ k.transpose(-2, -1) * (C // self.heads) ** -0.5).softmax(-1)
        return self.proj((att @ v).transpose(1, 2).reshape(B, T, C)), att

torch.manual_seed(0)
y, att = SelfAttention(8, 2)(torch.randn(3, 5, 8))
print(y.shape, att.shape)
print(att.sum(-1).allclose(torch.ones(3, 2, 5)))
