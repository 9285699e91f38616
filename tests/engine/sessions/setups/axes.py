"""A matrix, two stacks of matrices, vectors, a mask and an index."""

x = torch.tensor([[1., -2., 3., .5], [5., 6., -7., 8.], [.25, 10., 11., -12.]], requires_grad=True)
b = [[[0, 1, 2, 3], [4, -5, 6, 7], [8, 9, 1, 2]], [[3, 2, 1, 0], [7, 6, 5, 4], [9, 0, 2, 3.5]]]
b = torch.tensor(b, requires_grad=True)
q = torch.tensor([[[1., 2., 3., 4.]], [[-5., 6., 7., 8.]], [[9., 1., .5, 2.]]], requires_grad=True)
v = torch.tensor([1., 2., -3., 4.], requires_grad=True)
w = torch.tensor([2., -1., .5], requires_grad=True)
s = torch.tensor(3., requires_grad=True)
m = torch.tensor([[True, False, True, False], [False, False, True, True], [True, True, False, False]])
i = torch.tensor([[0, 1, 2, 0]])
c = torch.tensor([[0., 0., 0., 0.], [0., 0., 0., 0.], [0., 0., 0., 0.]])
