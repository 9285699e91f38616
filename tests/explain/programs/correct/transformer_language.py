import torch
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self, words=11, width=8, length=6):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.register_buffer("positions", torch.randn(length, width) * 0.1)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 2, 16, dropout=0.1, batch_first=True) for _ in range(2)
        )
        self.out = nn.Linear(width, words)

    def forward(self, ids):
        h = self.embed(ids) + self.positions
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        for block in self.blocks:
            h = block(h, src_mask=mask)
        return self.out(h)


model = Model()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
ids = torch.randint(0, 11, (4, 7))
for step in range(5):
    logits = model(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 11), ids[:, 1:].reshape(-1))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
