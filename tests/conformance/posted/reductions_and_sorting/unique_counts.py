import torch

words = torch.tensor([4, 1, 1, 7, 4, 1])
u, inv, counts = torch.unique(words, return_inverse=True, return_counts=True)
print(u)
print(inv)
print(counts)
print(u[counts.argmax()], torch.mode(words).values)
print(torch.unique_consecutive(words))
print(u[inv].equal(words), torch.bincount(words))
