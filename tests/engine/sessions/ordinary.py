"""What ordinary programs met once: values at the edge of a dtype, and one error where there were two."""

u, s = torch.tensor([7, 8], dtype=torch.uint8), torch.tensor([1, 100], dtype=torch.int8)
h = torch.tensor([300.] * 40, dtype=torch.float16)
wide = h * torch.arange(40).to(torch.float16) / 10
F = torch.nn.functional
nan = float('nan')

# --- values are torch's
# each of
u * -1; u + 300; u - 9; -1 * u; u // -2; 300 + u; u % 5; u.add(300); s * 3; s + 200; s - 300; s << 1; u < 300
u == -1; s > 1000; s != 300; torch.maximum(s, s); u & 300; torch.where(u > 7, u, -2); s.clamp(max=1000)
s.clamp(min=-1000); s.clamp(1, 50); s.clamp_min(1000); s.clamp_max(-1000); u.clamp(max=300); u >= 263; u <= -1
u.eq(263); s.add_(300); s; u.mul_(-1); u; s.fill_(300); h.norm(); F.normalize(h, dim=0)
F.layer_norm(wide, (40,)); F.cosine_similarity(h, h, dim=0); h.norm(3)
torch.unique(torch.tensor([nan, 1., nan, 1.]), return_counts=True); torch.tensor([nan, nan]).unique()
torch.cross(torch.tensor([1., 2., 3.]), torch.tensor([1, 2, 3]), dim=0)
torch.optim.Optimizer([torch.nn.Parameter(torch.ones(1))], {}).step(); torch.__version__.split('+')[0]
tuple(map(int, torch.__version__.split('+')[0].split('.')))

# --- a gradient of a gradient has torch's node
F = torch.nn.functional
x, t = torch.tensor([0.5, 1.5], requires_grad=True), torch.tensor([0.25, 0.75])
# each of: y = ({piece})
x ** 3; x ** 0.5; F.binary_cross_entropy_with_logits(x, t); F.gelu(x); F.elu(x - 1); F.layer_norm(x, (2,))
torch.std_mean(x)[0]; torch.var_mean(x)[1]; F.softplus(x); F.softmax(x, 0)
F.binary_cross_entropy_with_logits(x, t, pos_weight=t)
F.binary_cross_entropy_with_logits(x, t, reduction='sum'); F.binary_cross_entropy_with_logits(x, t, weight=t)
# then
g = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
g; g.sum().requires_grad and torch.autograd.grad((g * g).sum(), x)
