"""Tensors are made: the same values, dtypes and words of refusal."""

def show(r): print(r, r.dtype, r.shape, r.requires_grad, r.is_leaf)
x = torch.ones(2); _ = torch.manual_seed(0)

# --- sizes
show(torch.zeros({piece}))
show(torch.ones({piece}))
show(torch.rand({piece}))
show(torch.randn({piece}))
torch.empty({piece}).shape, torch.empty({piece}).dtype, x.new_empty({piece}).shape
show(x.new_zeros({piece}))
show(x.long().new_ones({piece}))
# each of
(); []; 2; 0; 0, 3; 2, 3; (2, 3); [2, 3]; torch.Size([2]); torch.tensor(2); 2, True; torch.tensor(2), 3
(torch.tensor(2), 3); size=(2,); np.int64(2); (np.int64(2), 3); np.array(2); -1; 2, -1; (2, -1); 2.0; (2.0,)
2, 3.0; (2, 3.0); (2, 3), 4; 'a'; (2, 'a'); None; True; (True, 2); torch.tensor([2, 3]); torch.ones(()); 2, (3,)
size=2; np.array([2, 3]); {2}; range(2); [[2], 3]; 2, None; 2, size=(2,); 2.0, 3; 10**13; 10**10, 10**10
dtype=torch.int64

# --- options
show(torch.zeros(2, {piece}))
show(torch.ones(2, {piece}))
show(torch.rand(2, {piece}))
show(torch.randn(2, {piece}))
torch.empty(2, {piece}).dtype
show(torch.zeros_like(x, {piece}))
show(torch.ones_like(input=x, {piece}))
show(torch.rand_like(x, {piece}))
show(torch.randn_like(x, {piece}))
show(torch.full_like(x, 2, {piece}))
# each of
dtype=float; dtype=torch.float16; dtype=None; device='cpu'; device=None; layout=None
requires_grad=True; requires_grad=None; pin_memory=False; dtype=torch.float64, requires_grad=True
dtype='float32'; dtype=3; dtype=str; dtype=np.float32; dtype=np.dtype('float32'); foo=1; requires_grad=1
requires_grad='a'; requires_grad=np.bool_(True); pin_memory=1; pin_memory=True; layout=1; device=1.5
device='cuda'; device='cuda:0'; device='foo'; device=0; foo=1, bar=2; dtype=torch.int64, requires_grad=True

# --- every dtype
# each of: dtype = torch.{piece}
float16; float32; float64; int64; int32; int16; int8; uint8; bool
# then
show(torch.zeros(2, 3, dtype=dtype))
show(torch.ones(2, 3, dtype=dtype))
show(torch.eye(2, dtype=dtype))
o = torch.ones(2, 3, dtype=dtype); show(torch.zeros_like(o)); show(torch.ones_like(o)); show(o.new_zeros(2))
show(o.new_full((2,), 1)), show(o.new_full((2,), 0.5)), show(o.new_full((2,), True))
show(o.new_tensor([1, 2])), show(o.new_tensor(3)), show(o.new_tensor(np.array([1, 2])))
show(o.new_tensor([1.5])), show(o.new_tensor([1.], dtype=torch.float64)), show(o.new_zeros(2, device='cpu'))
[torch.arange(*each, dtype=dtype) for each in ((5,), (5.5,), (0.5, 3.5), (0, 5, 1.5), (-2.5, 2.5))]
[torch.arange(*each, dtype=dtype) for each in ((0, 100, 50), (5, 0, -2))]
[torch.arange(*each, dtype=dtype) for each in ((-1, 3), (0, 3, 100), (70, 72), (0.5, 3.5, 0.5))]
torch.arange(0, 1000, 500, dtype=dtype)
torch.arange(2**53, 2**53 + 3, dtype=dtype)
torch.arange(3.5, 0, dtype=dtype)
[torch.linspace(*each, dtype=dtype) for each in ((0, 10, 5), (0, 10, 4), (0.5, 10.5, 4), (-3, 3, 4))]
[torch.linspace(*each, dtype=dtype) for each in ((2.7, 1, 1), (0, 1, 0))]
torch.linspace(0, 300, 3, dtype=dtype)
torch.linspace(300, 1, 1, dtype=dtype)
torch.linspace(0, 70000, 3, dtype=dtype)

