"""torch.func: what turns functions of tensors into their derivatives, or into functions of a batch. `jacfwd` computes
as `jacrev` does: backwards, all rows in one walk. A result has a graph where it depends on tensors with one, also on
those that the function has from elsewhere (see `autograd.levels`); then the walk is recorded: `passing.batched`.
Mirrors https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from minigrad import jacobian as chapter
from minigrad.autograd import forward_ad, functional, levels, trees
from minigrad.compat import unsupported
from minigrad.func.batching import vmap as vmap
from minigrad.graph import nodes, state
from minigrad.ops import functions
from minigrad.ops.slicing import Alias
from minigrad.passing import batched
from minigrad.recording import modes
from minigrad.tensor import Tensor

Argnums = int | tuple[int, ...]


# --- gradients -----------------------------------------------------------------------------------
def grad(func: Callable, argnums: Argnums = 0, has_aux: bool = False) -> Callable:
    """The gradient of a function that returns one number, by the arguments that `argnums` names, one or several. With
    `has_aux` the function gives a pair, of which the second is only handed on.
    """

    def derived(*args: Any, **kwargs: object) -> Any:
        grads, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return derived


def grad_and_value(func: Callable, argnums: Argnums = 0, has_aux: bool = False) -> Callable:
    """`grad`, together with the value: (gradient, value), or (gradient, (value, aux))."""
    who = "grad_and_value(f)(*args)"

    def derived(*args: Any, **kwargs: object) -> Any:
        with _level() as level:
            args, chosen = _with_variables(level, args, argnums)
            value, aux = _with_aux(func(*args, **kwargs), has_aux, who)
            if not isinstance(value, Tensor):
                raise RuntimeError(f"{who}: Expected f(*args) to return a Tensor, got {type(value)}")
            if value.ndim:
                got = f"got tensor with {value.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                raise RuntimeError(f"{who}: Expected f(*args) to return a scalar Tensor, {got}")
            grads = levels.pull([value], trees.leaves(chosen), None, True)
            grads = trees.filled(chosen, iter(grads))
            grads, value, *aux = level.leave((grads, value, *aux))
        return (grads, (value, *aux)) if has_aux else (grads, value)

    return derived


def vjp(func: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """func(*primals), and a function of v, of the result's form and shape, that gives vᵀJ for each of the primals."""
    result, product, _, _, *aux = _pulled(func, primals, None, has_aux)
    return result, product, *aux


