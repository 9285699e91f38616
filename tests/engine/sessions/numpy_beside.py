"""numpy and tensors in one expression: which of the two computes, what comes out, and what is refused."""

import numpy as np, warnings; warnings.simplefilter('always')
x = torch.tensor([1., 2.], requires_grad=True)
d = x.detach(); a = np.array([1., 2.]); i = np.array([1, 2])

# --- arrays beside tensors
# each of
a / x; 2 / d; "a" / d; [1.] / d; d * a; d + a; d - a; d / a; d ** a; d @ a; d % a; d // a; d * i
d * np.array(2.); d * np.float64(2); np.float64(2) * d; a * d; a + d; a - d; a / d; a @ d; i * d; d == a
a == d; d == i; d != a; d < a; a > d; d == np.ones(3); x == a; d == np.array('a'); d == [1., 2.]
d * np.float32(2); d.numpy() + d; d + d.numpy(); x * a; x + a; a * x; a - x; torch.tensor(2.) * a
d * np.ones((2, 1)); d + [1, 2]

# --- functions of numpy
# each of: {piece}
np.exp(d); np.sqrt(d); np.add(d, d); np.maximum(d, 1); np.abs(d); np.isnan(d); np.equal(d, d); np.power(d, 2)
np.logical_and(d > 0, d > 1); np.exp(torch.tensor(1.)); np.log(torch.tensor([1, 2])); np.multiply(d, a); np.exp(x)
np.array(d); np.asarray(d); np.array(d, dtype=np.float64); np.asarray(d, dtype=int); np.array(d, copy=False)
np.dot(d, d); np.concatenate([d, d]); np.where(d > 1, d, 0); np.allclose(d, d); np.array(x); np.asarray(x)
x.numpy(); x.numpy(force=True); (x * 2).numpy()
# then
with torch.no_grad(): print({piece})

# --- a function of a program may compute with numpy
class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return torch.from_numpy(np.sin(input.numpy()))
    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * torch.from_numpy(np.cos(input.numpy()))
y = Sine.apply(x); print(y)
y.backward(torch.ones(2))
x.grad
