"""Adding up losses keeps their graphs; item() or detach() adds up numbers."""

import torch

w = torch.tensor(2.0, requires_grad=True)
with_graph, numbers, detached = 0, 0.0, 0
for i in range(3):
    loss = (w - i) ** 2
    with_graph = with_graph + loss
    numbers += loss.item()
    detached = detached + loss.detach()
print(with_graph, numbers, detached)
with_graph.backward()
print(w.grad)
print(float(w.detach()), f"{loss:.2f}", round(loss.item(), 1))
