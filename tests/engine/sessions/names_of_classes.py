"""Classes show themselves as torch's, and can be copied and pickled."""

nn = torch.nn
x = torch.tensor([1., 2.], requires_grad=True)
sgd = torch.optim.SGD([x], lr=1.)
class Net(nn.Module): pass

# --- classes are printed as torchs
type(x), type(x).__module__, type(x).__qualname__
type(x.shape), type(x.shape).__module__, type(x.shape).__qualname__
type(x.dtype), type(x.dtype).__module__, type(x.dtype).__qualname__
type(x.device), type(x.device).__module__, type(x.device).__qualname__
type(x * 2), type(x * 2).__module__, type(x * 2).__qualname__
type((x * 2).grad_fn), type((x * 2).grad_fn).__module__, type((x * 2).grad_fn).__qualname__
type(nn.Parameter(torch.ones(2))), type(nn.Parameter(torch.ones(2))).__module__, type(nn.Parameter(torch.ones(2))).__qualname__
type(nn.Linear(1, 1)), type(nn.Linear(1, 1)).__module__, type(nn.Linear(1, 1)).__qualname__
type(nn.Tanh()), type(nn.Tanh()).__module__, type(nn.Tanh()).__qualname__
type(nn.Sequential(nn.ReLU())), type(nn.Sequential(nn.ReLU())).__module__, type(nn.Sequential(nn.ReLU())).__qualname__
type(nn.ModuleList()), type(nn.ModuleList()).__module__, type(nn.ModuleList()).__qualname__
type(nn.Dropout()), type(nn.Dropout()).__module__, type(nn.Dropout()).__qualname__
type(nn.Embedding(2, 2)), type(nn.Embedding(2, 2)).__module__, type(nn.Embedding(2, 2)).__qualname__
type(nn.Flatten()), type(nn.Flatten()).__module__, type(nn.Flatten()).__qualname__
type(nn.LayerNorm(2)), type(nn.LayerNorm(2)).__module__, type(nn.LayerNorm(2)).__qualname__
type(Net()), type(Net()).__module__, type(Net()).__qualname__
type(sgd), type(sgd).__module__, type(sgd).__qualname__
type(torch.optim.Adam([x])), type(torch.optim.Adam([x])).__module__, type(torch.optim.Adam([x])).__qualname__
type(torch.optim.RMSprop([x])), type(torch.optim.RMSprop([x])).__module__, type(torch.optim.RMSprop([x])).__qualname__
type(torch.optim.lr_scheduler.StepLR(sgd, 1)), type(torch.optim.lr_scheduler.StepLR(sgd, 1)).__module__, type(torch.optim.lr_scheduler.StepLR(sgd, 1)).__qualname__
type(torch.ones(2).max(0)), type(torch.ones(2).max(0)).__module__, type(torch.ones(2).max(0)).__qualname__
type(torch.ones(2).sort()), type(torch.ones(2).sort()).__module__, type(torch.ones(2).sort()).__qualname__
type(torch.finfo()), type(torch.finfo()).__module__, type(torch.finfo()).__qualname__
type(torch.iinfo(torch.int8)), type(torch.iinfo(torch.int8)).__module__, type(torch.iinfo(torch.int8)).__qualname__
type(nn.MSELoss()), type(nn.MSELoss()).__module__, type(nn.MSELoss()).__qualname__, torch.Tensor
torch.Size, torch.dtype, torch.device, nn.Module, nn.Parameter, torch.optim.Optimizer, Net
torch.set_grad_enabled(True), f'{type(x)}', x.__class__

# --- copies and pickles of tensors
import copy, pickle
nn = torch.nn; x = torch.tensor([1., 2.], requires_grad=True); sgd = torch.optim.SGD([x], lr=1.)
class Net(nn.Module): pass
copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), copy.copy(x * 2)
pickle.loads(pickle.dumps(x * 2)), copy.copy(x.detach()), copy.deepcopy(x.detach())
pickle.loads(pickle.dumps(x.detach())), copy.copy(x.dtype), copy.deepcopy(x.dtype)
pickle.loads(pickle.dumps(x.dtype)), copy.copy(torch.bool), copy.deepcopy(torch.bool)
pickle.loads(pickle.dumps(torch.bool)), copy.copy(x.shape), copy.deepcopy(x.shape)
pickle.loads(pickle.dumps(x.shape)), copy.copy(x.device), copy.deepcopy(x.device)
pickle.loads(pickle.dumps(x.device)), copy.copy(torch.tensor(3)), copy.deepcopy(torch.tensor(3))
pickle.loads(pickle.dumps(torch.tensor(3)))
nn.Parameter(torch.ones(2)), copy.copy(nn.Parameter(torch.ones(2)))
nn.Parameter(torch.ones(2)), copy.deepcopy(nn.Parameter(torch.ones(2)))
nn.Parameter(torch.ones(2)), pickle.loads(pickle.dumps(nn.Parameter(torch.ones(2))))
a = torch.ones(2); b = copy.copy(a)
b[0] = 5
a, b
