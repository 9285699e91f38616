import torch
from torch.utils.data import Dataset, DataLoader, WeightedRandomSampler

class Items(Dataset):
    labels = [0, 0, 0, 1]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        return {"id": idx, "name": f"item{idx}", "label": torch.tensor(self.labels[idx])}

batch = next(iter(DataLoader(Items(), batch_size=4)))
for k, v in batch.items():
    print(k, v)
torch.manual_seed(0)
w = [1 / Items.labels.count(l) for l in Items.labels]
sampler = WeightedRandomSampler(w, num_samples=400)
n = sum(b["label"].sum().item() for b in DataLoader(Items(), batch_size=50, sampler=sampler))
print(150 < n < 250)
