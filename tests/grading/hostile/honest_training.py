"""Honest answers to chapter 5: repaired in other places, and the same programs written anew."""

import textwrap

from honest_upstream import indented
from submissions import ours


def repaired(part: str, *changes: tuple[str, str]) -> dict:
    """Our own answer to a part, with some of its lines in other words."""
    text = ours(part)
    for before, after in changes:
        assert before in text, f"{part} has no {before}"
        text = text.replace(before, after)
    return {part: text}


def train(body: str, before: str = "") -> dict:
    """An answer to `train` with this body."""
    body = textwrap.dedent(body)
    return {"train": f'{before}\n@part("train")\ndef train(torch, parameters, loss_of, rate, steps):\n{indented(body)}'}


LOSS = "loss = ((w * x - y) ** 2).mean()"
ZERO = "        optimizer.zero_grad()\n"
BY_HAND = "        with torch.no_grad():\n            w -= 0.05 * w.grad\n"

ANSWERS = {
    "train with an optimizer": train(
        """
        optimizer = torch.optim.SGD(parameters, lr=rate)
        for _ in range(steps):
            optimizer.zero_grad()
            loss = loss_of()
            show(loss)
            loss.backward()
            optimizer.step()
        """
    ),
    "train through data": train(
        """
        while steps:
            (loss := loss_of()).backward()
            show(loss)
            for p in parameters:
                if p.grad is not None:
                    p.data.sub_(rate * p.grad)
                    p.grad = None
            steps -= 1
        """
    ),
    "train by autograd.grad": train(
        """
        for _ in range(steps):
            loss = loss_of()
            show(loss)
            gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
            with torch.no_grad():
                for p, g in zip(parameters, gradients, strict=True):
                    if g is None:
                        continue
                    p.add_(g, alpha=-rate)
        """
    ),
    "train with helpers and zeros": train(
        """
        for _ in range(steps):
            zero(parameters)
            loss = loss_of()
            show(loss.detach())
            loss.backward()
            for p in parameters:
                step(torch, p, rate)
        """,
        before="def zero(ps):\n    for p in ps:\n        if p.grad is not None:\n            p.grad.zero_()\n\n"
        "def step(torch, p, rate):\n    if p.grad is not None:\n        with torch.no_grad():\n"
        "            p.copy_(p - rate * p.grad)\n",
    ),
    "train with a class and recursion": train(
        "Trainer(torch, parameters, loss_of, rate).run(steps)",
        before=textwrap.dedent(
            """
            from dataclasses import dataclass, field
            from typing import Any, Callable

            @dataclass
            class Trainer:
                torch: Any
                parameters: list
                loss_of: Callable
                rate: float = 0.1
                history: list = field(default_factory=list)

                def run(self, steps):
                    if steps == 0:
                        return
                    for each in self.parameters:
                        each.grad = None
                    self.history.append(self.loss_of())
                    show(self.history[-1])
                    self.history[-1].backward()
                    with self.torch.no_grad():
                        for each in [p for p in self.parameters if p.grad is not None]:
                            each -= self.rate * each.grad
                    self.run(steps - 1)
            """
        ),
    ),
    "gradients to None by hand": repaired("zeroing", ("optimizer.zero_grad()", "w.grad = None"))
    | repaired("column", ("optimizer.zero_grad()", "w.grad = None"))
    | repaired("penalty", ("optimizer.zero_grad()", "w.grad = None")),
    "gradients to zero": repaired("zeroing", ("zero_grad()", "zero_grad(set_to_none=False)"))
    | repaired("accuracy", ("zero_grad()", "zero_grad(set_to_none=False)"))
    | repaired("shifted", ("zero_grad()", "zero_grad(False)")),
    "zeroed at the end of the loop": repaired(
        "zeroing", (ZERO, ""), ("optimizer.step()\n", f"optimizer.step()\n{ZERO}")
    ),
    "an update without an optimizer": repaired(
        "zeroing",
        ("optimizer = torch.optim.SGD([w], lr=0.05)\n", "rate = 0.05\n"),
        ("optimizer.zero_grad()", "w.grad = None"),
        ("optimizer.step()", "w.data -= rate * w.grad"),
    ),
    "columns of targets": repaired("column", ("prediction.squeeze(1) - y", "prediction - y[:, None]")),
    "unsqueezed targets": repaired("column", ("prediction.squeeze(1) - y", "prediction - y.unsqueeze(1)")),
    "targets in the shape of the predictions": repaired(
        "column", ("prediction.squeeze(1) - y", "prediction - y.view_as(prediction)")
    ),
    "a row of predictions": repaired(
        "column", ("prediction = x @ w", "prediction = (x @ w)[:, 0]"), (".squeeze(1)", "")
    ),
    "a product with a vector": repaired(
        "column", ("prediction = x @ w", "prediction = x @ w.flatten()"), (".squeeze(1)", "")
    ),
    "a loss of torch": repaired(
        "column",
        ("((prediction.squeeze(1) - y) ** 2).mean()", "torch.nn.functional.mse_loss(prediction.reshape(-1), y)"),
    ),
    "an update through data": repaired("rebound", (BY_HAND, "        w.data = w.data - 0.05 * w.grad\n")),
    "an update by sub_": repaired("rebound", ("w -= 0.05 * w.grad", "w.sub_(w.grad, alpha=0.05)")),
    "an update that makes a new leaf": repaired(
        "rebound", (BY_HAND, "        w = (w - 0.05 * w.grad).detach().requires_grad_()\n")
    ),
    "an update by an optimizer": repaired(
        "rebound",
        ("    for _ in range(5):\n", "    sgd = torch.optim.SGD([w], 0.05)\n    for _ in range(5):\n"),
        (BY_HAND, "        sgd.step()\n"),
    ),
    "a small leaf by detach": repaired(
        "scaled",
        ("torch.nn.Parameter(torch.tensor(start) * 0.1)", "(torch.tensor(start) * 0.1).detach().requires_grad_(True)"),
    ),
    "a small leaf in place": repaired(
        "scaled",
        (
            "    w = torch.nn.Parameter(torch.tensor(start) * 0.1)\n",
            "    w = torch.nn.Parameter(torch.tensor(start))\n    with torch.no_grad():\n        w.mul_(0.1)\n",
        ),
    ),
    "a small leaf of small numbers": repaired(
        "scaled",
        (
            "torch.nn.Parameter(torch.tensor(start) * 0.1)",
            "torch.tensor([0.1 * each for each in start], requires_grad=True)",
        ),
    ),
    "a small leaf by a method": repaired(
        "scaled",
        (
            "torch.nn.Parameter(torch.tensor(start) * 0.1)",
            "torch.nn.Parameter(torch.tensor(start).mul(0.1), requires_grad=True)",
        ),
    ),
    "memory detached before it is used": repaired(
        "recurrent",
        ("torch.tanh(w * memory + x)", "torch.tanh(w * memory.detach() + x)"),
        ("        memory = memory.detach()\n", ""),
    ),
    "memory as a number": repaired("recurrent", ("memory = memory.detach()", "memory = torch.tensor(memory.item())")),
    "memory by data": repaired("recurrent", ("memory.detach()", "memory.data")),
    "memory detached in place": repaired("recurrent", ("memory = memory.detach()", "memory.detach_()")),
    "memory copied without a record": repaired(
        "recurrent", ("memory = memory.detach()", "with torch.no_grad():\n            memory = memory.clone()")
    ),
    "only what was measured": repaired(
        "masked",
        ("known = torch.where(x > 0, x, torch.ones_like(x))", "known = x > 0"),
        ("(torch.log(w * known) - y) ** 2", "(torch.log(w * x[known]) - y[known]) ** 2"),
        ("torch.where(x > 0, errors, torch.zeros_like(x)).sum()", "errors.sum()"),
    ),
    "filtered before": {
        "masked": """
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
        """
    },
    "a mask of numbers": repaired(
        "masked",
        ("torch.where(x > 0, x, torch.ones_like(x))", "x + (x == 0).float()"),
        ("torch.where(x > 0, errors, torch.zeros_like(x)).sum()", "(errors * (x > 0).float()).sum()"),
    ),
    "masked_fill": repaired(
        "masked",
        ("torch.where(x > 0, x, torch.ones_like(x))", "x.masked_fill(x == 0, 1.0)"),
        ("torch.where(x > 0, errors, torch.zeros_like(x))", "errors.masked_fill(x == 0, 0.0)"),
    ),
    "a sigmoid by hand": repaired("accuracy", ("torch.sigmoid(x @ w)", "1 / (1 + torch.exp(-(x @ w)))")),
    "a loss with pow": repaired(
        "accuracy", ("((probability - y) ** 2).mean()", "torch.pow(y - probability, 2).sum() / len(y)")
    ),
    "a loss of torch for the probability": repaired(
        "accuracy", ("((probability - y) ** 2).mean()", "torch.nn.functional.mse_loss(probability, y)")
    ),
    "a penalty as a product": repaired("penalty", ("(w**2).sum()", "w @ w")),
    "a penalty in the loss": repaired(
        "penalty", ("        penalty = (w**2).sum()\n", ""), ("2 * penalty", "2 * torch.sum(w.square())")
    ),
    "a penalty as weight decay": repaired(
        "penalty", ("lr=0.05", "lr=0.05, weight_decay=4"), ("(w**2).sum()", "(w**2).sum().item()")
    ),
    "a body without a flag": repaired(
        "frozen", ("torch.tensor(body, requires_grad=True)", "torch.tensor(body)"), ("[body, head]", "[head]")
    ),
    "a body that is switched off": repaired(
        "frozen", (".detach()", ""), ("    optimizer =", "    body.requires_grad_(False)\n    optimizer =")
    ),
    "features without a record": repaired(
        "frozen",
        (
            "        features = torch.tanh(x @ body).detach()\n",
            "        with torch.no_grad():\n            features = torch.tanh(x @ body)\n",
        ),
    ),
    "features once": repaired(
        "frozen",
        ("        features = torch.tanh(x @ body).detach()\n", ""),
        ("    for _ in range(4):\n", "    features = torch.tanh(x @ body.data)\n    for _ in range(4):\n"),
    ),
    "one more in the same line": repaired(
        "shifted", ("torch.exp(w * x)\n        h = h + 1\n", "torch.exp(w * x) + 1\n")
    ),
    "one more by add": repaired("shifted", ("h = h + 1", "h = torch.add(h, 1)")),
    "one more on a copy": repaired(
        "shifted", ("torch.exp(w * x)\n        h = h + 1", "torch.exp(w * x).clone()\n        h += 1")
    ),
    "one more in the product": repaired("shifted", ("        h = h + 1\n", ""), ("(b * h - y)", "(b * h + b - y)")),
}
