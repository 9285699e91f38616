import torch

pairs = [((3, 1), (1, 4)), ((5, 3), (3,)), ((5, 3), (5,)), ((2, 1, 4), (3, 1)), ((0,), (1,))]
for s1, s2 in pairs:
    a, b = torch.ones(s1), torch.ones(s2)
    try:
        print(s1, "+", s2, "=", tuple((a + b).shape))
    except RuntimeError as e:
        print(s1, "+", s2, "->", e)
