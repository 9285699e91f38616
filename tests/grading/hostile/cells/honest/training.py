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
