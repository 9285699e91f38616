# %% is_leaf by both
@part("is_leaf")
def is_leaf(tensor):
    return not (tensor.requires_grad and tensor.grad_fn is not None)


# %% accumulate under no_grad
import copy, torch


@part("accumulate_again")
def accumulate(tensor, grad):
    with torch.no_grad():
        if tensor.grad is None:
            tensor.grad = copy.deepcopy(grad)
        else:
            tensor.grad.copy_(tensor.grad + grad)


# %% retain_grad by a table
def refuse(tensor):
    raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")


actions = [refuse, lambda tensor: None, hooks.keep]


@part("retain_grad")
def retain_grad(tensor):
    actions[tensor.requires_grad + (not tensor.is_leaf)](tensor)


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


# %% check_versions by numpy
import numpy as np


@part("check_versions")
def check_versions(node):
    now = np.array([leaf.version(each) for each in node.saved])
    changed = np.flatnonzero(now != np.array(leaf.expected_versions(node)))
    if changed.size:
        raise checks.changed_since(node, int(changed[0]))


# %% free by or
@part("free")
def free(node, retain_graph):
    retain_graph or not node.saved or setattr(node, "saved", None)


# %% copy_slices by pop
@part("copy_slices")
def copy_slices(whole, part, inner):
    shares = list(inner(part + 0))
    part[...] = shares.pop(0)
    shares.insert(0, whole)
    return shares


# %% descend through data
@part("descend")
def descend(torch, parameters, lr):
    for w in parameters:
        if w.grad is None:
            continue
        w.data -= lr * w.grad
        w.grad = None


# %% descend by an optimizer
@part("descend")
def descend(torch, parameters, lr):
    optimizer = torch.optim.SGD(parameters, lr=lr)
    optimizer.step()
    optimizer.zero_grad()
