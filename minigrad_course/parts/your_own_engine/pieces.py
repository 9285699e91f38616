"""What the probe of a rung tries: every operation and rule by itself, those of the rung first.

The first that is wrong is named: a fault on a lower rung that is still open is not why this one fails, as long as
something of its own is wrong. Each line has its label, as an answer has no names of ours.
"""

from __future__ import annotations

FIRST = '''
def of(value):
    """A tensor of theirs, or its gradient, as an array."""
    return None if value is None else np.array(value.tolist(), dtype=float)

def tried(name, function, upstream=None, **values):
    inputs = {letter: torch.tensor(value, requires_grad=True) for letter, value in values.items()}
    result = []
    tell(lambda: result.append(function(*inputs.values())) or of(result[0]), f"the result of {name}| ")
    arguments = [] if upstream is None else [torch.tensor(upstream)]
    ended = tell(lambda: result[0].backward(*arguments) or "ended", f"`backward()` after {name}| ")
    for letter, each in inputs.items():
        tell(lambda: of(each.grad) if ended else "stopped", f"the gradient of {letter} in {name}| ")

def thrice(function):
    def added(*inputs):
        result = function(*inputs)
        return result + result + result
    return added

def refused(action):
    try:
        action()
    except RuntimeError:
        return "refused"
    return "not refused"
'''

SCALAR = """
tried("`a + b`", lambda a, b: a + b, a=2.0, b=-3.0)
tried("`a + a`", lambda a: a + a, a=2.0)
tried("`a * b`", lambda a, b: a * b, a=2.0, b=-3.0)
tried("`a * a`", lambda a: a * a, a=5.0)
tried("`a * b` with an upstream gradient of 3", thrice(lambda a, b: a * b), a=5.0, b=7.0)
tried("`a * 2.0`", lambda a: a * 2.0, a=5.0)
tried("`2.0 * a`", lambda a: 2.0 * a, a=5.0)
tried("`a + 1`", lambda a: a + 1, a=5.0)
tried("`a - b`", lambda a, b: a - b, a=2.0, b=-3.0)
tried("`a - b` with an upstream gradient of 3", thrice(lambda a, b: a - b), a=2.0, b=-3.0)
tried("`a ** 3`", lambda a: a**3, a=2.0)
tried("`a ** 3` with an upstream gradient of 3", thrice(lambda a: a**3), a=-5.0)
tried("`a / b`", lambda a, b: a / b, a=3.0, b=4.0)
tried("`a / b` with an upstream gradient of 3", thrice(lambda a, b: a / b), a=7.0, b=-5.0)

def shared(a, b):
    h = a * b
    return h * h + (h + a)

tried("`h * h + (h + a)` with `h = a * b`", shared, a=2.0, b=-3.0)

def shared_late(a):
    h = a + 1
    return h + (h + h) * a

tried("`h + (h + h) * a` with `h = a + 1`", shared_late, a=2.0)
a = torch.tensor(2.0, requires_grad=True)
for number in (3.0, 5.0):
    tell(lambda: (a * number).backward() or of(a.grad), "the gradient of a after a second backward pass| ")
"""

UPSTREAM = """
tried("`x * y` with `backward(v)`", lambda x, y: x * y, [3.0, 5.0, -7.0], x=[1.0, 2.0, 3.0], y=[2.0, 7.0, 4.0])
tried("`x.sum()`", lambda x: x.sum(), x=[1.0, 2.0, 3.0])
tried("`x.sum()` with an upstream gradient of 3", thrice(lambda x: x.sum()), x=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
tried("`x.mean()`", lambda x: x.mean(), x=[1.0, 2.0, 3.0])
tried("`x.mean()` with an upstream gradient of 3", thrice(lambda x: x.mean()), x=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
tell(lambda: refused(lambda: (x * 2.0).backward()), "`backward()` of several numbers without an argument| ")
tell(lambda: refused(lambda: torch.tensor(3.0).backward()), "`backward()` of a constant| ")
tell(lambda: refused(lambda: (x * 2.0).sum().backward()), "`backward()` of a sum| ")
tell(lambda: refused(lambda: (x * 2.0).backward(torch.tensor([[1.0]] * 3))), "`backward(v)` of another shape| ")
"""

BROADCASTING = """
table = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
ones = [[2.0, 3.0, 5.0], [7.0, 11.0, 13.0]]
tried("`x + y` (x of shape [2, 3], y of shape [3])", lambda x, y: x + y, ones, x=table, y=[1.0, 2.0, 4.0])
tried("`x + y` (x of shape [2, 1], y of shape [2, 3])", lambda x, y: x + y, ones, x=[[1.0], [2.0]], y=table)
tried("`x + y` (x a single number, y of shape [2, 3])", lambda x, y: x + y, ones, x=2.0, y=table)
tried("`x * y` (x of shape [2, 1], y of shape [3])", lambda x, y: x * y, ones, x=[[1.0], [2.0]], y=[1.0, 2.0, 4.0])
tried(
    "`x * y` (x of shape [2, 1, 1], y of shape [3])", lambda x, y: x * y, [ones[:1], ones[1:]],
    x=[[[1.0]], [[2.0]]], y=[1.0, 2.0, 4.0],
)
tried("`x / y` (x of shape [2, 3], y of shape [2, 1])", lambda x, y: x / y, ones, x=table, y=[[1.0], [2.0]])
"""

