"""next_functions lead from the output to the leaves; a constant is None."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
y = ((x * w + 1).relu() * torch.ones(2)).sum()


def walk(node, depth=0):
    name = None if node is None else node.name()
    print("  " * depth + str(name))
    for parent, _ in node.next_functions if node is not None else ():
        walk(parent, depth + 1)


walk(y.grad_fn)
print(x.grad_fn, type(y.grad_fn).__name__, y.grad_fn.next_functions[0][1])