# --- what only looks like another tensor
# each of
torch.zeros_like(); torch.zeros_like(3); torch.zeros_like([1]); torch.zeros_like(np.ones(2))
torch.zeros_like(x, x); torch.zeros_like(x, memory_format=3); torch.zeros_like(x, memory_format=None)
torch.randn_like(); torch.randn_like(3); torch.randn_like([1]); torch.randn_like(np.ones(2))
torch.randn_like(x, x); torch.randn_like(x, memory_format=3); torch.randn_like(x, memory_format=None)
torch.empty_like(torch.ones(2, 3).long()).shape; torch.empty((2,), 2); torch.full_like(x); torch.full_like(3, 2)
torch.full_like(torch.tensor([1, 2]), 3.7); torch.full_like(torch.tensor([True]), 3.7)
torch.full_like(torch.tensor([1], dtype=torch.uint8), 300); torch.full_like(x, fill_value=2); x.new_full()
x.new_full(2, 3); x.new_full((2,)); x.new_full((2,), 'a'); x.new_full((2,), 3, dtype=int, requires_grad=True)
x.new_tensor(); x.new_tensor([1], 2); x.new_tensor('a'); x.new_tensor([[1], [2, 3]])
x.new_tensor([1], dtype=int, requires_grad=True)

# --- from data
# each of: show(torch.tensor({piece}))
3.; True; 7; -0.; float('nan'); 1e39; 2**63 - 1; []; [[]]; [[], []]; [[[]]]; [[], [1]]; [1, 2.5, True]
[True, 2]; [True, 2.5]; (1, 2); [(1, 2), [3, 4]]; range(3); range(0); [range(2)] * 2; [[1, 2], (3, 4), range(2)]
bytearray(b'ab'); [1e300, 1.]; [16777217]; [16777217.]; [2**64, 1.]; np.array([1, 2]); np.array([1., 2.])
np.array([1., 2.], np.float16); np.array(3); np.array([], 'f4'); [np.float64(1), 2]; [np.float32(1), 1.5]
[np.float16(2), 1.5]; [np.int8(2), True]; [np.int8(2), 1]; [np.uint8(2), np.int8(1)]; np.float64(1)
np.float32(1); np.int32(1); np.bool_(True); [np.bool_(True)]; [torch.tensor(1), torch.tensor(2)]
[torch.tensor(1), torch.tensor(2.5)]; [torch.tensor([1]), torch.tensor([2])]
[torch.tensor(1., dtype=torch.float64)]; [[1, 2], torch.tensor([3, 4])]; np.array([[1, 2], [3, 4]]).T; 1, 2
[1], foo=1; [1], dtype=3; [1.], requires_grad=1; [1.], requires_grad=None; [1.], pin_memory=None; [[1], []]
[1, [2]]; [[1], 2]; [[1], [2, 3]]; [[[1], [2]], [[1]]]; [[1, 2], [3]]; [[[1]], [2]]; [1.5, [2]]; [True, [2]]
[[1., 2], [3, [4]]]; [[True], []]; [[1], 'a']; [[1, 2], [3, 'a']]; 'a'; ['a']; [1, 'a']; b'ab'; np.str_('a')
None; [None]; [1, None]; {1}; {}; {1: 2}; (i for i in [1]); object(); [object()]; 2**63; 2**64; -2**63 - 1
[2**63]; [2**64]; [np.array(1.), np.array(2.)]; [np.bool_(True), 2]; np.array(['a']); np.array([None])
np.longdouble(2); np.array([1, 2])[::-1]; np.datetime64('2020-01-01')
[torch.tensor([1, 2]), torch.tensor([2, 3])]; [torch.tensor([1.5, 2]), [2, 3]]; [torch.tensor([])]
[torch.tensor([3, 4]), [1, 2]]; [1, 2], requires_grad=True; np.array([1, 2]), requires_grad=True
[1.], requires_grad=True; np.array([1.]), requires_grad=True; [1], dtype=float, requires_grad=True

