"""Losses: values, graphs, derivatives, refusals."""

nn, F = torch.nn, torch.nn.functional
def graph(node, depth=4):
    if node is None or not depth:
        return "-"
    return node.name() + "(" + ", ".join(graph(each, depth - 1) for each, _ in node.next_functions) + ")"
x = torch.tensor([[.2, .4, .3], [.5, .9, .1]], requires_grad=True)
d = torch.tensor([[.2, .4, .3], [.5, .9, .1]], requires_grad=True, dtype=torch.float64)
t = torch.tensor([[0., 1., .5], [.3, .6, .8]])
k = torch.tensor([2, 0]); w = torch.tensor([1., 2., 3.])

# --- divergence
# each of: how = {piece}
'mean'; 'sum'; 'none'; 'batchmean'; 'medium'
# then
F.kl_div(x, t, reduction=how).detach(), F.kl_div(x[0], t[0], reduction=how).detach()
F.kl_div(x, t.log(), None, None, how, True).detach()
nn.KLDivLoss(reduction=how, log_target=True)(x, d.detach()).detach()
F.kl_div(x, t, reduction=how).sum().backward(); print(x.grad)

# --- losses
def f(how): return {piece}
def asked(how):
    y = f(how); print(y, graph(y.grad_fn, 2))
    y.backward(torch.arange(1., y.numel() + 1).reshape(y.shape).to(y.dtype)); print(x.grad)
    y.backward(torch.ones_like(y))
asked("mean")
asked("sum")
asked("none")
# each of
F.mse_loss(x, t, reduction=how); F.mse_loss(x, t[0], reduction=how); F.mse_loss(x, d.detach(), reduction=how)
F.mse_loss(x[0], torch.tensor([0, 1, 1]), reduction=how); F.l1_loss(x, t, reduction=how)
F.smooth_l1_loss(x, t * 5, beta=.5, reduction=how); F.smooth_l1_loss(x, t, beta=0., reduction=how)
F.huber_loss(x, t * 5, delta=.5, reduction=how); F.binary_cross_entropy(x, t, reduction=how)
F.binary_cross_entropy(x, t, weight=w, reduction=how)
F.binary_cross_entropy(x, t, weight=w.double(), reduction=how)
F.binary_cross_entropy_with_logits(x, t, reduction=how)
F.binary_cross_entropy_with_logits(x, t, weight=w, pos_weight=2 * w, reduction=how)
F.binary_cross_entropy_with_logits(x, t.double(), reduction=how); F.nll_loss(x, k, reduction=how)
F.nll_loss(x, k, weight=w, reduction=how); F.nll_loss(x, torch.tensor([0, -100]), reduction=how)
F.nll_loss(x, k, weight=w, ignore_index=2, reduction=how)
F.nll_loss(x, torch.tensor([-100, -100]), reduction=how); F.nll_loss(x, k.to(torch.uint8), reduction=how)
F.nll_loss(x[0], torch.tensor(1), reduction=how); F.nll_loss(x[0], torch.tensor(-100), reduction=how)
F.nll_loss(x.view(1, 3, 2), torch.tensor([[0, 1]]), reduction=how)
F.nll_loss(x.view(1, 3, 1, 2), torch.tensor([[[0, 1]]]), reduction=how)
F.nll_loss(x.view(1, 3, 1, 1, 2), torch.tensor([[[[0, 1]]]]), reduction=how)
F.cross_entropy(x, k, reduction=how); F.cross_entropy(x, k, weight=w, reduction=how)
F.cross_entropy(x, k, label_smoothing=.1, reduction=how)
F.cross_entropy(x, k, label_smoothing=.1, weight=w, reduction=how)
F.cross_entropy(x, torch.tensor([0, -100]), label_smoothing=.1, weight=w, reduction=how)
F.cross_entropy(x, torch.tensor([0, -100]), reduction=how)
F.cross_entropy(x[0], torch.tensor(1), reduction=how)
F.cross_entropy(x[0], torch.tensor(1), label_smoothing=.2, reduction=how)
F.cross_entropy(x, t, reduction=how); F.cross_entropy(x, t, weight=w, reduction=how)
F.cross_entropy(x, t, label_smoothing=.1, reduction=how); F.cross_entropy(x, t.double(), reduction=how)
F.cross_entropy(x[0], t[0], reduction=how)
F.cross_entropy(x.view(1, 3, 2), torch.tensor([[0, 1]]), reduction=how)
F.cross_entropy(x.view(1, 3, 2), torch.tensor([[0, 1]]), label_smoothing=.1, reduction=how)
F.cross_entropy(x.view(1, 3, 2), t.view(1, 3, 2), reduction=how)

