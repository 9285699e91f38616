"""Statements about the graph: changes in place, detaching, hooks, backward, autograd.grad, whole Jacobians."""

import contextlib

import torch

from writer.choices import DTYPES, NUMBERS, SHAPES, partner, repeats, tensor_of
from writer.sheet import Sheet

FACTS = ("is_leaf", "requires_grad", "_version", "retains_grad", "output_nr", "_base is None", "grad_fn is None")
CHANGES = (
    *("add_", "sub_", "mul_", "div_", "exp_", "neg_", "abs_", "sigmoid_", "tanh_", "relu_", "square_", "sqrt_"),
    *("clamp_", "zero_", "fill_", "copy_", "masked_fill_", "pow_", "sin_", "cos_"),
)
OPERATORS = ("+=", "-=", "*=", "/=")
SCALES = ("2 * g", "g * 10", "g + 1", "-g", "g.clamp(-1, 1)", "g * 0.5")


def facts(sheet: Sheet) -> None:
    """What a tensor says about its place in the graph."""
    a = sheet.named()
    first = sheet.draw_place(len(FACTS) - 2)
    told = FACTS[first : first + 3]
    if any(each.startswith("g") for each in sharers(sheet, a)):  # how torch adds up a gradient shows in its version
        told = tuple(each for each in told if each != "_version")
    sheet.show(*(f"{a}.{each}" for each in told))


def nodes(sheet: Sheet) -> None:
    """The names of the nodes that made a tensor, unless a derivative of a derivative is among them."""
    if not any("create_graph" in line for line in sheet.lines):
        sheet.show(f"graph({sheet.named()})")


def changeable(sheet: Sheet) -> str:
    """A tensor to change, seldom one that may not be changed."""
    allowed = sheet.named(lambda value: not (value.requires_grad and value.is_leaf))
    return sheet.named() if allowed is None or sheet.chance(8) else allowed


def sharers(sheet: Sheet, name: str) -> list[str]:
    """The names of all tensors that share the memory of one."""
    memory = sheet.value(name).untyped_storage().data_ptr()
    return [each for each in sheet.usable if sheet.value(each).untyped_storage().data_ptr() == memory]


def apart(sheet: Sheet, name: str, other: str) -> str:
    """The other tensor, or a number where it is a smaller part of the same memory: torch reads what it just wrote.

    Of bools, too: what torch says first, that it cannot subtract them or that they share memory, is not promised.
    """
    one, two = sheet.value(name), sheet.value(other)
    together = one.untyped_storage().data_ptr() == two.untyped_storage().data_ptr()
    return "2" if together and (two.numel() < one.numel() or one.dtype is torch.bool) else other


def change(sheet: Sheet) -> None:
    """A change in place, by an operator or a method, of a tensor, a view or a leaf; sometimes under no_grad."""
    a = changeable(sheet)
    other = apart(sheet, a, partner(sheet, a))
    b = sheet.one_of([other, sheet.one_of(NUMBERS), sheet.one_of(NUMBERS)])
    if sheet.chance(3):
        name = sheet.one_of(OPERATORS)
        text = f"{a} {name} {b}"
    else:
        name = sheet.one_of(CHANGES)
        arguments = {
            **dict.fromkeys(("add_", "sub_", "mul_", "div_"), b),
            "clamp_": sheet.one_of(["0, 1", "min=-0.5", "-1, 1.5"]),
            "fill_": sheet.one_of(NUMBERS),
            "copy_": other if other in sheet.plain else a,
            "masked_fill_": f"{a} > 1, {sheet.one_of(NUMBERS)}",
            "pow_": sheet.one_of(["2", "3", "0.5"]),
        }.get(name, "")
        text = f"{a}.{name}({arguments})"
    if repeats(sheet.value(a)) and (name == "masked_fill_" or sheet.value(a).dtype is torch.bool):
        return  # torch warns that it will refuse this; minigrad refuses it
    if name == "clamp_" and not sheet.value(a).is_floating_point():
        return  # torch has two names for the dtype that has no room
    if sheet.chance(4):
        text = f"with torch.no_grad(): {text}"
    finish_change(sheet, a, text, name)


