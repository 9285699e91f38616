import copy
import random
from collections import deque

import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
target = copy.deepcopy(policy)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
memory = deque(maxlen=100)
state = torch.randn(3)
for step in range(40):
    if random.random() < 0.2:
        action = random.randrange(2)
    else:
        with torch.no_grad():
            action = policy(state).argmax().item()
    following = torch.randn(3)
    memory.append((state, action, float(state[action] > 0), following))
    state = following
    if len(memory) >= 16:
        states, actions, rewards, nexts = zip(*random.sample(memory, 16))
        q = policy(torch.stack(states)).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
        with torch.no_grad():
            goal = torch.tensor(rewards) + 0.9 * target(torch.stack(nexts)).max(1).values
        loss = nn.functional.smooth_l1_loss(q, goal)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if step % 10 == 0:
        target.load_state_dict(policy.state_dict())
