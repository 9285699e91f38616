"""Statements about numbers: creation, arithmetic, functions of one number, comparisons, reductions, conversions."""

import torch

from writer.choices import (
    DTYPES,
    EXPONENTS,
    NUMBERS,
    QUARTERS,
    SHAPES,
    axes,
    axis,
    dtype_keyword,
    literal,
    partner,
)
from writer.sheet import Sheet

EXACT = ("neg", "abs", "square", "relu", "sign", "floor", "ceil", "round", "trunc", "clone")
ROUNDED = (
    *("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "reciprocal", "rsqrt", "tan", "atan", "asin", "acos"),
    *("sinh", "cosh", "exp2", "expm1", "log2", "log10", "log1p", "erf"),
)
ASKED = ("isnan", "isinf", "isfinite", "logical_not")  # functions whose result has no gradient
COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")
LOGICAL = ("logical_and", "logical_or", "logical_xor")
SIGNS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
REDUCED_EXACTLY = ("sum", "amax", "amin", "cumsum", "prod")
REDUCED = ("mean", "var", "std", "norm", "softmax", "log_softmax", "cumprod")
REDUCED_TO_PLACES = ("argmax", "argmin", "any", "all", "count_nonzero")
WITH_PLACES = ("max", "min", "sort", "median", "topk")  # results with values and indices
CONVERSIONS = ("double", "float", "long", "int", "bool")


def create(sheet: Sheet) -> None:
    """A leaf, nearly always one that requires grad."""
    shape = sheet.one_of(SHAPES)
    grad = sheet.one_of([", requires_grad=True"] * 3 + [""])
    kind = sheet.one_of(["float"] * 16 + ["double", "int", "bool"] * 2 + ["wrong"])
    if 0 in shape:  # changes and gradients of nothing at all are a world of their own
        sheet.assign("torch.zeros(0)", "zeros", True, letter="x")
    elif kind == "int":
        sheet.assign(f"torch.tensor({literal(sheet, shape, [1, 2, 0, -1, 3])})", "tensor", letter="n")
    elif kind == "bool":
        sheet.assign(f"torch.tensor({literal(sheet, shape, [True, False])})", "tensor", letter="b")
    elif kind == "wrong":
        bad = ["[1, 2], requires_grad=True", "[True], requires_grad=True", "[[1., 2.], [3.]]", "[1., None]"]
        sheet.assign(f"torch.tensor({sheet.one_of(bad)})", "tensor")
    else:
        dtype = ", dtype=torch.float64" if kind == "double" else ""
        text = f"torch.tensor({literal(sheet, shape)}{dtype}{grad})"
        if len(shape) == 3 and not grad:
            text = f"torch.linspace(-2, 3, {torch.Size(shape).numel()}).reshape{shape}"
        elif grad and not dtype and sheet.chance(4):  # a leaf of a class of its own
            text = f"torch.nn.Parameter(torch.tensor({literal(sheet, shape)}))"
        sheet.assign(text, "tensor" if "tensor" in text else "linspace", True, letter="x")


def fill(sheet: Sheet) -> None:
    """The factories that need no numbers."""
    shape = sheet.one_of(SHAPES)
    grad = sheet.one_of([", requires_grad=True", ""])
    number = sheet.one_of(NUMBERS)
    dtype = dtype_keyword(sheet) if not grad or sheet.chance(8) else ""
    ranges = ["3.", "1., 3., 0.5", "0, 1, 0.25"] if grad else ["3", "1, 4", "5, 0, -2"]
    kind = sheet.one_of(["zeros", "ones", "full", "eye", "arange", "linspace"])
    text = {
        "zeros": f"torch.zeros({', '.join(map(str, shape)) or '()'}{dtype}{grad})",
        "ones": f"torch.ones({shape}{dtype}{grad})",
        "full": f"torch.full({shape}, {sheet.one_of(QUARTERS) if grad else number + dtype_keyword(sheet)}{grad})",
        "eye": f"torch.eye({sheet.one_of(['2', '3', '2, 3'])}{dtype}{grad})",
        "arange": f"torch.arange({sheet.one_of(ranges)}{grad})",
        "linspace": f"torch.linspace({sheet.one_of(['0, 1, 5', '-1, 1, 3', '2, -2, 4'])}{grad})",
    }[kind]
    sheet.assign(text, kind, kind != "linspace", letter="x")


def like(sheet: Sheet) -> None:
    a = sheet.named()
    kind = sheet.one_of(["zeros_like", "ones_like", "full_like", "rand_like", "randn_like"])
    if kind.startswith("rand"):
        if sheet.value(a).numel() > 15:
            return
        sheet.run(f"_ = torch.manual_seed({sheet.one_of([0, 1, 42])})")
        sheet.assign(f"torch.{kind}({a})", kind)
    else:
        number = f", {sheet.one_of(NUMBERS)}" if kind == "full_like" else ""
        sheet.assign(f"torch.{kind}({a}{number}{dtype_keyword(sheet)})", kind, True)


def draw_numbers(sheet: Sheet) -> None:
    """Random numbers: the seed first, so that a program says the same every time."""
    if (sheet.lines and not any("manual_seed" in line for line in sheet.lines)) or sheet.chance(2):
        sheet.run(f"_ = torch.manual_seed({sheet.one_of([0, 1, 42])})")
    shape = str(sheet.one_of(SHAPES))
    grad = sheet.one_of([", requires_grad=True", ""])
    kind = sheet.one_of(["rand", "randn", "randint", "randperm"])
    arguments = {"randint": f"{sheet.one_of(['', '-3, '])}5, {shape}", "randperm": sheet.one_of("234")}.get(kind)
    sheet.assign(f"torch.{kind}({arguments or shape + grad})", kind, letter="x")


def arithmetic(sheet: Sheet) -> None:
    """Operators and their names, between tensors, and between a tensor and a number."""
    a = sheet.named()
    b = sheet.one_of([partner(sheet, a), partner(sheet, a), sheet.one_of(NUMBERS)])
    left, right = (b, a) if sheet.chance(3) else (a, b)
    sign = sheet.one_of([*SIGNS, *SIGNS, "//", "%"])
    if sign == "%":  # by a number: torch has no derivative by the divisor, and says so before it visits other nodes
        b, left, right = 2, a, 2
    if sign == "//":  # it has none at all
        constant = sheet.named(lambda value: not value.requires_grad)
        a, b, left, right = (constant, 2, constant, 2) if constant else (a, b, a, b)
        sign = sign if constant else "*"
    form = sheet.one_of(["operator"] * 4 + ["method", "function"])
    word = SIGNS.get(sign) or {"//": "floor_divide", "%": "remainder"}[sign]
    if form == "operator":
        text = f"{left} {sign} {right}"
    elif form == "method":
        text = f"{a}.{word}({b})"
    else:
        text = f"torch.{word}({a}, {b})"
    sheet.assign(text, word, sign != "/")


def unusual_arithmetic(sheet: Sheet) -> None:
    a = sheet.named(lambda value: value.is_floating_point())
    if a is None:
        return
    b, number = partner(sheet, a), sheet.one_of(NUMBERS)
    if sheet.value(b).dtype is torch.bool:
        b = a
    c = partner(sheet, b)
    if not sheet.value(c).is_floating_point():
        c = a  # torch 2.13 cannot go back through addcdiv by integers
    kind, text = sheet.one_of(
        [
            ("add", f"torch.add({a}, {b}, alpha={number})"),
            ("sub", f"{a}.sub({b}, alpha={number})"),
            ("div", f"torch.div({a}, {b}, rounding_mode={sheet.one_of([repr('floor'), repr('trunc')])})"),
            ("fmod", f"torch.fmod({a}, {sheet.one_of([b, number])})"),
            ("lerp", f"torch.lerp({a}, {b}, {sheet.one_of(['0.5', '0.25', b])})"),
            ("lerp", f"{a}.lerp({a}, 0.5)"),
            ("addcmul", f"torch.addcmul({a}, {b}, {b}, value={sheet.one_of(['1', '0.5', '2'])})"),
            ("addcdiv", f"torch.addcdiv({a}, {b}, {c})"),
            ("atan2", f"torch.atan2({a}, {b})"),
            ("maximum", f"torch.maximum({a}, {b})"),
            ("minimum", f"torch.minimum({a}, {b})"),
        ]
    )
    sheet.assign(text, kind, kind in ("add", "sub", "maximum", "minimum"))


def power(sheet: Sheet) -> None:
    """`**` of numbers up to 4: the last bit of a large power is not the same everywhere."""

    def small(value: torch.Tensor) -> bool:
        return bool((value.detach().double().abs() <= 4).all())

    a = sheet.named(small)
    if a is None:
        return
    b = sheet.named(lambda value: small(value) and value.dtype is not torch.bool) if sheet.chance(3) else None
    b = b or sheet.one_of(EXPONENTS)
    if sheet.chance(4):
        a, b = sheet.one_of(["2", "0.5", "3.0", "1"]), a
    if b in sheet.plain and sheet.value(b).dtype is torch.bool:
        return  # torch's own backward fails: it subtracts 1 from the bools
    form = sheet.one_of([f"{a} ** {b}", f"torch.pow({a}, {b})"])
    sheet.assign(form, "pow")


def function(sheet: Sheet) -> None:
    """A function of one number, as a method or a function of torch."""
    a = sheet.named()
    name = sheet.one_of([*EXACT, *EXACT, *ROUNDED, *ROUNDED[:7], *ROUNDED[:7], *ASKED])
    text = sheet.one_of([f"{a}.{name}()", f"torch.{name}({a})"])
    sheet.assign({"neg": f"-{a}", "abs": f"abs({a})"}.get(name, text), name, name in EXACT)


def compare(sheet: Sheet) -> None:
    a = sheet.named()
    b = sheet.one_of([partner(sheet, a), sheet.one_of(NUMBERS)])
    name = sheet.one_of([*COMPARED, *COMPARED, *LOGICAL])
    sign = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.get(name)
    if name in LOGICAL:
        sheet.assign(f"torch.{name}({a}, {partner(sheet, a)})", name)
    elif sheet.chance(3):
        sheet.assign(f"torch.{name}({a}, {b})", name)
    else:
        sheet.assign(f"{a} {sign} {b}", name)


def combine_flags(sheet: Sheet) -> None:
    """Bits of bools and integers."""
    a = sheet.named(lambda value: not value.is_floating_point())
    if a is None:
        compare(sheet)
        return
    b = a if sheet.value(partner(sheet, a)).is_floating_point() else partner(sheet, a)
    sheet.assign(sheet.one_of([f"{a} & {b}", f"{a} | {b}", f"{a} ^ {b}", f"~{a}"]), "bits")


def choose(sheet: Sheet) -> None:
    """where, clamp and masked_fill: some entries pass, others do not."""
    a = sheet.named()
    b = partner(sheet, a)
    low, high = sheet.one_of([("0", "1"), ("-1.5", "1.5"), ("-1", "2")])
    other = sheet.one_of([b, sheet.one_of(NUMBERS)])
    kind, text = sheet.one_of(
        [
            ("where", f"torch.where({a} > {low}, {a}, {other})"),
            ("where", f"torch.where({a} > {b}, {other}, {a})"),
            ("clamp", f"{a}.clamp({low}, {high})"),
            ("clamp", f"torch.clamp({a}, max={sheet.one_of([high, b])})"),
            ("clamp", f"{a}.clamp(min={low})"),
            ("clamp_min", f"{a}.clamp_min({low})"),
            ("clamp_max", f"{a}.clamp_max({high})"),
            ("masked_fill", f"{a}.masked_fill({b} < {high}, {sheet.one_of(NUMBERS)})"),
            ("nan_to_num", f"{a}.nan_to_num()"),
        ]
    )
    sheet.assign(text, kind, True)


def reduce(sheet: Sheet) -> None:
    """Sums, products and the like, over everything or over some axes."""
    a = sheet.named()
    ndim = sheet.value(a).ndim
    name = sheet.one_of([*REDUCED_EXACTLY, *REDUCED, "sum", "sum", "mean", *REDUCED_TO_PLACES])
    if not sheet.value(a).numel():
        name = sheet.one_of(["sum", "prod", "mean", "cumsum", "any", "all"])  # the others have no answer
    if name in ("amax", "amin") and (sheet.value(a) == 0).any():
        return  # which of 0 and -0 is the larger is not said
    keepdim = sheet.one_of(["", "", ", keepdim=True"])
    one, some = axis(sheet, ndim), axes(sheet, ndim)
    if name in ("cumsum", "cumprod", "softmax", "log_softmax"):
        arguments = f"{one}"
    elif name == "norm":
        order = sheet.one_of(["", "1", "2", "float('inf')"])
        arguments = f"{order}, dim={some}{keepdim}" if order and sheet.chance(2) else order
    elif sheet.chance(2):
        arguments = ""
    elif name in ("prod", "argmax", "argmin", "any", "all"):
        arguments = f"{one}{keepdim}"
    elif name == "count_nonzero":
        arguments = f"{one}"
    elif name in ("var", "std"):
        arguments = f"{some}{sheet.one_of(['', ', correction=0', ', unbiased=False'])}{keepdim}"
    else:
        arguments = sheet.one_of([f"{some}{keepdim}", f"dim={some}{keepdim}"])
    if name == "norm" and not sheet.value(a).is_floating_point():
        return
    if sheet.chance(4) and name != "norm":
        text = f"torch.{name}({a}{', ' * bool(arguments)}{arguments})"
    else:
        text = f"{a}.{name}({arguments})"
    sheet.assign(text, name, name in REDUCED_EXACTLY)


def reduce_with_places(sheet: Sheet) -> None:
    """max, sort and the like: the values, and where they were."""
    a = sheet.named(lambda value: value.numel() > 0)
    if a is None:
        return
    ndim = sheet.value(a).ndim
    name = sheet.one_of([*WITH_PLACES, *WITH_PLACES, "max", "min", "topk", "median"])
    if name in ("max", "min") and sheet.chance(3):
        sheet.assign(f"{a}.{name}()", name, True)
        return
    one = axis(sheet, ndim)
    arguments = {
        "sort": sheet.one_of([f"{one}", f"dim={one}, descending=True"]),
        "topk": f"{sheet.one_of('12')}, {one}",
    }.get(name) or sheet.one_of([f"{one}", f"dim={one}, keepdim=True"])
    if name in ("topk", "median") and has_ties(sheet.value(a)):
        return
    sheet.assign_several(f"{a}.{name}({arguments})", name, 2, True)


def has_ties(value: torch.Tensor) -> bool:
    """True if a number stands in a tensor twice: then torch does not promise which place it names."""
    return value.detach().unique().numel() < value.numel()


def convert(sheet: Sheet) -> None:
    """Another dtype."""
    a = sheet.named()
    name = sheet.one_of([*CONVERSIONS, "to", "to", "type_as"])
    arguments = {"to": sheet.one_of(DTYPES), "type_as": sheet.named()}.get(name, "")
    sheet.assign(f"{a}.{name}({arguments})", name, True)


def ask(sheet: Sheet) -> None:
    """Questions with an answer that is not a tensor."""
    a = sheet.named()
    b = partner(sheet, a)
    questions = [
        *(f"{a}.{each}" for each in ("item()", "tolist()", "numel()", "dim()", "size()", "size(0)", "dtype", "shape")),
        *(f"{a}.{each}" for each in ("numpy()", "is_floating_point()", "element_size()", "device")),
        *(f"bool({a})", f"int({a})", f"len({a})", f"[{a}, 1]", f"f'{{{a}}}'", f"torch.equal({a}, {b})"),
        *(f"torch.allclose({a}, {b})", f"torch.isclose({a}, {b})", f"{a}.shape == {b}.shape", f"{a} is {b}"),
        *(f"[each for each in {a}]", f"float({a})", f"max({a}, {b})", f"torch.is_tensor({a})"),
    ]
    sheet.show(sheet.one_of(questions))


STATEMENTS = {
    create: 3,
    fill: 2,
    like: 2,
    draw_numbers: 2,
    arithmetic: 9,
    unusual_arithmetic: 6,
    power: 3,
    function: 18,
    compare: 4,
    combine_flags: 1,
    choose: 4,
    reduce: 12,
    reduce_with_places: 6,
    convert: 3,
    ask: 2,
}
WITH_GRADIENT = (
    *EXACT,
    *ROUNDED,
    *SIGNS.values(),
    *("remainder", "fmod", "lerp", "addcmul", "addcdiv", "atan2", "maximum", "minimum", "pow"),
    *("where", "clamp", "clamp_min", "clamp_max", "masked_fill", "nan_to_num", "to", "type_as", "double", "float"),
    *REDUCED_EXACTLY,
    *REDUCED,
    *WITH_PLACES,
    *("tensor", "zeros", "ones", "full", "eye", "arange", "linspace", "rand", "randn"),
)
WITHOUT = (
    *WITH_GRADIENT,
    *ASKED,
    *COMPARED,
    *LOGICAL,
    *REDUCED_TO_PLACES,
    *CONVERSIONS,
    *("floor_divide", "bits", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint", "randperm"),
)
