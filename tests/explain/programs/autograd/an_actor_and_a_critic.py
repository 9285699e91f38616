import torch
a = torch.ones(3, requires_grad=True)
c = torch.ones(3, requires_grad=True)
advantage = (1 - c.exp()) ** 2
actor = (a * advantage).sum()
critic = advantage.sum()
actor.backward()
critic.backward()
