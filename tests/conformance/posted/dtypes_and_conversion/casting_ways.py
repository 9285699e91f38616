import torch

x = torch.tensor([1.9, -1.9, 0.0])
print(x.int(), x.long(), x.bool())
print(x.to(torch.float64))
print(x.type(torch.int64), x.type())
print(x.half(), x.to(torch.bfloat16))
print(x.type_as(torch.tensor([1])))
print(x.double().dtype, torch.is_tensor(x), x.is_floating_point())
