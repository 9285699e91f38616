"""Chapter 5: the training loop and ten programs to repair, their hints, and the cures that do not cure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.parts import Chapter, Mistakes, Part
from minigrad.course.program import Place

mistake = Mistakes()


def show(*tensors: Any) -> None:
    """As in the notebook: the numbers in one line, with four decimals."""
    print(*[f"{number:.4f}" for each in tensors for number in each.detach().flatten().tolist()])


def weights(torch: Any, *sizes: int) -> Any:
    """A leaf to be trained, of zeros."""
    return torch.zeros(*sizes, requires_grad=True)


def sgd(torch: Any, parameters: list, rate: float) -> Any:
    """The optimizer of all these programs."""
    return torch.optim.SGD(parameters, lr=rate)


def squared(prediction: Any, target: Any) -> Any:
    """The mean of the squared errors."""
    return ((prediction - target) ** 2).mean()


def update(optimizer: Any, loss: Any) -> None:
    """One right step of an optimizer."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


# --- train ---------------------------------------------------------------------------------------


def loop(
    parameters: list, loss_of: Callable[[], Any], steps: int, change: Callable[[Any], Any], zeroed: bool = True
) -> None:
    """The training loop with a given way to change a parameter that has a gradient."""
    for _ in range(steps):
        for each in parameters if zeroed else ():
            each.grad = None
        loss = loss_of()
        show(loss)
        loss.backward()
        for each in parameters:
            if each.grad is not None:
                change(each)


