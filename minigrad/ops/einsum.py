"""Sums of products named by letters: `einsum("ij,jk->ik", a, b)`, and its relatives `tensordot` and `inner`.

Every operand gets the same axes, one per letter, of size 1 if it lacks the letter. Then two operands become one with
`bmm`: shared letters that the result keeps form a stack, summed ones the inner axis of the matrices.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.einsum.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minigrad import scalar
from minigrad.compat import dtypes
from minigrad.ops import argument_parser, diagonals, linalg, permuting, shaping
from minigrad.ops.registry import register
from minigrad.tensor import Tensor

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ELLIPSIS = "..."


@register("einsum", method=False, checked=False)
def einsum(*args: Any) -> Tensor:
    """Products of entries, summed over all letters missing in the result: `einsum("ij,jk->ik", a, b)` is the matrix
    product. Without `->` the result has every letter that occurs once, in alphabetical order. `...` means
    any axes, which are broadcast. RuntimeError, in torch's words, if equation and operands do not fit.
    """
    if not args or not isinstance(args[0], str):
        raise NotImplementedError("minigrad's einsum() takes an equation as a string, and then its operands")
    equation, *operands = args
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = [*operands[0]]
    for place, each in enumerate(operands):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 1, but got {type(each).__name__}")
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = [_letters(term) for term in left.split(",")]
    if len(terms) != len(operands):
        count = "fewer" if len(operands) < len(terms) else "more"
        raise RuntimeError(f"einsum(): {count} operands were provided than specified in the equation")
    named = [_named(term, item.ndim, place) for place, (term, item) in enumerate(zip(terms, operands, strict=True))]
    _demand_sizes(named, operands)
    every = [letter for names in named for letter in names]
    free = sorted({name for name in every if name[0] == "."}, key=lambda name: -int(name[1:]))  # the axes of `...`
    letters = sorted(set(every) - {*free})
    result = [name for letter in _letters(right) for name in (free if letter == ELLIPSIS else [letter])]
    if not arrow:
        result = [*free, *[letter for letter in letters if sum([term.count(letter) for term in terms]) == 1]]
    for place, letter in enumerate(result):
        if letter in result[:place]:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
        if letter not in every:
            absent = "does not appear in the equation for any input operand"
            raise RuntimeError(f"einsum(): output subscript {letter} {absent}")
    order = [*result, *[name for name in [*free, *letters] if name not in result]]
    aligned = [_aligned(item, names, order) for names, item in zip(named, operands, strict=True)]
    return _contracted(aligned, len(result))


def _letters(term: str) -> list[str]:
    """The letters of a term, `...` as one of them."""
    before, dots, behind = term.partition(ELLIPSIS)
    if not set(before + behind) <= {*LETTERS}:
        raise RuntimeError(f"einsum(): the term {term!r} has a sign that is no letter, and no part of an ellipsis")
    return [*before, *([dots] if dots else []), *behind]


def _named(term: list[str], ndim: int, place: int) -> list[str]:
    """A name for each axis of an operand: its letter, or, for those of `...`, a number counted from the last."""
    count = len(term) - (ELLIPSIS in term)
    if count > ndim or (count < ndim and ELLIPSIS not in term):
        differs = "does not match" if ELLIPSIS not in term else "is more than"
        reason = " and no ellipsis was given" if ELLIPSIS not in term else ""
        axes = f"the number of dimensions ({ndim}) for operand {place}{reason}"
        raise RuntimeError(f"einsum(): the number of subscripts in the equation ({count}) {differs} {axes}")
    free = [f".{number}" for number in reversed(range(ndim - count))]
    return [name for letter in term for name in (free if letter == ELLIPSIS else [letter])]


def _demand_sizes(named: list[list[str]], operands: Sequence[Tensor]) -> None:
    """RuntimeError if a letter has several sizes; those of two operands may be broadcast."""
    sizes: dict[str, int] = {}
    for place, (names, each) in enumerate(zip(named, operands, strict=True)):
        own: dict[str, int] = {}
        for letter, size in zip(names, each.shape, strict=True):
            if own.setdefault(letter, size) != size:
                differs = f"the sizes don't match, {size} != {own[letter]}"
                raise RuntimeError(f"einsum(): subscript {letter} is repeated for operand {place} but {differs}")
            seen = sizes.get(letter, 1)
            if 1 not in (seen, size) and seen != size:
                have = f"size {size} for operand {place} which does not broadcast with previously seen size {seen}"
                raise RuntimeError(f"einsum(): subscript {letter} has {have}")
            sizes[letter] = size if seen == 1 else seen


def _aligned(operand: Tensor, names: list[str], order: list[str]) -> Tensor:
    """The operand with one axis for each name in `order`. A repeated letter means its diagonal."""
    place = 0
    while place < len(names):
        first = names.index(names[place])
        if first != place:
            operand = permuting.movedim(diagonals.diagonal(operand, 0, first, place), (-1,), (first,))
            del names[place]
        else:
            place += 1
    for name in order:
        if name not in names:
            operand = shaping.unsqueeze(operand, operand.ndim)
            names.append(name)
    return permuting.permute(operand, [names.index(name) for name in order])


def _contracted(operands: list[Tensor], kept: int) -> Tensor:
    """The operands multiplied from left to right; axes from `kept` on are summed when no other operand has them."""
    result, *others = operands
    ndim = result.ndim
    for place, other in enumerate(others):
        done = [
            axis for axis in range(kept, ndim) if all(other._array.shape[axis] == 1 for other in others[place + 1 :])
        ]
        here, there = [[axis for axis in done if item._array.shape[axis] != 1] for item in (result, other)]
        together = [axis for axis in here if axis in there]
        if alone := tuple([axis for axis in here if axis not in there]):
            result = result.sum(alone, keepdim=True)
        if alone := tuple([axis for axis in there if axis not in here]):
            other = other.sum(alone, keepdim=True)
        result = contracted(result, other, together)
    if kept == ndim:
        return result
    return shaping.view(result, result._array.shape[:kept]) if others else result.sum(tuple(range(kept, ndim)))


def contracted(a: Tensor, b: Tensor, summed: Sequence[int]) -> Tensor:
    """a · b of two tensors with as many axes, broadcast, then summed over some axes, which stay with size 1."""
    if not summed:
        return scalar.Mul.apply(a, b)
    sizes = [*zip(a._array.shape, b._array.shape, strict=True)]
    others = [axis for axis in range(len(sizes)) if axis not in summed]
    both = [axis for axis in others if 1 not in sizes[axis]]
    left = [axis for axis in others if axis not in both and sizes[axis][0] != 1]
    right = [axis for axis in others if axis not in both and axis not in left]
    if left and right and right[-1] < left[0]:  # as in torch: what comes first in the result is computed as rows
        a, b, left, right = b, a, right, left
    many, rows, inner = [math.prod([a._array.shape[axis] for axis in group]) for group in (both, left, summed)]
    columns = math.prod([b._array.shape[axis] for axis in right])
    first = shaping.reshape(permuting.permute(a, [*both, *left, *summed, *right]), (many, rows, inner))
    second = shaping.reshape(permuting.permute(b, [*both, *summed, *right, *left]), (many, inner, columns))
    order = [*both, *left, *summed, *right]
    shape = [1 if axis in summed else max(sizes[axis]) if 0 not in sizes[axis] else 0 for axis in order]
    result = shaping.view(linalg.bmm(first, second), shape)
    return permuting.permute(result, [order.index(axis) for axis in range(len(order))])


@register("tensordot", method=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Σ over pairs of axes of a and b: the last `dims` of a and the first of b, or the pairs in two lists."""
    if argument_parser.is_int(dims):
        count = int(dims)
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims from 0 to the number of axes, but got dims={count}")
        dims = [*range(a.ndim - count, a.ndim)], [*range(count)]
    named = [[dims[i]] if argument_parser.is_int(dims[i]) else [*dims[i]] for i in range(2)]
    if len(named[0]) != len(named[1]):
        raise RuntimeError("both dimension lists should have same length")
    first, second = ([dtypes.axis_of(item.ndim, dim) for dim in own] for item, own in zip((a, b), named, strict=True))
    return _paired(a, b, first, second)


