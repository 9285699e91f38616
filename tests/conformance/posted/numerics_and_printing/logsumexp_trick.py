import torch

x = torch.tensor([1000.0, 1001.0])
print(torch.exp(x) / torch.exp(x).sum())
print(torch.softmax(x, 0))
print(x.exp().sum().log(), torch.logsumexp(x, 0))
z = torch.tensor([-200.0, 50.0])
print(torch.log(torch.sigmoid(z)))
print(torch.nn.functional.logsigmoid(z))
print(torch.log1p(torch.tensor(1e-10)), torch.log(1 + torch.tensor(1e-10)))
