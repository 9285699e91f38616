import torch
import torch.nn as nn

w = nn.Parameter(torch.tensor([3.0, 4.0]))
(w ** 2 / 2).sum().backward()
print("before", w.grad)
norm = nn.utils.clip_grad_norm_([w], max_norm=1.0)
print("norm", norm)
print("after", w.grad)
nn.utils.clip_grad_value_([w], 0.7)
print("value", w.grad)