# --- losses as modules
# each line of
y = nn.MSELoss(reduction='sum')(x, t); print(y); y.backward(); print(x.grad)
y = nn.L1Loss()(x, t); print(y); y.backward(); print(x.grad)
y = nn.SmoothL1Loss(beta=.3)(x, t); print(y); y.backward(); print(x.grad)
y = nn.HuberLoss(delta=.3)(x, t); print(y); y.backward(); print(x.grad)
y = nn.BCELoss(weight=w)(x, t); print(y); y.backward(); print(x.grad)
y = nn.BCEWithLogitsLoss(pos_weight=w)(x, t); print(y); y.backward(); print(x.grad)
y = nn.NLLLoss(weight=w, ignore_index=0)(x, k); print(y); y.backward(); print(x.grad)
y = nn.CrossEntropyLoss(weight=w, label_smoothing=.1)(x, k); print(y); y.backward(); print(x.grad)
y = nn.CrossEntropyLoss(ignore_index=2, reduction='sum')(x, k); print(y); y.backward(); print(x.grad)

# --- the target of a loss has a gradient as well
# each line of
t.requires_grad_(); F.mse_loss(x, t).backward(); print(x.grad, t.grad)
t.requires_grad_(); F.l1_loss(x, t).backward(); print(x.grad, t.grad)
t.requires_grad_(); F.smooth_l1_loss(x, t).backward(); print(x.grad, t.grad)
t.requires_grad_(); F.huber_loss(x, t).backward(); print(x.grad, t.grad)
t.requires_grad_(); F.binary_cross_entropy(x, t).backward(); print(x.grad, t.grad)
t.requires_grad_(); F.binary_cross_entropy_with_logits(x, t).backward(); print(x.grad, t.grad)

# --- gradients of targets and classes
t.requires_grad_(); F.binary_cross_entropy_with_logits(x, t, pos_weight=w).backward(); print(t.grad)
t.grad = None; F.cross_entropy(x, t).backward(); print(t.grad)