def change_part(sheet: Sheet) -> None:
    """A change in place through a view that is made on the spot."""
    a = changeable(sheet)
    part = sheet.one_of(
        ["[0]", "[..., 0]", "[:1]", ".T", ".view(-1)", ".detach()", ".data", ".unsqueeze(0)", ".diagonal()"]
    )
    if part == ".T" and sheet.value(a).ndim != 2:
        part = ".mT"
    added = apart(sheet, a, sheet.named())
    change_of_it = sheet.one_of([f"mul_({sheet.one_of(NUMBERS)})", f"add_({added})", "zero_()", "fill_(2.)"])
    text = f"{a}{part}.{change_of_it}"
    if part.endswith("]") and sheet.chance(2):
        text = f"{a}{part} {sheet.one_of(OPERATORS)} {sheet.one_of([*NUMBERS, f'{a}{part}'])}"
    elif sheet.chance(8):
        text = f"for row in {a}: row {sheet.one_of(OPERATORS)} {sheet.one_of(NUMBERS)}"
    if sheet.chance(3):
        text = f"with torch.no_grad():\n    {text}"
    finish_change(sheet, a, text, "change a part")


def finish_change(sheet: Sheet, name: str, text: str, operation: str) -> None:
    failed = sheet.run(text)
    sheet.count(operation, None if failed else name)
    sheet.changed(*sharers(sheet, name))


def clone(sheet: Sheet) -> None:
    a = sheet.named()
    kind = sheet.one_of(["clone", "detach", "data", "detach clone", "detach_", "alias"])
    if kind == "detach_":
        a = sheet.usable[-1]  # nothing has saved it yet
        failed = sheet.run(f"{a}.detach_()")
        sheet.count(kind, None if failed else a)
        sheet.show(a)
        if sheet.value(a).retains_grad:  # torch goes on saying so of a leaf that this has made
            sheet.forget(a)
    elif kind == "alias":
        sheet.assign(f"{sheet.one_of(['+', ''])}{a}", kind, True)
    else:
        sheet.assign(f"{a}.{kind.replace(' ', '().')}" + "()" * (kind != "data"), kind, True)


def flag(sheet: Sheet) -> None:
    """Change requires_grad; not of shared memory, where torch takes the others into the graph as well."""
    a = sheet.named(lambda value: not value._is_view())
    if a is None or len(sharers(sheet, a)) > 1:
        return
    text = sheet.one_of([f"{a}.requires_grad_()", f"{a}.requires_grad = True", f"{a}.requires_grad_(False)"])
    failed = sheet.run(text)
    sheet.count("requires_grad_", None if failed else a)
    sheet.show(f"{a}.requires_grad", f"{a}.is_leaf")


def without_graph(sheet: Sheet) -> None:
    """A result that is not recorded, or recorded again inside."""
    a, b = sheet.named(), sheet.named()
    name = sheet.fresh()
    mode = sheet.one_of(["torch.no_grad()", "torch.no_grad()", "torch.set_grad_enabled(False)", "torch.enable_grad()"])
    expression = sheet.one_of([f"{a} * 2", f"{a}.exp()", f"{a}.view(-1)", f"{a} + {b}", a, f"{a}[..., 0]"])
    failed = sheet.run(f"with {mode}: {name} = {expression}")
    sheet.count(mode, None if failed else name)
    if not failed:
        sheet.adopt(name, True)


def retain(sheet: Sheet) -> None:
    a = sheet.named(lambda value: value.requires_grad and not value.is_leaf)
    if sheet.chance(20):
        a = sheet.named()
    if a is None:
        return
    failed = sheet.run(f"{a}.retain_grad()")
    sheet.count("retain_grad", None if failed else a)


def hook(sheet: Sheet) -> None:
    """A hook that prints, scales, or gives something wrong back; or the end of one."""
    handles = [name for name, kind in sheet.others.items() if kind == "hook"]
    if handles and sheet.chance(4):
        sheet.run(f"{sheet.one_of(handles)}.remove()")
        sheet.count("remove", sheet.named())
        return
    a = sheet.named(lambda value: value.requires_grad)
    if sheet.chance(20):
        a = sheet.named()
    if a is None:
        return
    name = sheet.fresh("h")
    does = sheet.one_of(["print(g.detach())", "print(g.detach())", *SCALES, f"print('{a}', g.shape)"])
    if sheet.chance(16):
        does = sheet.one_of(["torch.ones(4, 4)", "1.0", "g.double()"])
    kind = "register_hook"
    text = f"{a}.register_hook(lambda g: {does})"
    if sheet.value(a)._is_view():  # torch 2.13 crashes if its base was changed and nobody read grad_fn since
        text = f"{a}.grad_fn and {text}"
    if sheet.chance(8):
        kind = "register_post_accumulate_grad_hook"
        text = f"{a}.{kind}(lambda t: print(t.grad))"
    failed = sheet.run(f"{name} = {text}")
    sheet.count(kind, None if failed else a)
    if not failed:
        sheet.others[name] = "hook"


