"""The constructors of 2017, and Variable."""

x = torch.tensor([1., 2.], requires_grad=True); c = torch.tensor([1., 2.]); i = torch.tensor([1, 2])
Variable = torch.autograd.Variable
def shown(t): return t, t.dtype, t.shape, t.requires_grad, t.is_leaf

# --- tensor and its like
# each of
torch.Tensor(), torch.FloatTensor(), torch.LongTensor().dtype
torch.Tensor(2, 3).shape, torch.Tensor(3).shape, torch.Tensor(0), torch.FloatTensor(3, 2, 1).shape
torch.Tensor(torch.Size([2, 3])).shape, torch.LongTensor(2, 3).dtype, torch.Tensor(np.int64(2)).shape
torch.FloatTensor(torch.tensor(2), 3).shape, torch.Tensor(3, i[1]).shape, torch.FloatTensor(2, True).shape
torch.Tensor(size=(2, 3)).shape, torch.Tensor(2, device='cpu').shape; torch.Tensor(-1); torch.Tensor(10**14)
torch.Tensor(2, -3); torch.Tensor(2, 3.0); torch.Tensor(2, 'a'); torch.Tensor(2, [3])
shown(torch.Tensor([1, 2])), shown(torch.Tensor((2, 3))), shown(torch.Tensor([[1, 2], [3, 4]]))
torch.Tensor([True, False]), torch.Tensor([[True], [False]]), torch.Tensor(range(3)), torch.Tensor(())
torch.Tensor([]), torch.Tensor([[]]).shape, torch.Tensor(data=[1, 2]), torch.Tensor([1.], device='cpu')
torch.Tensor(np.array([1., 2.])), torch.Tensor(np.array([[1], [2]])), torch.DoubleTensor(np.array([1., 2.]))
torch.Tensor([torch.tensor(1.), torch.tensor(2)]), torch.FloatTensor([float('nan'), float('inf'), 1e300])
torch.DoubleTensor([0.5]), torch.HalfTensor([1.5, 1e6]), torch.FloatTensor([1e10, 3])
torch.LongTensor([1.5, -1.7]), torch.IntTensor([1, 2]), torch.ShortTensor([1]), torch.CharTensor([-1])
torch.ByteTensor([1, 255]), torch.ByteTensor([-1]), torch.BoolTensor([1, 0, 2]), torch.BoolTensor([0.5, 0.])
torch.LongTensor([2**40]), torch.LongTensor([True]); torch.IntTensor([2**40]); torch.LongTensor([2**63])
torch.ByteTensor([256]); torch.LongTensor([float('nan')]); torch.FloatTensor([10**400]); torch.Tensor(1.5)
torch.Tensor(True); torch.Tensor(None); torch.Tensor('a'); torch.Tensor(b'a'); torch.Tensor(np.float32(2.0))
torch.Tensor({1: 2}); torch.Tensor({1, 2}); torch.Tensor(iter([1, 2])); torch.Tensor(data=3)
torch.Tensor([[1, 2], [3]]); torch.Tensor([[1, 2], 3]); torch.Tensor([1, [2]]); torch.Tensor(['a'])
torch.Tensor([[1, 2], [3, 'a']]); torch.Tensor([None]); torch.Tensor([1 + 2j]); torch.Tensor([c, c])
shown(torch.Tensor(c)), torch.Tensor(c) is c, shown(torch.Tensor(torch.tensor(3)))
shown(torch.Tensor(x)), torch.FloatTensor(x), shown(torch.Tensor(i)), shown(torch.LongTensor(i))
torch.Tensor(other=c); torch.LongTensor(c); torch.FloatTensor(i); torch.FloatTensor(torch.tensor(2))
torch.FloatTensor([1, 2], requires_grad=True); torch.Tensor([1, 2], requires_grad=True)
torch.Tensor([1, 2], dtype=torch.float64); torch.Tensor(2, requires_grad=True)
torch.Tensor(c, requires_grad=True); torch.Tensor([1, 2], [3, 4]); torch.Tensor((1, 2), (3, 4))
torch.Tensor(2.0, 3); torch.Tensor(c, c); torch.FloatTensor(torch.Size([2, 3]), 1)
torch.FloatTensor, torch.LongTensor, type(torch.FloatTensor), torch.FloatTensor.__name__
torch.FloatTensor.dtype, torch.DoubleTensor.dtype, torch.BoolTensor.dtype, torch.HalfTensor.dtype
isinstance(c, torch.FloatTensor), isinstance(c, torch.DoubleTensor), isinstance(i, torch.LongTensor)
isinstance(i > 1, torch.BoolTensor), isinstance(3, torch.FloatTensor), isinstance(c, torch.Tensor)
isinstance(torch.nn.Parameter(c), torch.FloatTensor), issubclass(torch.FloatTensor, torch.Tensor)
isinstance(torch.FloatTensor([1]), torch.Tensor), type(torch.FloatTensor([1])) is torch.Tensor
torch.FloatTensor([1, 2]) * x, (torch.FloatTensor([1, 2]) * x).requires_grad
# each line of
t = torch.Tensor(c); t[0] = 5.; print(c, t._version, c._version)

