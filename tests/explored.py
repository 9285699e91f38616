"""How a test moves an explorer without a kernel, in JupyterLab or on a page of the site: by keyboard and by mouse."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, expect


def said(root: Locator) -> Locator:
    """The place where an explorer speaks: there is one."""
    region = root.locator("[aria-live=polite]")
    expect(region).to_have_count(1)
    return region


def press(control: Locator, *keys: str) -> None:
    """Keys for a control that has the focus, which it keeps."""
    control.focus()
    for key in keys:
        control.press(key)
    expect(control).to_be_focused()


def slider(root: Locator, name: str = "Step") -> Locator:
    return root.get_by_role("slider", name=name, exact=True)


def walk(root: Locator) -> None:
    """Lesson 1's formula, forward and backward, by slider, buttons and play."""
    region = said(root)
    expect(region).to_contain_text("Forward first")
    press(slider(root), "ArrowRight")
    expect(region).to_have_text("g = a × b = 2 × 4 = 8.")
    press(slider(root), "End", "ArrowLeft", "ArrowLeft")
    expect(region).to_contain_text("sends 6.4 to c and 0.6 to **2 (64)")
    expect(root.locator("svg text").get_by_text("0.1 × 6 = 0.6", exact=True)).to_be_visible()
    expect(root.locator(".mg-sum").nth(1)).to_contain_text(
        re.compile("0.1.*upstream.*×.*6.*local derivative.*0.6.*share")
    )
    press(root.get_by_role("button", name="Next"), "Enter", "Space")
    expect(region).to_contain_text("Leaf a keeps 4 in .grad. Leaf b keeps 2 in .grad.")
    expect(root.get_by_role("button", name="Next")).to_have_attribute("aria-disabled", "true")
    play = root.get_by_role("button", name="Play")
    play.click()
    expect(region).to_have_text("g = a × b = 2 × 4 = 8.")
    root.get_by_role("button", name="Pause").click()
    expect(root.get_by_role("button", name="Play")).to_be_visible()


def model(root: Locator) -> None:
    """The walk on the first page: a model with two weights, there and back."""
    expect(said(root)).to_contain_text("Forward first")
    press(slider(root), "End")
    expect(said(root)).to_have_text(
        "At × (2) the upstream gradient is −6: it sends −12 to w. Leaf w keeps −12 in .grad."
    )


def vectors(root: Locator) -> None:
    """Lesson 2's walk: shapes stand beside the numbers, and the last share is vᵀJ."""
    press(slider(root), "End")
    expect(said(root)).to_contain_text("At y the upstream gradient is [38, 42, 54]: it sends [254, 256] to x.")
    expect(root.locator(".mg-sum")).to_contain_text("Jacobian, shape [3, 2]")


def race(root: Locator) -> None:
    """Lesson 1's diamond in two orders: 21 against 39, and no difference with the factors swapped."""
    press(slider(root), "End")
    expect(said(root)).to_contain_text("These 6 are lost: h has been visited already. x.grad = 21")
    expect(root.locator(".mg-verdict")).to_have_text(["✗ x.grad = 21", "✓ x.grad = 39"])
    press(root.get_by_role("button", name="(h + 1) * h"), "Enter")
    expect(root.locator(".mg-verdict")).to_have_text(["✓ x.grad = 39", "✓ x.grad = 39"])
    press(slider(root), "Home")
    expect(said(root)).to_contain_text("Both walks start at f")


def weights(root: Locator) -> None:
    """Lesson 2's rows, moved by slider and by number, until both goals are found."""
    region = said(root)
    expect(region).to_contain_text("= [6, 2]")
    press(slider(root, "v for y[1]"), "ArrowRight")
    expect(region).to_have_text("x.grad = 2·[1, 2] + 0·[0, 3] + 1·[4, 1] = [6, 5]")
    emptied = root.get_by_role("spinbutton", name="v for y[0], as a number")
    emptied.fill("")
    emptied.blur()
    expect(emptied).to_have_value("2")
    for row, value in enumerate(("0", "1", "0")):
        root.get_by_role("spinbutton", name=f"v for y[{row}], as a number").fill(value)
    expect(region).to_contain_text("✓ This v picks out the second row.")
    root.get_by_role("spinbutton", name="v for y[0], as a number").fill("-4")
    cell = root.locator("td.mg-cell").first
    expect(cell).to_have_text("−4−4 × 1")
    assert "--mg-minus" in (cell.get_attribute("style") or "")
    root.get_by_role("spinbutton", name="v for y[2], as a number").fill("1")
    expect(region).to_contain_text("✓ The first entry of x.grad is 0")
    expect(root.locator(".mg-goals .mg-found")).to_have_count(2)


