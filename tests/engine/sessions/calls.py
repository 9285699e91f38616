"""Forms of calls: what is taken and what is refused."""

x = torch.tensor([[1., 2.], [3., 4.]]); v = torch.tensor([1., 2.]); i = torch.tensor([1, 2]); m = x > 2
w = torch.tensor([1., 2.], requires_grad=True); y = w * w; p = torch.nn.Parameter(torch.ones(2)); s = torch.tensor(2.)
import warnings

# --- a call
# each of
x.ndimension(1); x.exp(1); x.exp(foo=1); x.exp(1, foo=2); x.relu(1); x.t(1); x.zero_(1, 2)
x.is_floating_point(1); x.element_size(1); x.sqrt_(1); x.to(torch.device('cpu')); x.to('cpu', torch.float64)
x.to(device='cpu', dtype=torch.float64, copy=True); x.to(i).dtype; x.to(tensor=i); x.to(None, torch.int64)
x.to(float); x.to(x, copy=True) is x; x.to(torch.float32) is x; x.to(memory_format=torch.contiguous_format)
x.squeeze(0, 1).shape; x.sum(dtype=float); x.sum(0, dtype=torch.int64)
x.int(memory_format=torch.preserve_format); torch.split(tensor=x, split_size_or_sections=1)
torch.split(x, [1, 1], dim=1); torch.max(x, other=x); torch.set_grad_enabled(1); torch.set_grad_enabled(None)
torch.set_grad_enabled(s); torch.set_grad_enabled('a'); torch.set_grad_enabled(mode=0); x.requires_grad_('a')
x.requires_grad_(1); x.requires_grad_(None); x.requires_grad = 1; y.sum().backward(inputs=[3])
y.sum().backward(inputs=3); y.sum().backward(inputs=[]); y.sum().backward(inputs='a')
y.sum().backward(inputs={}); y.sum().backward(inputs=[y, 3]); y.backward(torch.ones(3), inputs=[3])
y.backward(inputs=[w])
# each line of
y.sum().backward(inputs={'a': w}); print(w.grad)
y.sum().backward(inputs={w}); print(w.grad)
# then
x, w.grad

# --- a call that fits no form is the error it is in torch, of the same kind
# each of: kind(lambda: {piece})
x.add(); x.add('a'); x.add(x, 2); x.add(x, foo=1); torch.add(x); torch.add(); x.sub(); torch.sub(x); x.sub('a')
x.subtract(2, x); torch.rsub(x, 2, x); x.add_('a'); x.div(); x.div(2, 3); torch.div(x); torch.div(x, 'a')
torch.mul(x, np.ones(2)); x.mul(); torch.mul('a', x); torch.pow(x); torch.pow(2, 2); x.pow('a'); x.pow()
x.pow(2, 3); torch.remainder(7, 2); torch.bitwise_and(1, 2); torch.eq(x); torch.eq(1, x); x.eq('a'); x.gt()
x.sum('a'); torch.sum(x, x); x.sum(foo=1); x.sum(1, 2, 3); x.sum(1.5); x.sum(dtype='a'); x.sum(0, dim=1)
torch.sum(); x.mean('a'); x.mean(foo=1); torch.mean(); x.prod(dim=(0, 1)); x.prod(0, dtype=3); x.max(foo=1)
x.max(dim=(0, 1)); x.max((0, 1)); torch.max(x, 2.); torch.max(1, 2); torch.max(); x.min('a'); x.median((0, 1))
x.std('a'); x.std(foo=1); x.var(dim='a'); torch.std(); x.any('a'); x.all(foo=1); torch.any(); x.sort('a')
x.argsort('a'); x.cumsum(); x.cumsum('a'); torch.where(x > 0, x); torch.where(True, x, x); torch.where()
torch.where(x > 0, x, 'a'); x.where(m); x.where(m, 'a'); torch.clamp(x, 0, v); torch.clamp(x, 'a')
x.clamp(0, v); x.clamp_(foo=1); torch.clamp(); x.clamp_min('a'); x.clamp_max(); x.masked_fill(m)
x.masked_fill(1, 2); x.masked_fill_(m, 'a'); x.fill_([1]); x.fill_('a'); x.fill_(); x.scatter_(0, i, 'a')
x.repeat_interleave('a'); x.squeeze('a'); x.squeeze(0, 'a'); x.view('a'); x.narrow(0, 1); torch.split(x)
x.size('a'); x.size(1.5); torch.zeros('a'); torch.full((2,)); torch.arange(); torch.randint(3); x.random_('a')
x.type(3); x.to(np.float32); x.to('float32'); x.to('a'); x.to(foo=1); x.to(x, 1); x.to(torch.float32, 'a')
x.to(dtype='a'); x.to('cuda:x'); x.float(1); x.double(1); x.bool('a'); x.cpu(1); x.prod((0, 1))
torch.min(x, 'a'); x.softmax('a'); torch.clamp(v, v, 2); torch.where(m, v); torch.eq([1], v); torch.lt(v, None)
torch.pow(v, 'a'); torch.exp(v, outcome=v)

