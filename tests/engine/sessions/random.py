"""From the same seed both engines draw the same numbers: generators, states, words and graphs."""

_ = torch.manual_seed(0)

# --- generators of your own
g = torch.Generator().manual_seed(3); print(torch.rand(2, generator=g).tolist())
print(torch.randn(3, generator=g).tolist())
print(torch.randint(5, (3,), generator=g).tolist())
print(torch.randint(2, 5, (3,), generator=g).tolist())
print(torch.randperm(4, generator=g).tolist())
print(torch.normal(0.0, 1.0, (2,), generator=g).tolist())
print(torch.normal(torch.zeros(2), 1.0, generator=g).tolist())
print(torch.bernoulli(torch.full((3,), 0.5), generator=g).tolist())
print(torch.rand_like(torch.zeros(2), generator=g).tolist())
print(torch.randn_like(torch.zeros(2), generator=g).tolist())
print(torch.zeros(2).uniform_(generator=g).tolist())
print(torch.zeros(2).normal_(generator=g).tolist())
print(torch.zeros(2).random_(generator=g).tolist())
print(torch.zeros(2).bernoulli_(0.5, generator=g).tolist())
g.initial_seed(), torch.rand(2, generator=None)
torch.Generator().initial_seed(), torch.Generator().device, torch.Generator(device='cpu').device
torch.rand(1, generator=torch.Generator()), torch.manual_seed(5) is torch.default_generator

# --- the state can be kept
state = torch.manual_seed(1).get_state(); first = torch.randn(5); torch.set_rng_state(state)
torch.equal(first, torch.randn(5)), torch.get_rng_state(), torch.get_rng_state().shape
torch.seed() == torch.initial_seed()

# --- words about seeds and states
# each of
torch.manual_seed(1.5).initial_seed(); torch.manual_seed('3').initial_seed()
torch.manual_seed('a').initial_seed(); torch.manual_seed(True).initial_seed()
torch.manual_seed(-1).initial_seed(); torch.manual_seed(2**64).initial_seed()
torch.manual_seed(-2**63-1).initial_seed(); torch.manual_seed(2**64-1).initial_seed()
torch.manual_seed(None).initial_seed(); torch.manual_seed(torch.tensor(3)).initial_seed()
torch.Generator().manual_seed(1.5).initial_seed(); torch.Generator().manual_seed('3').initial_seed()
torch.Generator().manual_seed('a').initial_seed(); torch.Generator().manual_seed(True).initial_seed()
torch.Generator().manual_seed(-1).initial_seed(); torch.Generator().manual_seed(2**64).initial_seed()
torch.Generator().manual_seed(-2**63-1).initial_seed(); torch.Generator().manual_seed(2**64-1).initial_seed()
torch.Generator().manual_seed(None).initial_seed()
torch.Generator().manual_seed(torch.tensor(3)).initial_seed(); torch.set_rng_state(torch.zeros(3))
torch.set_rng_state(torch.zeros(5056, dtype=torch.uint8)); torch.Generator().set_state(torch.zeros(3))
torch.Generator().set_state(torch.zeros(5056, dtype=torch.uint8)); torch.Generator('foo'); torch.Generator(3)

# --- words about probabilities
# each of
torch.bernoulli(torch.full((1,), 1.5)); torch.bernoulli(torch.tensor([float('nan')])); torch.bernoulli([0.5])
torch.bernoulli(0.3); torch.bernoulli(torch.tensor([1]))

# --- refilled tensors pass no gradient on
x = torch.tensor([1., 2.], requires_grad=True); y = x * 3
# each of: y.{piece}
uniform_(); normal_(); random_(); random_(5); random_(2, 5); bernoulli_(0.5)
# then
(y * y).sum().backward()
x.grad

# --- what is drawn by a probability passes none on
p = torch.full((3,), 0.5, requires_grad=True); q = torch.bernoulli(p); print(q)
q.sum().backward()
p.grad

# --- an error draws nothing
w = torch.zeros(3, requires_grad=True)
w.normal_()
w[:1].uniform_()
torch.randn(2)

# --- words about what is drawn in place
torch.zeros(3).{piece}
torch.rand(1)
# each of
uniform_(2, 1); uniform_(0, 1e39); uniform_(0, float('inf')); uniform_(float('nan')); uniform_('a')
uniform_(None); uniform_(1j); uniform_(1, 2, 3); uniform_(foo=1); uniform_(generator=3); normal_(0, -1)
normal_(0, float('nan')); normal_(0, -1e10); normal_('a'); normal_(0, torch.ones(2)); normal_(foo=1)
normal_(generator=3); bernoulli_(1.5); bernoulli_(-0.1); bernoulli_(float('nan')); bernoulli_('a')
bernoulli_(torch.ones(3, dtype=torch.int64)); bernoulli_(torch.ones(5)); random_(5, 2); random_(0); random_(2.0)
random_('a'); random_(True); random_(1, 2, 3); random_(2**70)

# --- what may be drawn in place
# each of
torch.zeros(3, dtype=torch.int64).uniform_(); torch.zeros(3, dtype=torch.bool).uniform_()
torch.zeros(3, requires_grad=True).uniform_(); torch.zeros(3, dtype=torch.int64).normal_()
torch.zeros(3, dtype=torch.bool).normal_(); torch.zeros(3, requires_grad=True).normal_()
torch.zeros(3, dtype=torch.int64).bernoulli_(); torch.zeros(3, dtype=torch.bool).bernoulli_()
torch.zeros(3, requires_grad=True).bernoulli_(); torch.zeros(3, dtype=torch.int64).random_()
torch.zeros(3, dtype=torch.bool).random_(); torch.zeros(3, requires_grad=True).random_()
# then
torch.rand(1)