# --- from data in every dtype
# each of: f = lambda dtype: torch.tensor({piece}, dtype=dtype)
[1, 0]; [True, False]; [1.5, 0.25]; 1; []; np.array([0, 1]); np.array([0.5, 1.5]); [np.float64(1.7)]
[torch.tensor(2)]; [torch.tensor(True)]; [np.int64(3)]; torch.tensor(2.).item(); [-1]; [255]; [256]; [-255]; [-256]
[-0.5]; [-1.5]; [127.5]; [300]; [2**15]; [2**31]; [2**63]; [2**70]; [1e5]; [1e30]; [9.3e18]; [2.**63]; [-2.**63]
[nan]; [inf]; [2**1030]; 'a'; ['a']; [1.5, 'a']; [None]; None; {}; [{}]; {1, 2}; [np.float32(1.5)]; [np.bool_(True)]
[torch.tensor(1.7)]; [[1], 2]; [1 + 2**-11 + 2**-30]; np.array([300])
# then
f(torch.float32)
f(torch.float64)
f(torch.float16)
f(torch.int64)
f(torch.int32)
f(torch.int16)
f(torch.int8)
f(torch.uint8)
f(torch.bool)

# --- one value everywhere
# each of: show(torch.full((2,), {piece}))
3; 3.; True; torch.tensor(3); torch.tensor(3.5); torch.tensor(True); np.float64(3.5); np.float32(0.5)
np.int32(3); np.bool_(True); float('inf'); 2**63 - 1; torch.tensor(3, dtype=torch.uint8); 'a'; None; [1]
torch.tensor([3.5]); torch.tensor(3.5, requires_grad=True); np.array(2)
# then
show(torch.full_like(x, {piece}))

# --- one value in every dtype
# each of: f = lambda dtype: torch.full((2,), {piece}, dtype=dtype)
3.7; 300; -1; -255; -256; -1.5; 255.5; 1e40; 1e6; 65505.; 65504; 1e10; 1e30; 2**63; 2**64; -2**63 - 1; 2.**63
-2.**63; float('nan'); float('-inf'); 3.4028235e38; 1 + 2**-11 + 2**-30
# then
f(torch.float32)
f(torch.float64)
f(torch.float16)
f(torch.int64)
f(torch.int32)
f(torch.int16)
f(torch.int8)
f(torch.uint8)
f(torch.bool)

# --- how full is called
# each of
torch.full(); torch.full(2); torch.full((2,)); torch.full(2, 3); torch.full(2, 3, 4); torch.full((2,), 1, 1)
torch.full(fill_value=1); torch.full([], 3.); torch.full((), 3); torch.full(size=(2,), fill_value=1)
torch.full((0,), 1); torch.full((2,), 3., requires_grad=True)
torch.full((2,), 3, dtype=float, requires_grad=True); torch.full((2.,), 3); torch.full((-2,), 3)
torch.full((2, -1), 3); torch.full((2,), 1, foo=2); torch.full((2,), 3, requires_grad=True)
torch.full((0,), 1e40)

