import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, batch_first=True, dropout=0.0)
encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
head = nn.Linear(8, 3)
opt = torch.optim.Adam(head.parameters(), lr=0.01)
opt = torch.optim.Adam(list(encoder.parameters()), lr=0.01)
x = torch.randn(6, 7, 8)
y = torch.tensor([0, 1, 2, 0, 1, 2])
for epoch in range(4):
    opt.zero_grad()
    logits = head(encoder(x).mean(1))
    loss = nn.functional.cross_entropy(logits, y)
    loss.backward()
    opt.step()