def upstream(sheet: Sheet, name: str) -> str:
    """An upstream gradient for a tensor: of its shape, seldom of another, or of another kind."""
    shape = tuple(sheet.value(name).shape)
    if sheet.chance(30):
        shape = sheet.one_of(SHAPES)
    if sheet.chance(40):
        return sheet.one_of(["1.0", "[1.0, 1.0]", "None"])
    text = tensor_of(sheet, shape)
    if sheet.chance(10):
        text = f"{text}.to({sheet.one_of(DTYPES)})"
    return text


def matching(sheet: Sheet, name: str) -> str:
    """An upstream gradient of a tensor's own shape."""
    return tensor_of(sheet, tuple(sheet.value(name).shape))


def result(sheet: Sheet) -> str:
    """What to differentiate: mostly the result of a recorded operation."""
    name = sheet.named(lambda value: value.requires_grad and not value.is_leaf)
    name = name or sheet.named(lambda value: value.requires_grad)
    return sheet.named() if name is None or sheet.chance(40) else name


def leaves(sheet: Sheet) -> list[str]:
    """One or two tensors to differentiate by."""
    names = [sheet.named(lambda value: value.requires_grad) or sheet.named()]
    if sheet.chance(3):
        names.append(sheet.named(lambda value: value.requires_grad) or sheet.named())
    return [*dict.fromkeys(names)]


def backward(sheet: Sheet) -> None:
    """backward, once or twice, and all the gradients there are."""
    a = result(sheet)
    if not sheet.value(a).requires_grad and not sheet.chance(8):
        return
    arguments = []
    if (sheet.value(a).numel() != 1 and not sheet.chance(20)) or sheet.chance(6):
        arguments.append(upstream(sheet, a))
    twice = sheet.chance(5)
    if twice or sheet.chance(2):
        arguments.append(f"retain_graph={sheet.one_of([True, True, True, True, False])}")
    if sheet.chance(8):
        arguments.append("create_graph=True")
    if sheet.chance(8):
        arguments.append(f"inputs=[{', '.join(leaves(sheet))}]")
    call = f"{a}.backward({', '.join(arguments)})"
    if sheet.chance(10):
        b = result(sheet)
        call = f"torch.autograd.backward([{a}, {b}], [{matching(sheet, a)}, {matching(sheet, b)}])"
    for _ in range(1 + twice):
        failed = sheet.run(call)
        sheet.count("backward", None if failed else a)
        for keyword in ("inputs", "create_graph", "retain_graph", "autograd.backward"):
            if keyword in call:
                sheet.count(keyword, None if failed else a)
        sheet.gradients()


def change_gradient(sheet: Sheet) -> None:
    """Set, clear or change .grad."""
    a = sheet.named(lambda value: value.is_leaf and value.grad is not None)
    if a is None or sheet.chance(4):
        a = sheet.named()
    b = sheet.named(lambda value: value.shape == sheet.value(a).shape) or a
    kind, text = sheet.one_of(
        [
            ("grad = None", f"{a}.grad = None"),
            ("grad = None", f"{a}.grad = None"),
            ("grad.zero_", f"{a}.grad.zero_()"),
            ("grad = tensor", f"{a}.grad = {b}.detach() * 1"),
            ("step", f"with torch.no_grad(): {a} -= 0.5 * {a}.grad"),
            ("step", f"{a}.data -= 0.25 * {a}.grad"),
        ]
    )
    failed = sheet.run(text)
    sheet.count(kind, None if failed else a)
    sheet.changed(a)
    sheet.show(f"{a}.grad")


def grad(sheet: Sheet) -> None:
    """autograd.grad; with create_graph its results are tensors like others."""
    a, by = result(sheet), leaves(sheet)
    if not sheet.value(a).requires_grad and not sheet.chance(8):
        return
    outputs, seeds = a, upstream(sheet, a) if sheet.value(a).numel() != 1 or sheet.chance(5) else None
    if sheet.chance(8):
        b = result(sheet)
        outputs, seeds = f"[{a}, {b}]", f"[{matching(sheet, a)}, {matching(sheet, b)}]"
        sheet.count("grad of several", a)
    settings = [seeds] if seeds and not sheet.chance(16) else []
    for setting, one_in in (("create_graph", 2), ("retain_graph", 4), ("allow_unused", 3), ("materialize_grads", 8)):
        if sheet.chance(one_in):
            settings.append(f"{setting}=True")
    arguments = ", ".join([outputs, by[0] if len(by) == 1 else f"[{', '.join(by)}]", *settings])
    names = [sheet.fresh("g") for _ in by]
    failed = sheet.run(f"{', '.join(names)}{',' * (len(by) == 1)} = torch.autograd.grad({arguments})")
    sheet.count("grad", None if failed else a)
    for setting in ("create_graph", "allow_unused", "materialize_grads"):
        if setting in arguments:
            sheet.count(f"grad {setting}", None if failed else a)
    if failed:
        return
    for name in names:
        if sheet.value(name) is None:
            sheet.show(f"{name} is None")
        else:
            # detached: the names of the nodes that made a gradient are not promised
            sheet.adopt(name, True, (f"{name}.detach()", f"{name}.requires_grad"))
            if sheet.value(name).requires_grad:
                sheet.count("second derivative", name)
            if sharers(sheet, name) != [name]:  # which gradients share memory is not promised: none of these is changed
                sheet.forget(name)


