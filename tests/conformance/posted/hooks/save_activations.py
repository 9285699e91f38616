import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 6 * 6, 2))
activations = {}

def get_activation(name):
    def hook(module, inputs, output):
        activations[name] = output.detach()
    return hook

for name, layer in model.named_children():
    layer.register_forward_hook(get_activation(name))

model(torch.randn(2, 3, 6, 6))
for k, v in activations.items():
    print(k, v.shape, round(v.mean().item(), 3))
