"""Sums of products named by letters: `einsum("ij,jk->ik", a, b)`, and its relatives `tensordot` and `inner`.

Every operand gets the same axes in the same order, one per letter, of size 1 where it lacks the letter. Two operands
at a time become one: the letters that both have and the result keeps are a stack, those that are summed are the
inner axis of a matrix product, and the others its rows and columns. So gradients come from `bmm` and the views.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.einsum.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minigrad import scalar
from minigrad.compat import dtypes
from minigrad.ops import argument_parser, diagonals, functions, linalg, permuting, shaping
from minigrad.ops.registry import define
from minigrad.tensor import Tensor

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ELLIPSIS = "..."


def einsum(*args: Any) -> Tensor:
    """The sum over all letters that the result lacks of the products of the operands' entries. `einsum("ij,jk->ik", a,
    b)` is the matrix product: result[i, k] = Σⱼ a[i, j] · b[j, k]. Without `->` the result has every letter that occurs
    once, in the order of the alphabet. `...` stands for any axes, which are broadcast. RuntimeError, in torch's words,
    where the equation and the operands do not fit.
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    equation, operands = (args[0], args[1:]) if isinstance(args[0], str) else _from_lists(args)
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    for place, each in enumerate(operands):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 1, but got {type(each).__name__}")
    left, arrow, right = equation.partition("->")
    terms = [_letters(term, equation.index(left)) for term in left.split(",")]
    _demand_fit(terms, operands, left)
    free = max([each.ndim - _count(term) for term, each in zip(terms, operands, strict=True) if ELLIPSIS in term] + [0])
    result = _letters(right, len(left) + 2) if arrow else _implied(terms)
    _demand_result(result, terms)
    order = _in_order(result, terms, free)
    aligned = [_aligned(each, term, order, free) for term, each in zip(terms, operands, strict=True)]
    return _contracted(aligned, len(_expanded(result, free)))


def _from_lists(args: tuple) -> tuple[str, tuple]:
    """The form `einsum(a, [0, 1], b, [1, 2], [0, 2])` as an equation and its operands."""

    def written(numbers: Sequence[Any]) -> str:
        return "".join([ELLIPSIS if each is Ellipsis else LETTERS[each] for each in numbers])

    pairs = len(args) // 2
    terms = ",".join([written(args[2 * i + 1]) for i in range(pairs)])
    equation = terms if len(args) % 2 == 0 else f"{terms}->{written(args[-1])}"
    return equation, args[: 2 * pairs : 2]


def _letters(term: str, start: int) -> list[str]:
    """The letters of a term, `...` as one of them. RuntimeError for another sign."""
    found: list[str] = []
    place = 0
    while place < len(term):
        sign = term[place]
        if sign == "." and term.startswith(ELLIPSIS, place):
            if ELLIPSIS in found:
                raise RuntimeError("einsum(): found '.' for operand 0 for which an ellipsis was already found")
            found.append(ELLIPSIS)
            place += 3
            continue
        if sign in LETTERS:
            found.append(sign)
        elif sign != " ":
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {start + place} in the equation string, subscripts must "
                "be in [a-zA-Z]"
            )
        place += 1
    return found


def _count(term: Sequence[str]) -> int:
    return len(term) - (ELLIPSIS in term)


def _demand_fit(terms: list, operands: Sequence[Tensor], left: str) -> None:
    """RuntimeError where the terms and the operands differ in number, axes or sizes."""
    if len(terms) != len(operands):
        more, less = ("fewer", "more")
        raise RuntimeError(
            f"einsum(): {more if len(operands) < len(terms) else less} operands were provided than specified in the "
            "equation"
        )
    for place, (term, each) in enumerate(zip(terms, operands, strict=True)):
        count = _count(term)
        if ELLIPSIS not in term and count != each.ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({count}) does not match the number of dimensions "
                f"({each.ndim}) for operand {place} and no ellipsis was given"
            )
        if count > each.ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({count}) is more than the number of dimensions "
                f"({each.ndim}) for operand {place}"
            )
    _sizes(terms, operands)


def _sizes(terms: list, operands: Sequence[Tensor]) -> dict[str, int]:
    """The size of each letter. RuntimeError where two operands say different ones."""
    sizes: dict[str, int] = {}
    for place, (term, each) in enumerate(zip(terms, operands, strict=True)):
        own: dict[str, int] = {}
        free = each.ndim - _count(term)
        for letter, size in zip(_expanded(term, free), each.shape, strict=True):
            if own.setdefault(letter, size) != size:
                raise RuntimeError(
                    f"einsum(): subscript {letter} is repeated for operand {place} but the sizes don't match, {size} "
                    f"!= {own[letter]}"
                )
        for letter, size in own.items():
            seen = sizes.get(letter, 1)
            if 1 not in (seen, size) and seen != size:
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {size} for operand {place} which does not broadcast with "
                    f"previously seen size {seen}"
                )
            sizes[letter] = max(seen, size) if 0 not in (seen, size) else 0
    return sizes


def _implied(terms: list) -> list[str]:
    """The letters of the result where the equation has no arrow: those that occur once."""
    every = [letter for term in terms for letter in term]
    once = [letter for letter in LETTERS if every.count(letter) == 1]
    return [ELLIPSIS, *once] if ELLIPSIS in every else once


def _demand_result(result: list[str], terms: list) -> None:
    for place, letter in enumerate(result):
        if letter in result[:place]:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
        if letter != ELLIPSIS and not any(letter in term for term in terms):
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )


def _expanded(term: Sequence[str], free: int) -> list[str]:
    """The letters with `...` replaced by one name for each of its axes, counted from the last."""
    names = [f".{free - 1 - i}" for i in range(free)]
    return [name for letter in term for name in (names if letter == ELLIPSIS else [letter])]


def _in_order(result: list[str], terms: list, free: int) -> list[str]:
    """All letters: first those of the result, then those that are summed."""
    order = _expanded(result, free)
    has_free = any(ELLIPSIS in term for term in terms)
    if has_free and ELLIPSIS not in result:
        order += _expanded([ELLIPSIS], free)
    return order + [letter for letter in LETTERS if letter not in order and any(letter in term for term in terms)]


def _aligned(operand: Tensor, term: list[str], order: list[str], free: int) -> Tensor:
    """The operand with one axis per letter of `order`. A letter that it has twice means its diagonal."""
    letters = _expanded(term, operand.ndim - _count(term))
    place = 0
    while place < len(letters):
        first = letters.index(letters[place])
        if first != place:
            operand = permuting.movedim(diagonals.diagonal(operand, 0, first, place), (-1,), (first,))
            del letters[place]
        else:
            place += 1
    missing = [letter for letter in order if letter not in letters]
    for letter in missing:
        operand = shaping.unsqueeze(operand, operand.ndim)
        letters.append(letter)
    return permuting.permute(operand, [letters.index(letter) for letter in order])


def _contracted(operands: list[Tensor], kept: int) -> Tensor:
    """The operands, all with the same axes, multiplied from left to right; the axes from `kept` on are summed."""
    result, *others = operands
    ndim = result.ndim
    users = [sum([each._array.shape[axis] != 1 for each in operands]) for axis in range(ndim)]
    for other in others:
        together: list[int] = []
        alone: list[int] = []
        there: list[int] = []
        for axis in range(kept, ndim):
            here = result._array.shape[axis] != 1, other._array.shape[axis] != 1
            if all(here):
                users[axis] -= 1
                if users[axis] == 1:
                    together.append(axis)
                    users[axis] = 0
            elif users[axis] == 1 and any(here):
                (alone if here[0] else there).append(axis)
                users[axis] = 0
        result = result.sum(tuple(alone), keepdim=True) if alone else result
        other = other.sum(tuple(there), keepdim=True) if there else other
        result = product(result, other, together)
    if kept == ndim:
        return result
    if others:
        return shaping.view(result, result._array.shape[:kept])
    return result.sum(tuple(range(kept, ndim)))


def product(a: Tensor, b: Tensor, summed: Sequence[int]) -> Tensor:
    """a · b of two tensors with as many axes, broadcast, then summed over some axes, which stay with size 1."""
    if not summed:
        return scalar.Mul.apply(a, b)
    both: list[int] = []
    left: list[int] = []
    right: list[int] = []
    out: list[int] = []
    for axis, (n, m) in enumerate(zip(a._array.shape, b._array.shape, strict=True)):
        if axis in summed:
            out.append(1)
            continue
        out.append(n if m == 1 else m)
        (both if n != 1 and m != 1 else left if n != 1 else right).append(axis)
    if left and right and right[-1] < left[0]:  # as in torch: what comes first in the result is computed as rows
        a, b, left, right = b, a, right, left
    many, rows, columns, inner = (
        math.prod([(b if group is right else a)._array.shape[axis] for axis in group])
        for group in (both, left, right, summed)
    )
    first = shaping.reshape(permuting.permute(a, [*both, *left, *summed, *right]), (many, rows, inner))
    second = shaping.reshape(permuting.permute(b, [*both, *summed, *right, *left]), (many, inner, columns))
    order = [*both, *left, *summed, *right]
    result = shaping.view(linalg.bmm(first, second), [out[axis] for axis in order])
    return permuting.permute(result, [order.index(axis) for axis in range(len(order))])


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Σ over pairs of axes of a and b: the last `dims` axes of a and the first of b, or the pairs in two lists. The
    result has the other axes of a, then those of b. RuntimeError where the sizes of a pair differ.
    """
    if argument_parser.is_int(dims):
        count = int(dims)
        if count < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={count}")
        if count > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={count}")
        dims = [*range(a.ndim - count, a.ndim)], [*range(count)]
    named = [[dims[i]] if argument_parser.is_int(dims[i]) else [*dims[i]] for i in range(2)]
    if len(named[0]) != len(named[1]):
        raise RuntimeError("both dimension lists should have same length")
    first, second = ([dtypes.axis_of(each.ndim, dim) for dim in own] for each, own in zip((a, b), named, strict=True))
    return _paired(a, b, first, second)


def _paired(a: Tensor, b: Tensor, first: list[int], second: list[int]) -> Tensor:
    """The sum over the pairs of axes (first, second) of the products of the entries of a and b."""
    for i, j in zip(first, second, strict=True):
        if b._array.shape[j] == 1:
            a = a.sum(i, keepdim=True)  # it meets every entry
        elif a._array.shape[i] == 1:
            b = b.sum(j, keepdim=True)
        elif a._array.shape[i] != b._array.shape[j]:
            raise RuntimeError(
                "contracted dimensions need to match, but first has size "
                f"{a._array.shape[i]} in dim {i - a.ndim} and second has size {b._array.shape[j]} in dim {j}"
            )
    rest_a = [axis for axis in range(a.ndim) if axis not in first]
    rest_b = [axis for axis in range(b.ndim) if axis not in second]
    shape = [a._array.shape[axis] for axis in rest_a] + [b._array.shape[axis] for axis in rest_b]
    left = permuting.permute(a, [*rest_a, *first])
    right = permuting.permute(b, [*second, *rest_b])
    if math.prod(shape) == 1:
        return shaping.reshape(linalg.dot(shaping.flatten(left), shaping.flatten(right)), shape)
    rows, columns = math.prod(shape[: len(rest_a)]), math.prod(shape[len(rest_a) :])
    inner = math.prod([a._array.shape[axis] for axis in first])
    return shaping.reshape(
        linalg.mm(shaping.reshape(left, (rows, inner)), shaping.reshape(right, (inner, columns))), shape
    )


def inner(input: Tensor, other: Tensor) -> Tensor:
    """Σ over the last axis of both; a number multiplies. RuntimeError where the last sizes differ."""
    if not input.ndim or not other.ndim:
        return scalar.Mul.apply(input, other)
    if input._array.shape[-1] != other._array.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    if input.dtype is not other.dtype:
        raise RuntimeError("both inputs should have same dtype")
    return _paired(input, other, [input.ndim - 1], [other.ndim - 1])


define("inner", inner)
define("tensordot", tensordot, method=False)
functions["einsum"] = einsum