# --- what losses refuse or warn about
# each of
F.mse_loss(x, t, reduction='bad'); F.mse_loss(x, t, size_average=False); F.mse_loss(x, t, reduce=False)
F.mse_loss(x, k); F.mse_loss(x, torch.ones(4)); F.mse_loss(x, torch.ones(3)); F.mse_loss(k, k)
F.mse_loss(x, 1.0); F.mse_loss([1.], t); F.mse_loss(torch.tensor([]), torch.tensor([]))
F.mse_loss(torch.tensor([]), torch.tensor([]), reduction='sum')
F.mse_loss(torch.tensor(1.), torch.tensor(3.)); F.l1_loss(x, torch.ones(3)); F.l1_loss(x, t, reduction='bad')
F.smooth_l1_loss(x, t, beta=-1.); F.huber_loss(x, t, delta=0.); F.huber_loss(x, t, reduction='bad')
F.binary_cross_entropy(torch.tensor([0., 1., 0., 1.]), torch.tensor([0., 1., 1., 0.]), reduction='none')
F.binary_cross_entropy(x, t * 2); F.binary_cross_entropy(x * 2, t); F.binary_cross_entropy(x - 1, t)
F.binary_cross_entropy(torch.tensor([float('nan')]), torch.tensor([1.]))
F.binary_cross_entropy(x, torch.ones(3)); F.binary_cross_entropy(x, t.double())
F.binary_cross_entropy(x, torch.tensor([[0, 1, 1], [0, 1, 0]]))
F.binary_cross_entropy(x, t, weight=w.clone().requires_grad_()); F.binary_cross_entropy(x, t, reduction='bad')
F.binary_cross_entropy_with_logits(x, t, weight=w.clone().requires_grad_())
F.binary_cross_entropy_with_logits(x, t, pos_weight=w.clone().requires_grad_())
F.binary_cross_entropy_with_logits(x, (t > .5).long())
F.binary_cross_entropy_with_logits(x, t, weight=torch.ones(4))
F.binary_cross_entropy_with_logits(x, t, pos_weight=torch.ones(4))
F.binary_cross_entropy_with_logits(x, t, reduction='bad')
F.binary_cross_entropy_with_logits(torch.tensor([float('inf'), float('-inf')]), torch.ones(2), reduction='none')
F.binary_cross_entropy_with_logits(k, k)
F.binary_cross_entropy_with_logits(torch.tensor(1.), torch.tensor(0.))
F.binary_cross_entropy_with_logits(1., torch.tensor(0.)); F.binary_cross_entropy_with_logits(x, torch.ones(2))
F.nll_loss(x, torch.tensor([0, 3])); F.nll_loss(x, torch.tensor([0, -1]))
F.nll_loss(x, torch.tensor([0, 5]), ignore_index=5); F.nll_loss(x, k, weight=torch.ones(2))
F.nll_loss(x, k, weight=torch.ones(1, 3)); F.nll_loss(x, k, weight=w.double())
F.nll_loss(x, k, weight=w.clone().requires_grad_()); F.nll_loss(x, k.int()); F.nll_loss(x, k.float())
F.nll_loss(x, k > 0); F.nll_loss(x, torch.tensor([0, 1, 2])); F.nll_loss(x, torch.tensor([[0], [1]]))
F.nll_loss(x, torch.tensor(0)); F.nll_loss(x[0], torch.tensor(7)); F.nll_loss(x[0], torch.tensor([0, 1]))
F.nll_loss(torch.ones(0, 3), torch.ones(0, dtype=torch.long))
F.nll_loss(torch.ones(0, 3), torch.ones(0, dtype=torch.long), reduction='sum')
F.nll_loss(torch.ones(2, 3, dtype=torch.long), k); F.nll_loss(x, k, reduction='bad'); F.nll_loss(x, 2)
F.nll_loss(x.view(1, 3, 2), torch.tensor([[0, 1, 2]])); F.nll_loss(x.view(1, 3, 2), torch.tensor([0]))
F.nll_loss(x.view(1, 3, 1, 2), torch.tensor([[[0, 7]]])); F.cross_entropy(x, t, weight=torch.ones(2))
F.cross_entropy(x, t, ignore_index=1); F.cross_entropy(x, t, ignore_index=0)
F.cross_entropy(x, k, label_smoothing=1.1); F.cross_entropy(x, t, label_smoothing=1.1)
F.cross_entropy(x, k, label_smoothing=-.1)
F.cross_entropy(x, torch.tensor([[0, 1, 2], [0, 1, 0]])); F.cross_entropy(x, t[:1]); F.cross_entropy(x, t[0])
F.cross_entropy(x, k.float()); F.cross_entropy(x, k, reduction='bad'); F.cross_entropy(x, [0, 1])
F.cross_entropy([1.], k); F.cross_entropy(torch.tensor(1.), torch.tensor(0))
F.cross_entropy(x, torch.tensor([0, 1, 2]), label_smoothing=.1)
F.cross_entropy(x, torch.tensor([0, 7]), label_smoothing=.1)

# --- a saved value of a loss is guarded
y = x * 1; loss = F.mse_loss(y, t); y.add_(1); loss.backward()
y = x * 1; loss = F.mse_loss(y, t); t.add_(1); loss.backward()
y = x * 1; loss = F.nll_loss(y, k); y.add_(1); loss.backward()
y = x * 1; loss = F.binary_cross_entropy_with_logits(y, t); t.add_(1); loss.backward()
F.mse_loss(x, t).grad_fn._saved_target, F.mse_loss(x, t).grad_fn._saved_self
