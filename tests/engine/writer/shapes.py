"""Statements about the form of a tensor: views, joining and cutting, indexing, and products of matrices."""

import contextlib

import torch

from writer.choices import NUMBERS, axis, literal, repeats
from writer.sheet import Sheet

VIEWS = (
    *("reshape", "view", "flatten", "T", "t", "mT", "transpose", "permute", "movedim", "squeeze", "unsqueeze"),
    *("expand", "expand_as", "broadcast_to", "narrow", "select", "diagonal", "view_as", "unflatten", "ravel", "detach"),
)
COPIES = (
    *("gather", "scatter", "index_select", "index_add", "tril", "diag"),  # twice, as they fail more often
    *("repeat", "tile", "repeat_interleave", "flip", "roll", "contiguous", "tril", "triu", "diag"),
    *("index_select", "take", "masked_select", "gather", "scatter", "scatter_add", "index_add", "nonzero"),
)
JOINED = ("stack", "cat", "hstack", "vstack")
CUT = ("unbind", "chunk", "split")
INDEXED = ("index with a number", "index with a slice", "index with a mask", "index with a list", "index mixed")
PRODUCTS = (
    "matmul",
    "mm",
    "mv",
    "bmm",
    "dot",
    "outer",
    "addmm",
    "einsum",
    "trace",
)  # torch's graph of inner hangs on strides


