"""torch.optim: steps, groups, states, schedules, and what is refused."""

optim, nn = torch.optim, torch.nn
x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; w = torch.tensor([3.], requires_grad=True)

# --- a step changes in place and records nothing
before = x.data; o = optim.SGD([x, w], lr=0.5)
loss = (x * x).sum() * w; loss.backward(retain_graph=True); grad = x.grad
o.step()
x, before, x.is_leaf, x.grad_fn, x.grad is grad, x._version, torch.is_grad_enabled()
loss.backward()
o.zero_grad(); print(x.grad, grad)
x.sum().backward(); grad = x.grad; o.zero_grad(set_to_none=False); print(x.grad is grad, grad, w.grad)

# --- hooks of a step
o = optim.SGD([x], lr=1.0); x.grad = torch.ones(2)
h = o.register_step_pre_hook(lambda *a: print('before', a[0] is o, a[1][0] is o, list(a[2]), x.tolist()))
_ = o.register_step_post_hook(lambda *a: print('after', len(a[1]), list(a[2]), x.tolist()))
print(o.step(), o.step(lambda: 3.0), o.step(closure=lambda: 4.0)); h.remove(); o.step()
class Own(optim.SGD):
    def step(self): super().step(); return 7
o = Own([x], lr=1.0); _ = o.register_step_post_hook(lambda *a: print('own')); o.step()

# --- groups
o = optim.SGD([{'params': [x]}, {'params': w, 'lr': 0.5}], lr=0.1)
more = torch.ones(2, requires_grad=True)
o.add_param_group({'params': (p for p in [more]), 'lr': 1., 'extra': 'kept'})
o
(x.sum() + w.sum()).backward(); o.step(); print(x, w, o.param_groups[2]['params'])
for group in o.param_groups: group['lr'] *= 0.1
[group['lr'] for group in o.param_groups], o.defaults['lr']
o.add_param_group({'params': [x]})
optim.SGD([x, x], lr=0.1)
optim.SGD([{'params': [x]}, {'params': [x]}], lr=0.1)
optim.SGD([{'params': [x]}, {'lr': 0.1}], lr=0.1)

# --- what an optimizer refuses
# each of
optim.SGD([y], lr=.1); optim.SGD([], lr=.1); optim.SGD(x, lr=.1); optim.SGD([1.], lr=.1); optim.SGD(5, lr=.1)
optim.SGD([x, None], lr=.1); optim.SGD([nn.Linear(1, 1)], lr=.1); optim.SGD([x], lr=-1.)
optim.SGD([x], lr=.1, momentum=-1.); optim.SGD([x], lr=.1, weight_decay=-1.)
optim.SGD([x], lr=.1, nesterov=True); optim.SGD([x], lr=.1, momentum=.9, dampening=.1, nesterov=True)
optim.SGD([x], rate=.1); optim.Adam([x], betas=(1., .9)); optim.Adam([x], betas=(.9, -1.))
optim.Adam([x], eps=-1.); optim.Adam([x], lr=-1); optim.Adam([x], weight_decay=-1.); optim.AdamW([y])
optim.RMSprop([x], alpha=-1.); optim.RMSprop([x], momentum=-1.); optim.Adagrad([x], lr_decay=-1.)
optim.Adagrad([x], initial_accumulator_value=-1.)
# each line of
y.retain_grad(); print(optim.SGD([y], lr=.1))

# --- a state is loaded
o = optim.Adam([x, w], lr=0.1, amsgrad=True); (x ** 2).sum().backward(); w.sum().backward(); o.step()
a = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
b = torch.zeros(1, requires_grad=True); other = optim.Adam([a, b], lr=5.)
other.load_state_dict(copy.deepcopy(o.state_dict()))
other, other.state_dict()
(a ** 2).sum().backward(); other.step(); print(a, b)
optim.Adam([a]).load_state_dict(o.state_dict())
optim.Adam([{'params': a}, {'params': b}]).load_state_dict(o.state_dict())
s = optim.SGD([x], lr=0.1, momentum=0.9); s.load_state_dict(optim.SGD([w], lr=0.2).state_dict())
s

