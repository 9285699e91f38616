"""What a program asks torch to do, as events with their places in the program.

Nothing of torch is replaced but methods written in Python: `Optimizer.__init__` and `zero_grad`, `Module.zero_grad`,
`Parameter.__new__`, `torch.autograd.backward`, and the `apply` by which the engine calls backward() of a Function.
"""

from __future__ import annotations

import gc
import sys
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode

from minigrad_course.explain.observing.places import TRANSFORM, USER, Frames, Place

if TYPE_CHECKING:
    from torch.autograd.graph import Node as GraphNode

KEY = "minigrad_course.explain"  # in the metadata of a node: its Made
STATISTICS = KEY + ".statistics"  # of a node of batch norm in eval mode: copies of the mean and the variance it read
NORMS = ("batch_norm", "instance_norm", "native_batch_norm")
KEPT = 3000  # events that are kept from the start, and as many from the end
PASSES = 60  # passes, steps and the like, in the same way
CLOSE = 8  # passes whose gradients are looked at one by one; later only passes 16, 32, 64, …
MANY = 60  # nodes of a graph that is walked through at each pass
SAMPLE = 65536  # entries of a leaf that are copied, to see whether it moves
QUIET = set(
    "size dim numel stride is_complex is_floating_point __len__ storage_offset is_contiguous element_size __repr__ "
    "__format__ _record_function_enter_new _record_function_exit._RecordFunction _set_grad_enabled __hash__ get_device "
    "data_ptr is_sparse is_inference ndimension nelement untyped_storage is_signed is_conj is_neg __dir__ _is_view "
    "is_pinned manual_seed record_stream".split()
)
QUIET_GET = set(
    "shape dtype device is_leaf grad_fn ndim is_cuda is_sparse _version layout is_quantized _base is_meta itemsize "
    "is_cpu names nbytes is_mkldnn is_nested is_mps is_xpu retains_grad output_nr _backward_hooks".split()
)
NUMBERS = set("item tolist numpy __float__ __int__ __bool__ __array__ __index__ __complex__".split())
CUSTOM = torch.autograd.function.BackwardCFunction  # the node of a custom Function
LEAF: type = type(torch.ones(1, requires_grad=True).neg().grad_fn.next_functions[0][0])
peek = getattr(torch._C._functorch, "peek_interpreter_stack", lambda: None)
ORDER = {
    "backward": ("root", "gradient", "retain_graph", "create_graph", "inputs"),
    "grad": ("root", "inputs", "gradient", "retain_graph", "create_graph"),
    "direct": ("tensors", "grad_tensors", "retain_graph", "create_graph", "grad_variables", "inputs"),
}


class Enough(BaseException):
    """An edited program has shown what it had to show."""


class Record:
    """What is known of one tensor. It does not keep the tensor alive."""

    __slots__ = (
        *("n", "ref", "made", "first", "label", "shape", "dtype", "param", "leaf", "req", "fn", "start", "lost", "of"),
        "now",
        "writers",
    )

    def __init__(self, n: int, tensor: torch.Tensor, ref: Reference):
        self.n, self.ref = n, ref
        self.made: Event | None = None  # what made it
        self.first: Event | None = None  # what used it first
        self.lost: Event | None = None  # what took it out of its graph, or its flag away
        self.of: Record | None = None  # the leaf whose .grad it is
        self.label: str | None = None
        self.shape, self.dtype = tuple(tensor.shape), tensor.dtype
        self.param = type(tensor) is not torch.Tensor and isinstance(tensor, torch.nn.Parameter)
        self.leaf, self.req = False, True
        self.fn: str | None = None
        self.writers: tuple[Event, ...] = ()  # what changed it in place, the last few
        self.start: torch.Tensor | None = None  # numbers of the leaf at its first pass
        self.now: torch.Tensor | None = None  # set when the program has ended
        self.update(tensor)

    def update(self, tensor: torch.Tensor) -> None:
        """Look at the tensor again. A view of what was changed under no_grad refuses to say, and stays as it was."""
        try:
            self.leaf, self.req = tensor.is_leaf, tensor.requires_grad
            fn: GraphNode = tensor.grad_fn
            self.fn = None if fn is None else type(fn).__name__
        except RuntimeError:
            pass


class Reference(weakref.ref["torch.Tensor"]):
    """A weak reference to a tensor that knows where its record is."""

    __slots__ = ("key",)
    key: int


class Made:
    """What is remembered at a node: the event that made it, and the passes that went through it."""

    __slots__ = ("event", "passes")

    def __init__(self, event: Event):
        self.event = event
        self.passes: list[Event] = []