def slices(root: Locator) -> None:
    """Lesson 3's slices of a product, added up; the numbers come when they are asked for."""
    region = said(root)
    cells = root.locator(".mg-slice .mg-grid > *")
    assert not any(cells.all_inner_texts())
    press(slider(root), "ArrowRight")
    expect(region).to_contain_text("1 × the slice of c[0, 0]: it depends on 2 of the 6 entries of b.")
    press(root.get_by_role("checkbox", name="Show the numbers"), "Space")
    expect(region).to_contain_text("Together so far: [1, 0, 0], [2, 0, 0].")
    assert all(cells.all_inner_texts())
    press(slider(root), "End")
    expect(region).to_contain_text("All slices are added: b.grad = [7, 70, 700], [10, 100, 1000].")


def guess(root: Locator) -> None:
    """Lesson 3's slice to fill in: wrong numbers are marked, the right ones pass."""
    press(root.get_by_role("button", name="out[0, 1]"), "Enter")
    expect(said(root)).to_contain_text("On which of the 6 entries of m does out[0, 1] depend")
    for place, number in (("[0, 1]", "3"), ("[0, 2]", "5")):
        root.get_by_role("spinbutton", name=f"out[0, 1] by m{place}").fill(number)
    check = root.get_by_role("button", name="Check my slice")
    check.click()
    expect(said(root)).to_contain_text("✗ One entry is wrong. Look at [0, 2]")
    root.get_by_role("spinbutton", name="out[0, 1] by m[0, 2]").fill("2")
    check.click()
    expect(said(root)).to_contain_text("✓ Every entry of the slice of out[0, 1] is right.")


def secant(root: Locator) -> None:
    """Lesson 1's judge: the secant meets the tangent of a smooth function, and not at the kink."""
    expect(said(root)).to_contain_text("ε = 1. x**3 at 1: the secant has the slope 4, the tangent 3;")
    before = root.locator(".mg-secant").first.get_attribute("d")
    press(slider(root), "End")
    expect(said(root)).to_contain_text(
        "relu(x) at 0: the secant has the slope 0.5, the tangent 0. relu(x) at 0 has a kink"
    )
    assert root.locator(".mg-secant").first.get_attribute("d") != before


def sides(root: Locator) -> None:
    """Lesson 3's two products: an entry lights the column or the row that it is made of."""
    entry = root.get_by_role("button", name="vᵀJ, entry x[0]: 401")
    entry.focus()
    expect(said(root)).to_contain_text("x.grad, x[0]: 1·1 + 10·0 + 100·4 = 401.")
    assert "--mg-plus" in (root.locator("td.mg-cell").nth(4).get_attribute("style") or "")
    root.get_by_role("button", name="Jw, entry y[1]: 30").hover()
    expect(said(root)).to_contain_text("Jw, y[1]: 1·0 + 10·3 = 30.")
    assert not root.locator("td.mg-cell").nth(4).get_attribute("style")


def reach(root: Locator) -> None:
    """Lesson 2's bias: an entry has three copies, and gets the sum of what they send back."""
    root.page.mouse.move(0, 0)  # where it rests it would choose, too
    entry = root.get_by_role("button", name="bias[0] = 10")
    entry.focus()
    expect(said(root)).to_contain_text("bias[0] reaches y[0, 0], y[1, 0], y[2, 0].")
    expect(said(root)).to_contain_text("gets the sum: 1·1 + 10·1 + 100·1 = 111.")
    expect(root.locator(".mg-way")).to_have_count(3)
    root.get_by_role("button", name="y[1, 1] = 23").hover()
    expect(said(root)).to_have_text("y[1, 1] is made from A[1, 1], bias[1]. Its upstream gradient is 20.")


def summed(root: Locator) -> None:
    """Lesson 2's sums: each has three ways, and an entry gets the upstream gradient of its one sum."""
    root.get_by_role("button", name="y[1] = 6").hover()
    expect(said(root)).to_have_text("y[1] is made from M[0, 1], M[1, 1], M[2, 1]. Its upstream gradient is 10.")
    expect(root.locator(".mg-way")).to_have_count(3)
    root.get_by_role("button", name="M[2, 1] = 1").hover()
    expect(said(root)).to_contain_text("gets the sum: 10·1 = 10.")


