"""FloatTensor, Tensor, LongTensor and their like make tensors of a fixed dtype."""

import torch

print(torch.FloatTensor([1, 2]), torch.Tensor([[1, 2], [3, 4]]), torch.DoubleTensor([0.5]))
print(torch.LongTensor([1, 2]), torch.Tensor(2, 3).shape, torch.FloatTensor(0), torch.Tensor())
print(torch.Tensor([True, False]), torch.FloatTensor([1, 2]).type(), torch.tensor([1, 2]).type())
x = torch.ones(2, requires_grad=True)
(x * 3).backward(torch.FloatTensor([1, 10]))
print(x.grad)
try:
    torch.FloatTensor([1, 2], requires_grad=True)
except TypeError as e:
    print(str(e).split(",")[0])
