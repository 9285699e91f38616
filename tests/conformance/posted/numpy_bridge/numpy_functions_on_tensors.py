import numpy as np
import torch

t = torch.tensor([1.0, 4.0, 9.0])
print(type(np.sqrt(t)))
print(np.mean(t.numpy()), np.asarray(t))
arr = np.ones(3, dtype=np.float32)
print(t + torch.from_numpy(arr))
cpu = t.cuda().cpu() if torch.cuda.is_available() else t.cpu()
print(cpu is t or cpu.equal(t), cpu.numpy().dtype)
print(np.stack([t.numpy(), arr]).shape, torch.stack([t, torch.from_numpy(arr)]).numpy().shape)