class Event:
    """One thing that the program asked for.

    kind: op, read, write, flag, out, pass, step, clear, optimizer. ins and outs are records; `asked` says of each input
    whether it required grad, `gave` of each output; `versions` of the inputs, before; `changed`: inputs changed in
    place.
    """

    __slots__ = (
        *("n", "kind", "name", "place", "ins", "outs", "changed", "grad_on", "info", "error", "asked", "gave"),
        *("versions", "forgotten", "user", "roots"),
    )

    def __init__(self, n: int, kind: str, name: str, place: Place | None, grad_on: bool):
        self.n, self.kind, self.name, self.place, self.grad_on = n, kind, name, place, grad_on
        self.ins: tuple[Record, ...] = ()
        self.outs: tuple[Record, ...] = ()
        self.changed: tuple[Record, ...] = ()
        self.asked: tuple[bool, ...] = ()
        self.gave: tuple[bool, ...] = ()
        self.versions: tuple[int, ...] = ()
        self.info: dict[str, Any] = {}
        self.error: BaseException | None = None
        self.forgotten = False
        self.user: FrameType | None = None
        self.roots: Sequence[torch.Tensor] = ()

    @property
    def line(self) -> int:
        return self.place.line if self.place else 0

    def had(self, record: Record) -> bool:
        """Whether a tensor of this event required grad then."""
        for one, flag in zip(self.outs, self.gave, strict=False):
            if one is record:
                return bool(flag)
        for one, flag in zip(self.ins, self.asked, strict=False):
            if one is record:
                return bool(flag)
        return record.req

    def forget(self) -> None:
        """Let go of the tensors: what came long ago and no longer matters."""
        self.forgotten = True
        self.ins = self.outs = self.changed = self.asked = self.gave = self.versions = ()
        self.user = None


class Log:
    """The first events and the last ones; those between are forgotten."""

    def __init__(self, many: int):
        self.many = many
        self.first: list[Event] = []
        self.last: deque[Event] = deque()
        self.count = 0

    def add(self, event: Event) -> None:
        self.count += 1
        if len(self.first) < self.many:
            self.first.append(event)
            return
        self.last.append(event)
        if len(self.last) > self.many:
            self.last.popleft().forget()

    def __iter__(self) -> Iterator[Event]:
        yield from self.first
        yield from self.last


def tensors(value: object, depth: int = 0) -> list[torch.Tensor]:
    """The tensors in arguments or results, to a depth of three."""
    if isinstance(value, torch.Tensor):
        return [value]
    result: list[torch.Tensor] = []
    if isinstance(value, (tuple, list)):
        each: Any = value
    elif isinstance(value, dict):
        each = value.values()
    else:
        return result
    for one in each:
        if isinstance(one, torch.Tensor):
            result.append(one)
        elif depth < 3 and isinstance(one, (tuple, list, dict)):
            result += tensors(one, depth + 1)
    return result


def state(grad: torch.Tensor | None) -> str:
    """none, nan (or inf), zero or ok."""
    if grad is None:
        return "none"
    grad = grad.detach()
    if grad.layout is not torch.strided:
        grad = grad.coalesce().values() if grad.is_sparse else grad.to_dense()
    if not grad.numel():
        return "ok"
    low, high = torch.aminmax(grad.abs() if grad.is_complex() else grad)
    low, high = low.item(), high.item()
    if low == 0 and high == 0:
        return "zero"
    return "ok" if low - low == 0 and high - high == 0 else "nan"


def states(grads: list[torch.Tensor | None]) -> list[str]:
    """The state of each, in few calls where they are alike."""
    dense = [one.detach() for one in grads if one is not None]
    first = dense[0] if dense else None
    if first is None or any(
        one.layout is not torch.strided or one.dtype != first.dtype or one.device != first.device or not one.numel()
        for one in dense
    ):
        return [state(one) for one in grads]
    if not first.is_floating_point():
        return [state(one) for one in grads]
    largest = iter(torch.stack(torch._foreach_norm(dense, float("inf"))).tolist())
    result = []
    for one in grads:
        if one is None:
            result.append("none")
            continue
        value = next(largest)
        result.append("zero" if value == 0 else "ok" if value - value == 0 else "nan")
    return result


def walk(roots: Iterable[GraphNode | None]) -> list[GraphNode]:
    """The nodes of a graph, without recursion.

    A node without a mark gets that of the node above it: of the nodes that one operation makes only the last is marked
    when it is made.
    """
    todo: list[tuple[GraphNode, Made | None]] = [(root, None) for root in roots if root is not None]
    seen, result = set(), []
    while todo:
        node, above = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        result.append(node)
        if type(node) is LEAF:
            continue
        made = node.metadata.get(KEY)
        if made is None and above is not None:
            made = node.metadata[KEY] = Made(above.event)
        for below, _ in node.next_functions:
            if below is not None:
                todo.append((below, made))
    return result


def version(tensor: torch.Tensor) -> int:
    """How often a tensor was changed in place; 0 for one that does not say (of inference mode, inside a transform)."""
    try:
        return tensor._version
    except (RuntimeError, AttributeError):
        return 0


