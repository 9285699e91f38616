"""A program's own `autograd.Function`: results, graph, errors, warnings."""

def made(forward, backward=None, name="MyF", **others):
    body = {"forward": forward, "backward": backward, **others}
    return type(name, (torch.autograd.Function,), {k: staticmethod(v) for k, v in body.items() if v is not None})
def saying(function):
    def backward(ctx, *grads):
        print("upstream", *grads)
        return function(ctx, *grads)
    return backward
def square(ctx, t):
    ctx.save_for_backward(t)
    return t * t
x = torch.tensor([1., 2.], requires_grad=True); h = x * 1; c = torch.tensor([1., 2.])

# --- name, module and edges of the node
y = made(square, None, 'Square').apply(x)
print(y, y.grad_fn.name(), type(y.grad_fn).__name__, str(y.grad_fn).split(' at ')[0])
print(y.grad_fn is y.grad_fn, y.is_leaf, y.requires_grad, y.output_nr)
y.grad_fn.needs_input_grad, y.grad_fn.next_functions[0][0].name(), y.grad_fn.metadata
(y * 2).grad_fn.next_functions[0][0] is y.grad_fn
y = made(lambda ctx, n, t, u: t * n).apply(3, x, c)
[(node and node.name(), index) for node, index in y.grad_fn.next_functions], y.grad_fn.needs_input_grad
y = made(lambda ctx, t: (t * 2, t * 3)).apply(h)
(y[0] + y[1]).grad_fn.next_functions[1][1], y[0].grad_fn is y[1].grad_fn, y[1].output_nr

# --- the class inherits its halves
Square = made(square, lambda ctx, g: 2 * ctx.saved_tensors[0] * g, 'Square')
class Child(Square): pass
y = Child.apply(x); y.backward(c)
y, x.grad
apply = Child.apply; print(apply(c), Child.__name__)

# --- attributes of ctx mean what the program means
def forward(ctx, t):
    ctx.shape, ctx.dtype, ctx.number, ctx.edges, ctx.saved = t.shape, "dtype", 5, "edges", [1]
    ctx.index, ctx.inner, ctx.places, ctx.forms, ctx.label = 1, 2, 3, 4, 5
    return t.sum()
def backward(ctx, g):
    print(ctx.shape, ctx.dtype, ctx.number, ctx.edges, ctx.saved)
    print(ctx.index, ctx.inner, ctx.places, ctx.forms, ctx.label)
    return g.expand(ctx.shape)
y = made(forward, backward).apply(x); y.backward()
x.grad, y.grad_fn.shape
made(square, lambda ctx, g: g * ctx.nothing).apply(x).sum().backward()
def forward(ctx, t): ctx.name = 'mine'; return t * 2
y = made(forward, lambda ctx, g: (print(ctx.name), g)[1]).apply(x); y.sum().backward()
y.requires_grad, x.grad, y.grad_fn.name

# --- what is saved comes back as what it was
y = made(square).apply(x); print(y.grad_fn.saved_tensors[0] is x)
made(square).apply(h).grad_fn.saved_tensors[0] is h
def forward(ctx, t):
    kept.append(t + 1)
    ctx.save_for_backward(kept[0], None, t)
    print(ctx.saved_tensors)
    return t * 1
kept = []; saved = made(forward).apply(x).grad_fn.saved_tensors
saved, saved[0] is kept[0], saved[2] is x
def forward(ctx, t):
    ctx.save_for_backward(t)
    ctx.save_for_backward(t * 3)
    return t * 1
made(forward).apply(x).grad_fn.saved_tensors
made(lambda ctx, t: t * 1, saying(lambda ctx, g: print(ctx.saved_tensors))).apply(x).sum().backward()
print(made(square).apply(c).grad_fn)

# --- a saved result comes back with its place in the graph
def exp(ctx, t):
    result = t.exp()
    ctx.save_for_backward(result)
    return result
Exp = made(exp, lambda ctx, g: g * ctx.saved_tensors[0], 'Exp')
y = Exp.apply(x); saved = y.grad_fn.saved_tensors[0]
saved, saved is y, saved.grad_fn is y.grad_fn
handle = y.register_hook(lambda g: print('hook', g))
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True); (g.sum() + y.sum()).backward()
g, x.grad
y = Exp.apply(x); node = y.grad_fn; del y
node.saved_tensors