def divisions(sheet: Sheet, count: int) -> tuple[int, ...]:
    """A shape for so many numbers, once in a while a wrong one, sometimes with a -1."""
    if sheet.chance(12):
        return (sheet.one_of([count + 1, 4]),)
    options = [(count,)] + [(n, count // n) for n in (1, 2, 3) if count % n == 0] + [(1, count, 1)]
    if count and count % 4 == 0:
        options.append((2, 2, count // 4))
    shape = list(sheet.one_of(options))
    if count and sheet.chance(3):
        shape[sheet.draw_place(len(shape))] = -1
    return tuple(shape)


def order(sheet: Sheet, ndim: int) -> tuple[int, ...]:
    """A permutation of the axes."""
    rest, chosen = [*range(ndim)], []
    while rest:
        chosen.append(rest.pop(sheet.draw_place(len(rest))))
    return tuple(chosen)


def view(sheet: Sheet) -> None:
    """The same numbers in the same memory, in another form."""
    a = sheet.named()
    value = sheet.value(a)
    ndim, count = value.ndim, value.numel()
    name = sheet.one_of([*VIEWS, "reshape", "view", "T", "t", "diagonal", "transpose", "expand", "permute"])
    if name in ("T", "mT", "t", "diagonal") and not sheet.chance(12):
        a = sheet.named(lambda value: value.ndim == 2)
        if a is None:
            return
        value = sheet.value(a)
        ndim, count = value.ndim, value.numel()
    wide = tuple(size if size > 1 else sheet.one_of([1, 2, 3]) for size in value.shape)
    if sheet.chance(2):
        wide = (2, *wide)
    one, other = axis(sheet, ndim), axis(sheet, ndim)
    size = value.shape[one] if -ndim <= one < ndim else 2
    if name in ("movedim", "unflatten") and (ndim == 0 or not -ndim <= one < ndim or not count):
        return
    if name in ("narrow", "select") and ndim == 0:
        return
    if name in ("view_as", "expand_as"):
        fit = sheet.named(lambda each: each.numel() == count) if name == "view_as" else None
        text = f"{a}.{name}({fit or sheet.named()})"
    else:
        arguments = {
            "reshape": str(divisions(sheet, count)),
            "view": ", ".join(map(str, divisions(sheet, count))),
            "flatten": sheet.one_of(["", "0", "1", "0, 1", "start_dim=1"]),
            "transpose": f"{one}, {other}",
            "permute": sheet.one_of([str(order(sheet, ndim)), ", ".join(map(str, order(sheet, ndim))) or "()"]),
            "movedim": f"{one}, {other}",
            "squeeze": sheet.one_of(["", f"{one}", f"dim={one}"]),
            "unsqueeze": f"{axis(sheet, ndim + 1)}",
            "expand": ", ".join(map(str, wide)) or "()",
            "broadcast_to": str(wide),
            "narrow": f"{one}, {sheet.one_of([0, 1])}, {max(1, size - 1)}",
            "select": f"{one}, {sheet.one_of([0, 1, -1])}",
            "diagonal": sheet.one_of(["", "1", "-1"]),
            "unflatten": f"{one}, ({sheet.one_of([1, -1])}, {size})",
        }.get(name, "")
        text = f"{a}.{name}" + (f"({arguments})" if name not in ("T", "mT") else "")
        if name == "T":
            pass
        elif name in ("reshape", "transpose", "permute", "unsqueeze", "squeeze") and sheet.chance(4):
            comma = ", " if arguments else ""
            text = f"torch.{name}({a}{comma}{arguments if name != 'permute' else order(sheet, ndim)})"
    sheet.assign(text, name, True)


def copy(sheet: Sheet) -> None:
    """The same numbers, or some of them, in new memory."""
    a = sheet.named()
    value = sheet.value(a)
    ndim = value.ndim
    name = sheet.one_of(COPIES)
    if name in ("gather", "scatter", "scatter_add"):
        return copy_to_places(sheet, name)
    one = axis(sheet, ndim)
    if ndim == 0 and name in ("repeat_interleave", "roll", "index_select", "index_add"):
        return
    size = value.shape[one] if -ndim <= one < ndim else 2
    places = [sheet.one_of([*range(size)] or [0]), sheet.one_of([*range(size)] or [0])]
    arguments = {
        "repeat": sheet.one_of(["2", "2, 1", "1, 2, 1"]),
        "tile": sheet.one_of(["(2,)", "(2, 1)"]),
        "repeat_interleave": sheet.one_of(["2", f"2, dim={one}"]),
        "flip": f"{one}" if ndim else "()",
        "roll": sheet.one_of(["1", f"1, {one}", f"-1, {one}"]),
        "tril": sheet.one_of(["", "1", "-1"]),
        "triu": sheet.one_of(["", "1", "-1"]),
        "diag": sheet.one_of(["", "1"]),
        "index_select": f"{one}, torch.tensor({places})",
        "index_add": f"{one}, torch.tensor({places[:1]}), {a}.narrow({one}, 0, 1)",
        "take": f"torch.tensor({places})",
        "masked_select": f"{a} > {sheet.one_of(['0', '0.5'])}",
    }.get(name, "")
    sheet.assign(f"{a}.{name}({arguments})", name, True)


def copy_to_places(sheet: Sheet, name: str) -> None:
    """gather and scatter of a matrix: one place, or two different ones, for each row or column."""
    a = sheet.named(lambda value: value.ndim == 2 and value.numel() > 0)
    if a is None:
        return
    value = sheet.value(a)
    dim = sheet.one_of([0, 1, -1])
    places = list(order(sheet, value.shape[dim]))[:2]
    if name == "gather" and sheet.chance(3):
        places = [places[0], places[0]]
    index = [places] * value.shape[0] if dim else [[place] * value.shape[1] for place in places]
    other = sheet.named(lambda each: each.shape == value.shape and each.dtype == value.dtype) or a
    source = {"gather": "", "scatter": f", {sheet.one_of([other, '0.5'])}", "scatter_add": f", {other}"}[name]
    sheet.assign(f"{a}.{name}({dim}, torch.tensor({index}){source})", name, True)


def join(sheet: Sheet) -> None:
    name = sheet.one_of(JOINED)
    a = sheet.named()
    value = sheet.value(a)
    fit = None if sheet.chance(12) else lambda each: each.shape == value.shape
    parts = [a, sheet.named(fit) or a, *([sheet.named(fit) or a] if sheet.chance(3) else [])]
    dim = sheet.one_of(["", f", {axis(sheet, value.ndim)}", f", dim={axis(sheet, value.ndim)}"])
    if name in ("hstack", "vstack"):
        dim = ""
    sheet.assign(f"torch.{name}([{', '.join(parts)}]{dim})", name, True)


def cut(sheet: Sheet) -> None:
    """Several results that share the memory of one tensor."""
    a = sheet.named()
    value = sheet.value(a)
    name = sheet.one_of([*CUT, "unpack"])
    if value.ndim == 0:
        sheet.assign_several(f"{a}.unbind()", "unbind", 2, True)
        return
    one = axis(sheet, value.ndim)
    size = value.shape[one] if -value.ndim <= one < value.ndim else 2
    if name == "unpack":
        text, count = a, value.shape[0]
    elif name == "split":
        sizes = sheet.one_of(["1", "2", f"[1, {max(size - 1, 0)}]"])
        text = f"{a}.split({sizes}, {one})"
        count = 2 if sizes.startswith("[") else -(-size // int(sizes))
    elif name == "unbind":
        text, count = f"{sheet.one_of([f'{a}.unbind(', f'torch.unbind({a}, '])}{one})", size
    else:
        text, count = f"torch.{name}({a}, 2, {one})", 2 if size > 1 else 1
    if count:
        sheet.assign_several(text, name if name != "unpack" else "unbind", count, True)


def place(sheet: Sheet, value: torch.Tensor, name: str | None = None) -> tuple[str, str]:
    """What stands between the brackets of an index, and what kind of index it is."""
    ndim = value.ndim
    size = value.shape[0] if ndim else 0
    number = sheet.one_of(["0", "1", "-1"])
    kind = sheet.one_of(INDEXED)
    if ndim < 2 and not sheet.chance(10):
        flat = {
            "index with a number": [number, f"..., {number}", f"({number},)"],
            "index with a slice": [":1", "1:", "::2", "None", "...", ":", "..., None", "-2:", ":0"],
            "index mixed": [f"None, {number}", "..., :1", "1:, None"],
        }
        if kind in flat:
            return sheet.one_of(flat[kind]), kind
    if kind == "index with a number":
        return sheet.one_of([number, f"{number}, 0", f"..., {number}", "5" if sheet.chance(8) else "0"]), kind
    if kind == "index with a slice":
        return sheet.one_of([":1", "1:", "::2", ":, 1:", "None", "...", ":", "..., None", ":, :1", "-2:", ":0"]), kind
    if kind == "index with a mask":
        if name is not None and sheet.chance(2):
            return f"{name} > {sheet.one_of(['0', '0.5', '1'])}", kind
        wrong = 1 if sheet.chance(10) else 0
        return f"torch.tensor({literal(sheet, (size + wrong,), [True, False])})", kind
    if kind == "index mixed" and ndim > 1:
        size = min(value.shape[:2])  # the places count along the first axis or the second
    places = [sheet.one_of([*range(size)] or [0]), sheet.one_of([*range(-size, size)] or [0])]
    if kind == "index with a list":
        return sheet.one_of([str(places), f"torch.tensor({places})", f"torch.tensor([{places}])", f"({places},)"]), kind
    return sheet.one_of([f"{places}, 0", f":, {places}", f"{places}, {places}", f"0, {places}", f"{places}, :1"]), kind


def index(sheet: Sheet) -> None:
    a = sheet.named(lambda value: value.ndim > 0) if not sheet.chance(16) else sheet.named()
    if a is None:
        return
    text, kind = place(sheet, sheet.value(a), a)
    sheet.assign(f"{a}[{text}]", kind, True)


def matrix_product(sheet: Sheet) -> None:
    """Products of vectors, matrices and batches, more often than not with sizes that meet."""
    wrong = sheet.chance(12)

    def fits(value: torch.Tensor) -> bool:
        return wrong or (value.is_floating_point() and value.ndim > 0)

    a = sheet.named(fits)
    if a is None:
        return
    one = sheet.value(a)

    def meets(value: torch.Tensor) -> bool:
        inner = value.shape[-2:][:1]
        return wrong or (value.ndim > 0 and value.dtype == one.dtype and one.shape[-1:] == inner)

    b = sheet.named(meets)
    if b is None:
        a = sheet.assign(f"{a}.mT", "mT", True) if one.ndim > 1 else a
        b = sheet.named(lambda value: value.shape == one.shape) or a
        if a is None or b is None:
            return
    other = sheet.value(b)
    ranks = (one.ndim, other.ndim)
    options = ["matmul", "matmul"]
    options += {
        (1, 1): ["dot", "dot", "dot", "outer"],
        (2, 2): ["mm", "einsum"],
        (2, 1): ["mv", "mv", "mv"],
        (3, 3): ["bmm", "bmm", "bmm"],
    }.get(ranks, [])
    name = sheet.one_of(options)
    if name == "matmul":
        text = sheet.one_of([f"{a} @ {b}", f"torch.matmul({a}, {b})"])
    elif name == "einsum":
        text = f"torch.einsum('ij,jk->{sheet.one_of(['ik', 'ki', 'i', ''])}', {a}, {b})"
    else:
        text = sheet.one_of([f"{a}.{name}({b})", f"torch.{name}({a}, {b})"])
    sheet.assign(text, name, True)


def more_products(sheet: Sheet) -> None:
    """addmm, outer and trace, of what there is."""
    # Not of bools: whether torch refuses them hangs on how they lie in memory.
    square = sheet.named(lambda value: value.ndim == 2 and value.dtype is not torch.bool)
    vector = sheet.named(lambda value: value.ndim == 1 and value.dtype is not torch.bool)
    batch = sheet.named(lambda value: value.ndim == 3 and value.is_floating_point())
    if batch is not None and sheet.chance(2):
        sheet.assign(f"torch.bmm({batch}, {batch}.mT)", "bmm", True)
    elif vector is not None and sheet.chance(2):
        dtype = sheet.value(vector).dtype
        other = sheet.named(lambda value: value.ndim == 1 and value.dtype == dtype)
        name = sheet.one_of(["outer", "dot", "dot", "dot"])
        sheet.assign(f"torch.{name}({vector}, {other})", name, True)
    elif square is not None:
        value = sheet.value(square)
        if sheet.chance(2):
            sheet.assign(f"{square}.trace()", "trace", True)
            return
        start = sheet.named(lambda each: each.dtype == value.dtype and each.numel() == 1) or square
        sheet.assign(f"torch.addmm({start}, {square}, {square}.T)", "addmm", True)


def fixed_form(sheet: Sheet) -> None:
    """How the memory lies."""
    a = sheet.named(lambda value: value.numel() > 0 and 1 not in value.shape)  # strides of one step mean nothing
    if a is None:
        return
    questions = ["stride()", "is_contiguous()", "storage_offset()", "size(-1)", "nelement()", "ndim", "shape.numel()"]
    sheet.show(f"{a}.{sheet.one_of(questions)}")


def assign_into(sheet: Sheet) -> None:
    """Item assignment: of numbers and of tensors, into what an index cuts out."""
    a = sheet.named(lambda value: value.numel() > 0 and not (value.requires_grad and value.is_leaf))
    if sheet.chance(10):
        a = sheet.named(lambda value: value.numel() > 0)
    if a is None:
        return
    value = sheet.value(a)
    if repeats(value):
        return  # torch warns that it will refuse this; minigrad refuses it
    text, kind = place(sheet, value, a)
    shape: tuple[int, ...] = ()
    with contextlib.suppress(IndexError, RuntimeError, TypeError):
        numbered = torch.arange(value.numel()).reshape(value.shape)
        hit = eval(f"numbered[{text}]", {**sheet.plain, "numbered": numbered})
        if hit.unique().numel() < hit.numel():
            return  # which of two numbers for one place arrives is not said
        shape = hit.shape
    source = sheet.named(lambda value: value.shape == shape) or sheet.named(lambda value: value.ndim == 0)
    if source and sheet.value(source).untyped_storage().data_ptr() == value.untyped_storage().data_ptr():
        source = None  # torch reads what it just wrote
    if source and sheet.value(source).requires_grad and not value.is_floating_point():
        source = None  # torch 2.13 lets integers and bools require grad then
    number = sheet.one_of(NUMBERS)
    sign = sheet.one_of(["=", "=", "=", "+=", "*="])
    failed = sheet.run(f"{a}[{text}] {sign} {source if source and sheet.chance(2) else number}")
    sheet.count(f"assign: {kind}", None if failed else a)
    sheet.changed(a)


STATEMENTS = {
    view: 14,
    copy: 11,
    join: 4,
    cut: 4,
    index: 8,
    matrix_product: 8,
    more_products: 4,
    fixed_form: 1,
    assign_into: 4,
}
WITH_GRADIENT = (
    *(name for name in VIEWS if name != "detach"),
    *(name for name in COPIES if name != "nonzero"),
    *JOINED,
    *CUT,
    *INDEXED,
    *PRODUCTS,
    *(f"assign: {kind}" for kind in INDEXED),
)
WITHOUT = (*WITH_GRADIENT, "detach", "nonzero")