def product(root: Locator) -> None:
    """Lesson 2's product of matrices: an entry of C lights its row and its column."""
    root.get_by_role("button", name="C[0, 0] = 11").hover()
    expect(said(root)).to_contain_text("C[0, 0] is made from a[0, 0], a[0, 1], b[0, 0], b[1, 0].")
    expect(root.locator(".mg-way")).to_have_count(4)
    root.get_by_role("button", name="a[0, 0] = 1").hover()
    expect(said(root)).to_contain_text("gets the sum: 100·7 + 10·8 + 1·9 = 789.")


def taken(root: Locator) -> None:
    """Lesson 2's index: an entry that is taken twice gets the sum of both."""
    root.get_by_role("button", name="u[0] = 5").hover()
    expect(said(root)).to_contain_text("u[0] reaches y[0], y[1].")
    expect(said(root)).to_contain_text("gets the sum: 1·1 + 10·1 = 11.")


LEFT = re.compile(r"\d+ of \d+ programs are left in the tree\.")


def leaves(root: Locator) -> None:
    """Lesson 4's tree: answer by answer to a result without a gradient, and back up to another branch."""
    region = said(root)
    branches = root.locator(".mg-branch.mg-lit")
    press(root.get_by_role("button", name="an operation", exact=True), "Enter")
    expect(region).to_have_text(LEFT)
    signs, out = (root.locator(f"svg[role=img] .mg-end{each}").count() for each in ("", ".mg-out"))
    assert region.inner_text().startswith(f"{signs - out} of {signs} ") and 0 < out < signs
    press(root.get_by_role("button", name="yes: one of its inputs requires grad"), "Space")
    expect(branches).to_have_count(2)
    root.get_by_role("button", name="no, just backward").click()
    expect(region).to_contain_text("t.grad is None, and there is a warning: UserWarning")
    expect(root.locator("pre").first).to_contain_text("t = s * 2\n(t * 3).backward()\nprint(t.grad)")
    root.get_by_role("button", name="t.retain_grad() before backward").click()
    expect(region).to_have_text(
        "t.grad is tensor(3.). Of t itself: is_leaf False, requires_grad True, retains_grad True."
    )
    press(root.get_by_role("button", name="you, with torch.tensor or the like"), "Enter")
    expect(region).to_have_text(LEFT)
    expect(root.get_by_role("group", name="What is its dtype?")).to_be_visible()
    expect(branches).to_have_count(1)
    expect(root.locator("pre")).to_have_count(0)
    expect(root.get_by_role("button", name="an operation", exact=True)).to_have_attribute("aria-pressed", "false")


def memory(root: Locator) -> None:
    """Lesson 4's strips: a change that is caught, and one that slips past the padlock."""
    expect(root.locator(".mg-strips")).to_have_text("Memory, still empty. What tensors hold will lie here.")
    region = said(root)
    press(root.get_by_role("button", name="saved, then y += 1", exact=True), "Enter")
    press(slider(root), "End", "ArrowLeft")
    expect(region).to_contain_text("the version of y goes from 0 to 1. PowBackward0 saved y at version 0. Now it is 1")
    expect(root.locator(".mg-strip .mg-places .mg-caught")).to_have_count(1)
    expect(root.locator("li[aria-current=step]")).to_have_text("y += 1")
    press(root.get_by_role("button", name="Next"), "Enter")
    expect(region).to_contain_text("RuntimeError: one of the variables needed for gradient computation")
    expect(root.locator(".mg-verdict")).to_have_text("! An error, and no gradient.")
    press(root.get_by_role("button", name="y.data", exact=True), "Space")
    press(slider(root), "End", "ArrowLeft")
    expect(region).to_contain_text("the version of y stays 0, the version of d goes from 0 to 1.")
    expect(root.locator(".mg-digits.mg-changed")).to_have_text("1")
    expect(root.locator(".mg-strip .mg-places .mg-slipped")).to_have_count(1)
    press(slider(root), "End")
    expect(region).to_contain_text("x.grad = [12, 20, 28], and nobody complains. Right is x.grad = [8, 16, 24].")
    expect(root.locator(".mg-verdict")).to_have_text("✗ The gradient is wrong, without a word.")


def training(root: Locator) -> None:
    """Lesson 5's training: boundary, curves and numbers follow one slider, and play goes on by itself."""
    region = said(root)
    expect(region).to_contain_text("After 0 steps the loss is 0.674, and 42 of 120 points lie on the wrong side.")
    boundary = root.locator(".mg-boundary")
    marker = root.locator(".mg-marker").last
    before = boundary.get_attribute("d"), marker.get_attribute("d")
    press(slider(root), "End")
    expect(region).to_contain_text(re.compile(r"After 300 steps .* 0 of 120 points .* minigrad − torch: \S+\."))
    expect(slider(root)).to_have_attribute("aria-valuetext", "300 of 300")
    expect(root.locator("li.mg-call").filter(has_text="matmul.backward")).to_have_text(
        re.compile("^matmul.backward600(yours|ours)$")
    )
    assert boundary.get_attribute("d") != before[0] and marker.get_attribute("d") != before[1]
    root.get_by_role("button", name="Play").click()
    expect(region).to_have_attribute("aria-busy", "true")
    expect(region).to_contain_text(re.compile(r"After [1-9]\d? steps"))
    root.get_by_role("button", name="Pause").click()
    expect(region).to_have_attribute("aria-busy", "false")


