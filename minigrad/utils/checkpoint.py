"""torch.utils.checkpoint: keep a function's inputs instead of what its nodes save, and run it again in backward.

Two variants. With `use_reentrant=True` the function is one node; its backward runs the function again, and a pass of
its own through that. With `use_reentrant=False` the nodes are there, but keep nothing: the first one that needs a saved
value has the function run again, until as many values are saved as there were.
Mirrors https://docs.pytorch.org/docs/stable/checkpoint.html
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any, NoReturn

from minigrad import leaf, random
from minigrad.autograd import function
from minigrad.autograd.graph import saved_tensors_hooks
from minigrad.compat import messages
from minigrad.compat.messages import warn
from minigrad.graph import state
from minigrad.nn import Sequential
from minigrad.passing import gradients
from minigrad.recording import modes, saved
from minigrad.tensor import Tensor

__all__ = ["CheckpointError", "CheckpointFunction", "check_backward_validity", "checkpoint", "checkpoint_sequential"]
__all__ += ["detach_variable", "noop_context_fn", "set_checkpoint_early_stop"]

_early_stop: bool | None = None  # what a block asks for, whatever the calls say
EXPLICIT = (
    "{}: the use_reentrant parameter should be passed explicitly. {} use_reentrant=False is recommended, but if you "
    "need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
    "the differences between the two variants."
)
OF_ONE = "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception."
OF_SEQUENTIAL = "In version 2.9 we will raise an exception if use_reentrant is not passed."
INCOMPATIBLE = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
    "the `inputs` argument."
)
TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint‑debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""


class CheckpointError(RuntimeError):
    """A function that was run again saved other values."""

    __module__ = "torch.utils.checkpoint"


def noop_context_fn() -> tuple:
    """Two contexts that do nothing, one for each run."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """function(*args, **kwargs), whose nodes keep nothing: backward runs it again, with the same random numbers unless
    `preserve_rng_state=False`. `context_fn` gives a context for each of the two runs; `early_stop` ends the second one
    as soon as all values are there; a `determinism_check` of "none" does not compare shapes and dtypes. ValueError for
    arguments that do not go together, CheckpointError, in backward, if the second run saves other values.
    """
    if use_reentrant is None:
        warn(EXPLICIT.format("torch.utils.checkpoint", OF_ONE))
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if debug:
        raise NotImplementedError("minigrad's checkpoint keeps no log for debug=True")
    if determinism_check not in ("default", "none"):
        one_of = f"one of ['default', 'none'], but got {determinism_check}"
        raise ValueError(f"determinism_check should be {one_of}")
    first, second = context_fn()
    if not leaf.recording:
        return function(*args, **kwargs)
    start = random.get_rng_state() if preserve else None

    def again(*inputs: Any) -> None:
        with _random_numbers(start), second:
            function(*inputs, **kwargs)

    frame = _Frame(again, early_stop if _early_stop is None else _early_stop, determinism_check == "default", args)
    with saved_tensors_hooks(frame.pack, frame.unpack), first:
        result = function(*args, **kwargs)
    frame.complete = True
    return result


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """What a chain of functions, or a Sequential, makes of the input, in so many segments: each but the last one runs
    in a `checkpoint`. ValueError for other keywords than `preserve_rng_state`.
    """
    if use_reentrant is None:
        warn(EXPLICIT.format("torch.utils.checkpoint.checkpoint_sequential", OF_SEQUENTIAL))
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    chain = [*functions.children()] if isinstance(functions, Sequential) else functions

    def part(start: int, end: int) -> Callable:
        def forward(value: Any) -> Any:
            for one in chain[start:end]:
                value = one(value)
            return value

        return forward

    size, end = len(chain) // segments, 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(part(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return part(end, len(chain))(input)


class set_checkpoint_early_stop:
    """In the `with` block, whether the second run of every `checkpoint` stops early, whatever its call says."""

    def __init__(self, enable: bool):
        self.enable = enable

    def __enter__(self) -> None:
        global _early_stop
        self.before, _early_stop = _early_stop, self.enable

    def __exit__(self, *error: object) -> None:
        global _early_stop
        _early_stop = self.before


@contextlib.contextmanager
def _random_numbers(start: Tensor | None) -> Iterator[None]:
    """In the block, the default generator begins at a state; afterwards it is where it was."""
    before = None if start is None else random.get_rng_state()
    if start is not None:
        random.set_rng_state(start)
    try:
        yield
    finally:
        if before is not None:
            random.set_rng_state(before)


# --- one node ------------------------------------------------------------------------------------


def detach_variable(inputs: tuple) -> tuple:
    """The inputs, with leaves on the same memory for tensors. RuntimeError for anything but a tuple."""
    if not isinstance(inputs, tuple):
        got = f"Got Unsupported input type: {type(inputs).__name__}"
        raise RuntimeError(f"Only tuple of tensors is supported. {got}")
    return tuple([i.detach().requires_grad_(i.requires_grad) if isinstance(i, Tensor) else i for i in inputs])


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """A warning if no input requires grad."""
    if not any(item.requires_grad for item in inputs if isinstance(item, Tensor)):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


class CheckpointFunction(function.Function):
    """The function as one node, which keeps the inputs."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.start = random.get_rng_state() if preserve_rng_state else None
        ctx.inputs = [None if isinstance(arg, Tensor) else arg for arg in args]
        ctx.places = [place for place, arg in enumerate(args) if isinstance(arg, Tensor)]
        ctx.save_for_backward(*[args[place] for place in ctx.places])
        with leaf.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        if state.watcher is not None:
            raise RuntimeError(INCOMPATIBLE)
        inputs = [*ctx.inputs]
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = tensor
        leaves = detach_variable(tuple(inputs))
        with _random_numbers(ctx.start), modes.enable_grad():
            outputs = ctx.run_function(*leaves)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [(out, grad) for out, grad in zip(outputs, args, strict=True) if isinstance(out, Tensor)]
        pairs = [pair for pair in pairs if pair[0].requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        gradients.backward([out for out, _ in pairs], [grad for _, grad in pairs])
        return None, None, *[item.grad if isinstance(item, Tensor) else None for item in leaves]


# --- nodes that keep nothing ---------------------------------------------------------------------


class _Stop(Exception):
    """All values are there."""


class _Holder:
    """What a node keeps instead of a saved value."""


class _Frame:
    """One call: how many values its nodes have saved, and what a second run saved, for each pass that asked."""

    def __init__(self, again: Callable, early_stop: bool, compares: bool, args: tuple):
        self.again, self.early_stop, self.compares = again, early_stop, compares
        self.args = args
        kept = tuple([saved.of_input(arg) for arg in args if isinstance(arg, Tensor)])
        self.inputs: Any = SimpleNamespace(saves=(), saved=kept, _advice=messages.CHANGED_HINT)  # as a node keeps them
        self.complete = self.ignores = False  # whether the first run is over; whether it asked for more
        self.holders: list[weakref.ref[_Holder]] = []
        self.forms: list[dict] = []
        self.runs: weakref.WeakKeyDictionary[Any, list] = weakref.WeakKeyDictionary()  # by pass

    def pack(self, tensor: Tensor) -> _Holder:
        """In the first run, keep a place for a value."""
        holder = _Holder()
        self.holders.append(weakref.ref(holder))
        self.forms.append(_form(tensor))
        return holder

    def unpack(self, holder: _Holder) -> Tensor:
        """The value, after a second run for this pass."""
        group = state.root or _Holder()
        values = self.runs.get(group)
        if values is None:
            values = self.run(group)
        return values[[item() for item in self.holders].index(holder)]

    def run(self, group: Any) -> list:
        """Run the function again. CheckpointError unless it saves the same number of values, of the same form."""
        values: list = []
        self.runs[group] = values

        def pack(tensor: Tensor) -> Tensor:
            tensor = tensor.detach() if tensor.requires_grad else tensor
            if len(values) >= len(self.holders):
                if self.complete:
                    raise CheckpointError(
                        "torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
                        f"original forward pass.\n{TIP}"
                    )
                self.ignores = True
                return tensor
            values.append(tensor)
            if self.early_stop and len(values) == len(self.holders):
                raise _Stop
            return tensor

        leaf.check_versions(self.inputs)
        with contextlib.suppress(_Stop), saved_tensors_hooks(pack, lambda tensor: tensor), modes.enable_grad():
            self.again(*self.args)
        if not self.ignores:
            self.compare(values)
        return values

    def compare(self, values: list) -> None:
        """CheckpointError unless the second run saved what the first one had saved."""
        if len(values) != len(self.holders):
            self.fail(
                "A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.holders)}\n"
                f"Number of tensors saved during recomputation: {len(values)}.\n"
            )
        other = [
            f"tensor at position {place}:\nsaved metadata: {before}\nrecomputed metadata: {_form(value)}\n"
            for place, (before, value) in enumerate(zip(self.forms, values, strict=True))
            if self.compares and before != _form(value) and self.holders[place]() is not None
        ]
        if other:
            self.fail(
                "Recomputed values for the following tensors have different metadata than during the forward pass.\n"
                f"{''.join(other)}.\n"
            )

    def fail(self, text: str) -> NoReturn:
        """Raise a CheckpointError."""
        raise CheckpointError(f"torch.utils.checkpoint: {text}{TIP}")


def _form(tensor: Tensor) -> dict:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}
