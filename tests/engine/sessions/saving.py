"""torch.save and torch.load."""

import io, collections; nn = torch.nn; _ = torch.manual_seed(1)
def again(value, **settings):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **settings)

# --- states of modules and optimizers
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)); o = torch.optim.Adam(net.parameters())
s = torch.optim.lr_scheduler.StepLR(o, 2)
net(torch.ones(4, 2)).sum().backward(); o.step(); s.step()
kept = again({'net': net.state_dict(), 'optimizer': o.state_dict(), 'schedule': s.state_dict()})
{name: value for name, value in kept.items() if name != 'schedule'}
other = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
p = torch.optim.Adam(other.parameters())
other.load_state_dict(kept['net']), p.load_state_dict(kept['optimizer'])
for each, step in ((net, o), (other, p)): each(torch.ones(4, 2)).sum().backward(); step.step()
all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters())), p.state_dict()['state'][0]

# --- memory that is shared is shared again
a = torch.ones(2); x, y, z = again([a, a.detach(), a.clone()])
x[0] = 5; print(x, y, z)
m = torch.arange(6.).view(2, 3); x, y, z, t = again([m, m[1], m.t(), m[:, 1:].clone()]); y.fill_(9); print(x, z, t, z.stride())
x, y, z, t = copy.deepcopy([m, m[1], m.t(), m[:, ::2]]); y.fill_(8); print(x, z, t, z.stride(), t.stride(), m)
e = torch.ones(1).expand(2, 3); p = torch.nn.Parameter(m); x, y, z = copy.deepcopy([e, p, p.detach()]); print(x.stride(), y, y.stride(), z)
again(m.t()).stride(), again(m[:, ::2]).stride(), again(torch.ones(0, 2)).shape, copy.deepcopy(torch.ones(0, 2)[:, :1]).shape
w = torch.ones(2, requires_grad=True); r = again(w * 2); print(r, r.is_leaf, r.requires_grad)
again(w, map_location='cpu', weights_only=True)

# --- what is saved comes back
# each of: value = {piece}; print(type(again(value)), again(value))
None; True; -2**70; 1.5; nan; inf; 'ä'; torch.tensor([1., -2.5]); torch.tensor(3); torch.zeros(2, 0)
torch.ones(2, 3).T; torch.tensor([True]); torch.ones(2, dtype=torch.float16); torch.tensor(2., requires_grad=True)
nn.Parameter(torch.ones(1, 2)); nn.Parameter(torch.ones(2), requires_grad=False); torch.Size([2, 3]); torch.float64
torch.device('cpu'); collections.Counter('aab'); []; {}; (); [1, [2., ()], {}]; (1, [None, 'a'], {'a': torch.ones(2)})
{(1, 2): 'b', 3: [True], 'c': {}}; collections.OrderedDict(a=[1], b=(2., torch.tensor(3))); {'': [torch.Size([1])]}
[collections.OrderedDict(), (torch.float64, nan), {'x': {'y': (torch.tensor([1]),)}}]
