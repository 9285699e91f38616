# %% train with an optimizer
@part("train")
def train(torch, parameters, loss_of, rate, steps):
    optimizer = torch.optim.SGD(parameters, lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        show(loss)
        loss.backward()
        optimizer.step()


# %% train by autograd.grad
@part("train")
def train(torch, parameters, loss_of, rate, steps):
    for _ in range(steps):
        loss = loss_of()
        show(loss)
        gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
        with torch.no_grad():
            for p, g in zip(parameters, gradients, strict=True):
                if g is None:
                    continue
                p.add_(g, alpha=-rate)


# %% filtered before
@part("masked")
def fit_known(torch, xs, ys):
    pairs = [(x, y) for x, y in zip(xs, ys) if x != 0]
    x, y = [torch.tensor(list(each)) for each in zip(*pairs)]
    w = torch.ones((), requires_grad=True)
    for epoch in range(4):
        loss = ((torch.log(w * x) - y) ** 2).sum()
        loss.backward()
        w.data -= 0.02 * w.grad
        w.grad = None
        show(loss, w)
