"""Forty things people get wrong about `backward()`, and where the course meets each of them.

ROWS: number -> (what it is about, places). A place is (kind, notebook, name): a "text" or a "prediction" is a cell of
a lesson, a "task" is a part of an exercise, a "mistake" is one of its named mistakes, as part/name.
"""

NOTEBOOKS = ("01_scalar_backward", "02_upstream_gradients", "03_jacobian_sums", "04_leaves", "05_train_a_network")
# Below each of them: chapter, kind and names of its places.
TABLE = """\
1 what the gradient argument means
   | 2 prediction ask-weights; 2 text meaning + explore; 2 task seed_rule; 2 mistake seed_rule/gradient ignored
2 rebinding the name of a leaf
   | 4 prediction ask-scaled; 4 text scaled-answer; 5 task rebound
3 backward() on a non-scalar
   | 2 text no-argument + no-argument-read; 2 mistake seed_rule/ones for all
4 in-place change of a leaf
   | 4 text update-read; 4 task descend; 5 mistake train/recorded; 4 mistake descend/recorded
5 modified by an inplace operation
   | 4 prediction ask-saved; 4 task check_versions; 5 task shifted; 4 mistake check_versions/any change
6 second derivatives
   | 3 prediction ask-graphs; 3 task hessian; 3 mistake hessian/no graph + slices/no graph
7 .grad of an intermediate is None
   | 1 text backward-read + non-leaf; 4 text others + retain; 4 task retain_grad
8 can't optimize a non-leaf Tensor
   | 4 prediction ask-scaled; 4 text scaled-answer; 5 task scaled
9 backward adds into .grad
   | 1 prediction ask-twice-round; 1 mistake repair/not reset; 5 task zeroing; 4 mistake accumulate_again/overwrites
10 item assignment
   | 4 prediction ask-overwritten; 4 text assign-answer + buffer-run; 4 task copy_slices;
   4 mistake copy_slices/the old keeps it
11 ones sums the slices of the Jacobian
   | 2 prediction ask-ones; 3 prediction ask-rolled; 3 mistake weighted_sum/unweighted
12 the second backward
   | 4 prediction ask-twice; 4 text second-answer; 4 task free; 5 task recurrent; 4 mistake free/never
13 nan through where
   | 2 prediction ask-root; 2 text nan-answer; 3 prediction ask-root-again; 3 task roots; 5 task masked
14 changing requires_grad of a non-leaf
   | 4 text scaled-answer; 5 task frozen
15 element 0 of tensors does not require grad
   | 1 text constants + wrong; 2 text refused-read; 4 text out; 5 task accuracy
16 a graph shared by two losses, or by the steps of a loop
   | 2 text losses + shared-read; 4 text state + wrong; 2 task losses; 5 task recurrent
17 .grad as an attribute: the same tensor, assigned, fed by hand
   | 2 prediction ask-cut; 4 prediction ask-alias; 4 task accumulate_again; 4 mistake accumulate_again/a new sum
18 the full Jacobian
   | 3 prediction ask-one-hot + ask-several; 3 text identity; 3 task slices; 3 mistake slices/not reset
19 vᵀJ, and the layout of .grad
   | 2 text orientation + matmul-read; 3 text twice; 3 mistake weighted_sum/from the right
20 an unused input: None, an error or zero
   | 1 text wrong + wrong-run; 2 text grad-read; 4 text none + none-run; 4 mistake descend/unused
21 what a leaf is
   | 1 text leaves-read + wrong; 4 text table-read; 4 task is_leaf; 4 mistake is_leaf/constants left out
22 the update step written by hand
   | 4 text update + update-read + update-right-read; 4 task descend; 5 task rebound; 4 mistake descend/a new tensor
23 zero gradient, or no gradient
   | 3 text kinks-answer + where-read; 5 task accuracy
24 shape and dtype of the gradient
   | 2 text refused-read + dtype; 2 mistake seed_rule/shape not checked + seed_rule/stretched
25 torch.tensor(t), clone, detach
   | 4 text table-read + out; 5 mistake penalty/a new leaf
26 None or zero after zero_grad
   | 4 text update-right-read; 4 mistake descend/zeros
27 a second backward without an error
   | 4 prediction ask-twice; 4 text second-answer; 4 task free; 4 mistake free/nothing saved
28 .data or detach()
   | 4 text data + writing; 5 mistake shifted/through data; 4 mistake detach/as data
29 no_grad and its exceptions
   | 4 prediction ask-unrecorded; 4 text no-grad-answer; 4 task no_grad; 4 mistake no_grad/switches on
30 kinks and ties
   | 3 prediction ask-kinks; 3 text kinks-answer
31 several uses, and repeated indices
   | 1 prediction ask-square; 2 prediction ask-taken-twice; 2 mistake index/last one wins
32 when and where retain_grad works
   | 4 text retain + hooks; 4 prediction ask-hook-order; 4 task retain_grad; 4 mistake retain_grad/leaves too
33 nn.Parameter or a tensor
   | 4 text table-read; 4 prediction ask-unrecorded; 5 task scaled
34 integer tensors
   | 4 text recap + same-or-new
35 numpy() and item() leave the graph
   | 4 text out + data; 5 task penalty
36 detach and freezing
   | 4 prediction ask-evaluated; 4 text out; 4 task detach; 5 task frozen; 4 mistake detach/cuts the original
37 autograd.grad or backward
   | 2 text grad + grad-read; 4 text none; 2 mistake losses/tuples
38 hooks and their order
   | 4 prediction ask-hook-order; 4 text hooks-answer; 4 mistake retain_grad/by a hook
39 broadcasting
   | 2 prediction ask-bias; 2 mistake broadcast/not summed; 5 task column
40 a custom Function
   | 2 text functions + functions-read; 2 task logsumexp; 3 task mv
"""
ROWS: dict[int, tuple[str, tuple[tuple[str, str, str], ...]]] = {}
for row in TABLE.replace("\n  ", "").splitlines():
    what, *places = row.replace(" | ", "; ").split("; ")
    number, _, about = what.partition(" ")
    found = [place.strip().split(" ", 2) for place in places]
    ROWS[int(number)] = (
        about,
        tuple(
            (kind, NOTEBOOKS[int(chapter) - 1], name) for chapter, kind, names in found for name in names.split(" + ")
        ),
    )
