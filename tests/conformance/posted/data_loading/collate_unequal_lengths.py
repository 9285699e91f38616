import torch
from torch.utils.data import DataLoader

sentences = [torch.tensor([1, 2, 3]), torch.tensor([4, 5]), torch.tensor([6])]
loader = DataLoader(sentences, batch_size=3)
for batch in loader:
    print(batch)
