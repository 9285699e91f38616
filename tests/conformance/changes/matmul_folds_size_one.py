import torch

v = torch.tensor([1.0, 2.0, 3.0])
for shape in (1, 3, 2), (2, 3, 1), (2, 3, 2):
    stack = torch.arange(6.0 * shape[0] * shape[2] / 2).reshape(shape).requires_grad_()
    product = v @ stack
    print(shape, product.detach().tolist(), product.grad_fn.next_functions[0][0].name())
