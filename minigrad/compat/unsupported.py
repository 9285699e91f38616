"""Methods that torch's Tensor has and minigrad's has not: asking for one says so, instead of a bare AttributeError.

A `__getattr__` would say it in three lines, and make every attribute of every tensor three times slower to read.

Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

from typing import Any

NAMES = """
    H addbmm addbmm_ addr addr_ adjoint aminmax angle apply_ as_strided as_strided_ as_strided_scatter as_subclass
    bfloat16 bincount cauchy_
    ccol_indices cdouble cfloat chalf cholesky cholesky_inverse cholesky_solve coalesce col_indices conj
    conj_physical conj_physical_ const_data_ptr copysign copysign_ corrcoef cov crow_indices cummax cummin
    dense_dim dequantize det diagflat diagonal_scatter diff digamma digamma_ dim_order dist dsplit eig
    eq_ erfc erfc_ erfinv erfinv_ exponential_ float_power_ fmax fmin frexp gcd gcd_ ge_ geometric_
    geqrf grad_dtype greater_ greater_equal_ gt_ hardshrink hash_tensor heaviside heaviside_ histc histogram
    hsplit i0 i0_ igamma igamma_ igammac igammac_ imag index index_copy index_copy_ index_fill
    index_fill_ index_reduce index_reduce_ indices int_repr inverse ipu is_coalesced is_conj
    is_distributed is_inference is_ipu is_maia is_meta is_mkldnn is_mps is_mtia is_neg is_nested is_pinned
    is_quantized is_set_to is_shared is_sparse is_sparse_csr is_vulkan is_xla is_xpu isneginf isposinf
    isreal istft kron kthvalue lcm lcm_ ldexp ldexp_ le_ less_ less_equal_ lgamma lgamma_ log_normal_
    logaddexp logaddexp2 logcumsumexp logdet logit logit_ lstsq lt_ lu lu_solve mH map2_ map_
    masked_scatter masked_scatter_ matrix_exp matrix_power mode module_load msort mtia multinomial mvlgamma
    mvlgamma_ nanmean nanmedian nanquantile narrow_copy ne_ new new_empty_strided nextafter nextafter_
    nonzero_static not_equal_ orgqr ormqr pin_memory pinverse polygamma polygamma_ prelu put put_
    q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr qscheme quantile
    real record_stream reinforce renorm renorm_ resize resize_ resize_as resize_as_
    resize_as_sparse_ resolve_conj resolve_neg rot90 row_indices scatter_reduce scatter_reduce_ select_scatter
    set_ sgn sgn_ share_memory_ signbit sinc sinc_ slice_inverse slice_scatter slogdet smm solve sparse_dim
    sparse_mask sparse_resize_ sparse_resize_and_clear_ sspaddmm stft storage storage_type sum_to_size svd symeig
    to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc
    to_sparse_csr triangular_solve unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes values
    volatile vsplit xlogy xlogy_ xpu
"""


class Absent:
    """Stands where torch has a method. `register` may put one there."""

    def __init__(self, name: str):
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        raise AttributeError(f"minigrad's Tensor has no attribute {self.name!r} (torch's has)")


_ABSENT = {name: Absent(name) for name in NAMES.split()}


def mark(kind: type) -> None:
    """Put an Absent wherever the class, which is Tensor, has nothing."""
    for name, absent in _ABSENT.items():
        if name not in vars(kind):
            setattr(kind, name, absent)