def _pulled(func: Callable, args: tuple, argnums: Argnums | None, has_aux: bool) -> tuple:
    """The value; vᵀJ for the chosen arguments, as a function of v; the same for one result; results and arguments in
    the graph; and the aux.
    """
    who = "vjp(f, *primals)"
    with _level(ends=False) as level:
        given, chosen = _with_variables(level, args, argnums)
        result, aux = _with_aux(func(*given), has_aux, who)
        outputs = trees.leaves(result)
        _demand_tensors(outputs, who)
        for item in outputs:
            if not item.is_floating_point():
                must = "All outputs of f must be floating-point or complex Tensors, got Tensor with dtype"
                raise RuntimeError(f"vjp(f, ...): {must} {item.dtype}")
        inputs = trees.leaves(chosen)
        shown, *aux = level.leave([result, *aux], keeps=True)

    def product(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        if trees.form(cotangents) != trees.form(result):
            both = f"cotangents: {trees.shown(cotangents)}, primal output: {trees.shown(result)}"
            same = "structure of cotangents to be the same as pytree structure of outputs to the function"
            raise RuntimeError(f"Expected pytree {same}. {both}")
        level.recording = modes.is_grad_enabled() if create_graph is None else create_graph
        grads = levels.pull(outputs, inputs, trees.leaves(cotangents), level.recording)
        return level.leave(trees.filled(chosen, iter(grads)), keeps=True)

    def of_one(place: int, seed: Tensor) -> list:
        level.recording = modes.is_grad_enabled()
        return level.leave(levels.pull([outputs[place]], inputs, [seed], level.recording), keeps=True)

    return shown, product, of_one, (tuple(outputs), tuple(inputs)), *aux


# --- whole matrices ------------------------------------------------------------------------------
def _jacobian(func: Callable, argnums: Argnums, has_aux: bool, alone: bool) -> Callable:
    """The Jacobian; with `alone` a result does not have what it owes the graph of others, as in forward mode."""

    def derived(*args: Any) -> Any:
        result, product, of_one, inside, *aux = _pulled(func, args, argnums, has_aux)
        outputs, chosen = trees.leaves(result), _chosen(args, argnums)

        def row(place: int, seed: Tensor) -> list:
            """What arrives at the arguments for an upstream gradient of one result."""
            if alone:
                return trees.leaves(of_one(place, seed))
            seeds = [chapter.zeros(item.shape, item) if item is not None else seed for item in _without(outputs, place)]
            return trees.leaves(product(trees.filled(result, iter(seeds))))

        constant = state.kept is None and state.tangent is None and not any(item.requires_grad for item in outputs)
        blocks: Any = functional.together(*inside) if constant and not batched.running else None
        if blocks is None:
            blocks = [_block(functools.partial(row, k), y, trees.leaves(chosen)) for k, y in enumerate(outputs)]
        values = trees.filled(result, iter([trees.filled(chosen, iter(block)) for block in blocks]))
        return (values, *aux) if has_aux else values

    return derived


def _without(outputs: list, place: int) -> list:
    """The outputs, with None at one place."""
    return [None if k == place else item for k, item in enumerate(outputs)]


def _block(row: Callable, output: Tensor, inputs: list) -> list:
    """The Jacobian of one output for each input, from what gives a row of it for an upstream gradient."""
    columns = _rows_at_once(row, output) or _rows_one_by_one(row, output)
    shapes = [(*output.shape, *item.shape) for item in inputs]
    if not columns:  # an output without entries
        return [functions["zeros"](shape) for shape in shapes]
    return [column.view(shape) for column, shape in zip(columns, shapes, strict=True)]


def _rows_at_once(row: Callable, output: Tensor) -> list[Tensor] | None:
    """All rows for each input, some in each walk; None where that would go around something, as a hook."""
    if output.numel() < 2 or nodes.prepare is None or state.kept is not None or state.tangent is not None:
        return None

    def some(rows: Any) -> list[Tensor]:
        with batched.Batch(len(rows)) as batch:
            return [batch.whole(item) for item in row(batch.entry(Tensor._of(rows)))]

    parts = batched.attempted(lambda: [some(rows) for rows in functional.seeds(output)])
    if parts is None:
        return None
    return parts[0] if len(parts) == 1 else [functions["cat"](column) for column in zip(*parts, strict=True)]


def _rows_one_by_one(row: Callable, output: Tensor) -> list[Tensor]:
    """All rows for each input, a walk for each."""
    found = [row(Tensor._of(each)) for rows in functional.seeds(output) for each in rows]
    return [functions["stack"](column) for column in zip(*found, strict=True)]


def jacrev(func: Callable, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None) -> Callable:
    """The Jacobian of a function, of the result's shape and the argument's, for each result and each argument. With
    `has_aux` the function gives a pair, of which the second is only handed on. `chunk_size` has no effect.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")
    return _jacobian(func, argnums, has_aux, alone=False)


def jacfwd(func: Callable, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable:
    """The same as `jacrev`. `randomness` has no effect."""
    return _jacobian(func, argnums, has_aux, alone=True)


def hessian(func: Callable, argnums: Argnums = 0) -> Callable:
    """The Jacobian of the Jacobian of a function."""
    return jacfwd(jacrev(func, argnums), argnums)


# --- directions ----------------------------------------------------------------------------------
def jvp(func: Callable, primals: tuple, tangents: tuple, *, strict: bool = False, has_aux: bool = False) -> tuple:
    """func(*primals), and J t for the tangents t, in forward mode: see `autograd.forward_ad`. With `strict` a
    RuntimeError for a result that does not depend on the primals.
    """
    who = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{who}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    if trees.form(primals) != trees.form(tangents):
        same = "to have the same python structure. For example, if primals is a tuple of 3 tensors, tangents also must"
        both = f"primals with structure {trees.spec(primals)} and tangents with structure {trees.spec(tangents)}"
        raise RuntimeError(f"{who}: Expected primals and tangents {same} be. Got {both}")
    for name, tree in (("primals", primals), ("tangents", tangents)):
        for item in trees.leaves(tree):
            if not isinstance(item, Tensor):
                raise RuntimeError(f"{who}: Expected {name} to only contain Tensors, got {type(item)}")
    with _level(forward_ad.DualLevel()) as level:
        duals = [level.dual(*pair) for pair in zip(trees.leaves(primals), trees.leaves(tangents), strict=True)]
        result, aux = _with_aux(func(*trees.filled(primals, iter(duals))), has_aux, who)
        outputs = trees.leaves(result)
        _demand_tensors(outputs, who)
        moved = [level.tangent(item) for item in outputs]
        if strict and any(item is None for item in moved):
            independent = "The output of f is independent of the inputs. This is not allowed with strict=True."
            raise RuntimeError(f"jvp(f, primals, tangents, strict=True): {independent}")
        pairs = zip(moved, outputs, strict=True)
        moved = [chapter.zeros(of.shape, of) if item is None else item for item, of in pairs]
        result, *rest = level.leave((result, trees.filled(result, iter(moved)), *aux))
        return trees.mapped(lambda item: Alias.apply(item) if item.requires_grad else item, result), *rest


def linearize(func: Callable, *primals: Any) -> tuple:
    """func(*primals), and a function of tangents, of the primals' shapes, that gives J t: the function runs only once.
    RuntimeError for tangents of another form, shape or dtype.
    """
    with _level(forward_ad.DualLevel(), ends=False) as level:
        inputs = [level.variable(item) for item in trees.leaves(primals)]
        result = func(*trees.filled(primals, iter(inputs)))
        shown = level.leave(result, keeps=True)

    def product(*tangents: Any) -> Any:
        if trees.form(tangents) != trees.form(primals):
            same = f"to have the same argspec as the primals {trees.spec(primals)}"
            raise RuntimeError(f"Expected the tangents {trees.spec(tangents)} {same}")
        given = trees.leaves(tangents)
        for index, (t, of) in enumerate(zip(given, inputs, strict=True)):
            for what in ("shape", "dtype"):
                have, want = getattr(t, what), getattr(of, what)
                if have != want:
                    where = f"{what} {have} in flattened pytree doesn't match the {what} {want}"
                    raise RuntimeError(f"tangent:{index} with {where} of the corresponding primal.")
        level.know(inputs, given)
        moved = [level.tangent(item) for item in trees.leaves(result)]
        pairs = zip(moved, trees.leaves(result), strict=True)
        moved = [chapter.zeros(of.shape, of) if item is None else item for item, of in pairs]
        return level.leave(trees.filled(result, iter(moved)), keeps=True)

    return shown, product


# --- what they share -----------------------------------------------------------------------------
@contextlib.contextmanager
def _level(level: Any = None, ends: bool = True) -> Iterator[Any]:
    """A level around a call, which is recorded whatever the caller does; afterwards its variables are constants."""
    level = level or levels.Level()
    level.begin()
    state.transforms += 1
    try:
        with modes.enable_grad():
            yield level
    finally:
        state.transforms -= 1
        level.end(ends)


def _with_variables(level: levels.Level, args: tuple, argnums: Argnums | None) -> tuple[tuple, Any]:
    """The arguments, with variables for the chosen ones, and these alone."""
    if argnums is None:
        args = chosen = trees.mapped(level.variable, args)
        return args, chosen
    chosen = trees.mapped(level.variable, _chosen(args, argnums))
    places = _places(args, argnums)
    inside = dict(zip(places, (chosen,) if isinstance(argnums, int) else chosen, strict=True))
    return tuple([inside.get(place, item) for place, item in enumerate(args)]), chosen


def _places(args: tuple, argnums: Argnums) -> list[int]:
    """The places that `argnums` names. RuntimeError, in torch's words, if it does not name arguments."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    named = (argnums,) if isinstance(argnums, int) else argnums
    for place in named:
        if not isinstance(place, int):
            raise RuntimeError(f"argnum must be int, got: {type(place)}")
        if not -len(args) <= place < len(args):
            raise RuntimeError(f"Got argnum={place}, but only {len(args)} positional inputs")
    if not named:
        raise RuntimeError("argnums must be non-empty")
    places = [place % len(args) for place in named]
    if len({*places}) < len(places):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(places)}")
    return places