# --- eye, ranges and spaces
# each of
torch.eye(2); torch.eye(2, 3); torch.eye(3, 2); torch.eye(0); torch.eye(0, 3); torch.eye(n=2, m=3)
torch.eye(2, m=3); torch.eye(torch.tensor(2)); torch.eye(2, requires_grad=True); torch.eye(); torch.eye(-1)
torch.eye(2, -1); torch.eye(2.); torch.eye((2,)); torch.eye(2, 3, 4); torch.eye(2, None); torch.eye(True)
torch.eye(2, foo=1); torch.eye(5, 'a'); torch.eye(2**70); torch.eye(2, requires_grad=True, dtype=torch.int64)
torch.arange(5); torch.arange(5.); torch.arange(2, 5); torch.arange(2, 5.); torch.arange(1, 2.5, 0.5)
torch.arange(1, 2.6, 0.5); torch.arange(5, 2, -1); torch.arange(0); torch.arange(0, 1, 0.1); torch.arange(5.5)
torch.arange(True); torch.arange(False, True); torch.arange(end=5); torch.arange(start=1, end=5)
torch.arange(1, end=5); torch.arange(1, 5, step=2); torch.arange(torch.tensor(5))
torch.arange(torch.tensor(5.)); torch.arange(np.int64(3)); torch.arange(np.float64(3)); torch.arange(0, -5, -2)
torch.arange(2**63 - 3, 2**63 - 1); torch.arange(-2**63, -2**63 + 2); torch.arange(0, 5, torch.tensor(2))
torch.arange(0, 1, 2**40); torch.arange(torch.tensor(True)); torch.arange(0, 2**53 + 1., 2.**51)
torch.arange(0, 1e40, 1e39); torch.arange(5., requires_grad=True); torch.arange(3, dtype=float); torch.arange()
torch.arange(-1); torch.arange(2, 1); torch.arange(1, 2, -1); torch.arange(1, 2, 0); torch.arange(0, 3.5, -1)
torch.arange(0, 1, float('nan')); torch.arange(1, 0, float('inf')); torch.arange(float('nan'), 1, float('inf'))
torch.arange(float('nan'), 1.5); torch.arange(1e-7, float('inf'), 0); torch.arange(1e-7, float('inf'), -1)
torch.arange(float('inf'), 1234567.5); torch.arange(float('-inf'), float('inf'), dtype=torch.int64)
torch.arange(float('inf'), 2**40, dtype=torch.float16); torch.arange(float('nan')); torch.arange(float('inf'))
torch.arange(0, float('-inf')); torch.arange(0, 1, 1e-30); torch.arange('a'); torch.arange(None)
torch.arange(1, 2, 3, 4); torch.arange((1,)); torch.arange(start=5); torch.arange(end=5, step=2)
torch.arange(5, step=2); torch.arange(5, requires_grad=True); torch.arange(5, foo=1); torch.arange(5, None)
torch.arange(1, 'a'); torch.arange(1, 2, 'a'); torch.arange(1, 2, dtype=3); torch.arange(1, start=2)
torch.arange(2**63); torch.arange(1e20); torch.arange(1e40); torch.arange(2**62); torch.arange(0, 10**19)
torch.arange(torch.tensor([5])); torch.arange(torch.tensor(1., requires_grad=True)); torch.arange(2**64)
torch.linspace(0, 1, 5); torch.linspace(0, 1, 1); torch.linspace(0, 1, 0); torch.linspace(0, 1, steps=5)
torch.linspace(start=0, end=1, steps=5); torch.linspace(torch.tensor(0.), 1, 5); torch.linspace(True, 1, 3)
torch.linspace(torch.tensor(0.), torch.tensor(1.), 5); torch.linspace(torch.tensor(0), torch.tensor(10), 5)
torch.linspace(0, float('inf'), 3); torch.linspace(1, -1, 4); torch.linspace(0, 1, 3, requires_grad=True)
torch.linspace(torch.tensor(0., dtype=torch.float64), 1, 3); torch.linspace(); torch.linspace(0, 1)
torch.linspace(0, 1, -1); torch.linspace(0, 1, 5.); torch.linspace('a', 1, 5); torch.linspace(0, 1, True)
torch.linspace(0, 1e40, 3); torch.linspace(0, 1, 3, foo=1); torch.linspace(0, 1, 3, 4)
torch.linspace(0, 1, None); torch.linspace(0, 1, 2**70); torch.linspace(0, 1, 3, dtype=int, requires_grad=True)
torch.arange(0, 1, inf); torch.arange(0, 1, inf, dtype=torch.float16)
torch.arange(0, 1, inf, dtype=torch.int64); torch.arange(1, 0, -inf)
torch.arange(1, 0, -inf, dtype=torch.float16); torch.arange(1, 0, -inf, dtype=torch.int64)
torch.arange(0, 1, -inf); torch.arange(0, 1, -inf, dtype=torch.float16)
torch.arange(0, 1, -inf, dtype=torch.int64)