# --- an optimizer of one's own
class Sign(optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    def step(self):
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    p -= group["lr"] * p.grad.sign()
o = Sign([x], lr=0.5); (x ** 2).sum().backward(); o.step(); print(x, o)

# --- schedules
o = optim.SGD([{'params': [x]}, {'params': [w], 'lr': 0.5}], lr=8.); L = optim.lr_scheduler
s = L.{piece}
o, s.get_last_lr(), s.last_epoch
for _ in range(9): o.step(); s.step(); print(s.get_last_lr(), [g['lr'] for g in o.param_groups])
o
state = s.state_dict(); print({k: v for k, v in state.items() if k != 'lr_lambdas'})
again = L.{piece}; again.load_state_dict(state); o.step(); again.step()
again.get_last_lr(), again.last_epoch
len(s.get_lr())
# each of
StepLR(o, step_size=2, gamma=0.5); StepLR(o, 3); ExponentialLR(o, gamma=0.9)
LambdaLR(o, lambda epoch: 0.95 ** epoch); LambdaLR(o, [lambda epoch: 1 / (epoch + 1), lambda epoch: epoch])
CosineAnnealingLR(o, T_max=3); CosineAnnealingLR(o, T_max=4, eta_min=0.01)
MultiStepLR(o, [2, 3, 3, 7], gamma=0.5); LinearLR(o); LinearLR(o, start_factor=0.5, end_factor=0.1, total_iters=3)

# --- other schedules, whose state is not torch's name by name: one that takes it over goes on as this would have
def rates(s): print(s.get_last_lr(), [(g['lr'], g['momentum'], g['initial_lr']) for g in o.param_groups])
L = optim.lr_scheduler; o = optim.SGD([{'params': [x]}, {'params': [w], 'lr': 0.5}], lr=8., momentum=0.3)
s = L.{piece}; rates(s)
for _ in range(4): o.step(); s.step(); rates(s)
state, kept = s.state_dict(), copy.deepcopy(o.state_dict())
s = L.{piece}; s.load_state_dict(state); o.load_state_dict(kept)
for _ in range(5): o.step(); s.step(); rates(s)
isinstance(s, L.LRScheduler), type(s), s.last_epoch if hasattr(s, 'last_epoch') else ''
# each of
CosineAnnealingWarmRestarts(o, 3); CosineAnnealingWarmRestarts(o, 2, T_mult=2, eta_min=0.01)
OneCycleLR(o, max_lr=0.5, total_steps=10)
OneCycleLR(o, [0.5, 2.], epochs=3, steps_per_epoch=4, pct_start=0.4, anneal_strategy='linear', three_phase=True)
OneCycleLR(o, 0.5, 12, cycle_momentum=False, div_factor=10., final_div_factor=100.)
OneCycleLR(o, 0.5, 12, base_momentum=[0.5, 0.6], max_momentum=0.9, three_phase=True)
SequentialLR(o, [L.LinearLR(o, 0.1, total_iters=3), L.ExponentialLR(o, 0.5)], [3])
SequentialLR(o, [L.LinearLR(o, 0.1), L.CosineAnnealingLR(o, 4), L.StepLR(o, 2)], milestones=[2, 6])
SequentialLR(o, [L.LambdaLR(o, lambda k: k + 1), L.MultiStepLR(o, [1]), L.LambdaLR(o, lambda k: 0.5)], [2, 4])
SequentialLR(o, [L.StepLR(o, 1), L.CosineAnnealingWarmRestarts(o, 2)], [3])

# --- a plateau
measures = 3., 2., 2.5, torch.tensor(2.5), 2., 2., 1.9, 1.9, 5., 5., 0., 1., 1., 1., 1., float('nan'), 2., 2.
o = optim.SGD([{'params': [x]}, {'params': [w], 'lr': 0.5}], lr=8.); plateau = optim.lr_scheduler.ReduceLROnPlateau
s = plateau({piece})
for each in measures: s.step(each); print(s.get_last_lr(), s.best, s.num_bad_epochs)
o, s.last_epoch
t = plateau({piece}); t.load_state_dict(s.state_dict()); t.step(7.); print(t.best, t.get_last_lr())
# each of
o; o, patience=1; o, 'max', 0.5, 1; o, patience=0, threshold=0.5, threshold_mode='abs'; o, patience=1, cooldown=2
o, 'max', patience=0, threshold_mode='abs'; o, patience=0, min_lr=[0.3, 0.01]; o, patience=0, eps=1., factor=0.3

# --- adam in one cycle
o = optim.Adam([x], lr=1.); s = optim.lr_scheduler.OneCycleLR(o, 0.1, 5)
for _ in range(5): o.step(); s.step(); print(s.get_last_lr(), o.param_groups[0]['betas'])
s.step()
optim.lr_scheduler.OneCycleLR(optim.Adagrad([x]), 0.1, 5)

# --- restarts at a fraction of an epoch
o = optim.SGD([x], lr=8.); s = optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 2, 2); o.step()
for k in range(30): s.step(k / 4); print(s.get_last_lr(), s.last_epoch)

