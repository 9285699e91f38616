import torch
import torch.nn as nn

torch.manual_seed(0)
lstm = nn.LSTM(input_size=5, hidden_size=7, num_layers=2, batch_first=True)
x = torch.randn(3, 4, 5)
out, (h, c) = lstm(x)
print(out.shape, h.shape, c.shape)
print(torch.allclose(out[:, -1], h[-1]))
print([n for n, _ in lstm.named_parameters()])
bi = nn.LSTM(5, 7, bidirectional=True)
print(bi(x)[0].shape)