# --- only Tensors and None can be saved
made(lambda ctx, t: ctx.save_for_backward(t, 3)).apply(x)
made(lambda ctx, t: ctx.save_for_backward([t])).apply(x)
made(lambda ctx, t: ctx.save_for_backward(3)).apply(c)

# --- saved values are freed
y = made(square, lambda ctx, g: 2 * g * ctx.saved_tensors[0]).apply(x); y.backward(c, retain_graph=True)
y.backward(c)
x.grad
y.backward(c)
y.grad_fn.saved_tensors
y = made(lambda ctx, t: t * 2, lambda ctx, g: g * 2).apply(x); y.backward(c); y.backward(c)
x.grad
y.grad_fn.saved_tensors
y = made(square, lambda ctx, g: g).apply(x); y.backward(c); y.backward(c)
x.grad

# --- saved values are guarded
Square = made(square, lambda ctx, g: 2 * g * ctx.saved_tensors[0])
h = x * 3; y = Square.apply(h); h.add_(1)
y.backward(c)
y = Square.apply(c.requires_grad_())
with torch.no_grad(): c.add_(1)
y.backward(c)
def forward(ctx, t):
    kept.append(t + 1)
    ctx.save_for_backward(kept[-1])
    return t * 2
kept = []; y = made(forward, lambda ctx, g: ctx.saved_tensors[0]).apply(x); kept[0].mul_(2)
y.backward(c)
def exp(ctx, t):
    result = t.exp()
    ctx.save_for_backward(result)
    return result
y = made(exp, lambda ctx, g: g * ctx.saved_tensors[0], 'Exp').apply(x); y.mul_(2)
y.sum().backward()

# --- forward runs without recording, backward only under create_graph
def forward(ctx, t, text, number=2):
    print(text, t.requires_grad, torch.is_grad_enabled(), (t * 2).requires_grad, ctx.needs_input_grad)
    return t * number
def backward(ctx, g):
    print(torch.is_grad_enabled(), g.requires_grad)
    return g * 2, None
Look = made(forward, backward)
y = Look.apply(x, 'x'); y.sum().backward()
Look.apply(x, 'named', number=3), Look.apply(c, 'constant', 3)
with torch.no_grad(): print(Look.apply(x, 'no_grad', 3))
(g,) = torch.autograd.grad((Look.apply(x, 'again') ** 2).sum(), x, create_graph=True)

