"""Classes show themselves as torch's, and can be copied and pickled."""

nn = torch.nn
x = torch.tensor([1., 2.], requires_grad=True)
sgd = torch.optim.SGD([x], lr=1.)
class Net(nn.Module): pass

# --- classes are printed as torch's
# each of: made = {piece}; print(type(made), type(made).__module__, type(made).__qualname__)
x; x.shape; x.dtype; x.device; x * 2; (x * 2).grad_fn; nn.Parameter(torch.ones(2)); nn.Linear(1, 1); nn.Tanh()
nn.Sequential(nn.ReLU()); nn.ModuleList(); nn.Dropout(); nn.Embedding(2, 2); nn.Flatten(); nn.LayerNorm(2); Net()
sgd; torch.optim.Adam([x]); torch.optim.RMSprop([x]); torch.optim.lr_scheduler.StepLR(sgd, 1); torch.ones(2).max(0)
torch.ones(2).sort(); torch.finfo(); torch.iinfo(torch.int8); nn.MSELoss()

# --- classes alone
torch.Tensor, torch.Size, torch.dtype, torch.device, nn.Module, nn.Parameter, torch.optim.Optimizer, Net
torch.set_grad_enabled(True), f'{type(x)}', x.__class__

# --- copies and pickles of tensors
import pickle
# each of: made = {piece}; print(copy.copy(made), pickle.loads(pickle.dumps(made)))
x; x * 2; x.detach(); x.dtype; torch.bool; x.shape; x.device; torch.tensor(3); nn.Parameter(torch.ones(2))
# then
copy.deepcopy(made)

# --- a copy shares the memory
a = torch.ones(2); b = copy.copy(a); b[0] = 5; print(a, b)
