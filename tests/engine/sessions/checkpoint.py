"""torch.utils.checkpoint: functions that run again in backward."""

U = torch.utils.checkpoint; checkpoint, checkpoint_sequential = U.checkpoint, U.checkpoint_sequential
x = torch.tensor([.5, -1.], requires_grad=True); w = torch.tensor([2., 3.], requires_grad=True); c = torch.ones(2)
calls = []; nn = torch.nn; net = nn.Sequential(*[nn.Tanh() for _ in range(4)])
def f(t, k=2):
    calls.append('a'); y = t.sin(); calls.append('b'); y = (y * w).exp(); calls.append('c'); return y + k
torch.manual_seed(0)
def other(t): calls.append(0); return t.sin().cos() if len(calls) == 1 else t.sin()
def longer(t): calls.append(0); return t.sin() if len(calls) == 1 else t.sin().cos()
def wider(t): calls.append(0); return (t if len(calls) == 1 else t.double()).sin()
def nested(t): calls.append('n'); return checkpoint(f, t * t, use_reentrant=False).cos()
def told(y):
    print(type(y.grad_fn).__name__, calls)
    y.sum().backward(retain_graph=True); print(calls, x.grad, w.grad); y.sum().backward(); print(calls, x.grad)

# --- both variants
# each of: told(checkpoint({piece}))
f, x, use_reentrant=False; f, x, use_reentrant=True; f, x, k=3, use_reentrant=False; f, x, 3, use_reentrant=True
f, c, use_reentrant=False; f, c, use_reentrant=True; f, x, use_reentrant=False, early_stop=False; nested, x, use_reentrant=False
nested, x, use_reentrant=True; other, x, use_reentrant=False; longer, x, use_reentrant=False; wider, x, use_reentrant=False
longer, x, use_reentrant=False, early_stop=False; wider, x, use_reentrant=False, determinism_check='none'
lambda t: nn.functional.dropout(t * t).exp(), x, use_reentrant=False; f, x; f, x, k=3, use_reentrant=True
lambda t: nn.functional.dropout(t * t).exp(), x, use_reentrant=True, preserve_rng_state=False
f, x, use_reentrant=False, determinism_check='all'; lambda t: t.detach(), x, use_reentrant=True
f, x, use_reentrant=True, debug=True

# --- what else a checkpoint meets
# each line of
y = checkpoint(f, x, use_reentrant=False); g, = torch.autograd.grad(y.sum(), x, create_graph=True); print(torch.autograd.grad(g.sum(), x), calls)
y = checkpoint(f, x, use_reentrant=True); torch.autograd.grad(y.sum(), x)
y = checkpoint(lambda t: (t * 2, t.exp(), 3), x, use_reentrant=True); print(y[0].grad_fn is y[1].grad_fn, y[2]); y[1].sum().backward(); print(x.grad)
with torch.no_grad(): print(checkpoint(f, x, use_reentrant=False), checkpoint(f, x, use_reentrant=True), calls)
with U.set_checkpoint_early_stop(False): told(checkpoint(f, x, use_reentrant=False))
told(checkpoint_sequential(net, 2, x, use_reentrant=False))
told(checkpoint_sequential(net, 3, x, use_reentrant=True))
told(checkpoint_sequential(net, 2, x))
h = x * 1; y = checkpoint(f, h, use_reentrant=False); h.mul_(2); y.sum().backward()
y = checkpoint(f, x, use_reentrant=False); print(y.grad_fn.next_functions[0][0]._saved_result, calls)
