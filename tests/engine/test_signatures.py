"""What editors, `help` and `inspect.signature` show: the arguments and defaults of torch."""

import inspect
from collections.abc import Iterator
from typing import Any

import torch
from engines import each_of

import minigrad
from minigrad import random
from minigrad.ops import creation
from minigrad.ops.creation import drawing, legacy

OPTIMIZERS = "SGD Adam AdamW RMSprop Adagrad Optimizer"
SCHEDULES = """
    LRScheduler LambdaLR StepLR MultiStepLR LinearLR ExponentialLR CosineAnnealingLR CosineAnnealingWarmRestarts
    OneCycleLR ReduceLROnPlateau SequentialLR
"""
AUTOGRAD = "backward grad gradcheck gradgradcheck"
PRODUCTS = "vjp jvp vhp hvp jacobian hessian"
LAYERS = """
    Linear Identity LayerNorm GroupNorm BatchNorm1d BatchNorm2d Embedding Dropout Flatten PReLU Parameter
    Sequential ModuleList ModuleDict ParameterList ParameterDict
    ReLU LeakyReLU ELU SiLU GELU Mish Hardtanh ReLU6 Softplus Softmax LogSoftmax
    MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss NLLLoss KLDivLoss CrossEntropyLoss
    HingeEmbeddingLoss MarginRankingLoss
"""
FUNCTIONS = """
    dropout elu relu relu6 leaky_relu hardtanh mish silu sigmoid tanh softmax log_softmax normalize batch_norm
    layer_norm group_norm embedding mse_loss l1_loss smooth_l1_loss huber_loss nll_loss cross_entropy
    binary_cross_entropy
    binary_cross_entropy_with_logits hinge_embedding_loss margin_ranking_loss kl_div
"""
DATA = """
    DataLoader Dataset TensorDataset ConcatDataset Subset Sampler SequentialSampler RandomSampler SubsetRandomSampler
    WeightedRandomSampler BatchSampler
"""
TOP = """
    set_printoptions set_grad_enabled inference_mode manual_seed einsum split meshgrid broadcast_tensors atleast_1d
    atleast_2d atleast_3d tensordot
"""
NAMES = {
    "": TOP,
    "optim": OPTIMIZERS,
    "optim.lr_scheduler": SCHEDULES,
    "autograd": AUTOGRAD,
    "autograd.functional": PRODUCTS,
    "nn": LAYERS,
    "nn.functional": FUNCTIONS,
    "utils.data": DATA,
}
# torch's arguments that minigrad refuses, where a signature names them one by one
LACKING = {
    "tensordot": "out",
    "nn.Hardtanh": "min_value max_value",
    "nn.functional.normalize": "out",
}
# torch writes the arguments of these only into the first line of their documentation
OPERATIONS = """
    add sub mul div clamp matmul addmm gather cumsum flatten transpose logsumexp lerp tril diff isclose quantile cross
    repeat_interleave
"""


def listed() -> Iterator[str]:
    """The names above with their modules."""
    for module, names in NAMES.items():
        yield from (f"{module}.{name}".removeprefix(".") for name in names.split())


def found(engine: Any, path: str) -> Any:
    """What an engine has under a name with dots."""
    for name in path.split("."):
        engine = getattr(engine, name)
    return engine


def arguments(function: Any) -> list[tuple]:
    """Name, default and kind of each argument; packed keyword arguments are left out."""
    parameters = inspect.signature(function).parameters.values()
    return [(each.name, repr(each.default), each.kind.name) for each in parameters if each.kind is not each.VAR_KEYWORD]


def test_arguments_and_defaults_are_torch_s() -> None:
    other = {}
    for path in listed():
        lacking = LACKING.get(path, "").split()
        theirs = [each for each in arguments(found(torch, path)) if each[0] not in lacking]
        if arguments(found(minigrad, path)) != theirs:
            other[path] = theirs
    assert other == {}


def test_names_and_places_are_torch_s() -> None:
    modules = {"": [creation, drawing, legacy, random], "utils.data": [minigrad.utils.data]}
    modules |= {"nn": [minigrad.nn], "nn.functional": [minigrad.nn.functional]}
    for path, ours in modules.items():
        theirs = found(torch, path) if path else torch
        names = [name for module in ours for name in getattr(module, "__all__", [])]
        assert names and [name for name in names if not hasattr(theirs, name)] == []
    assert [name for name in (*creation.factories.METHODS, *drawing.METHODS) if not hasattr(torch.Tensor, name)] == []
    assert [name for name in creation.__all__ if getattr(minigrad, name) is not getattr(creation, name)] == []
    for name in minigrad.nn.modules.__all__:
        assert getattr(minigrad.nn, name).__module__.replace("minigrad", "torch") == getattr(torch.nn, name).__module__
    assert [name for name in legacy.__all__ if repr(getattr(torch, name)) != repr(getattr(minigrad, name))] == []


@each_of(name=OPERATIONS.split())
def test_an_operation_shows_its_own_arguments(name: str) -> None:
    written = (getattr(torch, name).__doc__ or "").strip().splitlines()[0].split(" ->")[0].removeprefix(name)
    written = written.replace(", *, out=None", "").replace(", out=None", "")
    namespace: dict[str, Any] = {}
    exec(f"def documented{written}: pass", namespace)
    assert arguments(getattr(minigrad, name)) == arguments(namespace["documented"])
    method = getattr(minigrad.Tensor, name)
    assert arguments(method) == arguments(getattr(minigrad, name))
    assert arguments(getattr(minigrad.ones(1), name)) == arguments(method)[1:]


def test_a_program_s_operation_shows_its_own_arguments() -> None:
    minigrad.register("third", lambda a, times=3: a * times)
    try:
        shown = [("a", repr(inspect.Parameter.empty)), ("times", "3")]
        assert [each[:2] for each in arguments(minigrad.third)] == shown
    finally:
        minigrad.ops.unregister("third")


def test_no_function_is_made_from_text_only_to_have_arguments() -> None:
    """An editor reads the sources: each `__init__` of an optimizer or module stands in one."""
    for path in listed():
        kind = found(minigrad, path)
        if isinstance(kind, type) and "__init__" in vars(kind):
            assert "def __init__(" in inspect.getsource(kind.__init__), path
