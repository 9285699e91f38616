"""The rungs of the ladder: programs that an engine of one's own has to run, from single numbers to a training."""

from __future__ import annotations

from minigrad_course.parts.your_own_engine.engine import Changed, body_of, rung

KEEPS = "each.grad = Tensor(grad if each.grad is None else each.grad.data + grad)"
SUMS = "arrived[id(one)] = arrived.get(id(one), 0) + fit(share, one.shape)"
FIT = body_of("fit")
SHARES = "return g @ b.data.T, a.data.T @ g"
STARTS = "np.ones(root.shape, np.float32) if gradient is None else gradient.data"
IF_LEAF = "if each.is_leaf or each.keeps_grad:"
SEEN = "self.seen != [each.changes[0] for each in self.saved]"

rungs = (
    rung(
        "my_scalar",
        3,
        30,
        3,
        (
            "Begin with a class `Tensor` that holds a numpy array, whether it requires a gradient, its gradient, and "
            "the node that it came from. Then `*`, then `backward()` for `a * b`, and then the rest, one by one.",
            "A result that is used twice gets two shares. Pass its gradient on only when both are there: walk through "
            "the tensors in an order in which each comes after all that use it.",
            "For the long chain keep a list of what is still to be visited. A function that calls itself is too deep "
            "for Python, and one that goes path by path never ends.",
        ),
        (
            "overwritten",
            "a leaf forgets what it had: each `backward()` adds to `.grad`",
            Changed((KEEPS, "each.grad = Tensor(grad)")),
        ),
        (
            "no upstream",
            "`*` hands on the local derivative alone, without the upstream gradient",
            Changed(("lambda g: (g * b.data, g * a.data)", "lambda g: (b.data, a.data)")),
        ),
        (
            "the last share",
            "a tensor that is used twice keeps only the share that came last; shares add up",
            Changed((SUMS, "arrived[id(one)] = fit(share, one.shape)")),
        ),
        (
            "not topological",
            "a tensor passes on what it has when it is first met, before the shares of its other users are there",
            Changed(
                (
                    """        if done:
            found.append(each)
        elif each.requires_grad""",
                    """        if each.requires_grad""",
                ),
                ("            waiting.append((each, True))\n", "            found.append(each)\n"),
                ("return found[::-1]", "return found"),
                ("grad = arrived.pop(id(each))", "grad = arrived.pop(id(each), np.zeros(each.shape, np.float32))"),
            ),
        ),
        (
            "recursive",
            "your order calls itself for each input: a long chain is deeper than Python's calls may nest",
            Changed(
                (
                    body_of("order"),
                    """    found, seen = [], set()

    def visit(each):
        if each.requires_grad and id(each) not in seen:
            seen.add(id(each))
            for one in each.node.inputs if each.node else ():
                visit(one)
            found.append(each)

    visit(root)
    return found[::-1]
""",
                )
            ),
        ),
    ),
    rung(
        "my_upstream",
        2,
        10,
        1,
        (
            "`backward(v)` begins with v in place of 1.",
            "Without an argument there is only one right beginning, for a single number: everything else is a "
            "RuntimeError. So is a result that does not require a gradient.",
        ),
        (
            "gradient ignored",
            "`backward(v)` begins with ones, whatever v is",
            Changed((STARTS, "np.ones(root.shape, np.float32)")),
        ),
        (
            "ones for all",
            "`backward()` of several numbers begins with ones; torch refuses, because the weights are yours to choose",
            Changed(("if gradient is None and root.shape != ():", "if False:")),
        ),
        (
            "any shape",
            "`backward(v)` takes a v of any shape; torch refuses one that has not the shape of the result",
            Changed(("if gradient is not None and gradient.shape != root.shape:", "if False:")),
        ),
        (
            "mean not divided",
            "the gradient of a mean is that of a sum: the division is missing",
            Changed(("total(a) * (1 / a.data.size)", "record(a.data.mean(), (a,), (), lambda g: (g + 0 * a.data,))")),
        ),
    ),
    rung(
        "my_broadcasting",
        3,
        15,
        2,
        (
            "What numpy copied on the way forward is added up on the way back: each share must have the shape of its "
            "input.",
            "Sum over the axes that came in front, and with `keepdims=True` over those where the input has size 1. "
            "One function can do it for all operations, where the shares arrive.",
        ),
        (
            "not summed",
            "a share keeps the shape of the result: what was copied has to be added up",
            Changed((FIT, "    return share\n")),
        ),
        (
            "one copy",
            "of several copies only the first one counts; they add up",
            Changed(
                (
                    FIT,
                    """    while share.ndim > len(shape):
        share = share[0]
    return share[tuple(slice(0, size) for size in shape)]
""",
                )
            ),
        ),
        (
            "the mean of the copies",
            "the shares of the copies are averaged; they add up",
            Changed((FIT, FIT.replace(".sum(", ".mean("))),
        ),
        (
            "only in front",
            "you sum over the axes that came in front, but not over those where the input has size 1",
            Changed(("return share.sum(copied, keepdims=True)", "return share")),
        ),
    ),
    rung(
        "my_jacobian",
        3,
        15,
        2,
        (
            "One row of the Jacobian: `backward` with a one-hot vector.",
            "For Y = AB with upstream G the shares are GBᵀ and AᵀG. Shapes tell you where the transposes belong.",
        ),
        (
            "one sided",
            "only the first factor of `@` gets its share right; the second one gets nothing",
            Changed((SHARES, "return g @ b.data.T, np.zeros_like(b.data)")),
        ),
        (
            "not transposed",
            "one of the factors of `@` is not transposed on the way back",
            Changed((SHARES, "return g @ b.data, a.data @ g")),
        ),
        (
            "tanh not squared",
            "the derivative of tanh is 1 - t, with t not squared",
            Changed(("(1 - result.data**2)", "(1 - result.data)")),
        ),
    ),
    rung(
        "my_leaves",
        3,
        15,
        2,
        (
            "A leaf keeps its gradient. A result keeps it only after `retain_grad()`.",
            "`detach()` gives a tensor with the same numbers and no node. `no_grad` puts back what was there before, "
            "also after an error, and also within another `no_grad`.",
        ),
        (
            "everybody keeps it",
            "every result keeps its gradient, not only leaves and those that were asked to",
            Changed((IF_LEAF, "if True:")),
        ),
        (
            "no_grad ignored",
            "operations are recorded within `no_grad` as well",
            Changed(("self.before, recording = recording, False", "self.before = recording")),
        ),
        (
            "always on again",
            "the end of a `no_grad` switches recording on, although another one around it has not ended",
            Changed(("        recording = self.before", "        recording = True")),
        ),
        (
            "not detached",
            "what `detach()` gives still leads back to where it came from",
            Changed(
                (
                    "return Tensor(self.data, shares_memory=self.changes)",
                    "return self + 0.0",
                )
            ),
        ),
    ),
    rung(
        "my_in_place",
        3,
        20,
        3,
        (
            "Count the changes of each tensor's memory; a detached tensor shares the memory, and the counter.",
            "A node notes the counters of what it saved, and compares when it is used. The rest may change.",
            "Refuse `-=` on a leaf that requires a gradient while recording is on.",
        ),
        (
            "not counted",
            "a node uses what it saved, although that was changed in place since",
            Changed((SEEN, "False")),
        ),
        (
            "only products count",
            "only `*` notes the changes of what it saved; `/`, `**` and `@` need their inputs as well",
            Changed(
                ("record(a.data**n, (a,), (a,), lambda", "record(a.data**n, (a,), (), lambda"),
                ("record(a.data @ b.data, (a, b), (a, b), shares)", "record(a.data @ b.data, (a, b), (), shares)"),
            ),
        ),
        (
            "a leaf may",
            "a leaf that requires a gradient is changed in place while recording is on",
            Changed(("    if recording and a.requires_grad:", "    if False:")),
        ),
        (
            "any change",
            "a sum refuses as well after one of its inputs was changed, but it has saved none of them",
            Changed(("(a, b), (), lambda g: (g, g)", "(a, b), (a, b), lambda g: (g, g)")),
        ),
        (
            "a copy",
            "`detach()` copies the numbers; it is the same memory",
            Changed(("return Tensor(self.data, shares_memory=self.changes)", "return Tensor(self.data)")),
        ),
    ),
    rung(
        "my_training",
        3,
        15,
        2,
        (
            "The program needs `exp` and `log`. The rest is there.",
            "exp has its result as its derivative, and log has 1/x.",
            "`w.grad = None` has to work, and `w -= 0.1 * w.grad` has to change the leaf's own memory.",
        ),
        (
            "log upside down",
            "log multiplies the upstream gradient with its input; it should divide by it",
            Changed(("lambda g: (g / a.data,)", "lambda g: (g * a.data,)")),
        ),
        (
            "exp of nothing",
            "exp hands the upstream gradient on as it is; its derivative is its result",
            Changed(("lambda g: (g * result.data,)", "lambda g: (g,)")),
        ),
    ),
)