def mistakes(root: Locator) -> None:
    """Lesson 5's switch: a wrong walk learns nothing, wrong shapes stop, and one mistake trains to the end."""
    region = said(root)
    expect(region).to_contain_text("After 300 steps the right engine's loss is 0.00516, and 0 of 120 points are wrong.")
    expect(region).to_contain_text("With the mistake the loss is 0.675, and 42 of 120 points are wrong.")
    boundaries = root.locator(".mg-boundary")
    right, wrong = (boundaries.nth(place).get_attribute("d") for place in (0, 1))
    press(root.get_by_role("button", name="broadcast: one of the copies", exact=True), "Enter")
    expect(region).to_contain_text("With the mistake the loss is 0.0137, and 0 of 120 points are wrong.")
    expect(root.locator(".mg-hint")).to_contain_text("The gradient check finds it.")
    assert boundaries.nth(0).get_attribute("d") == right and boundaries.nth(1).get_attribute("d") != wrong
    press(root.get_by_role("button", name="matmul: not transposed", exact=True), "Space")
    expect(region).to_contain_text("At step 0 it stopped with ValueError")
    press(slider(root), "Home")
    expect(region).to_contain_text("After 0 steps the right engine's loss is 0.674, and 42 of 120 points are wrong.")
    expect(root.get_by_role("button", name="Back")).to_have_attribute("aria-disabled", "true")


def predict(root: Locator) -> None:
    """Lesson 1's first question: a wrong choice is told why, and not what is right; then the right one."""
    region = said(root)
    choices = root.get_by_role("button")
    expect(choices).to_have_count(3)
    expect(region).to_contain_text("Choose an answer.")
    end = root.bounding_box()
    press(choices.first, "Enter")
    expect(region).to_contain_text("✗ That is the value of a itself.")
    expect(choices.first).to_have_attribute("aria-pressed", "true")
    expect(root.get_by_role("button", name="wrong: 42")).to_be_visible()
    assert "Right" not in root.inner_text() and not root.get_by_role("button", name="right:").count()
    press(choices.nth(1), "Space")
    expect(region).to_contain_text("✓ Right. If a grows by a tiny step")
    expect(root.get_by_role("button", name="right: 99")).to_have_attribute("aria-pressed", "true")
    after = root.bounding_box()
    assert end and after and end["height"] == after["height"]


PREDICTED = "01_scalar_backward", "ask-product"  # what `predict` chooses in


def ground(last: str) -> Callable[[Locator], None]:
    """A playground without a kernel: the explorer moves, and a line says what is needed for more."""

    def moved(root: Locator) -> None:
        expect(root).to_contain_text("that needs a running kernel")
        bar = root.locator("input[type=range]").last
        press(bar, "End")
        expect(said(root)).to_contain_text(last)

    return moved


# lesson -> cell -> how it is moved
EXPLORERS: dict[str, dict[str, Callable[[Locator], None]]] = {
    "00_start_here": {"walk": model},
    "01_scalar_backward": {
        "secant": secant,
        "backward-picture": walk,
        "race": race,
        "playground": ground("a keeps 36 in .grad."),
    },
    "02_upstream_gradients": {
        "explorer": weights,
        "by-hand-picture": vectors,
        "broadcast-picture": reach,
        "reduce": summed,
        "index-picture": taken,
        "matmul-picture": product,
        "playground": ground("= [401, 132]"),
    },
    "03_jacobian_sums": {
        "slices-picture": slices,
        "explorer": guess,
        "sides-run": sides,
        "playground": ground("All slices are added: b.grad = [7, 70, 700]"),
    },
    "04_leaves": {"explorer": leaves, "memory-explorer": memory},
    "05_train_a_network": {"training-explorer": training, "mistakes-explorer": mistakes},
}


def fits(root: Locator) -> bool:
    """True if nothing of an explorer sticks out of its column, nor its column out of the window."""
    inside = (
        "root => root.scrollWidth <= root.clientWidth + 1 && root.getBoundingClientRect().right <= window.innerWidth"
    )
    return root.evaluate(inside)
