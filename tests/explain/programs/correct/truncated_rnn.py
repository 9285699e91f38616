import torch
from torch import nn

torch.manual_seed(0)
rnn, head = nn.LSTM(1, 8, batch_first=True), nn.Linear(8, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)
series = torch.sin(torch.arange(101) * 0.3)[None, :, None]
for epoch in range(2):
    state = (torch.zeros(1, 1, 8), torch.zeros(1, 1, 8))
    for start in range(0, 100, 20):
        out, state = rnn(series[:, start : start + 20], state)
        loss = nn.functional.mse_loss(head(out), series[:, start + 1 : start + 21])
        opt.zero_grad()
        loss.backward()
        opt.step()
        state = tuple(s.detach() for s in state)
print(loss.item())
