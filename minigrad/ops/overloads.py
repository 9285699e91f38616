"""The operations that torch lets call in several ways: all of them, in torch's notation and in its order.

An operation takes what they mean together; the texts are for what it refuses: torch quotes all of them. Those marked
`|deprecated` are of old, and taken with a warning.

Mirrors https://docs.pytorch.org/docs/stable/torch.html
"""

FORMS = """
add sub
    Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None
    Tensor input, Number alpha, Tensor other, *, Tensor out = None|deprecated
addcdiv addcmul
    Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None
    Tensor input, Number value, Tensor tensor1, Tensor tensor2, *, Tensor out = None|deprecated
addmm
    Tensor input, Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1, Tensor out = None
    Tensor input, Tensor mat1, Tensor mat2, torch.dtype out_dtype, *, Number beta = 1, Number alpha = 1, \
Tensor out = None
    Number beta, Tensor input, Number alpha, Tensor mat1, Tensor mat2, *, Tensor out = None|deprecated
    Number beta, Tensor input, Tensor mat1, Tensor mat2, *, Tensor out = None|deprecated
addmv
    Tensor input, Tensor mat, Tensor vec, *, Number beta = 1, Number alpha = 1, Tensor out = None
    Number beta, Tensor input, Number alpha, Tensor mat, Tensor vec, *, Tensor out = None|deprecated
    Number beta, Tensor input, Tensor mat, Tensor vec, *, Tensor out = None|deprecated
baddbmm
    Tensor input, Tensor batch1, Tensor batch2, *, Number beta = 1, Number alpha = 1, Tensor out = None
    Tensor input, Tensor batch1, Tensor batch2, torch.dtype out_dtype, *, Number beta = 1, Number alpha = 1, \
Tensor out = None
    Number beta, Tensor input, Number alpha, Tensor batch1, Tensor batch2, *, Tensor out = None|deprecated
    Number beta, Tensor input, Tensor batch1, Tensor batch2, *, Tensor out = None|deprecated
atleast_1d atleast_2d atleast_3d
    Tensor input
    tuple of Tensors tensors
all any
    Tensor input, *, Tensor out = None
    Tensor input, tuple of ints dim = None, bool keepdim = False, *, Tensor out = None
    Tensor input, int dim, bool keepdim = False, *, Tensor out = None
argsort
    Tensor input, *, bool stable, int dim = -1, bool descending = False, Tensor out = None
    Tensor input, int dim = -1, bool descending = False
bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor remainder
    Tensor input, Tensor other, *, Tensor out = None
    Number self, Tensor other
    Tensor input, Number other, *, Tensor out = None
bmm mm
    Tensor input, Tensor mat2, *, Tensor out = None
    Tensor input, Tensor mat2, torch.dtype out_dtype, *, Tensor out = None
clamp clip
    Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None
    Tensor input, Number min = None, Number max = None, *, Tensor out = None
clamp_max
    Tensor input, Tensor max, *, Tensor out = None
    Tensor input, Number max, *, Tensor out = None
clamp_min
    Tensor input, Tensor min, *, Tensor out = None
    Tensor input, Number min, *, Tensor out = None
count_nonzero
    Tensor input, int dim = None
    Tensor input, tuple of ints dim
div
    Tensor input, Tensor other, *, Tensor out = None
    Tensor input, Tensor other, *, str? rounding_mode, Tensor out = None
    Tensor input, Number other, *, str? rounding_mode
divide
    Tensor input, Tensor other, *, Tensor out = None
    Tensor input, Tensor other, *, str? rounding_mode, Tensor out = None
    Tensor input, Number other
    Tensor input, Number other, *, str? rounding_mode
eq fmod ge greater greater_equal gt le less less_equal lt ne not_equal
    Tensor input, Tensor other, *, Tensor out = None
    Tensor input, Number other, *, Tensor out = None
fill
    Tensor input, Tensor value
    Tensor input, Number value
float_power pow
    Tensor input, Tensor exponent, *, Tensor out = None
    Number self, Tensor exponent, *, Tensor out = None
    Tensor input, Number exponent, *, Tensor out = None
floor_divide multiply true_divide
    Tensor input, Tensor other, *, Tensor out = None
    Tensor input, Number other
lerp
    Tensor input, Tensor end, Tensor weight, *, Tensor out = None
    Tensor input, Tensor end, Number weight, *, Tensor out = None
masked_fill
    Tensor input, Tensor mask, Tensor value
    Tensor input, Tensor mask, Number value
max min
    Tensor input, *, Tensor out = None
    Tensor input, Tensor other, *, Tensor out = None
    Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None
mean
    Tensor input, *, torch.dtype dtype = None, Tensor out = None
    Tensor input, tuple of ints? dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None
median
    Tensor input
    Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None
moveaxis movedim
    Tensor input, int source, int destination
    Tensor input, tuple of ints source, tuple of ints destination
narrow
    Tensor input, int dim, Tensor start, int length
    Tensor input, int dim, int start, int length
prod
    Tensor input, *, torch.dtype dtype = None
    Tensor input, int dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None
repeat_interleave
    Tensor input, Tensor repeats, int dim = None, *, int output_size = None
    Tensor repeats, *, int output_size = None
    Tensor input, int repeats, int dim = None, *, int output_size = None
round
    Tensor input, *, Tensor out = None
    Tensor input, *, int decimals, Tensor out = None
rsub
    Tensor input, Tensor other, *, Number alpha = 1
    Tensor input, Number other, Number alpha = 1
scatter
    Tensor input, int dim, Tensor index, Tensor src, *, Tensor out = None
    Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None
    Tensor input, int dim, Tensor index, Number value, *, Tensor out = None
    Tensor input, int dim, Tensor index, Number value, *, str reduce, Tensor out = None
sort
    Tensor input, *, bool? stable, int dim = -1, bool descending = False, tuple of Tensors out = None
    Tensor input, int dim = -1, bool descending = False, *, tuple of Tensors out = None
squeeze
    Tensor input
    Tensor input, int dim
    Tensor input, tuple of ints dim
std var
    Tensor input, tuple of ints? dim, bool unbiased = True, bool keepdim = False, *, Tensor out = None
    Tensor input, tuple of ints dim = None, *, Number correction = None, bool keepdim = False, Tensor out = None
    Tensor input, bool unbiased = True
std_mean var_mean
    Tensor input, tuple of ints? dim, bool unbiased = True, bool keepdim = False
    Tensor input, tuple of ints dim = None, *, Number correction = None, bool keepdim = False
    Tensor input, bool unbiased = True
subtract
    Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None
    Tensor input, Number other, Number alpha = 1
sum
    Tensor input, *, torch.dtype dtype = None
    Tensor input, tuple of ints? dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None
tensor_split
    Tensor input, tuple of ints indices, int dim = 0
    Tensor input, Tensor tensor_indices_or_sections, int dim = 0
    Tensor input, int sections, int dim = 0
to
    Tensor input, torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, \
*, torch.memory_format memory_format = None
    Tensor input, torch.dtype dtype, bool non_blocking = False, bool copy = False, *, \
torch.memory_format memory_format = None
    Tensor input, Tensor tensor, bool non_blocking = False, bool copy = False, *, \
torch.memory_format memory_format = None
view
    Tensor input, torch.dtype dtype
    Tensor input, tuple of ints size
where
    Tensor condition
    Tensor condition, Tensor input, Tensor other, *, Tensor out = None
    Tensor condition, Number self, Tensor other
    Tensor condition, Tensor input, Number other
    Tensor condition, Number self, Number other
"""