WHOLE = ("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp")
BODIES = (
    *("x * x", "x.exp()", "x * x.sum()", "(x * x).sum()", "x ** 3", "x.sin() * x", "x[0] * x", "x.prod()", "x @ x"),
    *("x.reshape(-1).cumsum(0)", "x.tanh().sum()", "2 * x", "x.max()", "x.detach() * x", "torch.ones(2)", "x"),
)
BODIES_OF_TWO = ("x * y", "x + y", "(x * x * y).sum()", "(x * y, x + 1)", "x * y.sum()", "x.exp() * y")


def whole_jacobian(sheet: Sheet) -> None:
    """jacobian, hessian and the products with vectors, of small functions."""
    kind = sheet.one_of([*WHOLE, "jacobian", "hessian"])
    a = sheet.named(lambda value: value.is_floating_point() and value.numel() > 0)
    if a is None:
        return
    two = sheet.chance(3)
    body = sheet.one_of(BODIES_OF_TWO if two else BODIES)
    if kind in ("hessian", "hvp", "vhp") and not sheet.chance(6):
        body = sheet.one_of(
            ["(x * x * y).sum()", "(x ** 2 * y ** 3).sum()"]
            if two
            else ["(x ** 3).sum()", "(x * x).sum() ** 2", "x.sin().prod()"]
        )
    b = partner(sheet, a)
    inputs = f"({a}, {b})" if two else a
    function = f"lambda {'x, y' if two else 'x'}: {body}"
    settings = ""
    if kind not in ("jacobian", "hessian") and not sheet.chance(8):
        size = tuple(sheet.value(a).shape)
        if kind == "vjp":
            with contextlib.suppress(RuntimeError, IndexError, AttributeError):
                size = tuple(eval(f"({function})({'*' * two}{inputs})", sheet.plain).shape)
            settings = f", {tensor_of(sheet, size)}"
        elif two:
            settings = f", ({tensor_of(sheet, size)}, {tensor_of(sheet, tuple(sheet.value(b).shape))})"
        else:
            settings = f", {tensor_of(sheet, size)}"
    if sheet.chance(8) and kind == "jacobian":
        settings += ", strict=True"
    text = f"torch.autograd.functional.{kind}({function}, {inputs}{settings})"
    if kind in ("jacobian", "hessian") and not two and sheet.chance(3):
        name = sheet.fresh("j")
        if not sheet.run(f"{name} = {text[:-1]}, create_graph=True)") and isinstance(sheet.value(name), torch.Tensor):
            sheet.adopt(name, True, (f"{name}.detach()", f"{name}.requires_grad"))
    error = sheet.said(text, sheet.plain)[1]
    if sheet.is_sure(text):
        sheet.lines.append(text)
        sheet.count(kind, None if error else a)


STATEMENTS = {
    facts: 2,
    nodes: 2,
    change: 14,
    change_part: 4,
    clone: 3,
    flag: 1,
    without_graph: 2,
    retain: 2,
    hook: 3,
    backward: 8,
    change_gradient: 3,
    grad: 5,
    whole_jacobian: 3,
}
WITH_GRADIENT = (
    *CHANGES,
    *OPERATORS,
    *WHOLE,
    *("change a part", "clone", "alias", "requires_grad_", "retain_grad", "register_hook", "remove"),
    *("register_post_accumulate_grad_hook", "backward", "inputs", "create_graph", "retain_graph", "autograd.backward"),
    *("grad = None", "grad.zero_", "grad = tensor", "step", "grad", "grad create_graph", "grad allow_unused"),
    *("grad materialize_grads", "grad of several", "second derivative", "torch.enable_grad()"),
)
WITHOUT = (
    *CHANGES,
    *OPERATORS,
    *("change a part", "clone", "detach", "detach clone", "data", "detach_", "torch.no_grad()", "requires_grad_"),
    "torch.set_grad_enabled(False)",
)
