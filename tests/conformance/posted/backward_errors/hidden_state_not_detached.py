import torch
import torch.nn as nn

torch.manual_seed(0)
lstm = nn.LSTM(2, 4, batch_first=True)
opt = torch.optim.SGD(lstm.parameters(), lr=0.1)
h, c = torch.zeros(1, 1, 4), torch.zeros(1, 1, 4)

for step in range(3):
    x = torch.randn(1, 5, 2)
    out, (h, c) = lstm(x, (h, c))
    loss = out.pow(2).sum()
    opt.zero_grad()
    try:
        loss.backward()
    except RuntimeError as e:
        print("step", step, "->", str(e).split(".")[0])
        break
    opt.step()
    print("step", step, "ok")
    # h, c = h.detach(), c.detach()   <- this is the fix
