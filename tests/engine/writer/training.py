"""Statements about training: parameters, modules, losses, optimizers."""

from writer.choices import literal, tensor_of
from writer.sheet import Sheet

ACTIVATIONS = (
    "ReLU()",
    "Tanh()",
    "Sigmoid()",
    "Softmax(1)",
    "LogSoftmax(1)",
    "Identity()",
    "LeakyReLU(0.25)",
    "ELU()",
    "GELU()",
    "SiLU()",
    "Mish()",
    "Hardtanh()",
    "ReLU6()",
    "BatchNorm1d(3)",
)
FUNCTIONS = ("relu", "tanh", "sigmoid", "leaky_relu", "elu", "silu", "mish", "hardtanh", "relu6")
LOSSES = ("mse_loss", "l1_loss", "binary_cross_entropy_with_logits", "cross_entropy", "nll_loss", "smooth_l1_loss")
OPTIMIZERS = (
    *("SGD({}, lr=0.5)", "SGD({}, lr=0.25, momentum=0.5)", "SGD({}, lr=0.5, weight_decay=0.5)", "Adam({}, lr=0.25)"),
    *(
        "SGD({}, lr=0.5, momentum=0.5, nesterov=True)",
        "AdamW({}, lr=0.25)",
        "SGD({}, lr=-1.)",
        "SGD({}, lr=0.5, maximize=True)",
    ),
)


def kept(sheet: Sheet, kind: str) -> str | None:
    """The name of a module or an optimizer; None if there is none."""
    names = [name for name, each in sheet.others.items() if each == kind]
    return sheet.one_of(names) if names else None


def parameter(sheet: Sheet) -> None:
    shape = sheet.one_of([(2,), (3,), (2, 3), (3, 2), ()])
    grad = sheet.one_of(["", "", "", ", requires_grad=False"])
    sheet.assign(f"torch.nn.Parameter({tensor_of(sheet, shape)}{grad})", "Parameter", True, letter="p")


def module(sheet: Sheet) -> None:
    """A linear layer or a small network, with weights drawn from a seed."""
    inside, outside = sheet.one_of([2, 3]), sheet.one_of([1, 2, 3])
    name = sheet.fresh("m")
    bias = sheet.one_of(["", "", ", bias=False"])
    linear = f"torch.nn.Linear({inside}, {outside}{bias})"
    if sheet.chance(2):
        middle = f"torch.nn.{sheet.one_of(ACTIVATIONS)}, torch.nn.Linear({outside}, {sheet.one_of([1, 2, 3])})"
        linear = f"torch.nn.Sequential({linear}, {middle})"
    sheet.run(f"_ = torch.manual_seed({sheet.one_of([0, 1, 42])})")
    sheet.run(f"{name} = {linear}")
    sheet.used["Sequential" if "Sequential" in linear else "Linear", "grad"] += 1
    sheet.others[name] = "module"
    sheet.others[f"{name} takes"] = str(inside)
    sheet.show(sheet.one_of([name, f"[*{name}.parameters()]", f"[n for n, p in {name}.named_parameters()]"]))


def call(sheet: Sheet) -> None:
    """A module on data."""
    name = kept(sheet, "module")
    if name is None:
        module(sheet)
        name = kept(sheet, "module")
    width = int(sheet.others[f"{name} takes"])
    data = sheet.named(lambda value: value.is_floating_point() and value.shape[-1:] == (width,) and value.ndim > 1)
    if data is None or sheet.chance(12):
        data = tensor_of(sheet, (2, width))
    sheet.assign(f"{name}({data})", "call a module")


def activation(sheet: Sheet) -> None:
    a = sheet.named(lambda value: value.is_floating_point())
    if a is None:
        return
    name = sheet.one_of(FUNCTIONS)
    sheet.assign(f"torch.nn.functional.{name}({a})", f"functional.{name}", name == "relu")