# --- what schedules refuse
o = optim.SGD([x], lr=1., momentum=0.1)
# each of: optim.lr_scheduler.{piece}
LinearLR(o, 0.); LinearLR(o, 1, 1, 1, 1, 1); MultiStepLR(o); StepLR(x, step_size=1)
CosineAnnealingWarmRestarts(o, 0); CosineAnnealingWarmRestarts(o, 1, T_mult=0); OneCycleLR(o, 0.1)
OneCycleLR(o, 0.1, epochs=3); OneCycleLR(o, 0.1, -5); OneCycleLR(o, [0.1, 0.2], 5); OneCycleLR(x, 0.1, 5)
ReduceLROnPlateau(o, factor=1.); ReduceLROnPlateau(o, 'mean'); ReduceLROnPlateau(o, threshold_mode='mean')
ReduceLROnPlateau(x); ReduceLROnPlateau(o).step(); SequentialLR(o, [], [])

# --- what a schedule refuses or warns about
o = optim.SGD([x], lr=1.); s = optim.lr_scheduler.StepLR(o, 1)
s.step()
s.step()
optim.lr_scheduler.StepLR(x, 1)
optim.lr_scheduler.LambdaLR(o, [lambda epoch: 1, lambda epoch: 2])
t = optim.lr_scheduler.ExponentialLR(o, 0.5, last_epoch=3); print(t.get_last_lr(), t.last_epoch)

# --- a state that counts its steps in numbers
x.grad = torch.tensor([0.5, -1.])
# each of: rule, count = {piece}
optim.Adam, 4.; optim.Adam, 4; optim.AdamW, 4.; optim.AdamW, 4; optim.Adagrad, 4.; optim.Adagrad, 4
# then
o = rule([x], lr=0.1); o.step(); state = o.state_dict(); state['state'][0]['step'] = count
again = rule([x], lr=0.1); again.load_state_dict(state)
again.state[x]['step'], again.state[x]['step'].dtype, again
again.step(); print(x, again.state[x]['step'])

# --- a step that is overridden after the scheduler was made
o = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
s = torch.optim.lr_scheduler.ExponentialLR(o, 0.5)
o.step = lambda: None; o.step()
s.step()
s.step()
s.get_last_lr()

# --- a network learns the same on both engines
_ = torch.manual_seed(4)
data = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]]); labels = torch.tensor([0, 1, 1, 0])
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2)); loss_of = nn.CrossEntropyLoss()
# each of
o = optim.SGD(net.parameters(), lr=0.5, momentum=0.9); o = optim.Adam(net.parameters(), 0.05)
# then
for epoch in range(61):
    o.zero_grad()
    loss = loss_of(net(data), labels)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    o.step()
    if epoch % 20 == 0:
        print(epoch, f"{loss.item():.3f}")
net(data).max(1).indices, [p._version for p in net.parameters()]

# --- the text of several groups
a, b, c = (torch.zeros(1, requires_grad=True) for _ in range(3))
torch.optim.SGD([{'params': [a]}, {'params': [b], 'lr': 0.5}, {'params': [c]}], lr=0.1)
torch.optim.Adam([{'params': [a]}, {'params': [b], 'lr': 0.5}, {'params': [c]}], lr=0.1)

# --- state and text
# each of: o = optim.{piece}
SGD([x, w], lr=0.05); SGD([x, w], lr=0.05, momentum=0.9); SGD([x, w], lr=0.05, momentum=0.9, nesterov=True)
SGD([x, w], lr=0.05, momentum=0.5, dampening=0.3, weight_decay=0.1); SGD([x, w], lr=0.001, maximize=True)
Adam([x, w]); Adam([x, w], lr=0.1, betas=(0.5, 0.9), eps=0.001)
Adam([x, w], lr=0.1, weight_decay=0.1, amsgrad=True); Adam([x, w], lr=0.01, maximize=True)
AdamW([x, w], lr=0.1); AdamW([x, w], lr=0.1, weight_decay=0.3, amsgrad=True); RMSprop([x, w], lr=0.01)
RMSprop([x, w], lr=0.01, momentum=0.5, centered=True, weight_decay=0.1, maximize=True)
Adagrad([x, w], lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.2)
Adagrad([x, w], lr=0.01, maximize=True)
# then
o, o.state_dict()
(x ** 2).sum().backward(); o.step(), o.step()
o.state_dict()
x, w, x._version, w._version, x.grad, len(o.state), sorted(o.defaults)
