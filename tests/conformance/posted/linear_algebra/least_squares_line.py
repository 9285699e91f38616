import torch

x = torch.tensor([0.0, 1.0, 2.0, 3.0])
y = torch.tensor([1.0, 3.1, 4.9, 7.0])
A = torch.stack([x, torch.ones_like(x)], dim=1)
sol = torch.linalg.lstsq(A, y.unsqueeze(1)).solution
print(f"slope {sol[0].item():.3f} intercept {sol[1].item():.3f}")
normal = torch.linalg.solve(A.T @ A, A.T @ y)
print((normal - sol.squeeze()).abs().max() < 1e-4)
