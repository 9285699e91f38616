import math
import torch
import torch.nn.functional as F

torch.manual_seed(0)
q, k, v = (torch.randn(1, 4, 8) for _ in range(3))
scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
attn = F.softmax(scores, dim=-1)
out = attn @ v
print(out.shape, attn.sum(-1))
ref = F.scaled_dot_product_attention(q, k, v)
print(torch.allclose(out, ref, atol=1e-5))