# --- second and third derivatives
def forward(ctx, t): ctx.save_for_backward(t); return t**3
Cube = made(forward, lambda ctx, g: 3 * ctx.saved_tensors[0] ** 2 * g)
(first,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
(third,) = torch.autograd.grad(second.sum(), x); print(first.detach(), second.detach(), third)
y = Cube.apply(h); (g,) = torch.autograd.grad(y, h, c, create_graph=True); g.sum().backward()
x.grad
torch.autograd.grad(made(lambda ctx, t: t * 2, lambda ctx, g: g * 2).apply(x).sum(), x, create_graph=True)

# --- setup_context
def setup(ctx, inputs, output):
    print(len(inputs), inputs[1:], output.requires_grad)
    ctx.save_for_backward(inputs[0], output)
    ctx.exponent = inputs[1]
def backward(ctx, g): return g * ctx.exponent * ctx.saved_tensors[0] ** (ctx.exponent - 1), None, None
Power = made(lambda t, n=2, m=1: t**n * m, backward, setup_context=setup)
y = Power.apply(x, 3); y.backward(c)
y, x.grad, Power.apply(x), Power.apply(x, m=4)
Power.apply()

# --- several results
Both = made(lambda ctx, t: (t * 2, t * 3), saying(lambda ctx, g, k: 2 * g + 3 * k))
a, b = Both.apply(x); (a * c + b).sum().backward()
a, b, x.grad
a, b = Both.apply(x); b.sum().backward()
a, b = Both.apply(x); handle = a.register_hook(lambda g: print('a', g))
handle = b.register_hook(lambda g: print('b', g)); b.retain_grad(); (a + b).sum().backward()
b.grad
a, b = Both.apply(x); torch.autograd.grad([a, b], [x, a], [c, c])
made(lambda ctx, t: (t * 2,)).apply(x)
y = made(lambda ctx, t: (t * 2,) * 2, saying(lambda ctx, g, k: g)).apply(x)
y[0] is y[1], y[0].output_nr, (y[0] * 10 + y[1]).sum().backward()
made(lambda ctx, t: (t * 2, t), lambda ctx, g: g).apply(x)[0].sum().backward()

# --- results that are not Tensors, or have no gradient
y = made(lambda ctx, t: (t * 2, 5, 's', None), saying(lambda ctx, *g: g[0])).apply(x); y[0].sum().backward()
y, made(lambda ctx, t: 5).apply(x), made(lambda ctx, t: [t * 2]).apply(x)
made(lambda ctx, t: None).apply(x)
y = made(lambda ctx, t: (t * 2, torch.tensor([1, 2])), saying(lambda ctx, *g: g[0])).apply(x)
y, y[1].requires_grad, y[0].sum().backward()
def forward(ctx, t):
    mask, twice = t > 1, t * 2
    ctx.mark_non_differentiable(mask, twice)
    return t * 3, mask, twice
y = made(forward, saying(lambda ctx, *g: g[0])).apply(x); print(y, y[2].is_leaf)
y[0].sum().backward(), made(lambda ctx, t: (ctx.mark_non_differentiable(t), t)[1]).apply(x)

# --- zeros or None for what nobody used
def forward(ctx, t, materialize):
    ctx.set_materialize_grads(materialize)
    return t * 2, t * 3
Both = made(forward, saying(lambda ctx, g, k: (k, None)))
Both.apply(x, True)[0].sum().backward()
x.grad; x.grad = None
Both.apply(x, False)[0].sum().backward(), x.grad is None, Both.apply(x, False)[1].sum().backward()

# --- what backward may return
def returned(result, *args):
    Twice = made(lambda ctx, *args: args[0] * 2, lambda ctx, g: result(g))
    Twice.apply(*args).sum().backward()
def asked(result, *args): returned(result, *args); print(x.grad); x.grad = None
# each of
asked(lambda g: (g, None, None), x); asked(lambda g: (g, None, g), x); asked(lambda g: (), x)
asked(lambda g: g, x, x); asked(lambda g: None, x, x); asked(lambda g: None, x); asked(lambda g: (g, g), x, 3)
asked(lambda g: (g, None), x, 3); asked(lambda g: (g,), x, 3); asked(lambda g: (g, torch.ones(3)), x, c)
asked(lambda g: (None, torch.ones(3)), c, x); asked(lambda g: 1.0, x); asked(lambda g: [g], x)
asked(lambda g: np.ones(2), x); asked(lambda g: torch.tensor(3.), x); asked(lambda g: torch.tensor([3.]), x)
asked(lambda g: torch.ones(3), x)
asked(lambda g: torch.ones(3, 2), x), asked(lambda g: torch.tensor([1, 2]), x)
asked(lambda g: torch.tensor([True, False]), x)
asked(lambda g: torch.tensor([1., 2.], dtype=torch.float64), x), asked(lambda g: g * x, x)
returned(lambda g: (None, torch.ones(3)), 3, x)

# --- a float64 result of a float32 input
Double = made(lambda ctx, t: t.double(), lambda ctx, g: (print(g.dtype), g)[1])
y = Double.apply(x); y.sum().backward()
y, x.grad

# --- an input that comes back as it is
Same = made(lambda ctx, t: t, lambda ctx, g: g * 10); y = Same.apply(h)
y, y is h, y._base is h, y.is_leaf
y.sum().backward()
x.grad
y.mul_(2)
y = Same.apply(c); print(y, y is c, y._base is c)
y.mul_(2), c
y.mul_(x)
with torch.no_grad(): y = Same.apply(x)
y, y is x, y.requires_grad, y.is_leaf
a, b = made(lambda ctx, t, u: (t, u), lambda ctx, g, k: (g, k * 2)).apply(h, h); (a + b).sum().backward()
x.grad
a.mul_(2)

# --- a result that shares memory
y = made(lambda ctx, t: t[:1], lambda ctx, g: torch.tensor([g.item(), 0.])).apply(h); y.sum().backward()
y, x.grad, y._base is h
y.mul_(2)
y = made(lambda ctx, t: (t * 2)[:1], lambda ctx, g: g).apply(x)
y.mul_(2)
y = made(lambda ctx, t: t.detach(), lambda ctx, g: g * 10).apply(x); y.sum().backward()
y.add_(1), x
a, b = made(lambda ctx, t: (t[:1], t * 2), lambda ctx, g, k: k).apply(h); print(b.mul_(2))
a.mul_(2)
y = made(lambda ctx, t: t[:1], lambda ctx, g: g).apply(h); h.mul_(2)
y.sum().backward()

# --- a result may be changed in place
y = made(lambda ctx, t: t * 2, lambda ctx, g: g * 10).apply(x); y.mul_(3); y.sum().backward()
y, x.grad
a, b = made(lambda ctx, t: (t * 2, t * 3), saying(lambda ctx, g, k: g)).apply(x)
a.mul_(3); a.sum().backward()

# --- a Tensor from elsewhere as the result
y = made(lambda ctx, t: c, lambda ctx, g: g * 10).apply(x); y.sum().backward()
y, y is c, x.grad
w = torch.ones(2, requires_grad=True)
y = made(lambda ctx, t: w * 1, lambda ctx, g: g * 10).apply(x); y.sum().backward()
y, x.grad, w.grad
y = made(lambda ctx, t: w).apply(torch.ones(2)); print(y is w, y.requires_grad)

# --- an input that is changed in place
def triple(ctx, t):
    t.mul_(3)
    ctx.mark_dirty(t)
    return t
Triple = made(triple, lambda ctx, g: g * 3)
h.retain_grad(); y = Triple.apply(h)
y is h, y, y._version
h.sum().backward()
h.grad, x.grad
y = Triple.apply(c); print(y is c, y, c._version)
Triple.apply(x)
x, x._version
with torch.no_grad(): y = Triple.apply(x)
y is x, y, x, x._version
saved = x * 2; y = saved * saved; Triple.apply(saved)
y.sum().backward()
made(lambda ctx, t: (ctx.mark_dirty(t), t * 2)[1]).apply(h)
def exp(ctx, t):
    t.exp_()
    ctx.mark_dirty(t)
    ctx.save_for_backward(t)
    return t
h = x * 0.1; made(exp, saying(lambda ctx, g: g * ctx.saved_tensors[0])).apply(h).sum().backward()
def forward(ctx, t, u): ctx.mark_dirty(t, u); return t.mul_(3), u.mul_(2)
Both = made(forward, lambda ctx, g, k: (g * 3, k * 2)); a, b = x * 1, x * 1; y = Both.apply(a, b)
y[0] is a, y[1] is b, a, b, b.output_nr
made(lambda ctx, t, u: (ctx.mark_dirty(t), t.mul_(u))[1], lambda ctx, g: (None, g)).apply(c, x)

# --- once_differentiable
once = torch.autograd.function.once_differentiable
Twice = made(lambda ctx, t, n: t * 2, once(lambda ctx, g, : (g * 2, None)))
y = Twice.apply(x, 0); y.backward(c)
x.grad
(g,) = torch.autograd.grad((Twice.apply(x, 0) ** 2).sum(), x, create_graph=True); print(g)
g.sum().backward()
torch.autograd.grad(Twice.apply(x, 0).sum(), x, create_graph=True)

# --- a Function inside a Function
Inner = made(lambda ctx, t: t * 3, lambda ctx, g: g * 3, 'Inner')
y = made(lambda ctx, t: Inner.apply(t), lambda ctx, g: g * 3, 'Outer').apply(x); y.sum().backward()
y, x.grad
def forward(ctx, t):
    with torch.enable_grad():
        ctx.inner = t.detach().requires_grad_()
        ctx.outer = ctx.inner**2
    return ctx.outer.detach()
def backward(ctx, g):
    with torch.enable_grad():
        return torch.autograd.grad(ctx.outer, ctx.inner, g)[0]
made(forward, backward).apply(x).backward(c)
x.grad

# --- arguments by name
Times = made(lambda ctx, t, m=1, n=2: t * n, lambda ctx, g: (g * 3, None, None))
y = Times.apply(x, n=5, m=7); y.sum().backward()
y, x.grad, y.grad_fn.needs_input_grad, Times.apply(m=1, t=x)
y = made(lambda ctx, t, n: t * n, lambda ctx, g: (g, g * 5)).apply(n=x, t=c); y.sum().backward()
x.grad

# --- errors of the class
type('Nothing', (torch.autograd.Function,), {}).apply(x)
made(square).apply(x).sum().backward()
import warnings
with warnings.catch_warnings(): warnings.simplefilter('ignore'); Square = made(square)()
Square(x)
y = made(square, vjp=lambda ctx, g: g * 5).apply(x); y.sum().backward()
x.grad
made(lambda ctx: 1).apply(3)
def failing(*args): raise ValueError('mine')
made(failing).apply(x)
made(square, failing).apply(x).sum().backward()
made(lambda ctx: torch.ones(2)).apply(), made(lambda ctx, items: items[0] * 2).apply([x])
made(square).forward(None, x)

# --- the names of old
y = made(square, lambda ctx, g: ctx.saved_variables[0] * g).apply(x); y.backward(c)
x.grad, issubclass(torch.autograd.Function, torch.autograd.function.FunctionCtx)

# --- what a Function may choose
class F(torch.autograd.Function):
    {piece}
    @staticmethod
    def forward(ctx, a): ctx.save_for_backward(a); return a * 2, a * a
    @staticmethod
    def backward(ctx, *grads):
        print(type(grads[0]), grads); t = ctx.saved_tensors
        try: t = ctx.saved_tensors
        except RuntimeError as error: print(error)
        return t[0]
x = torch.tensor([1., 2.], requires_grad=True); y, z = F.apply(x)
z.sum().backward(retain_graph=True); print(x.grad)
z.sum().backward()
# each of
pass; boxed_grads_call = True; clear_saved_tensors_on_access = True

# --- a Function with a rule for batches
class F(torch.autograd.Function):
    @staticmethod
    def forward(a, b): print('forward', a.shape, b.shape, torch.is_grad_enabled()); return a * b
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g): a, b = ctx.saved_tensors; return g * b, g * a
    @staticmethod
    def vmap(info, in_dims, a, b):
        print(info, in_dims, a.shape, b.shape, a.requires_grad)
        a, b = [t if d is None else t.movedim(d, 0) for t, d in zip((a, b), in_dims)]
        {piece}
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True); k = torch.tensor([2., 3.]); T = torch.func
T.vmap(F.apply, (0, None))(x, k); T.vmap(F.apply, (1, 0))(x, x)
y = T.vmap(lambda t: F.apply(F.apply(t * 2, t + 1), t).sum())(x); y; y.sum().backward(); x.grad
T.vmap(T.grad(lambda t: F.apply(t, t).sum() + t[0]))(x.detach()), T.grad(lambda x: T.vmap(F.apply)(x, x).sum())(x.detach())
T.vmap(lambda t: {}[F.apply(t, t).shape])(x), T.vmap(T.vmap(F.apply), out_dims=1)(x[:1], x[:1])
# each line of
return F.apply(a, b), 0
return F.apply(a, b)
return F.apply(a, b), (0, 0)
generate_vmap_rule = True; return (0, 0, 0)

# --- a Function and torch.func
class F(torch.autograd.Function):
    {piece}
    @staticmethod
    def backward(ctx, g): return g * 5
x = torch.tensor([1., 2.])
torch.func.grad(lambda a: F.apply(a).sum())(x)
torch.func.vmap(F.apply)(x)
torch.func.jvp(F.apply, (x,), (x,))
# each line of
forward = staticmethod(lambda ctx, a: a * 2)
forward = staticmethod(lambda a: a * 2); setup_context = staticmethod(lambda ctx, i, o: None)
forward = staticmethod(lambda a: a * 2); setup_context = staticmethod(lambda ctx, i, o: ctx.save_for_forward(*i)); generate_vmap_rule = True
