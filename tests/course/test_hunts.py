"""Chapter 5: every cure that works is accepted, however it is written; what circulates and does not work is not."""

from answered import ARROW, answer_cell, changed, judged

PRODUCT = "torch.nn.Parameter(torch.tensor(start)) * 0.1"
GAPS = "torch.where(x > 0, errors, torch.zeros_like(x)).sum()"

# part, what of its stub is replaced, and by what
CURES = [
    ("zeroing", "loss.backward()", "w.grad = None\n        loss.backward()"),
    ("zeroing", "optimizer.step()", "optimizer.step()\n        w.grad.zero_()"),
    ("column", "prediction - y", "prediction - y.unsqueeze(1)"),
    ("column", "prediction - y", "prediction.T - y"),
    ("column", "((prediction - y) ** 2).mean()", "torch.nn.functional.mse_loss(prediction.flatten(), y)"),
    ("column", "x @ w", "(x * w[:, 0]).sum(dim=1)"),
    ("rebound", "w = w - 0.05 * w.grad", "w.data -= 0.05 * w.grad"),
    ("rebound", "w = w - 0.05 * w.grad", "w = (w - 0.05 * w.grad).detach().requires_grad_()"),
    ("rebound", "w = w - 0.05 * w.grad", "torch.optim.SGD([w], lr=0.05).step()"),
    ("scaled", PRODUCT, "(torch.tensor(start) * 0.1).requires_grad_()"),
    (
        "scaled",
        PRODUCT,
        "torch.tensor([each * 0.1 for each in start], requires_grad=True)",
    ),
    ("scaled", "torch.tensor(start)) * 0.1", "torch.tensor(start))\n    w.data *= 0.1"),
    ("scaled", "show(w)\n    optimizer", "w = w.detach().requires_grad_()\n    show(w)\n    optimizer"),
    ("recurrent", "loss.backward()", "loss.backward()\n        memory = torch.tensor(memory.item())"),
    ("recurrent", "w * memory + x", "w * memory.detach() + x"),
    ("recurrent", "loss.backward()", "loss.backward()\n        memory.detach_()"),
    ("masked", "torch.log(w * x)", "torch.log(torch.where(x > 0, w * x, torch.ones_like(x)))"),
    (
        "masked",
        "torch.tensor(xs), torch.tensor(ys)",
        "[torch.tensor([b[i] for b in zip(xs, ys) if b[0]]) for i in (0, 1)]",
    ),
    ("masked", GAPS, "((torch.log(w * x[x > 0]) - y[x > 0]) ** 2).sum()"),
    ("accuracy", "guess = (probability > 0.5).float()", "guess = probability"),
    ("accuracy", "loss = ((guess - y) ** 2).mean()", "loss = torch.nn.functional.mse_loss(probability, y)"),
    ("penalty", ".item()", ""),
    ("penalty", "(w**2).sum().item()", "w.norm() ** 2"),
    ("penalty", "loss.backward()", "(2 * (w * w).sum()).backward()\n        loss.backward()"),
    ("frozen", "features.requires_grad = False", "features = features.detach()"),
    ("frozen", "features.requires_grad = False", "body.requires_grad = False\n        features = torch.tanh(x @ body)"),
    ("shifted", "h += 1", "h = h.clone()\n        h += 1"),
    ("shifted", "h = torch.exp(w * x)\n        h += 1", "h = 1 + torch.exp(w * x)"),
]
NO_CURES = [
    ("zeroing", "torch.zeros(1, requires_grad=True)", "torch.zeros(1, requires_grad=True)\n    w.grad = None"),
    ("column", "((prediction - y) ** 2).mean()", "torch.nn.functional.mse_loss(prediction, y)"),
    ("rebound", "w = w - 0.05 * w.grad", "w = (w - 0.05 * w.grad).requires_grad_()"),
    ("rebound", "w = w - 0.05 * w.grad", "w = torch.tensor(w - 0.05 * w.grad)"),
    ("rebound", "w = w - 0.05 * w.grad", "w = w - 0.05 * w.grad\n        w.retain_grad()"),
    ("scaled", PRODUCT, "torch.nn.Parameter(torch.tensor(start) * 0.1).clone()"),
    ("scaled", "show(w)\n    optimizer", "w.retain_grad()\n    show(w)\n    optimizer"),
    ("recurrent", "loss.backward()", "loss.backward(retain_graph=True)"),
    ("recurrent", "loss.backward()", "loss.backward()\n        memory = memory.clone()"),
    ("recurrent", "loss.backward()", "loss = loss.detach().requires_grad_()\n        loss.backward()"),
    ("masked", "loss.backward()", "loss.backward()\n        w.grad.nan_to_num_(0.0)"),
    ("masked", GAPS, "(errors * (x > 0)).nan_to_num(0.0).sum()"),
    *[("masked", "torch.log(w * x)", f"torch.log(w * x + {little})") for little in ("1e-6", "1e-8", "1e-10")],
    ("masked", "torch.log(w * x)", "torch.log(w * x.clamp(min=0.001))"),
    ("accuracy", "(probability > 0.5).float()", "probability.round()"),
    ("accuracy", "guess = (probability > 0.5).float()", "guess = (probability > 0.5).float().requires_grad_(True)"),
    ("accuracy", "loss.requires_grad_(True)", "loss = torch.tensor(loss.item(), requires_grad=True)"),
    ("penalty", "(w**2).sum().item()", "(w**2).sum().detach()"),
    ("penalty", "(w**2).sum().item()", "torch.tensor((w**2).sum().item(), requires_grad=True)"),
    ("frozen", "features.requires_grad = False", "features.requires_grad_(True)"),
    ("shifted", "h += 1", "with torch.no_grad():\n            h += 1"),
    ("shifted", "loss.backward()", "loss.backward(retain_graph=True)"),
]

HEAD = """
@part("train")
def train(torch, parameters, loss_of, rate, steps):
    for _ in range(steps):
        loss = loss_of()
        show(loss)
"""
LOOPS = {
    "data": """
        loss.backward()
        for each in parameters:
            if each.grad is not None:
                each.data = each.data - rate * each.grad
                each.grad.zero_()
""",
    "autograd.grad": """
        grads = torch.autograd.grad(loss, parameters, allow_unused=True)
        with torch.no_grad():
            for each, grad in zip(parameters, grads):
                if grad is not None:
                    each.sub_(rate * grad)
""",
}


SEEDS = (0, 20, 4711)


def states(part, old, new):
    """How the verdicts on a stub with this repair end."""
    text = changed(answer_cell(part).stub, f"{old}{ARROW}{new}")
    return {judged(part, text, seed).state for seed in SEEDS}


def test_a_cure_passes_however_it_is_written():
    assert [cure for cure in CURES if states(*cure) != {"passed"}] == []


def test_what_is_no_cure_fails():
    assert [each for each in NO_CURES if states(*each) != {"wrong"}] == []


def test_a_training_loop_passes_however_it_is_written():
    verdicts = [judged("train", HEAD + loop, seed) for loop in LOOPS.values() for seed in SEEDS]
    assert [each for each in verdicts if each.state != "passed"] == []