# --- variable
# each of
shown(Variable(c)), Variable(c) is c, shown(Variable(c, requires_grad=True)), shown(Variable(data=c))
shown(Variable(x)), shown(Variable(x * 2)), shown(Variable(x * 2, requires_grad=True)), shown(Variable(i))
shown(Variable(c, True)), shown(Variable(c, False, True)), Variable(c, requires_grad=1)
Variable(c, volatile=True), Variable(c, volatile=False)
shown(Variable()), shown(Variable(None)), Variable(torch.nn.Parameter(c)), Variable(c, name='h')
isinstance(c, Variable), isinstance(3, Variable), issubclass(torch.Tensor, Variable), Variable
type(Variable(c)) is torch.Tensor, torch.autograd.variable.Variable is Variable; Variable([1., 2.])
Variable(3); Variable(np.ones(2)); Variable(i, requires_grad=True)
# each line of
v = Variable(c, requires_grad=True); c[0] = 5.; print(v, v._version, c._version, v._base)
v = Variable(c, requires_grad=True); (v * v).sum().backward(); print(v.grad, c.grad, c.requires_grad)
v = Variable(x * 2, requires_grad=True); (v * v).sum().backward(); print(v.grad, x.grad)
v = Variable(c, requires_grad=True); y = (v * v).sum(); c.add_(1); y.backward()

# --- the default dtype decides
torch.set_default_dtype(torch.float64)
torch.Tensor([1.]).dtype, torch.Tensor(2).dtype, torch.Tensor().dtype, torch.FloatTensor([1.]).dtype
torch.autograd.Variable().dtype, torch.Tensor([1, 2]).dtype
torch.set_default_dtype(torch.float32)

# --- a type has one name in every message
from collections import OrderedDict
class Mine: pass
torch.Generator().manual_seed({piece})
torch.ones(2, 2).transpose(0, {piece})
torch.FloatTensor(2, {piece}).shape
# each of
'a'; None; []; {}; range(2); np.zeros(2); np.float32(1); np.bool_(True); torch.float32; torch.Size([2])
torch.device('cpu'); torch.Generator(); torch.preserve_format; torch.zeros(2)
torch.nn.Parameter(torch.zeros(2)); torch.nn.Linear(1, 1); Mine(); OrderedDict()
# --- what comes from numpy
# each of: torch.from_numpy({piece})
'a'; None; []; {}; range(2); np.float32(1); np.bool_(True); torch.float32; torch.Size([2]); torch.device('cpu')
torch.Generator(); torch.preserve_format; torch.zeros(2); torch.nn.Parameter(torch.zeros(2))
torch.nn.Linear(1, 1)
