import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
value = nn.Linear(4, 1)
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=0.01)
for episode in range(4):
    logs, rewards, values = [], [], []
    state = torch.randn(4)
    for t in range(5):
        dist = Categorical(logits=policy(state))
        action = dist.sample()
        logs.append(dist.log_prob(action))
        values.append(value(state).squeeze())
        rewards.append(float(action == 1))
        state = torch.randn(4)
    returns, total = [], 0.0
    for r in reversed(rewards):
        total = r + 0.9 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    advantage = returns - torch.stack(values).detach()
    loss = -(torch.stack(logs) * advantage).sum() + nn.functional.mse_loss(torch.stack(values), returns)
    opt.zero_grad()
    loss.backward()
    opt.step()
