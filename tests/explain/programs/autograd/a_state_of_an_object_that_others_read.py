import torch
class World:
    state = torch.zeros(2)
    def step(self, action):
        self.state = self.state * 0.9 + action
        return -(self.state ** 2).sum()
world = World()
w = torch.ones(2, requires_grad=True)
for episode in range(3):
    total = 0
    for t in range(3):
        total = total + world.step(torch.tanh(w * world.state + t))
    total.backward()
