# %% detach with its own list
@part("detach")
def detach(tensor):
    if tensor._counter is None:
        tensor._counter = [0]
    (constant := tensor.data)._counter = tensor._counter
    return constant


# %% no_grad with a generator
from contextlib import contextmanager


@contextmanager
def off():
    before = leaf.recording
    leaf.recording = False
    try:
        yield
    finally:
        leaf.recording = before


@part("no_grad")
class no_grad(leaf.Block):
    def __enter__(self):
        self._inner = off()
        return self._inner.__enter__()

    def __exit__(self, *error):
        return self._inner.__exit__(*error)


# %% copy_slices by pop
@part("copy_slices")
def copy_slices(whole, part, inner):
    shares = list(inner(part + 0))
    part[...] = shares.pop(0)
    shares.insert(0, whole)
    return shares


# %% descend by an optimizer
@part("descend")
def descend(torch, parameters, lr):
    optimizer = torch.optim.SGD(parameters, lr=lr)
    optimizer.step()
    optimizer.zero_grad()
