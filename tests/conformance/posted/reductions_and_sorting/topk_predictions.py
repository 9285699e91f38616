import torch
import torch.nn.functional as F

classes = ["cat", "dog", "bird", "fish"]
logits = torch.tensor([[2.0, 1.0, 0.1, -1.0], [0.0, 0.5, 3.0, 2.5]])
probs = F.softmax(logits, dim=1)
top_p, top_i = probs.topk(2, dim=1)
for p, i in zip(top_p, top_i):
    print([(classes[k], round(v.item(), 3)) for v, k in zip(p, i)])