def _paired(a: Tensor, b: Tensor, first: list[int], second: list[int]) -> Tensor:
    """The sum over the pairs of axes (first, second) of the products of the entries of a and b."""
    for i, j in zip(first, second, strict=True):
        if b._array.shape[j] == 1:
            a = a.sum(i, keepdim=True)  # it multiplies every entry
        elif a._array.shape[i] == 1:
            b = b.sum(j, keepdim=True)
        elif a._array.shape[i] != b._array.shape[j]:
            have = f"{a._array.shape[i]} in dim {i - a.ndim} and second has size {b._array.shape[j]} in dim {j}"
            raise RuntimeError(f"contracted dimensions need to match, but first has size {have}")
    rest_a = [axis for axis in range(a.ndim) if axis not in first]
    rest_b = [axis for axis in range(b.ndim) if axis not in second]
    shape = [a._array.shape[axis] for axis in rest_a] + [b._array.shape[axis] for axis in rest_b]
    left = permuting.permute(a, [*rest_a, *first])
    right = permuting.permute(b, [*second, *rest_b])
    if math.prod(shape) == 1:
        return shaping.reshape(linalg.dot(shaping.flatten(left), shaping.flatten(right)), shape)
    rows, columns = math.prod(shape[: len(rest_a)]), math.prod(shape[len(rest_a) :])
    inner = math.prod([a._array.shape[axis] for axis in first])
    matrix = linalg.mm(shaping.reshape(left, (rows, inner)), shaping.reshape(right, (inner, columns)))
    return shaping.reshape(matrix, shape)


@register("inner")
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Σ over the last axis of both; a number multiplies. RuntimeError if the last sizes differ."""
    if not input.ndim or not other.ndim:
        return scalar.Mul.apply(input, other)
    if input._array.shape[-1] != other._array.shape[-1]:
        shapes = f"{list(input.shape)} and {list(other.shape)}"
        raise RuntimeError(f"inner() the last dimension must match on both input tensors but got shapes {shapes}")
    return _paired(input, other, [input.ndim - 1], [other.ndim - 1])
