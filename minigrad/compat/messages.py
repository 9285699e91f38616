"""torch's messages: the longer errors and warnings of the chapters, word for word, and how to issue a warning.
Mirrors https://docs.pytorch.org/docs/stable/autograd.html
"""

from __future__ import annotations

import os
import sys
import warnings

NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
    "mode AD."
)
SECOND_TIME = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
WRONG_COUNT = "function {} returned an incorrect number of gradients (expected {}, got {})"
WRONG_SHAPE = "Function {} returned an invalid gradient at index {} - got {} but expected shape compatible with {}"
DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)
CHANGED_SINCE = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: [{} {}]{} is at "
    "version {}; expected version {} instead. Hint: {}"
)
CHANGED_HINT = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
CHANGED_HINT_OF_ANOMALY = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
)

PINNED = (
    "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this "
    "system."
)
RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)
OUTSIDE = "index {} is out of bounds for dimension {} with size {}"
IMPLICIT_SEED = "grad can be implicitly created only for scalar outputs"
NO_GRAPH = "element {} of tensors does not require grad and does not have a grad_fn"
SEED_SHAPE = "Mismatch in shape: grad_output[{0}] has a shape of {1} and output[{0}] has a shape of {2}."
CREATE_GRAPH = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break "
    "the cycle and avoid the leak."
)
SIZES = "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}"

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access "
    "the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
GRAD_TYPE = "assigned grad expected to be a Tensor or None but got grad of type {}"
GRAD_DTYPE = (
    "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient must match the "
    "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
    "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and "
    "its gradient may break downstream systems that assume they match."
)
GRAD_DTYPE_SET = (
    "Cannot set grad_dtype to '{}' because there is already a gradient with dtype '{}'. Please clear the gradient "
    "(.grad = None) before changing grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype."
)
LAYOUT = (
    "grad and param do not obey the gradient layout contract. This is not an error, but may impair performance.\n"
    "grad.sizes() = {}, strides() = {}\nparam.sizes() = {}, strides() = {}"
)
GRAD_SHAPE = (
    "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that the gradient and the "
    "tensor are the same size"
)
FLAG = "you can only change requires_grad flags of leaf variables."
FLAG_HINT = (
    f"{FLAG} If you want to use a computed variable in a subgraph that doesn't require differentiation use "
    "var_no_grad = var.detach()."
)
PACK_HOOK = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)
HOOK_CONSTANT = "cannot register a hook on a tensor that doesn't require gradient"
HOOK_NON_LEAF = "post accumulate grad hooks cannot be registered on non-leaf tensors"
HOOK_COUNT = "hook '{}' has returned an incorrect number of values (got {}, but expected {})"
HOOK_DTYPE = "hook '{}' has changed the type of value (was {} got {})"
RETAIN_CONSTANT = "can't retain_grad on Tensor that has requires_grad=False"
DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, "
    "and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be "
    "called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
    "torch/optim/optimizer.py as the solution."
)
INFERENCE_CHANGED = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
INFERENCE_FLAG = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
CHANGED_LEAF = "{} that requires grad is being used in an in-place operation."
ORIGINS = {  # why a view cannot be changed in place, by where it comes from
    "no_grad": (
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
        "both the view and the inplace either both inside the no_grad block (if you don't want the inplace to "
        "be tracked) or both outside (if you want the inplace to be tracked)."
    ),
    "inference_mode": (
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
        "both the view and the inplace either both inside the inference_mode block (if you don't want the inplace "
        "to be tracked) or both outside (if you want the inplace to be tracked)."
    ),
    "several": (
        "This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    "function": (
        "This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function."
    ),
}
SHARED_MEMORY = (
    "unsupported operation: {} to a single memory location. Please clone() the tensor before performing the operation."
)
CHANGED_SHAPE = "output with shape {} doesn't match the broadcast shape {}"
CHANGED_DTYPE = "result type {} can't be cast to the desired output type {}"
NO_ROOM_AXES = (
    "expand({}{{{}}}, size={}): the number of sizes provided ({}) must be greater or equal to the number of "
    "dimensions in the tensor ({})"
)
NO_ROOM = (
    "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {}.  Target "
    "sizes: {}.  Tensor sizes: {}"
)
CONTAINS = "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}."
NUMPY = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
DEEPCOPY = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
    "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001"
)
TO_SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


_HERE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_warned: set[str] = set()  # warnings that torch gives once per process, whatever the filter
_warn_always = False


def set_warn_always(flag: bool) -> None:
    """Whether to repeat warnings that normally come once per process."""
    global _warn_always
    _warn_always = flag


def warn_once(text: str, subject: str = "") -> None:
    """A UserWarning, only the first time, for the program's line that caused it; one per `subject`."""
    if not _warn_always:
        if (subject or text) in _warned:
            return
        _warned.add(subject or text)
    warn(text)


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """A warning for the program's line that caused it: the first line outside the engine."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_back.f_code.co_filename.startswith(_HERE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level + 1)


VMAP_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
VMAP_BRANCH = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
VMAP_DATA = "Cannot access data pointer of Tensor that doesn't have storage"
VMAP_NONZERO = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::nonzero. "
    "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
)
VMAP_REQUIRES_GRAD = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of "
    "a function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch "
    "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
    "transformed instead."
)
VMAP_BACKWARD = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
    "functorch.vjp instead or call backward() outside of functorch transforms."
)
VMAP_IN_PLACE = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
    "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped "
    "over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic. If said operator is being "
    "called inside the PyTorch framework, please file a bug report instead."
)
VMAP_RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
VMAP_MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing "
    "with a boolean mask."
)
NEEDS_SETUP_CONTEXT = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    "the setup_context staticmethod. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)
NEEDS_VMAP = (
    "You tried to vmap over {}, but it does not have vmap support. Please override and implement the vmap staticmethod "
    "or set generate_vmap_rule=True. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)
TWO_VMAPS = (
    "You tried to vmap over {}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. Please "
    "set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. For more details, "
    "please see https://pytorch.org/docs/main/notes/extending.func.html"
)
VMAP_BATCH_NORM = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
    "were not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be "
    "False.If you are using a prebuilt module and do not need eval mode, please see the functorch website for "
    "resources on how to patch your module to work with vmap"
)
ACCESSED_ONCE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the autograd.Function. "
    "Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
)
HOOKS_SET = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
    "allowed at a time."
)
HOOKS_FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved variables after calling backward."
)
HOOKS_PAIR = (
    "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
    "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> "
    "None"
)
MUTATION_OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally "
    "recorded."
)