def _chosen(args: tuple, argnums: Argnums) -> Any:
    """The chosen arguments: one, or a tuple of them."""
    chosen = tuple([args[place] for place in _places(args, argnums)])
    return chosen[0] if isinstance(argnums, int) else chosen


def _with_aux(value: Any, has_aux: bool, who: str) -> tuple[Any, list]:
    """What a function gave, and in a list what it gave beside that."""
    if not has_aux:
        return value, []
    if not (isinstance(value, tuple) and len(value) == 2):
        raise RuntimeError(f"{who}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return value[0], [value[1]]


def _demand_tensors(outputs: list, who: str) -> None:
    """RuntimeError, in torch's words, unless the function has returned tensors."""
    if not outputs or outputs == [None]:
        empty = f"(got output = {outputs})"
        raise RuntimeError(f"{who}: Expected f to be a function that has non-empty output {empty}")
    for item in outputs:
        if not isinstance(item, Tensor):
            only = "return only tensors, got unsupported type"
            raise RuntimeError(f"{who}: expected f(*primals) to {only} {type(item)}")


# --- modules --------------------------------------------------------------------------------
def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: object = None,
    kwargs: dict | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """What a module makes of `args`, with these tensors for the parameters and buffers at their paths; with
    `tie_weights` also at the other paths of the same tensor. RuntimeError with `strict` for missing or unknown paths.
    """
    given: dict[str, Any] = {}
    for part in chapter.as_tuple(parameter_and_buffer_dicts):
        given.update(part)
    own = dict(module.named_parameters(remove_duplicate=False))
    own |= dict(module.named_buffers(remove_duplicate=False))
    if tie_weights:
        same = {id(own[path]): tensor for path, tensor in given.items() if path in own}
        given |= {path: same[id(item)] for path, item in own.items() if id(item) in same and path not in given}
    if strict:
        unknown, missing = [path for path in given if path not in own], [path for path in own if path not in given]
        pairs = (("Unexpected", sorted(unknown)), ("Missing", sorted(missing)))
        errors = [f"{kind} key(s): {', '.join(map(repr, keys))}." for kind, keys in pairs if keys]
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t{listed}")
    before = []
    for path, tensor in given.items():
        where, _, name = path.rpartition(".")
        inside = module.get_submodule(where)
        for registry in [item for item in (inside._parameters, inside._buffers) if name in item]:
            before.append((registry, name, registry[name]))
            registry[name] = tensor
    try:
        return module(*(() if args is None else chapter.as_tuple(args)), **(kwargs or {}))
    finally:
        for registry, name, tensor in reversed(before):
            registry[name] = tensor


def stack_module_state(models: Any) -> tuple[dict, dict]:
    """The parameters and the buffers of several modules of one class, stacked along a new first axis under their paths:
    the arguments for `functional_call` in a `vmap`. Where all require grad, so does the new leaf. RuntimeError for
    modules that do not fit together.
    """
    models, who = [*models], "stack_module_state: Expected"
    if not models:
        raise RuntimeError(f"{who} at least one model, got 0.")
    if len({item.training for item in models}) > 1:
        raise RuntimeError(f"{who} all models to have the same training/eval mode.")
    if len({type(item) for item in models}) > 1:
        raise RuntimeError(f"{who} all models to be of the same class.")
    first, *others = [(dict(item.named_parameters()), dict(item.named_buffers())) for item in models]

    def stacked(name: str, tensors: list) -> Tensor:
        flags = {item.requires_grad for item in tensors}
        if len(flags) > 1:
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        return functions["stack"](tensors).detach().requires_grad_(*flags)

    params, buffers = [
        {name: stacked(name, [own[name], *[other[kind][name] for other in others]]) for name in own}
        for kind, own in enumerate(first)
    ]
    return params, buffers


__getattr__ = unsupported.lacking(__name__)