def statistics(node: GraphNode) -> list[torch.Tensor]:
    """The running mean and variance that a node of batch norm reads."""
    return [item for item in (node._saved_running_mean, node._saved_running_var) if item is not None]


def stale(node: GraphNode) -> bool:
    """True for a node of batch norm in eval mode whose running statistics were changed since."""
    copies = node.metadata.get(STATISTICS)
    if copies is None or KEY not in node.metadata:
        return False
    try:
        now = statistics(node)
    except RuntimeError:  # freed: the pass says so
        return False
    return not all(torch.equal(one, two) for one, two in zip(copies, now, strict=True))


def sampled(tensor: torch.Tensor) -> torch.Tensor:
    """Some numbers of a tensor, copied."""
    flat = tensor.detach().reshape(-1)
    return flat[:: max(1, flat.numel() // SAMPLE)].clone()


def in_transform() -> bool:
    """True inside vmap, grad and the like, where tensors stand for others."""
    return peek() is not None


Sick = tuple[str, "GraphNode", "Made | None"]  # why, the node, and what is remembered at it


class Observer(TorchFunctionMode):
    """Watches a program while it is the innermost mode.

    frames: whose code is the program's; deep: the first pass that is looked at node by node, or None; most: how many
    passes are allowed, or None.
    """

    def __init__(self, frames: Frames, deep: int | None = None, most: int | None = None):
        super().__init__()
        self.frames, self.deep, self.most = frames, deep, most
        self.log, self.marks = Log(KEPT), Log(KEPT)
        self.passes, self.steps, self.clears = Log(PASSES), Log(PASSES), Log(PASSES)
        self.records: dict[int, Record] = {}
        self.dead: list[Reference] = []  # references to tensors that have died
        self.used: dict[int, Record] = {}  # leaves that a pass reached, or an optimizer got
        self.counter = self.events = 0
        self.names: dict[Any, tuple[str, str] | None] = {}
        self.stepping, self.closed = 0, False
        self.aside = False
        self.warned: list[tuple[str, str, int]] = []
        self.failed: tuple[Event, list[Sick]] | None = None
        self.modules: dict[str, torch.nn.Module] = {}
        self.called: weakref.WeakSet[torch.nn.Module] = weakref.WeakSet()  # those that were given names
        self.optimizers: dict[str, torch.optim.Optimizer] = {}
        self.losses: list[float | None] = []
        self.starts: set[int] = set()  # the lines that started passes
        self.cut = False  # ended here, after as many passes as it was given
        self.large: dict[
            tuple[CodeType, int] | None, list[Record]
        ] = {}  # by the place of a pass through many nodes: what it reaches
        self.nan_at: int | None = None  # the first pass after which something was not finite
        self.at_step: dict[int, int] = {}
        self.hooks: list[Any] = []
        self.kept: list[Any] = []
        self.through: set[str] = set()  # custom Functions that a pass went through
        self.statistics = False  # True if a batch norm in eval mode was recorded

    # --- places and tensors ---------------------------------------------------------------------

    def record(self, tensor: torch.Tensor) -> Record:
        """What is known of a tensor."""
        key = id(tensor)
        result = self.records.get(key)
        if result is not None and result.ref() is tensor:
            return result
        self.counter += 1
        if self.dead:
            self.bury()
        ref = Reference(tensor, self.dead.append)  # no code of Python: a Ctrl-C that meets it would be lost
        ref.key = key
        result = self.records[key] = Record(self.counter, tensor, ref)
        return result

    def bury(self) -> None:
        """Let go of the records of tensors that have died."""
        while self.dead:
            ref = self.dead.pop()
            one = self.records.get(ref.key)
            if one is not None and one.ref is ref:
                del self.records[ref.key]

    def event(self, kind: str, name: str, frame: FrameType | None) -> Event:
        place, user = self.frames.place(frame)
        event = Event(self.events, kind, name, place, torch.is_grad_enabled())
        self.events += 1
        if place is not None:
            if kind in ("op", "out"):
                self.log.add(event)
            else:
                {"pass": self.passes, "step": self.steps, "clear": self.clears}.get(kind, self.marks).add(event)
            event.user = user if kind == "pass" else None
        return event

    def kind_of(self, func: Any) -> tuple[str, str] | None:
        """What kind of event a function of torch makes, and its name; None for one that is no event."""
        name = getattr(func, "__name__", None) or str(func)
        if name in ("__get__", "__set__"):
            name = name[2:5] + " " + getattr(func.__self__, "__name__", "?")
        module = getattr(func, "__module__", None) or ""
        if name in QUIET or (name[:4] == "get " and name[4:] in QUIET_GET):
            return None
        if name in ("backward", "grad") and module.startswith(("torch._tensor", "torch.autograd")):
            kind = "pass"
        elif name == "get grad":
            kind = "read"
        elif name[:4] == "set " or name == "requires_grad_":
            kind = "flag" if "requires_grad" in name else "write"
        else:
            kind = "out" if name in NUMBERS else "op"
        return kind, name

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> object:
        kwargs = kwargs or {}
        if self.stepping or self.closed:
            return func(*args, **kwargs)
        try:
            known = self.names[func]
        except KeyError:
            known = self.names[func] = self.kind_of(func)
        except TypeError:
            known = self.kind_of(func)
        if known is None:
            return func(*args, **kwargs)
        kind, name = known
        if kind == "pass":
            frame: Any = sys._getframe(1)
            while frame is not None and self.frames.kind(frame.f_code) != USER:
                if self.frames.kind(frame.f_code) == TRANSFORM:
                    return func(*args, **kwargs)
                frame = frame.f_back
            return self.run_pass(name, func, args, kwargs, sys._getframe(1))
        return self.run_op(kind, name, func, args, kwargs)

    def run_op(
        self, kind: str, name: str, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> object:
        """An operation, or a look at an attribute."""
        ins = tensors(args)
        if kwargs:
            ins += tensors(kwargs)
        event = self.event(kind, name, sys._getframe(2))
        if in_transform():  # tensors stand for others there
            try:
                return func(*args, **kwargs)
            except BaseException as error:
                event.error = error
                raise
        known: list[Record] = []
        asked, before = list[bool](), list[int]()
        for tensor in ins:
            one = self.record(tensor)
            known.append(one)
            asked.append(one.req)
            before.append(version(tensor))
            if one.first is None:
                one.first = event
            made = one.made
            if made is not None and made.place is not None and made.place.custom:  # apply() gave it a graph afterwards
                one.update(tensor)
        event.ins, event.asked, event.versions = tuple(known), tuple(asked), tuple(before)
        rows = [item for item in ins if item.dim() == 1 and not item.requires_grad] if name in NORMS else []
        copies = [row.clone() for row in rows]
        try:
            out = func(*args, **kwargs)
        except BaseException as error:
            event.error = error
            raise
        if rows:  # torch does not count a change of running statistics as one
            event.info["updates"] = not all(torch.equal(one, two) for one, two in zip(rows, copies, strict=True))
        for tensor, one, old in zip(ins, known, before, strict=True):
            if version(tensor) != old:
                event.changed = (*event.changed, one)
                one.writers = (*one.writers[-3:], event)
                one.update(tensor)
        if kind != "op":
            self.attribute(event, args, known, ins, out)
        elif name == "detach_" and known:
            known[0].update(ins[0])
            known[0].lost = event
        if self.deep is not None:
            self.look_at(event, ins, out)
        outs = [out] if isinstance(out, torch.Tensor) else tensors(out)
        if outs:
            self.results(event, name, known, outs)
            if name in NORMS:
                self.copy_statistics(outs)
        return out

    def results(self, event: Event, name: str, known: list[Record], outs: list[torch.Tensor]) -> None:
        """What an operation gave, of these inputs."""
        given: list[Record] = []
        for tensor in outs:
            count = self.counter
            one = self.record(tensor)
            if self.counter == count:  # a new record has just looked
                one.update(tensor)
            given.append(one)
            if one.made is None and one not in known:
                one.made = event
                if name == "get grad" and event.ins:
                    one.of = event.ins[0]
            if one.fn is not None:
                self.tag(tensor.grad_fn, event)
        event.outs, event.gave = tuple(given), tuple([one.req for one in given])

    def copy_statistics(self, outs: list[torch.Tensor]) -> None:
        """Copy what batch norm in eval mode has read: its derivative reads it again, and torch sees no change of it."""
        node = outs[0].grad_fn
        while node is not None and "BatchNorm" not in type(node).__name__:  # behind a few views, of instance norm
            node = node.next_functions[0][0] if "View" in type(node).__name__ else None
        if node is not None and not getattr(node, "_saved_training", True):
            with torch.no_grad():
                node.metadata.setdefault(STATISTICS, [statistic.clone() for statistic in statistics(node)])
            self.statistics = True

    def attribute(
        self, event: Event, args: tuple[Any, ...], known: list[Record], ins: list[torch.Tensor], out: object
    ) -> None:
        """What was read or set."""
        if event.kind in ("flag", "write"):
            value = args[1] if len(args) > 1 else True
            if known:
                old = known[0].req
                known[0].update(ins[0])
                if old and not known[0].req:
                    known[0].lost = event
            if event.name == "set grad":
                event.info["value"] = None if value is None else self.record(value).n
            elif not isinstance(value, torch.Tensor):
                event.info["value"] = value
        elif event.kind == "read":
            event.info["none"] = out is None
        elif isinstance(out, (int, float, bool)):
            event.info["value"] = out

    def look_at(self, event: Event, ins: list[torch.Tensor], out: object) -> None:
        """Whether an operation made nan or inf of finite numbers."""
        try:
            wild = any(state(one) == "nan" for one in tensors(out) if one.is_floating_point())
            event.info["wild"] = wild and not any(
                state(one) == "nan" for one in ins if one.is_floating_point() and one.requires_grad
            )
        except (RuntimeError, NotImplementedError):
            event.info["wild"] = False

    def tag(self, fn: GraphNode, event: Event) -> None:
        """Remember at the last node that an event made that it was this one."""
        if type(fn) is not LEAF:
            metadata = fn.metadata
            if KEY not in metadata:
                metadata[KEY] = Made(event)

    # --- passes ---------------------------------------------------------------------------------

    def run_pass(
        self, name: str, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType
    ) -> object:
        """A backward pass."""
        number = self.passes.count
        if self.most is not None and number >= self.most:
            self.cut = True
            raise Enough
        event = self.event("pass", name, frame)
        given = {**dict(zip(ORDER[name], args, strict=False)), **kwargs}
        roots = tensors(given.get("root", given.get("outputs", given.get("tensors"))))
        seed = given.get("gradient", given.get("grad_outputs", given.get("grad_tensors")))
        inputs = tensors(given.get("inputs")) if given.get("inputs") is not None else []
        event.roots, event.ins = roots, tuple([self.record(tensor) for tensor in roots])
        for one, tensor in zip(event.ins, roots, strict=True):
            one.update(tensor)
        close = number < CLOSE or number & (number - 1) == 0 or (self.deep is not None and number >= self.deep)
        key = None if event.place is None else (event.place.code, event.place.lasti)
        large = self.large.get(key) if not close and name == "backward" and not inputs else None
        if large is not None:  # the passes of this line go through many nodes: this one as the last that was looked at
            return self.quick_pass(event, func, args, kwargs, roots, large)
        nodes = walk([tensor.grad_fn for tensor in roots])
        leaves = [node.variable for node in nodes if type(node).__name__ == "AccumulateGrad"]
        leaves += [tensor for tensor in roots if tensor.is_leaf and tensor.requires_grad]
        loss = None
        if roots and roots[0].numel() == 1 and (close or roots[0].device.type == "cpu"):
            value = roots[0].detach().item()
            loss = float(value) if not isinstance(value, complex) else None
        event.info = {
            "retain": bool(given.get("retain_graph") or given.get("create_graph")),
            "create": bool(given.get("create_graph")),
            "seed": [list(one.shape) for one in tensors(seed)],
            "loss": loss,
            "close": close,
            "inputs": [self.record(tensor) for tensor in inputs],
            "reached": [],
            "grads": {},
            "fresh": {},
            "before": {},
        }
        self.losses.append(loss)
        self.starts.add(event.line)
        targets = leaves if not inputs else inputs if name == "backward" else []
        known = [self.record(tensor) for tensor in targets]
        for tensor in leaves:
            one = self.record(tensor)
            if one.start is None:
                one.start = sampled(tensor)
            if one.n not in self.used and (number < 2 * CLOSE or tensor.grad is None):
                self.used[one.n] = one
        pre: dict[int, torch.Tensor | None] = {}
        if close:
            pre = {
                one.n: None if tensor.grad is None else tensor.grad.detach().clone()
                for one, tensor in zip(known, targets, strict=True)
            }
            event.info["before"] = {key: state(grad) for key, grad in pre.items()}
            self.scan(event.user, number & (number - 1) == 0)
            self.through |= {type(node).__name__ for node in nodes if isinstance(node, CUSTOM)}
        hooks = self.look_into(nodes, event) if self.deep is not None and number >= self.deep else []
        if self.statistics:
            event.info["stale"] = [node.metadata[KEY].event for node in nodes if stale(node)]
        try:
            out = func(*args, **kwargs)
        except BaseException as error:
            event.error = error
            if not self.failed:
                self.failed = (event, sick(nodes))
            raise
        finally:
            for hook in hooks:
                hook.remove()
            event.user = None
        for node in nodes:
            made = node.metadata.get(KEY)
            if made is not None and len(made.passes) < 3:
                made.passes.append(event)
        event.roots = ()
        if name == "grad":
            self.returned(event, inputs, list(out) if isinstance(out, (tuple, list)) else [out], close)
            return out
        event.info["reached"] = known
        if len(nodes) > MANY:
            self.large[key] = known
        if close:
            now = states([tensor.grad for tensor in targets])
            event.info["grads"] = {one.n: item for one, item in zip(known, now, strict=True)}
            grads = event.info["grads"]
            event.info["fresh"] = {
                one.n: grads[one.n] if pre[one.n] is None else fresh(tensor.grad, pre[one.n])
                for one, tensor in zip(known, targets, strict=True)
            }
        wild = (loss is not None and loss - loss != 0) or (close and "nan" in event.info["grads"].values())
        if wild and self.nan_at is None:
            self.nan_at = number
        return out

    def quick_pass(
        self,
        event: Event,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        roots: list[torch.Tensor],
        known: list[Record],
    ) -> object:
        """A pass of which only the loss is looked at."""
        value = roots[0].detach().item() if roots and roots[0].numel() == 1 and roots[0].device.type == "cpu" else None
        loss = None if value is None or isinstance(value, complex) else float(value)
        given = {"retain": bool(kwargs.get("retain_graph") or kwargs.get("create_graph")), "create": False}
        event.info = {**given, "seed": [], "loss": loss, "close": False, "inputs": [], "reached": known}
        event.info |= {"grads": {}, "fresh": {}, "before": {}}
        self.losses.append(loss)
        self.starts.add(event.line)
        try:
            out = func(*args, **kwargs)
        except BaseException as error:
            event.error = error
            if not self.failed:
                self.failed = (event, sick(walk([tensor.grad_fn for tensor in roots])))
            raise
        finally:
            event.user = None
        event.roots = ()
        if loss is not None and loss - loss != 0 and self.nan_at is None:
            self.nan_at = len(self.losses) - 1
        return out

    def returned(self, event: Event, inputs: list[torch.Tensor], got: list[torch.Tensor | None], close: bool) -> None:
        """What autograd.grad returned."""
        event.outs = tuple([self.record(tensor) for tensor in got if tensor is not None])
        for tensor in got:
            if tensor is not None:
                one = self.record(tensor)
                one.made = one.made or event
                one.update(tensor)
                if tensor.grad_fn is not None:
                    self.tag(tensor.grad_fn, event)
        if close:
            pairs = zip(inputs, got, strict=False)
            event.info["grads"] = {self.record(one).n: state(grad) for one, grad in pairs}
            if "nan" in event.info["grads"].values() and self.nan_at is None:
                self.nan_at = self.passes.count - 1

    def look_into(self, nodes: list[GraphNode], event: Event) -> list[Any]:
        """Watch what comes in and out of every node of a pass."""
        seen = event.info["deep"] = []

        def hook(node: GraphNode) -> Callable[..., None]:
            made = node.metadata.get(KEY)

            def see(gave: tuple[torch.Tensor | None, ...], got: tuple[torch.Tensor | None, ...]) -> None:
                into = [state(one) for one in got if one is not None]
                out = [state(one) for one in gave if one is not None]
                seen.append((type(node).__name__, made.event if made else None, into, out))

            return see

        return [node.register_hook(hook(node)) for node in nodes if type(node).__name__ != "AccumulateGrad"]

    def scan(self, frame: FrameType | None, again: bool) -> None:
        """The names that the program's frames give to tensors, modules and optimizers."""
        while frame is not None:
            if self.frames.kind(frame.f_code) == USER:
                self.call_them(dict(frame.f_locals), again)
            frame = frame.f_back

    def call_them(self, names: dict[str, object], again: bool = True) -> None:
        """Give each tensor the first name that leads to it. again: also those of modules that have theirs already."""
        items = [(key, value) for key, value in names.items() if not key.startswith("__")]
        for key, value in items:
            if isinstance(value, torch.nn.Module):
                known = self.modules.setdefault(key, value) is value and value in self.called
                if key != "self" and (again or not known):
                    self.called.add(value)
                    self.call_module(key, value)
            elif isinstance(value, torch.optim.Optimizer):
                self.optimizers.setdefault(key, value)
        for key, value in items:
            for path, tensor in members(key, value):
                self.give(tensor, path)

    def call_module(self, key: str, module: torch.nn.Module) -> None:
        """The names of a module's tensors: parameters and buffers, then what else its attributes hold."""
        for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
            self.give(tensor, python_name(f"{key}.{name}"))
        for name, inner in module.named_modules():
            for attribute, value in vars(inner).items():
                if attribute[:1] == "_":
                    continue
                path = python_name(f"{key}.{name}.{attribute}" if name else f"{key}.{attribute}")
                for where, tensor in members(path, value):
                    self.give(tensor, where)
                if isinstance(value, (list, tuple, dict)):
                    each = value.items() if isinstance(value, dict) else enumerate(value)
                    for index, one in each:
                        if isinstance(one, torch.nn.Module):
                            for rest, tensor in one.named_parameters():
                                self.give(tensor, f"{path}[{index!r}].{rest}")

    def give(self, tensor: torch.Tensor, label: str) -> None:
        one = self.record(tensor)
        if one.label is None:
            one.label = label

    # --- optimizers -----------------------------------------------------------------------------

    def before_step(self, optimizer: torch.optim.Optimizer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self.closed:
            return
        with torch._C.DisableTorchFunction():  # else each of our own questions comes to us as one of the program's
            self.at_step = {id(one): one._version for group in optimizer.param_groups for one in group["params"]}
        closure = (args and callable(args[-1])) or kwargs.get("closure") is not None
        if not closure:  # which would run inside
            self.stepping += 1
            if torch.overrides._get_current_function_mode() is self:
                torch.overrides._pop_mode()  # what an optimizer computes is nobody's business, and much
                self.aside = True

    def back(self) -> None:
        """Be the mode again, after a step, or one that has failed."""
        if self.aside:
            self.aside = False
            torch.overrides._push_mode(self)

    def after_step(self, optimizer: torch.optim.Optimizer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self.closed:
            return
        self.back()
        self.stepping = 1  # our own questions are no events
        try:
            with torch._C.DisableTorchFunction():
                self.stepped(optimizer)
        finally:
            self.stepping = 0

    def stepped(self, optimizer: torch.optim.Optimizer) -> None:
        event = self.event("step", "step", sys._getframe(3))
        held = [one for group in optimizer.param_groups for one in group["params"]]
        known = event.ins = tuple([self.record(one) for one in held])
        at_step = self.at_step
        event.changed = tuple(
            [one for one, tensor in zip(known, held, strict=True) if tensor._version != at_step.get(id(tensor))]
        )
        group = optimizer.param_groups[0] if optimizer.param_groups else {}
        close = self.steps.count <= CLOSE or self.steps.count & (self.steps.count - 1) == 0
        grads: Any = {}
        size = 0.0
        if close:
            now = states([tensor.grad for tensor in held])
            grads = {one.n: item for one, item in zip(known, now, strict=True)}
            dense = [one.grad.detach() for one in held if one.grad is not None and one.grad.layout is torch.strided]
            dense = [one for one in dense if one.is_floating_point()]
            size = float(sum(one.to("cpu", torch.float64) for one in torch._foreach_norm(dense))) if dense else 0.0
        elif all(tensor.grad is None for tensor in held):
            grads = {one.n: "none" for one in known}
        event.info = {
            "optimizer": id(optimizer),
            "grads": grads,
            "size": size,
            "lr": group.get("lr"),
            "decay": group.get("weight_decay", 0),
            "momentum": group.get("momentum", 0),
        }

    # --- being the mode -------------------------------------------------------------------------

    def __enter__(self) -> Observer:
        self.hooks = [
            register_optimizer_step_pre_hook(self.before_step),
            register_optimizer_step_post_hook(self.after_step),
        ]

        def made(old: Callable[..., Any], optimizer: torch.optim.Optimizer, *args: object, **kwargs: object) -> None:
            old(optimizer, *args, **kwargs)
            if self.closed:
                return
            event = self.event("optimizer", type(optimizer).__name__, sys._getframe(2))
            event.ins = tuple([self.record(one) for group in optimizer.param_groups for one in group["params"]])
            event.info["optimizer"] = id(optimizer)
            self.used.update({one.n: one for one in event.ins})

        def cleared(
            old: Callable[..., Any], owner: torch.optim.Optimizer | torch.nn.Module, *args: object, **kwargs: object
        ) -> None:
            self.failed_step()
            if self.closed or self.stepping:
                return old(owner, *args, **kwargs)
            self.stepping += 1
            current = torch.overrides._get_current_function_mode() is self
            if current:
                torch.overrides._pop_mode()  # it sets the .grad of each
            try:
                if isinstance(owner, torch.optim.Optimizer):
                    owned = [one for group in owner.param_groups for one in group["params"]]
                else:
                    owned = list(owner.parameters())
                old(owner, *args, **kwargs)
                event = self.event("clear", "zero_grad", sys._getframe(2))
                event.ins = tuple([self.record(one) for one in owned])
            finally:
                if current:
                    torch.overrides._push_mode(self)
                self.stepping -= 1

        def direct(old: Callable[..., Any], *args: Any, **kwargs: Any) -> object:
            self.failed_step()
            caller = sys._getframe(2).f_code.co_filename.replace("\\", "/")
            library = "/torch/" in caller and self.frames.kind(sys._getframe(2).f_code) != USER
            if self.closed or self.stepping or library:
                return old(*args, **kwargs)
            given = {**dict(zip(ORDER["direct"], args, strict=False)), **kwargs}
            return self.run_pass(
                "backward", lambda **_: old(**given), (), {**given, "root": given.get("tensors")}, sys._getframe(2)
            )

        def custom(old: Callable[..., Any], node: type, *args: object) -> object:
            # a mode is off while it handles a call, so also in backward() of a Function: put it back
            if self.closed or self.stepping:
                return old(node, *args)
            torch.overrides._push_mode(self)
            try:
                return old(node, *args)
            finally:
                torch.overrides._pop_mode()

        def parameter(
            old: Callable[..., Any], cls: type, data: torch.Tensor | None = None, requires_grad: bool = True
        ) -> torch.nn.Parameter:
            new = old(cls, data, requires_grad)
            if not self.closed and not self.stepping and type(new) is torch.nn.Parameter and not in_transform():
                frame = sys._getframe(2)
                event = self.event("op", "Parameter", frame)
                if isinstance(data, torch.Tensor):
                    one = self.record(data)
                    event.ins, event.asked = (one,), (one.req,)
                self.results(event, "Parameter", [], [new])
            return new

        self.kept = [
            (torch.optim.Optimizer, "__init__", wrapped(torch.optim.Optimizer.__init__, made)),
            (torch.optim.Optimizer, "zero_grad", wrapped(torch.optim.Optimizer.zero_grad, cleared)),
            (torch.nn.Module, "zero_grad", wrapped(torch.nn.Module.zero_grad, cleared)),
            (torch.autograd, "backward", wrapped(torch.autograd.backward, direct)),
            (CUSTOM, "apply", wrapped(CUSTOM.apply, custom)),
            (torch.nn.Parameter, "__new__", staticmethod(wrapped(torch.nn.Parameter.__new__, parameter))),
        ]
        self.kept = [(owner, name, vars(owner).get(name), new) for owner, name, new in self.kept]
        for owner, name, _, new in self.kept:
            setattr(owner, name, new)
        self.froze = not gc.get_freeze_count()
        if self.froze:
            gc.freeze()  # what is there already is not looked through again each time our events pile up
        self.show = warnings.showwarning

        def shown(
            message: Warning | str, category: type[Warning], filename: str, line: int, *rest: Any, **kwargs: Any
        ) -> None:
            if filename == __file__:
                issued_again(message, category)
                return
            self.warned.append((str(message), filename, line))
            self.show(message, category, filename, line, *rest, **kwargs)

        warnings.showwarning = shown  # type: ignore[assignment]
        super().__enter__()
        return self

    def failed_step(self) -> None:
        """A step that raised never told that it has ended."""
        if self.aside and not self.closed:
            frame: FrameType | None = sys._getframe(2)
            while frame is not None and not frame.f_code.co_filename.endswith("optimizer.py"):
                frame = frame.f_back
            if frame is None:
                self.stepping = 0
                self.back()

    def __exit__(self, *args: object) -> None:
        self.back()
        self.closed = True
        self.stepping = 0
        for owner, name, old, _ in self.kept:
            setattr(owner, name, old)
        for hook in self.hooks:
            hook.remove()
        warnings.showwarning = self.show
        if self.froze:
            gc.unfreeze()
        super().__exit__(*args)


def issued_again(message: Warning | str, category: type[Warning]) -> None:
    """A warning that names this file, where the operation was called from here: issued where the program called it."""
    frame: Any = sys._getframe(1)
    func = None  # the operation, if it is written in Python: it has been entered twice
    while frame.f_code.co_filename != __file__ or frame.f_code.co_name == "shown":
        func, frame = frame.f_code, frame.f_back
    while frame.f_back is not None and frame.f_code.co_filename in (__file__, torch.overrides.__file__):
        frame = frame.f_back
    if frame.f_code is func and frame.f_back is not None:
        frame = frame.f_back
    globals().get("__warningregistry__", {}).clear()  # else the next line would not be warned of
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    file, name = frame.f_code.co_filename, frame.f_globals.get("__name__")
    warnings.warn_explicit(message, category, file, frame.f_lineno, name, registry)


def wrapped(old: Callable[..., Any], new: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls new(old, …), under the name of the old one."""

    def run(*args: object, **kwargs: object) -> Any:
        return new(old, *args, **kwargs)

    run.__name__, run.__qualname__, run.__doc__ = old.__name__, old.__qualname__, old.__doc__
    run.hooked = True  # type: ignore[attr-defined]  # torch.optim looks for it
    return run


def fresh(grad: torch.Tensor | None, before: torch.Tensor | None) -> str:
    """What one pass has brought to a .grad."""
    if grad is None or before is None:
        return state(grad)
    if grad.layout is not torch.strided or before.layout is not torch.strided or grad.shape != before.shape:
        return state(grad)
    return state(grad.detach() - before)


def members(path: str, value: object) -> Iterator[tuple[str, torch.Tensor]]:
    """A tensor, or those in a short list, tuple or dict, with their names."""
    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, (list, tuple, dict)) and len(value) < 50:
        for index, one in [*(value.items() if isinstance(value, dict) else enumerate(value))]:
            if isinstance(one, torch.Tensor):
                yield f"{path}[{index!r}]", one


def python_name(dotted: str) -> str:
    """`net.0.weight` as Python reads it: `net[0].weight`."""
    first, *rest = dotted.split(".")
    return first + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in rest)


def sick(nodes: list[GraphNode]) -> list[Sick]:
    """(why, node, Made) of the nodes that have lost what they kept: each is asked for it, and torch says why not."""
    result = []
    for node in nodes:
        saved = [name for name in dir(node) if name.startswith("_saved_")]
        saved += ["saved_tensors"] if isinstance(node, CUSTOM) else []
        for name in saved:
            try:
                getattr(node, name)
            except RuntimeError as error:
                said = str(error)
                why = "freed" if "second time" in said else "changed" if "inplace" in said else None
                if why:
                    result.append((why, node, node.metadata.get(KEY)))
                    break
            except AttributeError:
                pass
    return result