# --- integers by chance, permutations and normal numbers, and their words; the numbers are compared in test_random
# each of
torch.randint(3, ()); torch.randint(3, (2,)); torch.randint(0, 3, (2,)); torch.randint(0, 3, [2])
torch.randint(high=3, size=(2,)); torch.randint(low=1, high=3, size=(2,)); torch.randint(3, size=(2,))
torch.randint(torch.tensor(3), (2,)); torch.randint(5, [2], dtype=torch.float64)
torch.randint(0, 3, (2,), requires_grad=True, dtype=torch.float32); torch.randint(3); torch.randint(3, 2)
torch.randint(0, 3, 2); torch.randint(3, 3, (2,)); torch.randint(3, 1, (2,)); torch.randint(0, (2,))
torch.randint(0., 3., (2,)); torch.randint(0, 3., (2,)); torch.randint(True, (2,)); torch.randint()
torch.randint(0, 3, (-2,)); torch.randint(0, 3, (2.,)); torch.randint(0, 3, ('a',))
torch.randint(0, 10, (2,), foo=1); torch.randint(0, 2**63, (2,)); torch.randint(low=5, size=(2,))
torch.randint('a', (2,)); torch.randint(5, 'a'); torch.randint(5, (2, 3.)); torch.randint(5, (2.,))
torch.randint(5., (2,)); torch.randint(2**70, (2,)); torch.randint(5, (2,), generator=3)
torch.randint(0, 300, (2,), dtype=torch.uint8); torch.randint(-1, 3, (2,), dtype=torch.uint8)
torch.randint(0, 3, (2,), dtype=torch.bool); torch.randint(0, 3, (2,), requires_grad=True); torch.randperm(5)
torch.randperm(0); torch.randperm(n=5); torch.randperm(torch.tensor(5))
torch.randperm(5, requires_grad=True, dtype=float); torch.randperm(-1); torch.randperm(5.); torch.randperm()
torch.randperm((5,)); torch.randperm(True); torch.randperm('a'); torch.randperm(5, 6)
torch.randperm(5, requires_grad=True); torch.randperm(5, dtype=torch.bool)
torch.randperm(300, dtype=torch.uint8); torch.randperm(129, dtype=torch.int8)
torch.randperm(5000, dtype=torch.float16); torch.normal(0., 1., (2,)); torch.normal(0, 1, [2])
torch.normal(0, 1, ()); torch.normal(mean=0., std=1., size=(2,))
torch.normal(2., 3., (2,), dtype=torch.float64); torch.normal(torch.zeros(2)); torch.normal(torch.zeros(2), 2.)
torch.normal(torch.zeros(2), std=2); torch.normal(torch.zeros(2), torch.ones(2))
torch.normal(0., torch.ones(2)); torch.normal(0., std=torch.ones(2))
torch.normal(mean=torch.zeros(2), std=torch.ones(2)); torch.normal(0., 1., (2,), requires_grad=True)
torch.normal(); torch.normal(0., 1.); torch.normal(0., 1., 2); torch.normal(0., -1., (2,))
torch.normal('a', 1., (2,)); torch.normal(torch.zeros(2), size=(2,)); torch.normal(torch.zeros(2), -1.)
torch.normal(torch.zeros(2), -torch.ones(2)); torch.normal(torch.zeros(2), torch.ones(3))
torch.normal(torch.zeros(2, dtype=torch.int64)); torch.normal(0., torch.tensor([1]))
torch.normal(0., 1., (2,), dtype=int)

# --- a tensor is copied with a warning
x = torch.tensor([1., 2.], requires_grad=True)
# each of
torch.tensor(x); torch.tensor(x, requires_grad=True); x.new_tensor(x); torch.tensor(x[0])

# --- as_tensor copies only where it must
x = torch.tensor([1., 2.], requires_grad=True); a = np.array([1., 2.])
torch.as_tensor(x) is x, torch.as_tensor(x, dtype=torch.float32, device='cpu') is x
b = torch.as_tensor(a); c = torch.as_tensor(a, dtype=torch.float32); d = torch.tensor(a)
a[0] = 9
b, c, d, torch.as_tensor(3.5), torch.as_tensor(data=[1, 2])
torch.as_tensor([1, 2], dtype=torch.float32), torch.as_tensor(np.float32(3))
torch.as_tensor()
torch.as_tensor(1, 2)
torch.as_tensor(1, torch.float32)
torch.as_tensor(1, foo=1)
torch.as_tensor('a')
torch.as_tensor([1], requires_grad=True)
torch.as_tensor(np.array([1, 2])[::-1])
torch.as_tensor(np.array([1.9]), dtype=torch.int64), torch.as_tensor(x, dtype=torch.float64)
torch.as_tensor(torch.ones(2), dtype=torch.int64)

# --- from_numpy shares the memory
a = np.array([1., 2.]); t = torch.from_numpy(a)
a[0] = 5
t
t[1] = 7
a, torch.from_numpy(np.array(3.5))
torch.from_numpy([1])
torch.from_numpy(3)
torch.from_numpy(np.float64(3.5))
torch.from_numpy(torch.ones(2))
torch.from_numpy(np.array(['a']))
torch.from_numpy(np.array([1])[::-1])

# --- what scripts set of backends is kept
b = torch.backends
# each of: before = {piece}; {piece} = not before; print(before, {piece})
b.cudnn.deterministic; b.cudnn.benchmark; b.cudnn.enabled; b.cuda.matmul.allow_tf32
# then
{piece} = before
torch.use_deterministic_algorithms(True)
torch.use_deterministic_algorithms(False, warn_only=True)
