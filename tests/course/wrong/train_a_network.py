"""Wrong answers to chapter 5: part -> (the mistake it should be recognised as, the lines of the answer).

A line with an arrow says what stands there in place of something in our own answer.
"""

STEP = "with torch.no_grad():\n    for each in parameters:\n        if each.grad is not None:\n            each -= rate * each.grad"
CLEAR = "for each in parameters:\n    each.grad = None\n"
LOOP = f"{CLEAR}loss = loss_of()\nshow(loss)\nloss.backward()\n"
BY_HAND = "        with torch.no_grad():\n            w -= 0.05 * w.grad\n"
KNOWN = "known = torch.where(x > 0, x, torch.ones_like(x))"
LAST = "loss = torch.where(x > 0, errors, torch.zeros_like(x)).sum()"

WRONG = {
    "train": [
        (
            "zeros for all",
            "for each in parameters:\n    each.grad = torch.zeros_like(each)\nloss = loss_of()\nshow(loss)\nloss.backward()\n"
            + STEP,
        ),
        ("no zeroing", "loss = loss_of()\nshow(loss)\nloss.backward()\n" + STEP),
        ("nothing moves", LOOP + STEP.replace("each -= rate * each.grad", "each = each - rate * each.grad")),
        ("uphill", LOOP + STEP.replace("-=", "+=")),
        ("recorded", LOOP + "for each in parameters:\n    if each.grad is not None:\n        each -= rate * each.grad"),
        ("unused", LOOP + "with torch.no_grad():\n    for each in parameters:\n        each -= rate * each.grad"),
        ("shown late", f"{CLEAR}loss_of().backward()\n{STEP}\nshow(loss_of())"),
        (
            "zero for None",
            "for each in parameters:\n    each.grad = 0\nloss = loss_of()\nshow(loss)\nloss.backward()\n" + STEP,
        ),
        (
            "all in no_grad",
            f"{CLEAR}with torch.no_grad():\n    loss = loss_of()\n    show(loss)\n    loss.backward()\n    for each in parameters:\n        if each.grad is not None:\n            each -= rate * each.grad",
        ),
        (
            "zero_ of None",
            "for each in parameters:\n    each.grad.zero_()\nloss = loss_of()\nshow(loss)\nloss.backward()\n" + STEP,
        ),
        ("nothing moves", f"loss = loss_of()\nshow(loss)\nloss.backward()\n{CLEAR}{STEP}"),
        ("no rate", LOOP + STEP.replace("rate * ", "")),
        (
            "the first alone",
            LOOP
            + STEP.replace("            each -=", "            parameters[0] -=")
            .replace("each.grad is", "parameters[0].grad is")
            .replace("rate * each", "rate * parameters[0]")
            .replace("for each in parameters", "for each in parameters[:1]"),
        ),
        ("not shown", f"{CLEAR}loss = loss_of()\nloss.backward()\n{STEP}"),
        (
            "with momentum",
            [
                "for _ in range(steps): -> optimizer = torch.optim.SGD(parameters, lr=rate, momentum=0.9)\n    for _ in range(steps):",
                "        with torch.no_grad(): ->         optimizer.step()\n        with torch.no_grad():",
                "each -= rate -> each -= 0 * rate",
            ],
        ),
    ],
    "zeroing": [
        ("smaller steps, 0.01", ["        optimizer.zero_grad()\n -> ", "lr=0.05 -> lr=0.01"]),
        ("never", ["        optimizer.zero_grad()\n -> "]),
        (
            "too late",
            [
                "        optimizer.zero_grad()\n        loss.backward()\n ->         loss.backward()\n        optimizer.zero_grad()\n"
            ],
        ),
        ("None has no zero_", ["optimizer.zero_grad() -> w.grad.zero_()"]),
        (
            "never",
            [
                "        optimizer.zero_grad()\n -> ",
                "    for _ in range(8): ->     optimizer.zero_grad()\n    for _ in range(8):",
            ],
        ),
        ("zero for None", ["optimizer.zero_grad() -> w.grad = 0"]),
        ("a smaller rate", ["        optimizer.zero_grad()\n -> ", "lr=0.05 -> lr=0.01"]),
        ("too late", ["optimizer.zero_grad() -> w = torch.zeros(1, requires_grad=True)"]),
        ("never", ["optimizer.zero_grad() -> optimizer.zero_grad"]),
        ("never", ["optimizer.zero_grad() -> loss.grad = None"]),
        (
            "shown too early",
            ["        optimizer.step()\n        show(loss, w) ->         show(loss, w)\n        optimizer.step()"],
        ),
    ],
    "column": [
        ("every pair", ["prediction.squeeze(1) -> prediction"]),
        ("means", ["((prediction.squeeze(1) - y) ** 2).mean() -> (prediction.mean() - y.mean()) ** 2"]),
        ("first row", ["prediction.squeeze(1) -> prediction[0]"]),
        ("every pair", ["prediction.squeeze(1) -> prediction.squeeze(0)"]),
        ("every pair", ["prediction.squeeze(1) - y -> prediction - y.unsqueeze(0)"]),
        ("summed", ["((prediction.squeeze(1) - y) ** 2).mean() -> ((prediction.squeeze(1) - y) ** 2).sum()"]),
        ("every pair", ["prediction.squeeze(1) - y -> prediction.T - y.unsqueeze(1)"]),
        ("every pair, summed", ["((prediction.squeeze(1) - y) ** 2).mean() -> ((prediction - y) ** 2).sum()"]),
        ("flat w", ["torch.zeros(2, 1, requires_grad=True) -> torch.zeros(1, requires_grad=True)"]),
        ("means", ["((prediction.squeeze(1) - y) ** 2).mean() -> (prediction.squeeze(1) - y).mean() ** 2"]),
        ("mean of the targets", ["prediction.squeeze(1) - y -> prediction.squeeze(1) - y.mean()"]),
        ("not squared", ["((prediction.squeeze(1) - y) ** 2).mean() -> (prediction.squeeze(1) - y).abs().mean()"]),
        ("added up over rows", ["prediction.squeeze(1) - y -> prediction.sum(1).sum() - y"]),
        ("another rate, 0.01", ["prediction.squeeze(1) -> prediction", "lr=0.1 -> lr=0.01"]),
        ("another rate, 0.5", ["prediction.squeeze(1) -> prediction", "lr=0.1 -> lr=0.5"]),
        ("every pair", ["prediction.squeeze(1) - y -> prediction - y.T"]),
    ],
    "rebound": [
        ("a new tensor", [BY_HAND + " ->         w = w - 0.05 * w.grad\n"]),
        ("recorded", [BY_HAND + " ->         w -= 0.05 * w.grad\n"]),
        ("a constant", ["w -= 0.05 * w.grad -> w = w - 0.05 * w.grad"]),
        ("a constant", [BY_HAND + " ->         w = (w - 0.05 * w.grad).detach()\n"]),
        ("zeros", ["w.grad = None -> w.grad = torch.zeros(1)", BY_HAND + " ->         w = w - 0.05 * w.grad\n"]),
        ("retained", [BY_HAND + " ->         w = w - 0.05 * w.grad\n        w.retain_grad()\n"]),
        ("uphill", ["w -= 0.05 * w.grad -> w += 0.05 * w.grad"]),
        (
            "cleared too soon",
            [
                "        w.grad = None\n -> ",
                BY_HAND + " ->         w.grad = None\n        with torch.no_grad():\n            w -= 0.05 * w.grad\n",
            ],
        ),
        ("not cleared", ["        w.grad = None\n -> "]),
        ("a new tensor", [BY_HAND + " ->         w = w - 0.05 * w.grad\n        w.requires_grad_(True)\n"]),
        (
            "all in no_grad",
            [
                BY_HAND
                + " ->         with torch.no_grad():\n            loss = ((w * x - y) ** 2).mean()\n            loss.backward()\n            w -= 0.05 * w.grad\n"
            ],
        ),
        ("zeros", [BY_HAND + " ->         if w.grad is not None:\n            w = w - 0.05 * w.grad\n"]),
        ("no step", [BY_HAND + " -> "]),
    ],
    "scaled": [
        (
            "another Parameter",
            [
                "w = torch.nn.Parameter(torch.tensor(start) * 0.1)\n    show(w) -> w = torch.nn.Parameter(torch.tensor(start)) * 0.1\n    show(w)\n    w = torch.nn.Parameter(torch.tensor(start))"
            ],
        ),
        (
            "a product",
            ["torch.nn.Parameter(torch.tensor(start) * 0.1) -> torch.nn.Parameter(torch.tensor(start)) * 0.1"],
        ),
        (
            "scaled once",
            [
                "w = torch.nn.Parameter(torch.tensor(start) * 0.1) -> p = torch.nn.Parameter(torch.tensor(start))\n    w = p * 0.1",
                "SGD([w] -> SGD([p]",
            ],
        ),
        (
            "scaled anew",
            [
                "w = torch.nn.Parameter(torch.tensor(start) * 0.1) -> p = torch.nn.Parameter(torch.tensor(start))",
                "show(w) -> show(p * 0.1)",
                "SGD([w] -> SGD([p]",
                "x @ w -> x @ (p * 0.1)",
            ],
        ),
        ("not scaled", [" * 0.1 -> "]),
        ("scaled in the loss", [" * 0.1 -> ", "x @ w -> x @ (w * 0.1)"]),
        (
            "a constant",
            [
                "torch.nn.Parameter(torch.tensor(start) * 0.1) -> (torch.nn.Parameter(torch.tensor(start)) * 0.1).detach()"
            ],
        ),
        ("a constant", ["torch.nn.Parameter(torch.tensor(start) * 0.1) -> torch.tensor(start) * 0.1"]),
        (
            "a product",
            ["torch.nn.Parameter(torch.tensor(start) * 0.1) -> torch.tensor(start, requires_grad=True) * 0.1"],
        ),
        (
            "retained",
            [
                "w = torch.nn.Parameter(torch.tensor(start) * 0.1) -> w = torch.nn.Parameter(torch.tensor(start)) * 0.1\n    w.retain_grad()"
            ],
        ),
        ("scaled rate", ["lr=0.05 -> lr=0.005"]),
        (
            "a product",
            [
                "torch.nn.Parameter(torch.tensor(start) * 0.1) -> (torch.nn.Parameter(torch.tensor(start)) * 0.1).requires_grad_()"
            ],
        ),
        ("scaled twice", ["x @ w -> x @ (w * 0.1)"]),
        (
            "scaled once",
            [
                "torch.nn.Parameter(torch.tensor(start) * 0.1) -> torch.nn.Parameter(torch.tensor(start)) * 0.1",
                "SGD([w] -> SGD([w.detach().requires_grad_()]",
            ],
        ),
    ],
    "recurrent": [
        ("one long graph", ["        memory = memory.detach()\n -> "]),
        ("retained", ["        memory = memory.detach()\n -> ", "loss.backward() -> loss.backward(retain_graph=True)"]),
        ("forgets, shown so", ["memory = memory.detach() -> memory = torch.tensor(0.5)"]),
        ("forgets, from 0", ["memory = memory.detach() -> memory = torch.zeros_like(memory)"]),
        ("cleared", ["        loss.backward()\n ->         w.grad = None\n        loss.backward()\n"]),
        (
            "cut too early",
            [
                "        loss = (memory - y) ** 2\n ->         memory = memory.detach()\n        loss = (memory - y) ** 2\n"
            ],
        ),
        ("one long graph", ["memory = memory.detach() -> memory.detach()"]),
        ("cut too early", ["torch.tanh(w * memory + x) -> torch.tanh(w * memory + x).detach()"]),
        ("cut too early", ["w * memory -> w.detach() * memory"]),
        ("a flag, not yet shown", ["memory = memory.detach() -> memory.requires_grad_(False)"]),
        ("a flag, not yet shown", ["memory = memory.detach() -> memory.requires_grad = False"]),
        (
            "shown before the backward",
            [
                "        loss.backward()\n        memory = memory.detach()\n        show(memory, loss, w.grad) ->         show(memory, loss, w)\n        loss.backward()\n        memory = memory.detach()"
            ],
        ),
        (
            "backward once",
            [
                "        loss.backward()\n -> ",
                "        show(memory, loss, w.grad) ->         loss.backward() if False else None\n        show(memory, loss)",
            ],
        ),
        ("one long graph", ["memory = memory.detach() -> memory = memory.clone()"]),
    ],
    "masked": [
        ("masked too late", ["w * known -> w * x"]),
        ("multiplied", ["w * known -> w * x", LAST + " -> loss = (errors * (x > 0)).sum()"]),
        (
            "gradient cleaned",
            [
                "w * known -> w * x",
                "            w -= 0.02 * w.grad ->             w -= 0.02 * torch.where(w.grad == w.grad, w.grad, torch.zeros_like(w.grad))",
            ],
        ),
        ("gaps count", [LAST + " -> loss = errors.sum()"]),
        ("very little added", ["torch.log(w * known) -> torch.log(w * x + 1e-12)"]),
        ("clamped inside", ["torch.log(w * known) -> torch.log((w * x).clamp(min=1e-6))"]),
        ("clamped at 0", ["torch.log(w * known) -> torch.log((w * x).clamp(min=0))"]),
        ("clamped at 0", ["torch.log(w * known) -> torch.clip(w * x, 0, None).log()"]),
        ("a little added", ["torch.log(w * known) -> torch.log(w * x + 1e-6)"]),
        ("a little added to x", [KNOWN + " -> known = x + 1e-6"]),
        ("at least a little", [KNOWN + " -> known = x.clamp(min=1e-6)"]),
        ("masked too late", [KNOWN + " -> known = x", LAST + " -> loss = errors[x > 0].sum()"]),
        ("mean", [LAST + " -> loss = torch.where(x > 0, errors, torch.zeros_like(x)).mean()"]),
        (
            "masked too late",
            [
                KNOWN + " -> known = x",
                "(torch.log(w * known) - y) -> torch.where(x > 0, torch.log(w * known) - y, torch.zeros_like(x))",
            ],
        ),
        (
            "gaps count",
            [
                "torch.ones_like(x) -> torch.ones_like(x) * 1.0",
                LAST + " -> loss = ((torch.log(w * known) - y) ** 2).sum()",
            ],
        ),
        ("no path", ["w * known -> w.detach() * known"]),
        (
            "small ones left out",
            ["torch.where(x > 0, x, torch.ones_like(x)) -> torch.where(x > 0.001, x, torch.ones_like(x))"],
        ),
        ("masked too late", ["torch.ones_like(x) -> torch.zeros_like(x)"]),
        ("added, 1e-08", ["torch.log(w * known) -> torch.log(w * x + 1e-8)"]),
        ("added, 1e-10", ["torch.log(w * known) -> torch.log(w * x + 1e-10)"]),
    ],
    "accuracy": [
        (
            "flag on the loss",
            [
                "loss = ((probability - y) ** 2).mean() -> loss = (((probability > 0.5).float() - y) ** 2).mean()\n        loss.requires_grad_(True)"
            ],
        ),
        ("no graph", ["probability - y -> (probability > 0.5).float() - y"]),
        (
            "straight through",
            ["probability - y -> probability + ((probability > 0.5).float() - probability).detach() - y"],
        ),
        (
            "cross entropy",
            [
                "loss = ((probability - y) ** 2).mean() -> loss = torch.nn.functional.binary_cross_entropy(probability, y)"
            ],
        ),
        ("flag on the loss", ["probability - y -> probability.round() - y"]),
        (
            "flag on the loss",
            [
                "loss = ((probability - y) ** 2).mean() -> guess = (probability > 0.5).float().requires_grad_(True)\n        loss = ((guess - y) ** 2).mean()"
            ],
        ),
        ("summed", ["((probability - y) ** 2).mean() -> ((probability - y) ** 2).sum()"]),
        ("no sigmoid", ["torch.sigmoid(x @ w) -> x @ w"]),
        ("not squared", ["((probability - y) ** 2).mean() -> (probability - y).mean()"]),
        ("absolute", ["((probability - y) ** 2).mean() -> (probability - y).abs().mean()"]),
        ("no graph", ["probability - y -> probability.detach() - y"]),
        (
            "cross entropy",
            [
                "loss = ((probability - y) ** 2).mean() -> loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ w, y)"
            ],
        ),
    ],
    "penalty": [
        ("a number", ["(w**2).sum() -> (w**2).sum().item()"]),
        ("a number", ["(w**2).sum() -> (w**2).sum().detach()"]),
        ("a number", ["(w**2).sum() -> torch.tensor((w**2).sum().item())"]),
        ("a number", ["(w**2).sum() -> torch.tensor((w**2).sum().item(), requires_grad=True)"]),
        (
            "a new leaf",
            ["loss = error + 2 * penalty -> loss = torch.tensor((error + 2 * penalty).item(), requires_grad=True)"],
        ),
        ("half", ["(w**2).sum() -> (w * w.detach()).sum()"]),
        ("a number", ["(w**2).sum() -> (w.data**2).sum()"]),
        ("no factor", ["error + 2 * penalty -> error + penalty"]),
        ("no factor", ["(w**2).sum() -> (w**2).mean()"]),
        ("absolute", ["(w**2).sum() -> w.abs().sum()"]),
        ("taken away", ["error + 2 * penalty -> error - 2 * penalty"]),
        ("none", ["error + 2 * penalty -> error"]),
        ("a root", ["(w**2).sum() -> (w**2).sum() ** 0.5"]),
        ("a number", ["loss.backward() -> error.backward()"]),
        ("a number, times 200", ["(w**2).sum() -> (w**2).sum().item()", "2 * penalty -> 200 * penalty"]),
    ],
    "frozen": [
        (
            "flag of a non-leaf",
            [
                "features = torch.tanh(x @ body).detach() -> features = torch.tanh(x @ body)\n        features.requires_grad = False"
            ],
        ),
        ("not frozen", [".detach() -> "]),
        (
            "the head",
            ["torch.tanh(x @ body).detach() -> torch.tanh(x @ body)", "features @ head -> features @ head.detach()"],
        ),
        ("the optimizer alone", [".detach() -> ", "[body, head] -> [head]"]),
        ("no path", ["((features @ head - y) ** 2).mean() -> ((features @ head - y) ** 2).mean().detach()"]),
        ("no path", ["features @ head -> features @ head.detach()"]),
        (
            "no path",
            [
                "        features = torch.tanh(x @ body).detach()\n        loss = ((features @ head - y) ** 2).mean()\n ->         with torch.no_grad():\n            features = torch.tanh(x @ body)\n            loss = ((features @ head - y) ** 2).mean()\n"
            ],
        ),
        (
            "gradient cleared",
            [
                ".detach() -> ",
                "        optimizer.step() ->         body.grad = None\n        optimizer.step()\n        body.grad = None",
            ],
        ),
        (
            "gradient cleared",
            [".detach() -> ", "    show(body)\n ->     show(body)\n    body.grad = None\n", "[body, head] -> [head]"],
        ),
        (
            "too late",
            [
                ".detach() -> ",
                "        loss.backward()\n ->         loss.backward()\n        body.requires_grad_(False)\n",
            ],
        ),
        ("not frozen", ["torch.tanh(x @ body).detach() -> torch.tanh(x @ body.clone())"]),
        (
            "the optimizer alone",
            [
                ".detach() -> ",
                "    for _ in range(4): ->     body = body.data.requires_grad_()\n    for _ in range(4):",
            ],
        ),
        (
            "zero for None",
            [".detach() -> ", "        optimizer.step()\n ->         body.grad = 0\n        optimizer.step()\n"],
        ),
    ],
    "shifted": [
        ("in place", ["h = h + 1 -> h += 1"]),
        ("in place", ["h = h + 1 -> h.add_(1)"]),
        ("in place", ["h = h + 1 -> with torch.no_grad():\n            h += 1"]),
        ("through data", ["h = h + 1 -> h.data += 1"]),
        ("detached", ["h = h + 1 -> h = h.detach() + 1"]),
        ("in place", ["h = h + 1 -> h.detach().add_(1)"]),
        ("not added", ["        h = h + 1\n -> "]),
        ("not added", ["h = h + 1 -> h + 1"]),
        ("inside exp", ["        h = torch.exp(w * x)\n        h = h + 1\n ->         h = torch.exp(w * x + 1)\n"]),
        ("after b", ["        h = h + 1\n -> ", "b * h - y -> b * h + 1 - y"]),
        ("detached", ["torch.exp(w * x) -> torch.exp(w * x).detach()"]),
        ("in place", ["h = h + 1 -> h += 1", "loss.backward() -> loss.backward(retain_graph=True)"]),
        ("detached", ["w * x -> w.detach() * x"]),
    ],
}
