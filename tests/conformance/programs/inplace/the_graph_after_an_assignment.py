"""An assignment to an element: the nodes behind the buffer."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
buffer = torch.zeros(3)
buffer[0] = x[0]
buffer[1:] = x * 3


def walk(node, depth=0):
    if node is not None:
        print("  " * depth + type(node).__name__)
        for parent, _ in node.next_functions:
            walk(parent, depth + 1)


walk(buffer.grad_fn)
print(buffer.grad_fn.name())
buffer.backward(torch.tensor([1.0, 10.0, 100.0]))
print(x.grad)