@mistake("train", "no zeroing", "the gradient of each step is added to those of all steps before")
def train_without_zeroing(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    loop(parameters, loss_of, steps, torch.no_grad()(lambda each: each.sub_(rate * each.grad)), zeroed=False)


@mistake("train", "not in place", "a new tensor is made at each update, and the leaf that the loss looks at stays")
def train_not_in_place(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    loop(parameters, loss_of, steps, lambda each: each - rate * each.grad)


@mistake("train", "uphill", "the gradient is added: it points to where the loss grows")
def train_uphill(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    loop(parameters, loss_of, steps, torch.no_grad()(lambda each: each.add_(rate * each.grad)))


@mistake("train", "recorded", "a leaf that requires grad is changed in place while operations are recorded")
def train_recorded(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    loop(parameters, loss_of, steps, lambda each: each.sub_(rate * each.grad))


@mistake("train", "unused", "a parameter that the loss does not use is updated too, and its `.grad` is None")
def train_with_unused(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    for _ in range(steps):
        loss = loss_of()
        show(loss)
        loss.backward()
        with torch.no_grad():
            for each in parameters:
                each -= rate * each.grad


@mistake("train", "shown late", "the loss is shown after the step; show the one that the step starts from")
def train_shown_late(torch: Any, parameters: list, loss_of: Any, rate: float, steps: int) -> None:
    for _ in range(steps):
        loss_of().backward()
        with torch.no_grad():
            for each in parameters:
                if each.grad is not None:
                    each -= rate * each.grad
                each.grad = None
        show(loss_of())


# --- zeroing -------------------------------------------------------------------------------------


@mistake("zeroing", "never", "nothing ever clears `.grad`: each step goes along the sum of all gradients so far")
def never_zeroed(torch: Any, xs: list, ys: list) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(8):
        loss = squared(w * x, y)
        loss.backward()
        optimizer.step()
        show(loss, w)


@mistake("zeroing", "too late", "`.grad` is cleared between backward() and step(), so the step finds nothing to do")
def zeroed_before_the_step(torch: Any, xs: list, ys: list) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(8):
        loss = squared(w * x, y)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        show(loss, w)


@mistake(
    "zeroing", "None has no zero_", "`w.grad.zero_()` runs before the first backward(), when `.grad` is still None"
)
def zeroed_while_none(torch: Any, xs: list, ys: list) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    loss = squared(w * x, y)
    w.grad.zero_()
    loss.backward()


# --- column --------------------------------------------------------------------------------------


def fit_rows(torch: Any, rows: list, ys: list, loss_of: Callable[[Any, Any], Any]) -> None:
    """The program with a given loss of prediction [N, 1] and target [N]."""
    x, y, w = torch.tensor(rows), torch.tensor(ys), weights(torch, 2, 1)
    optimizer = sgd(torch, [w], 0.1)
    for step in range(30):
        loss = loss_of(x @ w, y)
        update(optimizer, loss)
        if step % 10 == 9:
            show(loss, w)


@mistake(
    "column",
    "every pair",
    "[6, 1] and [6] are broadcast to [6, 6]: every prediction is compared with every target, so that their mean is "
    "the best it can learn",
)
def every_pair(torch: Any, rows: list, ys: list) -> None:
    fit_rows(torch, rows, ys, squared)


@mistake("column", "means", "the two means are compared: a single number each, which says nothing about the rows")
def only_means(torch: Any, rows: list, ys: list) -> None:
    fit_rows(torch, rows, ys, lambda prediction, y: (prediction.mean() - y.mean()) ** 2)


@mistake("column", "first row", "only the first of the six predictions is compared with the targets")
def only_the_first(torch: Any, rows: list, ys: list) -> None:
    fit_rows(torch, rows, ys, lambda prediction, y: squared(prediction[0], y))


# --- rebound -------------------------------------------------------------------------------------


def descend(torch: Any, xs: list, ys: list, changed: Callable[[Any], Any]) -> None:
    """The program with a given update."""
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    for _ in range(5):
        w.grad = None
        loss = squared(w * x, y)
        show(loss, w)
        loss.backward()
        w = changed(w)
    print("a leaf:", w.is_leaf)


@mistake(
    "rebound",
    "a new tensor",
    "`w - …` makes a new tensor and gives it the name w: a non-leaf, which keeps no gradient",
)
def new_tensor(torch: Any, xs: list, ys: list) -> None:
    descend(torch, xs, ys, lambda w: w - 0.05 * w.grad)


@mistake("rebound", "recorded", "a leaf that requires grad is changed in place while operations are recorded")
def changed_while_recorded(torch: Any, xs: list, ys: list) -> None:
    descend(torch, xs, ys, lambda w: w.sub_(0.05 * w.grad))


@mistake(
    "rebound",
    "a constant",
    "the new w is made under no_grad or detached: it is a constant, and the next loss has no graph",
)
def new_constant(torch: Any, xs: list, ys: list) -> None:
    descend(torch, xs, ys, torch.no_grad()(lambda w: w - 0.05 * w.grad))


@mistake(
    "rebound",
    "zeros",
    "`.grad` is filled with zeros each time: the new w is no leaf and gets nothing, so the zeros stay, and w stands "
    "still without an error",
)
def zeros_instead_of_none(torch: Any, xs: list, ys: list) -> None:
    x, y, w = torch.tensor(xs), torch.tensor(ys), weights(torch, 1)
    for _ in range(5):
        w.grad = torch.zeros(1)
        loss = squared(w * x, y)
        show(loss, w)
        loss.backward()
        w = w - 0.05 * w.grad
    print("a leaf:", w.is_leaf)


@mistake(
    "rebound",
    "retained",
    "`retain_grad` lets each new w keep its gradient; it runs, but every w is the result of the one before, and each "
    "backward goes back through all of them to the first",
)
def retained_by_all(torch: Any, xs: list, ys: list) -> None:
    def changed(w: Any) -> Any:
        moved = w - 0.05 * w.grad
        moved.retain_grad()
        return moved

    descend(torch, xs, ys, changed)


# --- scaled --------------------------------------------------------------------------------------


def fit_from(torch: Any, trained: Any, weight: Callable[[], Any], rows: list, ys: list) -> None:
    """The program with `trained` given to the optimizer and `weight()` used in each step."""
    x, y = torch.tensor(rows), torch.tensor(ys)
    show(weight())
    optimizer = sgd(torch, [trained], 0.05)
    for _ in range(5):
        loss = squared(x @ weight(), y)
        show(loss)
        update(optimizer, loss)
    show(weight())


@mistake(
    "scaled",
    "a product",
    "the Parameter is multiplied after it was made: the optimizer is given the product, which is no leaf",
)
def product(torch: Any, start: list, rows: list, ys: list) -> None:
    w = torch.nn.Parameter(torch.tensor(start)) * 0.1
    fit_from(torch, w, lambda: w, rows, ys)


@mistake(
    "scaled",
    "scaled once",
    "the Parameter is trained, but the product was computed once, before the loop: its graph serves one backward only",
)
def scaled_once(torch: Any, start: list, rows: list, ys: list) -> None:
    leaf = torch.nn.Parameter(torch.tensor(start))
    w = leaf * 0.1
    fit_from(torch, leaf, lambda: w, rows, ys)


@mistake(
    "scaled",
    "scaled anew",
    "the large Parameter is trained and scaled anew in each step: the factor 0.1 counts twice, in its gradient and in "
    "what its step does, so the small weights move a hundred times too slowly",
)
def scaled_anew(torch: Any, start: list, rows: list, ys: list) -> None:
    leaf = torch.nn.Parameter(torch.tensor(start))
    fit_from(torch, leaf, lambda: leaf * 0.1, rows, ys)


@mistake(
    "scaled",
    "scaled anew, shown old",
    "the large Parameter is trained and scaled anew in each step: the small weights move a hundred times too slowly, "
    "and those shown at the end are from before the last step",
)
def scaled_anew_shown_old(torch: Any, start: list, rows: list, ys: list) -> None:
    x, y, leaf = torch.tensor(rows), torch.tensor(ys), torch.nn.Parameter(torch.tensor(start))
    w = leaf * 0.1
    show(w)
    optimizer = sgd(torch, [leaf], 0.05)
    for _ in range(5):
        w = leaf * 0.1
        loss = squared(x @ w, y)
        show(loss)
        update(optimizer, loss)
    show(w)


@mistake(
    "scaled", "not scaled", "the factor 0.1 is left out: the error is gone, and the weights start ten times too large"
)
def not_scaled(torch: Any, start: list, rows: list, ys: list) -> None:
    w = torch.nn.Parameter(torch.tensor(start))
    fit_from(torch, w, lambda: w, rows, ys)


@mistake(
    "scaled",
    "scaled in the loss",
    "the factor 0.1 has moved into the line of the loss: the large weights are shown and trained, not the small ones",
)
def scaled_in_the_loss(torch: Any, start: list, rows: list, ys: list) -> None:
    w = torch.nn.Parameter(torch.tensor(start))
    fit_from(torch, w, lambda: w, [[0.1 * each for each in row] for row in rows], ys)


@mistake("scaled", "a constant", "`detach()` makes a leaf, but one that does not require grad: the loss has no graph")
def detached_only(torch: Any, start: list, rows: list, ys: list) -> None:
    w = (torch.nn.Parameter(torch.tensor(start)) * 0.1).detach()
    fit_from(torch, w, lambda: w, rows, ys)


# --- recurrent -----------------------------------------------------------------------------------


def read_along(
    torch: Any,
    xs: list,
    ys: list,
    before: Callable[[Any], Any] = lambda memory: memory,
    after: Callable[[Any], Any] = lambda memory: memory,
    **options: Any,
) -> None:
    """The program with something done to the memory before the loss, and after the backward."""
    w = torch.tensor(0.9, requires_grad=True)
    memory = torch.tensor(0.5)
    for x, y in zip(xs, ys, strict=True):
        memory = before(torch.tanh(w * memory + x))
        loss = (memory - y) ** 2
        loss.backward(**options)
        show(memory, loss, w.grad)
        memory = after(memory)


@mistake(
    "recurrent",
    "one long graph",
    "the memory brings the graph of all earlier steps along, and their saved values are freed after the first backward",
)
def one_long_graph(torch: Any, xs: list, ys: list) -> None:
    read_along(torch, xs, ys)


@mistake(
    "recurrent",
    "retained",
    "the graph is retained: it runs, but every loss also goes back through all the steps before, and the graph never "
    "stops growing",
)
def retained(torch: Any, xs: list, ys: list) -> None:
    read_along(torch, xs, ys, retain_graph=True)


@mistake("recurrent", "forgets", "the memory starts from 0 at each number: the values are lost, and not only the graph")
def forgets(torch: Any, xs: list, ys: list) -> None:
    read_along(torch, xs, ys, after=lambda memory: torch.tensor(0.0))


@mistake(
    "recurrent", "cleared", "`w.grad` is cleared at each number; here the gradients of all steps are meant to add up"
)
def cleared(torch: Any, xs: list, ys: list) -> None:
    w, memory = torch.tensor(0.9, requires_grad=True), torch.tensor(0.5)
    for x, y in zip(xs, ys, strict=True):
        memory = torch.tanh(w * memory.detach() + x)
        loss = (memory - y) ** 2
        w.grad = None
        loss.backward()
        show(memory, loss, w.grad)


@mistake("recurrent", "cut too early", "the memory is detached before the loss is computed: no path leads from it to w")
def cut_too_early(torch: Any, xs: list, ys: list) -> None:
    read_along(torch, xs, ys, before=lambda memory: memory.detach())


# --- masked --------------------------------------------------------------------------------------


def fit_known(torch: Any, xs: list, ys: list, loss_of: Callable[[Any, Any, Any], Any], cleaned: bool = False) -> None:
    """The program with a given loss of w, x and y."""
    x, y = torch.tensor(xs), torch.tensor(ys)
    w = torch.tensor(1.0, requires_grad=True)
    for _ in range(4):
        w.grad = None
        loss = loss_of(w, x, y)
        loss.backward()
        with torch.no_grad():
            if not (cleaned and w.grad.isnan().item()):
                w -= 0.02 * w.grad
        show(loss, w)


def masked_after(torch: Any, w: Any, x: Any, y: Any) -> Any:
    """The loss that masks what log has already spoilt."""
    return torch.where(x > 0, (torch.log(w * x) - y) ** 2, torch.zeros_like(x)).sum()


@mistake(
    "masked",
    "masked too late",
    "`where` sends 0 back to the gap, and the derivative of log is infinite there: 0 · ∞ = nan, and the sum over all "
    "rows is nan",
)
def masked_too_late(torch: Any, xs: list, ys: list) -> None:
    fit_known(torch, xs, ys, lambda w, x, y: masked_after(torch, w, x, y))


@mistake(
    "masked",
    "multiplied",
    "the errors are multiplied by the mask: the error of a gap is infinite, and 0 · ∞ = nan on the way forward already",
)
def multiplied(torch: Any, xs: list, ys: list) -> None:
    fit_known(torch, xs, ys, lambda w, x, y: ((x > 0) * (torch.log(w * x) - y) ** 2).sum())


@mistake(
    "masked",
    "gradient cleaned",
    "a gradient that is nan is dropped or made 0: what the good rows had to say is in it, and w never moves",
)
def gradient_cleaned(torch: Any, xs: list, ys: list) -> None:
    fit_known(torch, xs, ys, lambda w, x, y: masked_after(torch, w, x, y), cleaned=True)


@mistake("masked", "gaps count", "the gaps are filled with 1, and then they count in the loss as if they were measured")
def gaps_count(torch: Any, xs: list, ys: list) -> None:
    def loss_of(w: Any, x: Any, y: Any) -> Any:
        return ((torch.log(w * torch.where(x > 0, x, torch.ones_like(x))) - y) ** 2).sum()

    fit_known(torch, xs, ys, loss_of)


@mistake(
    "masked",
    "a little added",
    "a small number is added under the logarithm: 0 does no harm then, but a measurement just as small comes out wrong",
)
def a_little_added(torch: Any, xs: list, ys: list) -> None:
    def loss_of(w: Any, x: Any, y: Any) -> Any:
        return torch.where(x > 0, (torch.log(w * x + 1e-6) - y) ** 2, torch.zeros_like(x)).sum()

    fit_known(torch, xs, ys, loss_of)


# --- accuracy ------------------------------------------------------------------------------------


def fit_classes(torch: Any, rows: list, labels: list, loss_of: Callable[[Any, Any], Any]) -> None:
    """The program with a given loss of probability and label."""
    x, y, w = torch.tensor(rows), torch.tensor(labels), weights(torch, 2)
    optimizer = sgd(torch, [w], 0.5)
    for _ in range(5):
        loss = loss_of(torch.sigmoid(x @ w), y)
        update(optimizer, loss)
        show(loss, w)


@mistake(
    "accuracy",
    "flag on the loss",
    "no gradient reaches w: a comparison records no graph, a flag on the loss does not bring it back, and `round` "
    "would send only zeros",
)
def flag_on_the_loss(torch: Any, rows: list, labels: list) -> None:
    fit_classes(torch, rows, labels, lambda p, y: squared((p > 0.5).float(), y).requires_grad_(True))


@mistake(
    "accuracy",
    "no graph",
    "the flag is gone, but the loss is still computed from a comparison, which records no graph",
)
def no_graph(torch: Any, rows: list, labels: list) -> None:
    fit_classes(torch, rows, labels, lambda p, y: squared((p > 0.5).float(), y))


@mistake(
    "accuracy",
    "straight through",
    "the error is that of the rounded guess while the derivative is that of the probability: the gradient of no loss",
)
def straight_through(torch: Any, rows: list, labels: list) -> None:
    fit_classes(torch, rows, labels, lambda p, y: squared(p + ((p > 0.5).float() - p).detach(), y))


@mistake(
    "accuracy",
    "cross entropy",
    "the loss is the cross entropy: it trains well, but asked for is the mean of the squared errors",
)
def cross_entropy(torch: Any, rows: list, labels: list) -> None:
    fit_classes(torch, rows, labels, torch.nn.functional.binary_cross_entropy)


# --- penalty -------------------------------------------------------------------------------------


def fit_small(torch: Any, rows: list, ys: list, loss_of: Callable[[Any, Any], Any]) -> None:
    """The program with a given loss of the error and w."""
    x, y, w = torch.tensor(rows), torch.tensor(ys), torch.ones(2, requires_grad=True)
    optimizer = sgd(torch, [w], 0.05)
    for _ in range(5):
        loss = loss_of(squared(x @ w, y), w)
        update(optimizer, loss)
        show(loss, w)


@mistake(
    "penalty",
    "a number",
    "the penalty enters the loss as a plain number: `.item()`, `torch.tensor(…)` and `.detach()` all leave the graph "
    "behind, so it is added to the loss and pulls at nothing",
)
def plain_number(torch: Any, rows: list, ys: list) -> None:
    fit_small(torch, rows, ys, lambda error, w: error + 2 * (w**2).sum().item())


@mistake(
    "penalty",
    "a new leaf",
    "the whole loss is put into a new tensor: backward() reaches that tensor and stops there, and w never moves",
)
def new_leaf(torch: Any, rows: list, ys: list) -> None:
    fit_small(torch, rows, ys, lambda error, w: torch.tensor((error + 2 * (w**2).sum()).item(), requires_grad=True))


@mistake("penalty", "half", "one of the two factors of w² is detached: only half of the penalty's gradient arrives")
def half_of_it(torch: Any, rows: list, ys: list) -> None:
    fit_small(torch, rows, ys, lambda error, w: error + 2 * (w * w.detach()).sum())


# --- frozen --------------------------------------------------------------------------------------


def fit_head(
    torch: Any, start: tuple[list, list], rows: list, ys: list, output: Callable[[Any, Any], Any], trained: int = 2
) -> None:
    """The program with a given way from features and head to the output; the last `trained` leaves are optimized."""
    x, y = torch.tensor(rows), torch.tensor(ys)
    body, head = [torch.tensor(each, requires_grad=True) for each in start]
    optimizer = sgd(torch, [body, head][-trained:], 0.1)
    for _ in range(4):
        loss = squared(output(torch.tanh(x @ body), head), y)
        update(optimizer, loss)
        show(loss, head)
    show(body)
    print(body.grad)


@mistake(
    "frozen",
    "flag of a non-leaf",
    "the flag of a tensor with a history is set to False, which only a leaf allows; or nothing is left that learns",
)
def flag_of_a_non_leaf(torch: Any, body: list, head: list, rows: list, ys: list) -> None:
    def output(features: Any, head: Any) -> Any:
        features.requires_grad = False
        return features @ head

    fit_head(torch, (body, head), rows, ys, output)


@mistake("frozen", "not frozen", "the error is gone, and the body learns along with the head")
def not_frozen(torch: Any, body: list, head: list, rows: list, ys: list) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features @ head)


@mistake("frozen", "the head", "the head is detached, and so it is the body that learns")
def frozen_head(torch: Any, body: list, head: list, rows: list, ys: list) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features @ head.detach())


@mistake(
    "frozen",
    "the optimizer alone",
    "the optimizer holds the head alone: the body stays as it is, but each backward still computes its gradient, and "
    "adds it to what nobody clears",
)
def the_optimizer_alone(torch: Any, body: list, head: list, rows: list, ys: list) -> None:
    fit_head(torch, (body, head), rows, ys, lambda features, head: features @ head, trained=1)


# --- shifted -------------------------------------------------------------------------------------


def fit_growth(torch: Any, xs: list, ys: list, shifted: Callable[[Any], Any]) -> None:
    """The program with a given way to add 1."""
    x, y = torch.tensor(xs), torch.tensor(ys)
    w, b = [torch.tensor(each, requires_grad=True) for each in (0.5, 2.0)]
    optimizer = sgd(torch, [w, b], 0.002)
    for _ in range(4):
        loss = squared(b * shifted(torch.exp(w * x)), y)
        show(loss)
        update(optimizer, loss)
    show(w, b)


def plus_one_through_data(h: Any) -> Any:
    """Change the memory behind autograd's back."""
    h.data += 1
    return h


@mistake(
    "shifted",
    "in place",
    "exp has saved its own result for the way back, and that result is overwritten; under no_grad it is counted too",
)
def in_place(torch: Any, xs: list, ys: list) -> None:
    fit_growth(torch, xs, ys, lambda h: h.add_(1))


@mistake(
    "shifted",
    "through data",
    "`.data` hides the change from the version counter: no error, and exp takes `exp(w*x) + 1` for its derivative",
)
def through_data(torch: Any, xs: list, ys: list) -> None:
    fit_growth(torch, xs, ys, plus_one_through_data)


@mistake("shifted", "detached", "the result of exp is detached: the error is gone, and so is the path to w")
def shifted_but_cut(torch: Any, xs: list, ys: list) -> None:
    fit_growth(torch, xs, ys, lambda h: h.detach() + 1)


# --- the chapter ---------------------------------------------------------------------------------


def part(name: str, function: str, points: int, minutes: int, difficulty: int, *hints: str) -> Part:
    """A part that is a program of its own: `function` is the name under which the checks call it."""
    return Part(Place(name, "program", function), points, minutes, difficulty, hints, mistake.of(name))


chapter = Chapter(
    number=5,
    name="05_train_a_network",
    together_points=3,
    parts=(
        part(
            *("train", "train", 2, 12, 1),
            "Five things in each round: clear the gradients, compute the loss, show it, backward, update. In which "
            "order may they stand?",
            "The update has to change the same leaf, so it is made in place. What must be switched off for that?",
            "`with torch.no_grad():`, and in it `each -= rate * each.grad` for every parameter whose `.grad` is not "
            "None. Clear with `each.grad = None` before the loss's backward().",
        ),
        part(
            *("zeroing", "fit_line", 1, 4, 1),
            "What is in `w.grad` after the second backward()?",
            "A leaf adds what arrives to what it has. Who clears it, and when?",
            "`optimizer.zero_grad()` belongs before `loss.backward()`, in each round of the loop.",
        ),
        part(
            *("column", "fit_rows", 2, 6, 1),
            "`print(prediction.shape, y.shape, (prediction - y).shape)`. How many errors should six rows have?",
            "[6, 1] minus [6]: broadcasting lines shapes up from the right, so [6] counts as [1, 6].",
            "Make both [6], with `prediction.squeeze(1)`, or both [6, 1], with `y.unsqueeze(1)`.",
        ),
        part(
            *("rebound", "descend", 2, 6, 1),
            "Print `w.is_leaf` before and after the update.",
            "`w = w - …` makes a new tensor. The leaf that received the gradient is still there, without a name.",
            "Change the leaf itself: `w -= 0.05 * w.grad`, and not while operations are recorded.",
        ),
        part(
            *("scaled", "fit_from", 2, 6, 2),
            "Which operation was recorded last when the name `w` was bound? What does that make of `w`?",
            "Multiply first, and make the Parameter of the result. Everything after it counts as an operation.",
            "`torch.nn.Parameter(torch.tensor(start) * 0.1)`",
        ),
        part(
            *("recurrent", "read_along", 2, 8, 2),
            "Draw the graph of the second loss. Where does it touch the graph of the first?",
            "`retain_graph=True` would keep the whole past. What you want is its value, without its history.",
            "After the backward: `memory = memory.detach()`.",
        ),
        part(
            *("masked", "fit_known", 3, 10, 3),
            "The way back goes through both branches. What does `where` send to the branch that was not taken? And "
            "what is the derivative of log at 0?",
            "0 times infinity is nan. A mask after log comes too late: no infinity may arise on the way.",
            "Put a harmless number where x is 0, *before* the log, and keep the mask after it: "
            "`torch.where(x > 0, x, torch.ones_like(x))`.",
        ),
        part(
            *("accuracy", "fit_classes", 2, 8, 2),
            "Go back from the loss, one `grad_fn` at a time. Where does the chain end?",
            "How does the number of wrong guesses change when w changes a very little? It is flat almost everywhere, "
            "and has jumps in between: no useful gradient, whatever the flags say.",
            "Leave out the guess and the flag: the loss is `((probability - y) ** 2).mean()`.",
        ),
        part(
            *("penalty", "fit_small", 2, 5, 1),
            "Which values in the line of the loss have a `grad_fn`?",
            "`.item()` gives a Python number. It has a value and no history.",
            "Leave `.item()` out: the penalty has to stay a tensor until the backward is done.",
        ),
        part(
            *("frozen", "fit_head", 2, 6, 2),
            "`features` is computed anew in each round. What could its flag, set afterwards, still change?",
            "Either the leaf says that it wants no gradient, or the path to it is cut.",
            "`features = torch.tanh(x @ body).detach()`; or `body.requires_grad_(False)`, once, before the loop.",
        ),
        part(
            *("shifted", "fit_growth", 2, 7, 2),
            "Which of the operations needs its own result for its derivative? The message names it.",
            "The derivative of `exp(u)` is `exp(u)` again: exp keeps its result. The sum and the difference keep "
            "nothing, and the product with b keeps `h` as it is after the change.",
            "Do not overwrite it: `h = h + 1` makes a new tensor.",
        ),
    ),
)
