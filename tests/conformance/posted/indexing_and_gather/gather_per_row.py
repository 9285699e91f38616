import torch

q = torch.tensor([[0.1, 0.5, 0.4], [0.7, 0.2, 0.1]])
actions = torch.tensor([1, 0])

# pick one value from each row
print(q.gather(1, actions.unsqueeze(1)).squeeze(1))
print(q[torch.arange(2), actions])
print(q[:, actions])      # this is something different
try:
    q.gather(1, actions)
except RuntimeError as e:
    print(e)
