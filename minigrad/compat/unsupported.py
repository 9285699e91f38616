"""What torch has and minigrad has not: asking for it says so in a sentence, instead of a bare AttributeError.

A line of the list is `kind | where torch has it: names | …`; `sgn%` is `sgn` and `sgn_`. The manual shows it. A
`__getattr__` of Tensor would make every attribute of every tensor three times slower to read.
Mirrors https://docs.pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

import opcode
import re
import sys
from collections.abc import Callable
from typing import Any, NoReturn

ABSENT = """
complex numbers | torch: cfloat complex complex64 complex128 fft imag istft polar real stft view_as_real
sparse, nested and quantized tensors | torch: ao nested quantization sparse sparse_coo_tensor sparse_csr_tensor
other devices and half precision | torch: Event Stream accelerator amp autocast bfloat16 mps xpu
compilers, processes and distributions | torch: compile distributed distributions export fx hub jit multiprocessing
    onnx package | torch.nn: DataParallel parallel | torch.utils.data: get_worker_info
convolutions, pooling and images | torch.nn: AdaptiveAvgPool1d AdaptiveAvgPool2d AvgPool1d AvgPool2d Conv1d Conv2d
    Conv3d ConvTranspose2d Fold MaxPool1d MaxPool2d Unfold Upsample | torch.nn.functional: adaptive_avg_pool2d
    avg_pool2d conv1d conv2d conv_transpose2d interpolate max_pool1d max_pool2d pad unfold
recurrent layers | torch.nn: GRU GRUCell LSTM LSTMCell RNN RNNCell | torch.nn.utils: rnn
layers of transformers | torch.nn: MultiheadAttention Transformer TransformerDecoder TransformerDecoderLayer
    TransformerEncoder TransformerEncoderLayer
further layers | torch.nn: BatchNorm3d Bilinear Dropout1d Dropout2d EmbeddingBag InstanceNorm1d InstanceNorm2d RMSNorm
    Unflatten
further activations | torch.nn: CELU GLU SELU Softmin Softsign Threshold | torch.nn.functional: glu gumbel_softmax selu
    softsign
further losses | torch.nn: CTCLoss CosineEmbeddingLoss GaussianNLLLoss PoissonNLLLoss
    TripletMarginLoss
further optimizers and schedules | torch.optim: ASGD Adadelta Adamax LBFGS NAdam RAdam Rprop SparseAdam swa_utils |
    torch.optim.lr_scheduler: ChainedScheduler ConstantLR CyclicLR MultiplicativeLR PolynomialLR
data sets without indices | torch.utils.data: ChainDataset IterableDataset StackDataset
tools around training | torch.utils: benchmark
further functions | torch: bucketize logdet svd
further functions of matrices | torch.linalg: cond eig eigvals eigvalsh lstsq lu matrix_exp matrix_norm matrix_power
    pinv svdvals
further methods | torch.Tensor: addbmm% addr% adjoint angle apply_ as_strided% as_strided_scatter bfloat16 cauchy_
    ccol_indices cdouble cfloat chalf cholesky_inverse cholesky_solve coalesce col_indices conj conj_physical%
    const_data_ptr copysign% corrcoef cov crow_indices dense_dim dequantize diagflat diagonal_scatter digamma% dim_order
    dist dsplit eig eq_ erfc% erfinv% exponential_ fliplr flipud float_power% frexp gcd% ge_ geometric_ geqrf get_device
    greater_ greater_equal_ gt_ hardshrink hash_tensor heaviside% histc histogram hsplit i0% igamma% igammac% imag index
    index_copy% index_reduce% indices int_repr ipu is_coalesced is_conj is_distributed is_ipu is_maia
    is_meta is_mkldnn is_mps is_mtia is_neg is_nested is_pinned is_quantized is_same_size is_set_to is_shared is_sparse
    is_sparse_csr is_vulkan is_xla is_xpu isneginf isposinf isreal istft kron lcm% ldexp% le_ less_ less_equal_ lgamma%
    log_normal_ logaddexp2 logdet logit% lstsq lt_ lu lu_solve map2_ map_ masked_scatter% matrix_exp matrix_power
    module_load msort mtia mvlgamma% narrow_copy ne_ new new_empty_strided nextafter% nonzero_static not_equal_ orgqr
    ormqr pin_memory pinverse polygamma% prelu put% q_per_channel_axis q_per_channel_scales q_per_channel_zero_points
    q_scale q_zero_point qscheme real record_stream reinforce renorm% resize resize_as resize_as_sparse_ resolve_conj
    resolve_neg rot90 row_indices select_scatter set_ sgn% share_memory_ signbit sinc% slice_inverse slice_scatter smm
    solve sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ sspaddmm stft storage storage_type sum_to_size
    svd symeig take_along_dim tensor_split to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr
    to_sparse_coo to_sparse_csc to_sparse_csr triangular_solve untyped_storage values volatile vsplit xpu
"""
KINDS: dict[str, str] = {}  # "torch.nn.Conv2d": "convolutions, pooling and images"
for _line in ABSENT.replace("\n    ", " ").strip().splitlines():
    _kind, *_parts = _line.split(" | ")
    for _place, _names in [_part.split(": ") for _part in _parts]:
        KINDS.update({f"{_place}.{_name}": _kind for _name in re.sub(r"(\w+)%", r"\1 \1_", _names).split()})


LACKS = "minigrad has no {} ({}): run this with torch"


class Absent:
    """A placeholder for a method of torch's. `register` may replace it."""

    def __init__(self, name: str, owner: str = "Tensor"):
        self.name, self.owner = name, owner

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise AttributeError(f"minigrad's {self.owner} has no attribute {self.name!r} (torch's has)")


_ABSENT = {name: Absent(name) for name in [kind.removeprefix("torch.Tensor.") for kind in KINDS] if "." not in name}


def mark(kind: type) -> None:
    """Put an Absent wherever Tensor has nothing."""
    for name, absent in _ABSENT.items():
        if name not in vars(kind):
            setattr(kind, name, absent)


def refuse(module: str, name: str, depth: int = 2) -> NoReturn:
    """AttributeError that says what minigrad has not; ImportError where the program says `from … import name`."""
    here = module.replace("minigrad", "torch", 1)
    kind, text = KINDS.get(f"{here}.{name}"), f"{module} has no {name!r} ({here} may have it)"
    text = LACKS.format(f"{here}.{name}", kind) if kind else text
    frame = sys._getframe(depth)
    imports = frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == opcode.opmap["IMPORT_FROM"]
    raise (ImportError if imports else AttributeError)(text)


def lacking(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module: see `refuse`."""
    return lambda name: refuse(module, name)