# --- a call of old gives the same; torch's warning quotes all forms
# each of: warnings.simplefilter('ignore'); z = {piece}
x.add_(-0.01, x); p.data.add_(-0.5, p.data); w.add(2, y); x.sub(2, x); x.sub_(2, v); torch.add(w, 2, y)
torch.sub(x, s, x); x.addcmul(2, x, x); x.addcmul_(2, x, v); torch.addcmul(w, 2, y, y); x.addcdiv(2, x, x)
x.addcdiv_(-0.1, v, x); torch.addcdiv(x, 2, x, x)
w.add(3, y) + torch.addcmul(w, 2, y, w) - w.sub(2, y)
# then
x, p, z
z.requires_grad and z.sum().backward()
w.grad

# --- results into a tensor that is there
o = torch.ones(2) * 9; a = torch.tensor([1., 2.]); g = torch.ones(2, requires_grad=True); n = torch.tensor([1, 2]); import numpy as np
# each of
torch.add(a, 1, out=o) is o; torch.mul(g, 2, out=o); torch.mul(a, 2, out=torch.empty(2, requires_grad=True)); torch.add(n, 1, out=o)
torch.exp(a, out=torch.empty(2, dtype=torch.int64)); torch.add(a, 1, out=torch.empty(0)); torch.mean(a, out=o)
torch.max(a, 0, out=(torch.empty(()), torch.empty((), dtype=torch.int64))); torch.matmul(torch.ones(2, 2), a, out=o)
torch.cat([a, a], out=torch.empty(4)); torch.zeros(2, out=o); torch.arange(3, out=torch.empty(3)); torch.relu(a, out=o)
torch.add(a, 1, out=None); a.add(1, out=o); torch.sqrt(a, out=a); torch.ones(3, out=o); torch.eq(a, a, out=o)
torch.stack([a, a], out=torch.empty(2, 2)); torch.linspace(0, 1, 2, out=o); torch.sum(a, 0, out=torch.empty(3))
with torch.no_grad(): torch.mul(g, 2, out=o)
np.mean(a); np.sum(n); a.mean(axis=None, other=3); torch.unbind(a, out=o)
# then
o, o._version

# --- memory of other libraries
import numpy as np; a = torch.zeros(2); b = np.from_dlpack(a); D = torch.utils.dlpack; a += 1; print(b, b.flags.writeable)
np.from_dlpack(torch.zeros(2, requires_grad=True))
torch.from_dlpack(b).data_ptr() == a.data_ptr(), a.__dlpack_device__(), torch.from_dlpack(np.arange(3.)), hasattr(a, '__array_interface__')
c = D.from_dlpack(D.to_dlpack(a)); c += 1; print(a, c)
torch.set_default_device('cpu'), torch.get_default_device(), torch.set_default_device(None)
