import torch
from torch.distributions import Categorical, Normal

torch.manual_seed(1)
d = Normal(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 2.0]))
s = d.sample((3,))
print(s.shape)
print(d.log_prob(torch.tensor([0.0, 10.0])))
c = Categorical(logits=torch.zeros(4))
print(c.probs, c.entropy())
a = c.sample()
print(a.shape, c.log_prob(a))
