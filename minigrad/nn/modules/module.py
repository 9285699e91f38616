"""What every layer, loss and network is: a `Module`, which finds the parameters, buffers and modules inside it.

Mirrors https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from minigrad import leaf
from minigrad.compat import dtypes
from minigrad.compat.pickling import Mirrored
from minigrad.nn import hooks, state
from minigrad.nn.parameter import Buffer, Parameter, forget_grad
from minigrad.nn.typename import typename
from minigrad.runtime.hooks import RemovableHandle
from minigrad.tensor import Tensor

_PARAMETERS, _BUFFERS, _MODULES = "_parameters", "_buffers", "_modules"  # the registries, by attribute


def _converted(name: str, text: str, every: bool = False) -> Any:
    """A method that has the tensor method of its name convert the floating tensors of a module, or `every` one."""

    def method(self: Any, *args: Any) -> Any:
        return self._apply(
            lambda tensor: getattr(tensor, name)(*args) if every or tensor.dtype.is_floating_point else tensor
        )

    method.__name__, method.__qualname__, method.__doc__ = name, f"Module.{name}", text
    return method


class Module(Mirrored):
    """A function with parameters. Subclasses make their parts in `__init__` and compute in `forward`.

    An attribute that is a `Parameter`, a `Buffer` or a `Module` is registered under its name; a plain tensor is not.
    AttributeError for such an attribute before `super().__init__()`, TypeError for another value under its name.
    """

    training: bool
    _modules: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        self.__dict__.update(training=True, _parameters={}, _buffers={}, _non_persistent_buffers_set=set(), _modules={})
        self.__dict__.update({registry: OrderedDict() for registry in hooks.REGISTRIES})

    def forward(self, *inputs: Any) -> Any:
        """What the module computes. NotImplementedError unless a subclass says it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._backward_hooks or self._backward_pre_hooks or self._forward_hooks or self._forward_pre_hooks:
            return hooks.call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    # Attributes

    def __getattr__(self, name: str) -> Any:
        for registry in (_PARAMETERS, _BUFFERS, _MODULES):
            if name in (found := self.__dict__.get(registry, {})):
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._demand_init(_PARAMETERS, "parameters")
            self._forget(name, but=_PARAMETERS)
            self.register_parameter(name, value)
        elif name in own.get(_PARAMETERS, ()):
            self._demand_none(value, f"parameter '{name}' (torch.nn.Parameter or None expected)")
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            self._demand_init(_MODULES, "module")
            self._forget(name, but=_MODULES)
            self._modules[name] = value
        elif name in own.get(_MODULES, ()):
            self._demand_none(value, f"child module '{name}' (torch.nn.Module or None expected)")
            self._modules[name] = None
        elif isinstance(value, Buffer) or name in own.get(_BUFFERS, ()):
            if not isinstance(value, Tensor):
                self._demand_none(value, f"buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)")
            persistent = value.persistent if isinstance(value, Buffer) else name not in self._non_persistent_buffers_set
            self.register_buffer(name, value, persistent)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        for registry in (_PARAMETERS, _BUFFERS, _MODULES):
            if name in self.__dict__[registry]:
                self._forget(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        registered = [*self._parameters, *self._modules, *self._buffers]
        return sorted([name for name in [*dir(type(self)), *self.__dict__, *registered] if not name[0].isdigit()])

    def _forget(self, name: str, but: str = "") -> None:
        """Take a name out of every registry, and out of the plain attributes, except the registry `but`."""
        self.__dict__.pop(name, None)
        for registry in (_PARAMETERS, _BUFFERS, _MODULES):
            if registry != but:
                self.__dict__[registry].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _demand_init(self, registry: str, what: str) -> None:
        if registry not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")

    @staticmethod
    def _demand_none(value: Any, place: str) -> None:
        if value is not None:
            raise TypeError(f"cannot assign '{typename(value)}' as {place}")

    def _demand_name(self, name: Any, registry: str, what: str) -> None:
        """TypeError or KeyError unless `name` can become a new entry of a registry, or replace one there."""
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self.__dict__[registry]:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if not name:
            raise KeyError(f'{what} name can\'t be empty string ""')

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name. TypeError for anything but a Parameter or None, KeyError for a taken name."""
        self._demand_init(_PARAMETERS, "parameter")
        self._demand_name(name, _PARAMETERS, "parameter")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the state (unless not `persistent`) and is not trained."""
        self._demand_init(_BUFFERS, "buffer")
        self._demand_name(name, _BUFFERS, "buffer")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module under a name. TypeError for anything but a Module or None, KeyError for a taken name."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._demand_name(name, _MODULES, "module")
        self._modules[name] = module

    register_module = add_module

    # What is inside

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
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
        """The parameters, each once: what an optimizer wants."""
        yield from (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their paths, each once."""
        yield from self._named_members(_BUFFERS, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, each once."""
        yield from (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named_members(self, registry: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[Any]:
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        seen = set()
        for path, module in modules:
            for name, member in module.__dict__[registry].items():
                if member is not None and member not in seen:
                    if remove_duplicate:
                        seen.add(member)
                    yield _joined(path, name), member

    def get_submodule(self, target: str) -> Module:
        """The module at a path like "encoder.0". AttributeError where there is none."""
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path like "0.weight". AttributeError where there is none."""
        return self._member(target, lambda value, _: isinstance(value, Parameter), "an nn.Parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path. AttributeError where there is none."""
        return self._member(target, lambda _, found: found, "a buffer")

    def _member(self, target: str, fits: Callable[[Any, bool], bool], kind: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        value = getattr(module, name)
        if not fits(value, name in module._buffers):
            raise AttributeError(f"`{name}` is not {kind}")
        return value

    # Changing all that is inside

    def apply(self, fn: Callable[[Module], Any]) -> Any:
        """Call `fn` on every module below, then on this one, and return it: to set initial values."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Any:
        """Set the flag `training` here and below. Recording for backward does not depend on it."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Any:
        """`train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Set the flag of every parameter: `requires_grad_(False)` freezes the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            forget_grad(parameter, set_to_none)

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Any:
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

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Move floating parameters and buffers to a dtype, as `Tensor.to`. TypeError for a dtype of integers."""
        wanted = [each for each in (*args, *kwargs.values()) if isinstance(each, (dtypes.dtype, Tensor))]
        for each in wanted:
            dtype = each.dtype if isinstance(each, Tensor) else each
            if not dtype.is_floating_point:
                raise TypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
                )
        places = [each for each in args if not isinstance(each, (dtypes.dtype, Tensor))]
        other = {name: each for name, each in kwargs.items() if not isinstance(each, (dtypes.dtype, Tensor))}

        def moved(tensor: Tensor) -> Tensor:
            if tensor.dtype.is_floating_point:
                return tensor.to(*args, **kwargs)
            return tensor.to(*places, **other) if places or other else tensor

        return self._apply(moved)

    float = _converted("float", "Turn floating parameters and buffers to float32.")
    double = _converted("double", "Turn floating parameters and buffers to float64.")
    half = _converted("half", "Turn floating parameters and buffers to float16.")
    cpu = _converted("cpu", "The module itself: there is no other device.", every=True)
    cuda = _converted("cuda", "An error: minigrad has the CPU only.", every=True)
    type = _converted("type", "Turn all parameters and buffers to a dtype.", every=True)

    # The state

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """All parameters and persistent buffers by their paths, detached, on the same memory."""
        found = OrderedDict() if destination is None else destination
        for name, tensor in self._state().items():
            found[prefix + name] = tensor if keep_vars else tensor.detach()
        if self._has_extra_state("get_extra_state"):
            found[prefix + state.EXTRA] = self.get_extra_state()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=found, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return found

    def _state(self) -> dict[str, Tensor]:
        """The tensors of this module alone that belong to its state."""
        buffers = {name: each for name, each in self._buffers.items() if name not in self._non_persistent_buffers_set}
        return {name: each for name, each in {**self._parameters, **buffers}.items() if each is not None}

    def get_extra_state(self) -> Any:
        """What a subclass wants in its `state_dict()` beside the tensors; `set_extra_state` gets it back."""
        raise RuntimeError(NO_EXTRA_STATE.format("get_extra_state"))

    def set_extra_state(self, state: Any) -> None:
        """Take over what `get_extra_state` of a saved module answered."""
        raise RuntimeError(NO_EXTRA_STATE.format("set_extra_state"))

    def _has_extra_state(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(Module, method)

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Copy the values of a `state_dict()` into the parameters and buffers, in place, or `assign` the tensors.

        Returns the missing and unexpected keys. RuntimeError if there are any (when `strict`), or if a shape differs.
        """
        return state.load(self, state_dict, strict, assign)

    # Hooks

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before each forward; what it returns, unless None, takes the place of `args`."""
        handle = hooks.register(self._forward_pre_hooks, hook, prepend)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after each forward; what it returns, unless None, is the output."""
        if always_call:
            raise NotImplementedError("minigrad calls a forward hook after a forward without error only")
        handle = hooks.register(self._forward_hooks, hook, prepend)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        return handle

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the module's arguments are complete.

        What it returns, unless None, takes the place of grad_input. Both are tuples; named arguments are not watched.
        """
        return hooks.register(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` when the gradients of the results are complete; it may give others."""
        return hooks.register(self._backward_pre_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """An error: torch has deprecated it."""
        raise NotImplementedError("minigrad has register_full_backward_hook, not the deprecated register_backward_hook")

    # Its text

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses of the module's text, before the modules inside."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if "\n" in extra or children:
            return "\n  ".join([f"{self._get_name()}(", *(extra.split("\n") if extra else ()), *children]) + "\n)"
        return f"{self._get_name()}({extra})"


def indented(text: str) -> str:
    """The text of a module as a part of another one's: lines after the first move right."""
    first, *rest = text.split("\n")
    return "\n".join([first, *["  " + line if line.strip() else "" for line in rest]])


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


NO_EXTRA_STATE = (
    "Reached a code path in Module.{}() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)
