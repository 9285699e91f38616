import torch
from torch.utils.data import DataLoader
from torch.nn.utils.rnn import pad_sequence

data = [([1, 2, 3], 0), ([4], 1), ([5, 6], 1)]

def collate(batch):
    seqs = [torch.tensor(s) for s, _ in batch]
    labels = torch.tensor([l for _, l in batch])
    lengths = torch.tensor([len(s) for s in seqs])
    return pad_sequence(seqs, batch_first=True, padding_value=0), labels, lengths

for padded, labels, lengths in DataLoader(data, batch_size=2, collate_fn=collate):
    print(padded)
    print(labels, lengths)
