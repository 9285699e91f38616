import io
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(3):
    opt.zero_grad()
    net(torch.ones(4, 2)).pow(2).mean().backward()
    opt.step()

buf = io.BytesIO()
torch.save({"epoch": epoch, "model": net.state_dict(), "optimizer": opt.state_dict()}, buf)
buf.seek(0)
ckpt = torch.load(buf, map_location="cpu")
print(ckpt["epoch"], sorted(ckpt))
print(ckpt["optimizer"]["param_groups"][0]["lr"], ckpt["optimizer"]["state"][0]["step"])
print(list(ckpt["optimizer"]["state"][0]))