JACOBIAN = """
tried(
    "`a @ b`", lambda a, b: a @ b, [[2.0, 3.0], [5.0, 7.0]],
    a=[[1.0, 2.0], [3.0, 4.0]], b=[[5.0, 6.0], [7.0, 9.0]],
)
tried(
    "`a @ b` of other shapes", lambda a, b: a @ b, [[2.0], [5.0]],
    a=[[1.0, 2.0, 3.0], [3.0, 4.0, 7.0]], b=[[5.0], [7.0], [9.0]],
)
tried("`x.tanh()`", lambda x: x.tanh(), [1.0, 1.0], x=[0.5, -0.25])
tried("`x.tanh()` with an upstream gradient", lambda x: x.tanh(), [3.0, 5.0], x=[0.5, -0.75])
x = torch.tensor([1.0, 2.0], requires_grad=True)

def afresh():
    (x * x).sum().backward()
    x.grad = None
    (x * 3.0).sum().backward()
    return of(x.grad)

tell(afresh, "the gradient after `x.grad = None`| ")
"""

LEAVES = """
x, c = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
y = x * c
kinds = {"a leaf": x, "a constant": c, "a result": y, "a result of constants": c * c}
kinds["what `detach()` gives"] = y.detach()
for name, each in kinds.items():
    tell(lambda: each.requires_grad, f"`requires_grad` of {name}| ")
    tell(lambda: each.is_leaf, f"`is_leaf` of {name}| ")
h, kept = x * c, x * c
tell(lambda: kept.retain_grad() or (h * h + kept * kept).sum().backward() or "ended", "`retain_grad()`| ")
tell(lambda: of(kept.grad), "what is kept after `retain_grad()`| ")
tell(lambda: h.grad is None, "the gradient of a result that was not asked to keep it| ")
tell(lambda: c.grad is None, "the gradient of a constant| ")
x = torch.tensor([1.0, 2.0], requires_grad=True)
tell(lambda: (x * (x * c).detach()).sum().backward() or of(x.grad), "the gradient past what was detached| ")
inside = []
with torch.no_grad():
    inside.append((x * c).requires_grad)
    with torch.no_grad():
        pass
    inside.append((x * c).requires_grad)
tell(lambda: inside[0], "`requires_grad` of a result within `no_grad`| ")
tell(lambda: inside[1], "`requires_grad` of a result within `no_grad` after an inner one has ended| ")
tell(lambda: (x * c).requires_grad, "`requires_grad` of a result after `no_grad`| ")

def fails():
    with torch.no_grad():
        raise KeyError

tell(fails, "an error within `no_grad`| ")
tell(lambda: (x * c).requires_grad, "`requires_grad` of a result after an error within `no_grad`| ")
"""

IN_PLACE = """
def changed(tensor):
    tensor -= 0.5
    return tensor

w, f = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
tell(lambda: refused(lambda: changed(w)), "`-=` on a leaf that requires a gradient| ")
with torch.no_grad():
    tell(lambda: of(changed(w)), "`-=` on a leaf within `no_grad`| ")
same, detached = f, f.detach()
tell(lambda: of(changed(f)), "`-=` on a constant| ")
tell(lambda: same is f and of(same), "what another name for a tensor shows after `-=`| ")
tell(lambda: of(detached), "what a detached tensor shows after `-=`| ")
tell(lambda: changed(detached) and of(f), "what a tensor shows after `-=` on its detached one| ")

def late(make, change):
    loss = make().sum()
    with torch.no_grad():
        changed(change())
    return refused(loss.backward)

tell(lambda: late(lambda: w + f, lambda: f), "`backward()` of a sum whose input has changed| ")
tell(lambda: late(lambda: w * f, lambda: f), "`backward()` of a product whose input has changed| ")
tell(lambda: late(lambda: w * f, lambda: f.detach()), "`backward()` of a product if the detached input has changed| ")
h = w.tanh()
tell(lambda: late(lambda: h, lambda: h.detach()), "`backward()` of tanh whose result has changed| ")
tell(lambda: late(lambda: w * f, lambda: torch.tensor([1.0])), "`backward()` of a product of which nothing changed| ")
u, g = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), torch.tensor([[5.0, 6.0], [7.0, 8.0]])
tell(lambda: late(lambda: u / g, lambda: g), "`backward()` of `u / g` if g has changed| ")
tell(lambda: late(lambda: u**3, lambda: u), "`backward()` of `u ** 3` if u has changed| ")
tell(lambda: late(lambda: u @ g, lambda: g), "`backward()` of `u @ g` if g has changed| ")
"""

TRAINING = """
tried("`x.exp()`", lambda x: x.exp(), [1.0, 1.0], x=[0.5, -0.25])
tried("`x.exp()` with an upstream gradient", lambda x: x.exp(), [3.0, 5.0], x=[0.5, -0.75])
tried("`x.log()`", lambda x: x.log(), [1.0, 1.0], x=[0.5, 2.5])
tried("`x.log()` with an upstream gradient", lambda x: x.log(), [3.0, 5.0], x=[0.5, 2.5])
"""

SECTIONS = {
    "my_scalar": SCALAR,
    "my_upstream": UPSTREAM,
    "my_broadcasting": BROADCASTING,
    "my_jacobian": JACOBIAN,
    "my_leaves": LEAVES,
    "my_in_place": IN_PLACE,
    "my_training": TRAINING,
}


def probe_of(rung: str) -> str:
    """The probe of a rung: its pieces, and then those of all rungs below, from the first."""
    names = list(SECTIONS)
    return FIRST + "".join(SECTIONS[name] for name in [rung, *names[: names.index(rung)]])
