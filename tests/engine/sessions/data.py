"""torch.utils.data: samples, order, batches and refusals."""

import collections, numpy as np
D = torch.utils.data; _ = torch.manual_seed(3); Point = collections.namedtuple('Point', 'x y')
x = torch.arange(22.).reshape(11, 2); y = torch.arange(11); both = D.TensorDataset(x, y)
class Squares(D.Dataset):
    def __init__(self, count): self.count = count
    def __len__(self): return self.count
    def __getitem__(self, index):
        if index >= self.count: raise IndexError(index)
        return {"number": index, "square": index * 1.5, "name": f"n{index}"}

# --- datasets, samplers, loaders and what they refuse
# each of
len(both), both[3], both[-1], both[2:4]; D.TensorDataset(x, torch.ones(3)); D.Dataset()[0]; (both + both)[-23]
D.ConcatDataset([]); D.ConcatDataset([[1, 2], 'abc']).cumulative_sizes
D.Subset(both, [4, 2])[1], D.Subset(both, [4, 2])[[0, 1]], len(D.Subset(both, [4]))
[part.indices for part in D.random_split(both, [7, 4])]
[part.indices for part in D.random_split(both, [0.5, 0.3, 0.2])]
[part.indices for part in D.random_split(both, [7, 4], torch.Generator().manual_seed(42))]
[part.indices for part in D.random_split([1], [0.5, 0.5])]; D.random_split(both, [7, 5])
D.random_split(both, [-0.5, 1.5]); list(D.SequentialSampler(both)), len(D.SequentialSampler(both))
list(D.RandomSampler(both)), list(D.RandomSampler(both)), len(D.RandomSampler(both))
list(D.RandomSampler(both, num_samples=25)), list(D.RandomSampler(both, True, 70)), torch.rand(1)
list(D.RandomSampler(both, num_samples=22)), list(D.RandomSampler(both, True, 64)), torch.rand(1)
D.RandomSampler([]); D.RandomSampler(both, replacement=1)
list(D.SubsetRandomSampler([3, 1, 4, 1, 5])), len(D.SubsetRandomSampler([3]))
list(D.WeightedRandomSampler([.1, .9, 3., 0.], 9)), list(D.WeightedRandomSampler([.1, .9, 3.], 2, False))
D.WeightedRandomSampler([.1], 0); D.WeightedRandomSampler([.1], True); D.WeightedRandomSampler([[.1]], 1)
D.WeightedRandomSampler([.1], 1, 1)
list(D.BatchSampler(range(5), 2, False)), list(D.BatchSampler('abcde', 2, True))
len(D.BatchSampler(range(5), 2, False)), len(D.BatchSampler(range(5), 2, True))
D.BatchSampler(range(5), 0, False); D.BatchSampler(range(5), 2, 0)
for batch in D.DataLoader(Squares(5), 2): print(batch)
for batch in D.DataLoader(both, 4, drop_last=True): print(batch)
for batch in D.DataLoader(list('abc'), 2): print(batch)
for batch in D.DataLoader(both, 4, collate_fn=lambda samples: len(samples)): print(batch)
for batch in D.DataLoader(both, batch_sampler=[[1, 2], [3]]): print(batch)
for batch in D.DataLoader(both, batch_size=None, sampler=[1, 2]): print(batch)
for batch in D.DataLoader([np.ones(2), {'a': (1, np.float32(2))}, ['b', [3]]], batch_size=None): print(batch)
len(D.DataLoader(both, 4)), len(D.DataLoader(both, 4, drop_last=True)), len(D.DataLoader(both, None))
next(iter(D.DataLoader(both))), D.DataLoader(both).batch_size, D.DataLoader(both).dataset is both
D.DataLoader(both, shuffle=True, sampler=[1]); D.DataLoader(both, batch_sampler=[[1]], batch_size=2)
D.DataLoader(both, batch_size=None, drop_last=True); D.DataLoader(both, batch_size=0)
D.DataLoader(both, size=3); D.DataLoader(both, batch_size=2.5); D.DataLoader([], shuffle=True)
next(iter(D.DataLoader([[1, 2], [1]], 2))); next(iter(D.DataLoader([None], 1)))
next(iter(D.DataLoader([torch.ones(2), torch.ones(3)], 2)))
D.default_collate([1, 2]), D.default_collate([True, False]), D.default_collate([1., 2.])
D.default_collate([np.float32(1), np.float32(2)]), D.default_collate([np.ones(2), np.zeros(2)])
D.default_collate([Point(1, 2.), Point(3, 4.)]), D.default_collate([{'a': [1, 'b']}, {'a': [2, 'c']}])
D.default_collate([np.array(['a'])])
D.default_collate([collections.OrderedDict(a=1, b=2.), collections.OrderedDict(a=3, b=4.)])
D.default_convert([np.ones(2), 'a', (1, 2), np.array(['a'])])
type(both), type(D.DataLoader(both)), D.RandomSampler, D.Sampler[int] is D.Sampler or True, D.Dataset[int] and 1
# each line of
more = both + D.Subset(both, [5, 1]); print(len(more), more[12], more[-13], more[0])
for batch in D.DataLoader(Squares(2), 2): batch['number'] += 1; print(batch)
# then
torch.rand(2)

# --- what multinomial takes
_ = torch.manual_seed(1)
# each of: torch.multinomial({piece})
torch.tensor([1, 2]), 1; torch.tensor([1., 2.]), 0; torch.ones(1, 1, 2), 1; torch.tensor(1.), 1
torch.ones(2), 3; torch.tensor([-1., 2.]), 1; torch.tensor([-1., 2.]), 3, True
torch.tensor([1., float('nan')]), 3, True; torch.tensor([1., float('inf')]), 3, True; torch.zeros(2), 1
torch.zeros(2, 2), 3, True; torch.zeros(0), 3, True; torch.ones(0, 2), 1; torch.ones(2), 'a'; torch.ones(2)
torch.ones(2, requires_grad=True), 1; torch.ones(2), 1, 1; torch.ones(2, dtype=torch.float16), 1

# --- a loader trains
_ = torch.manual_seed(0); x = torch.randn(40, 3); y = (x.sum(1, keepdim=True) > 0).float()
net = torch.nn.Linear(3, 1); step = torch.optim.SGD(net.parameters(), lr=0.5)
for epoch in range(4):
    for batch, target in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), 8, shuffle=True):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(batch), target)
        step.zero_grad(); loss.backward(); step.step()
    print(f"{loss.item():.5f}")
