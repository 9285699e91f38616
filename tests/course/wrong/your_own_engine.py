"""Wrong answers to chapter 6: part -> the mistake it should be recognised as -> what is written in our own answer.

BEFORE -> AFTER. Where an engine is wrong in a way that no mistake has, it should say where: "says WORDS".
"""

MUL = "lambda g: (g * b.data, g * a.data)"
KEEPS = "Tensor(grad if each.grad is None else each.grad.data + grad)"
SUMS = "arrived.get(id(one), 0) + fit(share, one.shape)"
IN_FRONT = "    share = share.sum(tuple(range(share.ndim - len(shape))))\n"
COPIED = (
    "    copied = tuple(at for at, size in enumerate(shape) if size == 1)\n    return share.sum(copied, keepdims=True)"
)
SHARES = "return g @ b.data.T, a.data.T @ g"
DETACHED = "Tensor(self.data, shares_memory=self.changes)"

WRONG = {
    "my_scalar": {
        "says something is missing": "Tensor.__add__ = Tensor.__radd__ = add -> Tensor.__add__ = add",
        "overwritten": f"{KEEPS} -> Tensor(0 + grad)",
        "no upstream": f"{MUL} -> lambda g: (b.data + 0, a.data + 0)",
        "the last share": f"{SUMS} -> 0 + fit(share, one.shape)",
        "not topological": [
            "        if done:\n            found.append(each)\n        elif each -> \n        if each",
            "            waiting.append((each, True))\n ->             found.append(each)\n",
            "return found[::-1] -> return list(found)",
            "arrived.pop(id(each)) -> arrived.pop(id(each), np.zeros_like(each.data))",
        ],
        "recursive": [
            "    found, seen, waiting = [], set(), [(root, False)]\n -> ",
            "def order(root):\n -> def order(root, found=None, seen=None):\n"
            "    top = found is None\n"
            "    found, seen = ([], set()) if top else (found, seen)\n"
            "    if root.requires_grad and id(root) not in seen:\n"
            "        seen.add(id(root))\n"
            "        for one in root.node.inputs if root.node else ():\n"
            "            order(one, found, seen)\n"
            "        found.append(root)\n"
            "    return found[::-1] if top else found\n\n\n"
            "def unused(root, waiting=(), found=(), seen=()):\n",
        ],
        "says has no attribute 'tolist'": "def tolist(self): -> def to_list(self):",
        "says unsupported operand type(s) for /": "Tensor.__truediv__ -> Tensor.__floordiv__",
    },
    "my_upstream": {
        "gradient ignored": "gradient is None else gradient.data -> gradient is None else np.ones_like(gradient.data)",
        "ones for all": "if gradient is None and root.shape != (): -> if root.shape is None:",
        "mean not divided": "Tensor.mean = lambda a: total(a) * (1 / a.data.size) -> "
        "Tensor.mean = lambda a: record(a.data.mean(), (a,), (), lambda g: (g * np.ones(a.shape),))",
        "says has no attribute 'mean'": "Tensor.mean -> Tensor.average",
        "says the result of `x.mean()` with an upstream gradient of 3": "(1 / a.data.size) -> (1 / len(a.data))",
        "says the gradient of x in `x.sum()`": "np.broadcast_to(g, a.shape) -> np.ones(a.shape)",
        "says the gradient of x in `x.sum()` is not": "(np.broadcast_to(g, a.shape),) -> (g,)",
        "says `backward()` of a constant": "if not root.requires_grad: -> if False:",
    },
    "my_broadcasting": {
        "not summed": f"{IN_FRONT}{COPIED} ->     return share * 1",
        "one copy": f"{IN_FRONT}{COPIED} -> "
        "    share = share[(0,) * (share.ndim - len(shape))]\n    return share[tuple(slice(0, n) for n in shape)]",
        "the mean of the copies": [
            f"{IN_FRONT} ->     share = share.mean(tuple(range(share.ndim - len(shape))))\n",
            "share.sum(copied -> share.mean(copied",
        ],
        "only in front": "return share.sum(copied, keepdims=True) -> return share * 1",
        "says the sign of the gradient of a in `a * b`": "lambda g: (g * b.data, g * a.data) -> lambda g: (-g * b.data, g * a.data)",
        "says the gradient of x in `x + y` (x of shape [2, 1], y of shape [2, 3])": "copied, keepdims=True -> copied",
        "says the gradient of y in `x + y` (x of shape [2, 3], y of shape [3])": f"{IN_FRONT} -> ",
    },
    "my_jacobian": {
        "one sided": f"{SHARES} -> return g @ b.data.T, 0 * b.data",
        "not transposed": f"{SHARES} -> return g @ b.data, a.data @ g",
        "tanh not squared": "(1 - result.data**2) -> (1 - result.data)",
        "says has no attribute 'tanh'": "Tensor.sum, Tensor.exp, Tensor.log, Tensor.tanh = total, exp, log, tanh -> "
        "Tensor.sum, Tensor.exp, Tensor.log = total, exp, log",
        "says the gradient of x in `x.tanh()` is not": "(1 - result.data**2) -> (1 + result.data**2)",
        "says the gradient of a in `a @ b` is not": f"{SHARES} -> return a.data.T @ g, g @ b.data.T",
        "says unsupported operand type(s) for @": "Tensor.__matmul__ -> Tensor.matmul",
    },
    "my_leaves": {
        "everybody keeps it": "if each.is_leaf or each.keeps_grad: -> if each.requires_grad:",
        "no_grad ignored": "self.before, recording = recording, False -> self.before, recording = recording, recording",
        "always on again": "        recording = self.before ->         recording = bool(1)",
        "not detached": f"{DETACHED} -> self * 1.0",
        "says `requires_grad` of what `detach()` gives": f"{DETACHED} -> Tensor(self.data, self.requires_grad)",
        "says has no attribute 'retain_grad'": "def retain_grad(self): -> def keep_grad(self):",
        "says has no attribute 'no_grad'": "class no_grad: -> class NoGrad:",
    },
    "my_in_place": {
        "not counted": "if self.seen != -> if self.inputs is None and self.seen !=",
        "a leaf may": "if recording and a.requires_grad: -> if recording and a.requires_grad and a.data is None:",
        "any change": "(a, b), (), lambda g: (g, g) -> (a, b), (b, a), lambda g: (g, g)",
        "a copy": f"{DETACHED} -> Tensor(self.data.copy())",
        "says has no attribute 'detach'": "def detach(self): -> def cut(self):",
        "says what a detached tensor shows after `-=`": "a.data -= lift(b).data -> a.data = a.data - lift(b).data",
        "says `-=` on a leaf within `no_grad`": "    a.data -= lift(b).data\n ->     a.data += lift(b).data\n",
    },
    "my_training": {
        "log upside down": "(g / a.data,) -> (a.data * g,)",
        "exp of nothing": "(g * result.data,) -> (1 * g,)",
        "says has no attribute 'log'": "Tensor.sum, Tensor.exp, Tensor.log, Tensor.tanh = total, exp, log, tanh -> "
        "Tensor.sum, Tensor.exp, Tensor.tanh = total, exp, tanh",
        "says the result of `x.log()`": "np.log(a.data) -> np.log2(a.data)",
        "says the sign of the gradient of x in `x.log()`": "(g / a.data,) -> (-g / a.data,)",
        "says has no attribute 'exp'": "Tensor.sum, Tensor.exp, Tensor.log, Tensor.tanh = total, exp, log, tanh -> "
        "Tensor.sum, Tensor.log, Tensor.tanh = total, log, tanh",
    },
    "silent": {
        "cut": "        h = h / size\n ->         h = (h / size).detach()\n",
        "not a constant": "with torch.no_grad():\n            size -> if True:\n            size",
        "not scaled": "        h = h / size\n -> ",
        "says line 1: the numbers differ": "step(0.1) -> step(0.5)",
        "says line 1 differs": "            show(loss)\n ->             pass\n",
        "says line 5 differs": "show(*leaves) -> show(into, into, middle, out)",
    },
}