def loss(sheet: Sheet) -> None:
    """A loss of what there is, against a target that fits."""
    name = sheet.one_of(LOSSES)
    wants_classes = name in ("cross_entropy", "nll_loss")

    def fits(value) -> bool:
        return value.is_floating_point() and value.numel() > 0 and (not wants_classes or value.ndim == 2)

    a = sheet.named(fits)
    if a is None:
        return
    shape = tuple(sheet.value(a).shape)
    reduction = sheet.one_of(["", "", ", reduction='sum'", ", reduction='none'"])
    if wants_classes:
        target = f"torch.tensor({literal(sheet, shape[:1], [*range(shape[1])])})"
    elif name == "binary_cross_entropy_with_logits":
        # in the dtype of the input: torch 2.13 gives float32 for float64 with a target in float32
        target = f"{tensor_of(sheet, shape)}.clamp(0, 1).type_as({a})"
    else:
        target = sheet.named(lambda value: tuple(value.shape) == shape and value is not sheet.value(a)) or tensor_of(
            sheet, shape
        )
    if sheet.chance(16):
        target = tensor_of(sheet, (3,))
    form = "torch.nn.functional." + name + f"({a}, {target}{reduction})"
    layer = {
        "mse_loss": "MSELoss",
        "cross_entropy": "CrossEntropyLoss",
        "l1_loss": "L1Loss",
        "nll_loss": "NLLLoss",
    }.get(name)
    if layer and sheet.chance(3):
        form = f"torch.nn.{layer}({reduction[2:]})({a}, {target})"
    sheet.assign(form, name)


def optimizer(sheet: Sheet) -> None:
    """An optimizer of a module's parameters, or of leaves."""
    name = sheet.fresh("o")
    leaf = sheet.named(lambda value: value.is_leaf and value.requires_grad)
    owner = kept(sheet, "module")
    options = [f"[{leaf}]"] * 2 if leaf else []
    options += [f"{owner}.parameters()"] * 3 if owner else []
    if not options or sheet.chance(16):
        options = ["[]", f"[{sheet.named()}]", sheet.named()]
    made = sheet.one_of(OPTIMIZERS).format(sheet.one_of(options))
    failed = sheet.run(f"{name} = torch.optim.{made}")
    sheet.used[made.split("(")[0], "error" if failed else "grad"] += 1
    if not failed:
        sheet.others[name] = "optimizer"
        if sheet.chance(4):
            sheet.show(name)


def step(sheet: Sheet) -> None:
    """One step of an optimizer, with zero_grad, backward, or without them."""
    name = kept(sheet, "optimizer")
    if name is None:
        optimizer(sheet)
        return
    parameters = f"{name}.param_groups[0]['params']"
    total = sheet.named(lambda value: value.requires_grad and not value.is_leaf)
    if sheet.chance(2):
        sheet.run(f"{name}.zero_grad({sheet.one_of(['', '', 'set_to_none=False'])})")
    if total is not None and not sheet.chance(4):
        sheet.run(f"{total}.sum().backward()")
    failed = sheet.run(f"{name}.step()")
    sheet.used["step of an optimizer", "error" if failed else "grad"] += 1
    for place in range(len(eval(parameters, sheet.plain))):
        sheet.plain[f"{name} {place}"], sheet.moved[f"{name} {place}"] = (
            eval(f"{parameters}[{place}]", names) for names in (sheet.plain, sheet.moved)
        )
        sheet.move(f"{name} {place}", True)
    sheet.show(f"{parameters}")
    sheet.show(f"[p.grad for p in {parameters}]")
    sheet.forget_wild()


STATEMENTS = {parameter: 3, module: 3, call: 5, activation: 5, loss: 5, optimizer: 3, step: 5}
WITH_GRADIENT = (
    *("Linear", "Sequential", "Parameter", "call a module", "SGD", "Adam", "AdamW", "step of an optimizer"),
    *(f"functional.{name}" for name in FUNCTIONS),
    *LOSSES,
)
WITHOUT = ("Parameter", *(f"functional.{name}" for name in FUNCTIONS), *LOSSES)
