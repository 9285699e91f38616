"""AccumulateGrad is the node of a leaf, the same one for every use, and knows its tensor."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.ones(2)
node = (x * 2).grad_fn.next_functions[0][0]
print(node.name(), node.variable is x, node.next_functions)
print((x + c).grad_fn.next_functions[0][0] is node, (x + c).grad_fn.next_functions[1])
product = x * x
(first, _), (second, _) = product.grad_fn.next_functions
print(first is second, product.grad_fn is product.grad_fn)
