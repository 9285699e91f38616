"""The base of every layer, loss and network: a `Module`, which finds the parameters, buffers and modules inside it.
Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

import importlib
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

from minigrad import leaf
from minigrad.compat import dtypes
from minigrad.compat.pickling import Mirrored
from minigrad.compat.typenames import typename
from minigrad.graph.hooks import RemovableHandle
from minigrad.nn.parameter import Buffer, Parameter, forget_grad
from minigrad.tensor import Tensor

_PARAMETERS, _BUFFERS, _MODULES = "_parameters", "_buffers", "_modules"  # the registries, by attribute


def _converted(name: str, text: str) -> Callable[..., Any]:
    """A method that converts a module's floating tensors with the tensor method of the same name."""

    def method(self: Module, *args: object) -> Module:
        return self._apply(lambda tensor: getattr(tensor, name)(*args) if tensor.dtype.is_floating_point else tensor)

    method.__name__, method.__qualname__, method.__doc__ = name, f"Module.{name}", text
    return method


class Module(Mirrored):
    """A function with parameters. Subclasses make their parts in `__init__` and compute in `forward`. An attribute that
    is a `Parameter` or a `Module` is registered under its name; a plain tensor is not. AttributeError for such an
    attribute before `super().__init__()`, TypeError for another value under its name.
    """

    training: bool
    _modules: dict[str, Any]
    _is_full_backward_hook: bool | None = None  # which of the two kinds of backward hooks it has

    def __init__(self) -> None:
        self.__dict__.update(training=True, _parameters={}, _buffers={}, _non_persistent_buffers_set=set(), _modules={})
        for registry in HOOKS:
            self.__dict__[registry] = OrderedDict()

    def forward(self, *inputs: Any) -> Any:
        """The module's computation. NotImplementedError unless a subclass defines it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if self._backward_hooks or self._backward_pre_hooks or self._forward_hooks or self._forward_pre_hooks:
            return importlib.import_module("minigrad.nn.module_hooks").call(self, args, kwargs)  # seldom needed
        return self.forward(*args, **kwargs)

    # Attributes
    def __getattr__(self, name: str) -> Any:
        for registry in (_PARAMETERS, _BUFFERS, _MODULES):
            if name in (result := self.__dict__.get(registry, {})):
                return result[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Buffer):
            self._demand_init(_BUFFERS, "buffer")
            for other in (self.__dict__, self._parameters, self._modules, self._buffers):
                other.pop(name, None)
            tensor: Any = value
            self.register_buffer(name, tensor, tensor.persistent)
            return
        for registry, kind, what, expected in REGISTERED:
            if isinstance(value, kind):
                self._demand_init(registry, "module" if kind is Module else f"{what}s")
                for other in (self.__dict__, *[self.__dict__[item] for item, *_ in REGISTERED if item != registry]):
                    other.pop(name, None)
                if kind is Module:
                    self._modules[name] = value
                else:
                    self.register_parameter(name, value)
                return
            if name in self.__dict__.get(registry, ()):
                if value is not None and not (registry == _BUFFERS and isinstance(value, Tensor)):
                    raise TypeError(f"cannot assign '{typename(value)}' as {what} '{name}' ({expected} expected)")
                self.__dict__[registry][name] = value
                return
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        for registry in (_PARAMETERS, _BUFFERS, _MODULES):
            if name in self.__dict__[registry]:
                del self.__dict__[registry][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        registered = [*self._parameters, *self._modules, *self._buffers]
        return sorted([name for name in [*dir(type(self)), *self.__dict__, *registered] if not name[0].isdigit()])

    def _demand_init(self, registry: str, what: str) -> None:
        if registry not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")

    def _register(self, registry: str, name: object, value: object, kind: type, expected: str = "") -> None:
        """Make a value the entry of a registry. TypeError or KeyError unless it and its name can be that."""
        what = registry[1:-1]
        self._demand_init(registry, what)
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self.__dict__[registry]:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"cannot assign '{typename(value)}' object to {what} '{name}' ({expected} required)")
        self.__dict__[registry][name] = value

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name. TypeError for anything but a Parameter or None, KeyError for a taken name."""
        self._register(_PARAMETERS, name, param, Parameter, "torch.nn.Parameter or None")

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the state (unless not `persistent`) and is not trained."""
        self._register(_BUFFERS, name, tensor, Tensor, "torch Tensor or None")
        change = self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add
        change(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module under a name. TypeError for anything but a Module or None, KeyError for a taken name."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._register(_MODULES, name, module, Module)

    register_module = add_module

    # Contents
    def named_modules(
        self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it with their paths, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _joined(prefix, name), remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all below it, each once."""
        yield from (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly inside with their names, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly inside, each once."""
        yield from (module for _, module in self.named_children())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths, each once, of this module and (`recurse`) all below it."""
        yield from self._named_members(_PARAMETERS, prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each once: the argument for an optimizer."""
        yield from (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their paths, each once."""
        yield from self._named_members(_BUFFERS, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, each once."""
        yield from (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named_members(self, registry: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator:
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        seen = set()
        for path, module in modules:
            for name, member in module.__dict__[registry].items():
                if member is not None and member not in seen:
                    if remove_duplicate:
                        seen.add(member)
                    yield _joined(path, name), member

    def get_submodule(self, target: str) -> Module:
        """The module at a path like "encoder.0". AttributeError if there is none."""
        module: Module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path like "encoder.0.weight". AttributeError if there is none."""
        return self._at(target, lambda module, name, item: isinstance(item, Parameter), "an nn.Parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path. AttributeError if there is none."""
        return self._at(target, lambda module, name, item: name in module._buffers, "a buffer")

    def _at(self, target: str, fits: Callable, what: str) -> Any:
        where, _, name = target.rpartition(".")
        module = self.get_submodule(where)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        item = getattr(module, name)
        if not fits(module, name, item):
            raise AttributeError(f"`{name}` is not {what}")
        return item

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a path; with `strict`, only in place of another one. ValueError for an empty path or no
        module, AttributeError if there is something else, or no module around it.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if not isinstance(getattr(parent, name, module), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    # Changing the contents
    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call `fn` on every module below, then on this one, and return it: to set initial values."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set the flag `training` here and below. Recording for backward does not depend on it."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """`train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set the flag of every parameter: `requires_grad_(False)` freezes the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            forget_grad(parameter, set_to_none)

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Self:
        """Give every parameter, its gradient, and every buffer the values of `fn`; parameters stay the same objects."""
        for module in self.children():
            module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            grad = parameter.grad
            with leaf.no_grad():
                parameter.data = fn(parameter)
                if grad is not None:
                    grad.data = fn(grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: object, **kwargs: object) -> Self:
        """Convert floating parameters and buffers to a dtype, like `Tensor.to`. TypeError for an integer dtype."""
        for item in (*args, *kwargs.values()):
            dtype = item.dtype if isinstance(item, Tensor) else item
            if isinstance(dtype, dtypes.dtype) and not dtype.is_floating_point:
                accepted = "nn.Module.to only accepts floating point or complex dtypes"
                raise TypeError(f"{accepted}, but got desired dtype={dtype}")
        return self._apply(lambda tensor: tensor.to(*args, **kwargs) if tensor.dtype.is_floating_point else tensor)

    float = _converted("float", "Convert floating parameters and buffers to float32.")
    double = _converted("double", "Convert floating parameters and buffers to float64.")
    half = _converted("half", "Convert floating parameters and buffers to float16.")
    cpu = _converted("cpu", "The module itself: there is no other device.")
    cuda = _converted("cuda", "Raises an error: minigrad has only the CPU.")
    type = _converted("type", "Convert floating parameters and buffers to a dtype.")

    # The state
    def state_dict(self, *, destination: dict | None = None, prefix: str = "", keep_vars: bool = False) -> dict:
        """All parameters and persistent buffers by their paths, detached, on the same memory."""
        result = OrderedDict() if destination is None else destination
        for name, tensor in self._state().items():
            result[prefix + name] = tensor if keep_vars else tensor.detach()
        if hasattr(self, "get_extra_state"):
            result[prefix + EXTRA] = self.get_extra_state()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=result, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return result

    def _state(self) -> dict[str, Tensor]:
        """The tensors of this module's state, without those of modules inside."""
        buffers = {name: item for name, item in self._buffers.items() if name not in self._non_persistent_buffers_set}
        return {name: item for name, item in {**self._parameters, **buffers}.items() if item is not None}

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy the values of a `state_dict()` into the parameters and buffers, in place; with `assign` its tensors take
        their places. Returns the missing and unexpected keys. RuntimeError if there are any (when `strict`), or if a
        shape differs; TypeError for no mapping.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        own = self.state_dict(keep_vars=True)
        for path, module in self.named_modules():
            if hasattr(module, "set_extra_state") and _joined(path, EXTRA) in state_dict:
                module.set_extra_state(state_dict[_joined(path, EXTRA)])
        tensors = [key for key in own if key in state_dict and not key.endswith(EXTRA)]
        load = self._assign_one if assign else _load_one
        errors = [load(own[key], key, state_dict[key]) for key in tensors]
        missing = [key for key in own if key not in state_dict]
        result = _IncompatibleKeys(missing, [key for key in state_dict if key not in own])
        for keys, kind in ((result[1], "Unexpected"), (result[0], "Missing")):
            if strict and keys:
                quoted = ", ".join([f'"{key}"' for key in keys])
                errors.insert(0, f"{kind} key(s) in state_dict: {quoted}. ")
        if any(errors):
            listed = "\n\t".join([error for error in errors if error])
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return result

    def _assign_one(self, tensor: Tensor, key: str, value: Any) -> str:
        """Let a tensor take the place of a parameter or buffer: what is wrong with it, or an empty string."""
        wrong = _unfit(tensor, key, value)
        if not wrong:
            where, _, name = key.rpartition(".")
            if isinstance(tensor, Parameter) and not isinstance(value, Parameter):
                value = Parameter(value, tensor.requires_grad)
            setattr(self.get_submodule(where), name, value.requires_grad_(tensor.requires_grad))
        return wrong

    # Hooks
    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before each forward; what it returns, unless None, replaces `args`. `with_kwargs`
        it is `hook(module, args, kwargs)`, which may return both; `prepend` puts it before the others.
        """
        return self._hooked(self._forward_pre_hooks, hook, prepend, with_kwargs and self._forward_pre_hooks_with_kwargs)

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after each forward; what it returns, unless None, is the output.
        `with_kwargs` it is `hook(module, args, kwargs, output)`; `prepend` puts it before the others; with
        `always_call` it is called after an error, too.
        """
        flags = with_kwargs and self._forward_hooks_with_kwargs, always_call and self._forward_hooks_always_called
        return self._hooked(self._forward_hooks, hook, prepend, *flags)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the module's arguments are complete. What
        it returns, unless None, replaces grad_input. Both are tuples; named arguments are not watched. RuntimeError
        beside hooks of `register_backward_hook`.
        """
        self._demand_kind(True)
        return self._hooked(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` when the gradients of the module's results are complete. What it returns,
        unless None, replaces grad_output.
        """
        return self._hooked(self._backward_pre_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """The old kind: a hook of the node that made the result. RuntimeError beside full hooks."""
        self._demand_kind(False)
        return self._hooked(self._backward_hooks, hook, False)

    def _demand_kind(self, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            one = "single Module. Please use only one of them."
            raise RuntimeError(f"Cannot use both regular backward hooks and full backward hooks on a {one}")
        self._is_full_backward_hook = full

    def _hooked(self, hooks: OrderedDict, hook: Callable, prepend: bool, *flags: Any) -> RemovableHandle:
        """Add a hook, at the beginning if asked, and its number to the flags."""
        handle = RemovableHandle(hooks, hook)
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        for flag in flags:
            if flag is not False:
                flag[handle.id] = True
        return handle

    # Its repr
    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The text between the parentheses of the module's repr, before the modules inside."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if "\n" in extra or children:
            return "\n  ".join([f"{self._get_name()}(", *(extra.split("\n") if extra else ()), *children]) + "\n)"
        return f"{self._get_name()}({extra})"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What did not match; prints as a sentence if everything did."""

    def __repr__(self) -> str:
        return super().__repr__() if any(self) else "<All keys matched successfully>"


def _unfit(tensor: Tensor, key: str, value: object) -> str:
    """What is wrong with the value for a tensor; an empty string if it fits."""
    if not isinstance(value, Tensor):
        expected = "expected torch.Tensor or Tensor-like object from checkpoint"
        return f'While copying the parameter named "{key}", {expected} but received {type(value)}'
    if value.shape != tensor.shape:
        shapes = f"shape {value.shape} from checkpoint, the shape in current model is {tensor.shape}"
        return f"size mismatch for {key}: copying a param with {shapes}."
    return ""


def _load_one(tensor: Tensor, key: str, value: Any) -> str:
    """Copy one value into a tensor: what is wrong with it, or an empty string."""
    wrong = _unfit(tensor, key, value)
    if not wrong:
        with leaf.no_grad():
            tensor.copy_(value)
    return wrong


def indented(text: str) -> str:
    """The repr of a module inside another one's: lines after the first are indented."""
    first, *rest = text.split("\n")
    return "\n".join([first, *["  " + line if line.strip() else "" for line in rest]])


HOOKS = (
    *("_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks"),
    *("_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks_with_kwargs"),
)
EXTRA = "_extra_state"  # the key of what a module's `get_extra_state` answers; `set_extra_state` takes it back


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


REGISTERED: tuple[tuple[str, Any, str, str], ...] = (  # where, of which class, and how errors call it
    (_PARAMETERS, Parameter, "parameter", "torch.nn.Parameter or None"),
    (_MODULES, Module, "child module", "torch.nn.Module or None"),
    (_BUFFERS, (), "buffer", "torch.nn.Buffer, torch.Tensor or None"),
)
