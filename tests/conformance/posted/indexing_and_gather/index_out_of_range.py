import torch
import torch.nn as nn

vocab = {"the": 1, "cat": 2, "sat": 3}
emb = nn.Embedding(len(vocab), 4)
ids = torch.tensor([vocab[w] for w in "the cat sat".split()])
print(ids)
out = emb(ids)
print(out.shape)
