"""The operations with several forms in torch: all forms, in torch's notation and order. An operation
accepts all of them; the texts are for errors, in which torch quotes every form. Forms that start with `old`
are accepted with a warning.
Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

from __future__ import annotations

import functools

SHORT = {"input": "Tensor input", "other": "Tensor other", "copy": "bool copy = False", "out": "Tensor out = None"}
SHORT |= {"dtype": "torch.dtype dtype = None", "keepdim": "bool keepdim = False", "outs": "tuple of Tensors out = None"}
SHORT |= {"non_blocking": "bool non_blocking = False", "memory_format": "torch.memory_format memory_format = None"}
FORMS = """
add sub: input, other, *, Number alpha = 1, out / old, input, Number alpha, other, *, out
addcdiv addcmul: input, Tensor tensor1, Tensor tensor2, *, Number value = 1, out /
    old, input, Number value, Tensor tensor1, Tensor tensor2, *, out
all any: input, *, out / input, tuple of ints dim = None, keepdim, *, out / input, int dim, keepdim, *, out
argsort: input, *, bool stable, int dim = -1, bool descending = False, out /
    input, int dim = -1, bool descending = False
bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor remainder: input, other, *, out /
    Number self, other / input, Number other, *, out
clamp clip: input, Tensor min = None, Tensor max = None, *, out / input, Number min = None, Number max = None, *, out
clamp_max: input, Tensor max, *, out / input, Number max, *, out
clamp_min: input, Tensor min, *, out / input, Number min, *, out
count_nonzero: input, int dim = None / input, tuple of ints dim
div: input, other, *, out / input, other, *, str? rounding_mode, out / input, Number other, *, str? rounding_mode
divide: input, other, *, out / input, other, *, str? rounding_mode, out / input, Number other /
    input, Number other, *, str? rounding_mode
eq fmod ge greater greater_equal gt le less less_equal lt ne not_equal: input, other, *, out /
    input, Number other, *, out
fill: input, Tensor value / input, Number value
pow: input, Tensor exponent, *, out / Number self, Tensor exponent, *, out / input, Number exponent, *, out
floor_divide multiply true_divide: input, other, *, out / input, Number other
lerp: input, Tensor end, Tensor weight, *, out / input, Tensor end, Number weight, *, out
masked_fill: input, Tensor mask, Tensor value / input, Tensor mask, Number value
max min: input, *, out / input, other, *, out / input, int dim, keepdim, *, outs
mean: input, *, dtype, out / input, tuple of ints? dim, keepdim, *, dtype, out
median: input / input, int dim, keepdim, *, outs
moveaxis movedim: input, int source, int destination / input, tuple of ints source, tuple of ints destination
narrow: input, int dim, Tensor start, int length / input, int dim, int start, int length
prod: input, *, dtype / input, int dim, keepdim, *, dtype, out
repeat_interleave: input, Tensor repeats, int dim = None, *, int output_size = None /
    Tensor repeats, *, int output_size = None / input, int repeats, int dim = None, *, int output_size = None
round: input, *, out / input, *, int decimals, out
rsub: input, other, *, Number alpha = 1 / input, Number other, Number alpha = 1
scatter: input, int dim, Tensor index, Tensor src, *, out /
    input, int dim, Tensor index, Tensor src, *, str reduce, out / input, int dim, Tensor index, Number value, *, out /
    input, int dim, Tensor index, Number value, *, str reduce, out
sort: input, *, bool? stable, int dim = -1, bool descending = False, outs /
    input, int dim = -1, bool descending = False, *, outs
squeeze: input / input, int dim / input, tuple of ints dim
std var: input, tuple of ints? dim, bool unbiased = True, keepdim, *, out /
    input, tuple of ints dim = None, *, Number correction = None, keepdim, out / input, bool unbiased = True
std_mean var_mean: input, tuple of ints? dim, bool unbiased = True, keepdim /
    input, tuple of ints dim = None, *, Number correction = None, keepdim / input, bool unbiased = True
subtract: input, other, *, Number alpha = 1, out / input, Number other, Number alpha = 1
sum: input, *, dtype / input, tuple of ints? dim, keepdim, *, dtype, out
to: input, torch.device device = None, dtype, non_blocking, copy, *, memory_format /
    input, torch.dtype dtype, non_blocking, copy, *, memory_format /
    input, Tensor tensor, non_blocking, copy, *, memory_format
view: input, torch.dtype dtype / input, tuple of ints size
where: Tensor condition / Tensor condition, input, other, *, out / Tensor condition, Number self, other /
    Tensor condition, input, Number other / Tensor condition, Number self, Number other
"""


@functools.cache
def texts() -> dict[str, list[str]]:
    """The forms of each function, in full; `old` stays in front."""
    found: dict[str, list[str]] = {}
    for row in FORMS.strip().replace("\n    ", " ").splitlines():
        names, _, forms = row.partition(": ")
        full = [", ".join([SHORT.get(piece, piece) for piece in form.split(", ")]) for form in forms.split(" / ")]
        found |= dict.fromkeys(names.split(), full)
    return found
