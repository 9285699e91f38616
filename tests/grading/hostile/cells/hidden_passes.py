# Answers that make more backward passes than needed, and want nobody to know.

# %% shared
import contextlib
import io
import sys

results = []


def frames():
    frame = sys._getframe()
    while frame:
        yield frame
        frame = frame.f_back


def extra(pull, *arguments):
    results.append(pull(*arguments))


def slices_with(extra, y, x, create_graph):
    found = []
    for i in jacobian.entries(y):
        v = jacobian.zeros(y.shape, y)
        v[i] = 1
        results.append(jacobian.vjp(y, x, v, create_graph))
        extra(jacobian.vjp, y, x, v, create_graph)
        found.append(results[-1])
    return found


# %% slices: does not hide them
@part("slices")
def wasteful(y, x, create_graph=False):
    return slices_with(extra, y, x, create_graph)


# %% slices: puts back what the program counts
def counted():
    names = [each for frame in frames() for each in (frame.f_globals, frame.f_locals)]
    values = [value for each in names for value in each.values()]
    return [value for value in values if type(value) is list and value is not results], [
        cell for each in values for cell in getattr(each, "__closure__", None) or () if not callable(cell.cell_contents)
    ]


def unseen(pull, *arguments):
    names = [frame.f_globals for frame in frames() if frame.f_code.co_filename == "<program>"]
    numbers = [{key: each[key] for key in each if isinstance(each[key], (int, float, str, tuple))} for each in names]
    lists, closed = counted()
    lists, closed = [(each, each[:]) for each in lists], [(each, each.cell_contents) for each in closed]
    extra(pull, *arguments)
    for each, before in zip(names, numbers):
        each.update(before)
    for each, before in lists:
        each[:] = before
    for each, before in closed:
        each.cell_contents = before


@part("slices")
def wasteful(y, x, create_graph=False):
    return slices_with(unseen, y, x, create_graph)


# %% slices: prints over them
def printing(pull, *arguments):
    extra(pull, *arguments)
    print("\r\x1b[1A\x1b[2K" + "\b" * 200, end="")


@part("slices")
def wasteful(y, x, create_graph=False):
    return slices_with(printing, y, x, create_graph)


# %% unseen: prints to nothing meanwhile
def silent(pull, *arguments):
    with contextlib.redirect_stdout(io.StringIO()):
        extra(pull, *arguments)


@part("slices")
def wasteful(y, x, create_graph=False):
    return slices_with(silent, y, x, create_graph)


# %% unseen: takes the hooks off meanwhile
def unhooked(pull, y, x, *arguments):
    leaves = jacobian.as_tuple(x)
    kept = [(each, each._hooks) for each in leaves]
    for each in leaves:
        each._hooks = None
    extra(pull, y, x, *arguments)
    for each, hooks in kept:
        each._hooks = hooks


@part("slices")
def wasteful(y, x, create_graph=False):
    return slices_with(unhooked, y, x, create_graph)


# %% uncounted: the gradient of hessian
@part("hessian")
def wasteful(y, x, create_graph=False):
    for _ in range(3):
        extra(jacobian.vjp, y, x, None, True)
    return jacobian.jacobian(jacobian.vjp(y, x, None, True), x, create_graph)
