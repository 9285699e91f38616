"""Wrong answers to chapter 4: part -> (the mistake it should be recognised as, the lines of the answer)."""

REFUSE = 'raise RuntimeError("can\'t retain_grad on Tensor that has requires_grad=False")'
CHECK = "for place, expected in enumerate(leaf.expected_versions(node)):\n    if leaf.version(node.saved[place]) != expected:\n        raise checks.changed_since(node, place)"
ENTER = "self.before = leaf.recording\nleaf.recording = False\n---\n"
SLICES = "old, *written = inner(part.copy())\npart[...] = old\nreturn [whole, *written]"

WRONG = {
    "is_leaf": [
        ("constants left out", "return tensor.requires_grad and tensor.grad_fn is None"),
        ("the flag", "return tensor.requires_grad"),
        ("constants only", "return not tensor.requires_grad"),
        ("upside down", "return tensor.grad_fn is not None"),
        ("upside down", "return bool(tensor.grad_fn)"),
        ("by its gradient", "return tensor.grad is not None"),
        ("by its gradient", "return tensor.grad is None"),
        ("always", "return True"),
        ("constants left out", "return tensor.grad_fn is None and tensor.requires_grad == True"),
        ("nothing returned", "tensor.grad_fn is None"),
        ("the node", "return tensor.grad_fn"),
        ("the flag", "return tensor.requires_grad == True"),
        ("parameters only", "return type(tensor).__name__ == 'Parameter'"),
    ],
    "accumulate_again": [
        (
            "times zero",
            "if tensor.grad is None:\n    tensor.grad = grad * 0\ntensor.grad += grad",
        ),
        ("a new sum", "tensor.grad = grad if tensor.grad is None else tensor.grad + grad"),
        ("a new sum", "tensor.grad = grad.clone() if tensor.grad is None else tensor.grad + grad"),
        ("not its own", "if tensor.grad is None:\n    tensor.grad = grad\nelse:\n    tensor.grad += grad"),
        ("not its own", "if tensor.grad is None:\n    tensor.grad = grad.detach()\nelse:\n    tensor.grad.add_(grad)"),
        ("overwrites", "tensor.grad = grad.clone()"),
        ("overwrites", "tensor.grad = grad"),
        ("copied over", "if tensor.grad is None:\n    tensor.grad = grad.clone()\nelse:\n    tensor.grad.copy_(grad)"),
        ("no first time", "tensor.grad += grad"),
        ("no first time, by add_", "tensor.grad.add_(grad)"),
        ("never set", "if tensor.grad is not None:\n    tensor.grad += grad"),
        ("twice at first", "if tensor.grad is None:\n    tensor.grad = grad.clone()\ntensor.grad += grad"),
        ("keeps the first", "if tensor.grad is None:\n    tensor.grad = grad.clone()"),
        ("the other one", "if tensor.grad is None:\n    tensor.grad = grad.clone()\nelse:\n    grad += tensor.grad"),
        ("truth asked", "if tensor.grad:\n    tensor.grad += grad\nelse:\n    tensor.grad = grad.clone()"),
        ("a new sum", "if tensor.grad is None:\n    tensor.grad = grad * 0\ntensor.grad = tensor.grad + grad"),
        ("says For a hint", "if tensor.grad is None:\n    tensor.grad = grad.copy()\nelse:\n    tensor.grad += grad"),
    ],
    "retain_grad": [
        ("leaves too", f"if not tensor.requires_grad:\n    {REFUSE}\nhooks.keep(tensor)"),
        ("constants too", "if not tensor.is_leaf:\n    hooks.keep(tensor)"),
        ("leaves refused", f"if tensor.is_leaf:\n    {REFUSE}\nhooks.keep(tensor)"),
        (
            "by a hook",
            f"if not tensor.requires_grad:\n    {REFUSE}\nif not tensor.is_leaf:\n    def keep(grad):\n        tensor.grad = grad\n    tensor.register_hook(keep)",
        ),
        ("does nothing", f"if not tensor.requires_grad:\n    {REFUSE}"),
        ("no condition", "hooks.keep(tensor)"),
        ("leaves alone", f"if not tensor.requires_grad:\n    {REFUSE}\nif tensor.is_leaf:\n    hooks.keep(tensor)"),
        (
            "does nothing",
            f"if not tensor.requires_grad:\n    {REFUSE}\nif not tensor.is_leaf:\n    tensor.retains = True",
        ),
        (
            "another error",
            f"if not tensor.requires_grad:\n    {REFUSE.replace('RuntimeError', 'ValueError')}\nif not tensor.is_leaf:\n    hooks.keep(tensor)",
        ),
        ("upside down", f"if tensor.requires_grad:\n    {REFUSE}\nif not tensor.is_leaf:\n    hooks.keep(tensor)"),
        (
            "constants too",
            f"if not tensor.requires_grad:\n    {REFUSE.replace('raise', 'return')}\nif not tensor.is_leaf:\n    hooks.keep(tensor)",
        ),
        ("results refused", f"if not tensor.is_leaf:\n    {REFUSE}\nhooks.keep(tensor)"),
        ("no condition", "if tensor.requires_grad:\n    hooks.keep(tensor)"),
    ],
    "detach": [
        ("says For a hint", "constant = tensor.data\nconstant.grad_fn = None\nreturn constant"),
        ("says For a hint", "return tensor.dta"),
        ("a copy", "return tensor.data.clone()"),
        ("a copy", "constant = tensor.data.clone()\nconstant._counter = leaf.counter(tensor)\nreturn constant"),
        ("as data", "return tensor.data"),
        ("no list yet", "constant = tensor.data\nconstant._counter = tensor._counter\nreturn constant"),
        ("a clone", "return tensor.clone()"),
        ("the tensor itself", "return tensor"),
        ("cuts the original", "return tensor.detach_()"),
        ("the other way round", "constant = tensor.data\ntensor._counter = leaf.counter(constant)\nreturn constant"),
        ("nothing returned", "constant = tensor.data\nconstant._counter = leaf.counter(tensor)"),
        ("switched off", "tensor.requires_grad = False\nreturn tensor"),
        ("as data", "constant = tensor.data\nconstant._counter = list(leaf.counter(tensor))\nreturn constant"),
        ("the number alone", "constant = tensor.data\nconstant._counter = leaf.counter(tensor)[0]\nreturn constant"),
        ("calls itself", "return tensor.detach()"),
    ],
    "no_grad": [
        (
            "counts blocks",
            'type(self).depth = getattr(type(self), "depth", 0) + 1\nleaf.recording = False\n---\ntype(self).depth -= 1\nleaf.recording = type(self).depth == 0',
        ),
        ("switches on", ENTER + "leaf.recording = True"),
        ("switches on", "leaf.recording = False\n---\nleaf.recording = True"),
        ("never ends", ENTER + "pass"),
        ("swallows errors", ENTER + "leaf.recording = self.before\nreturn True"),
        ("forgets after an error", ENTER + "if error[0] is None:\n    leaf.recording = self.before"),
        ("another variable", "recording = False\n---\nrecording = True"),
        ("another variable", "self.recording = False\n---\nself.recording = True"),
        (
            "kept on the class",
            "no_grad.before = leaf.recording\nleaf.recording = False\n---\nleaf.recording = no_grad.before",
        ),
        (
            "kept on the class",
            "type(self).before = leaf.recording\nleaf.recording = False\n---\nleaf.recording = self.before",
        ),
        ("never ends", "leaf.recording = False\nself.before = leaf.recording\n---\nleaf.recording = self.before"),
        ("switched on", ENTER.replace("= False", "= True") + "leaf.recording = self.before"),
        ("upside down", ENTER + "leaf.recording = not self.before"),
        ("raises it again", ENTER + "leaf.recording = self.before\nif error[0]:\n    raise RuntimeError('inside')"),
        ("turned over", "leaf.recording = not leaf.recording\n---\nleaf.recording = not leaf.recording"),
        ("a local name", "before = leaf.recording\nleaf.recording = False\n---\nleaf.recording = before"),
    ],
    "check_versions": [
        (
            "empties it",
            "for place, expected in enumerate(leaf.expected_versions(node)):\n    if leaf.version(node.saved[place]) != expected:\n        raise checks.changed_since(node, place)\nnode.saved = ()",
        ),
        ("never", "pass"),
        (
            "any change",
            "for place, value in enumerate(node.saved):\n    if leaf.version(value) > 0:\n        raise checks.changed_since(node, place)",
        ),
        (
            "first only",
            "if leaf.version(node.saved[0]) != leaf.expected_versions(node)[0]:\n    raise checks.changed_since(node, 0)",
        ),
        ("first only", CHECK + "\n    return"),
        (
            "last only",
            "if leaf.version(node.saved[-1]) != leaf.expected_versions(node)[-1]:\n    raise checks.changed_since(node, len(node.saved) - 1)",
        ),
        ("never", CHECK.replace("raise", "return")),
        ("never", CHECK.replace("raise ", "")),
        ("always place 0", CHECK.replace("(node, place)", "(node, 0)")),
        (
            "never equal",
            "now = tuple(leaf.version(value) for value in node.saved)\nif now != list(leaf.expected_versions(node)):\n    raise checks.changed_since(node, 0)",
        ),
        (
            "never equal",
            "if [leaf.version(value) for value in node.saved] != leaf.expected_versions(node):\n    raise checks.changed_since(node, 0)",
        ),
        ("upside down", CHECK.replace("!=", "==")),
        ("never", CHECK.replace("!=", "<")),
        (
            "never equal, one by one",
            CHECK.replace("leaf.version(node.saved[place]) != expected", "node.saved[place] is not expected"),
        ),
        (
            "always place 0",
            "if sum(leaf.version(value) for value in node.saved) != sum(leaf.expected_versions(node)):\n    raise checks.changed_since(node, 0)",
        ),
        (
            "value for place, never equal",
            "for value in node.saved:\n    if leaf.version(value) != leaf.expected_versions(node):\n        raise checks.changed_since(node, value)",
        ),
        (
            "never equal, one by one",
            "for place, value in enumerate(node.saved):\n    if leaf.version(value) != leaf.expected_versions(node):\n        raise checks.changed_since(node, place)",
        ),
        (
            "value for place",
            "for value, expected in zip(node.saved, leaf.expected_versions(node)):\n    if leaf.version(value) != expected:\n        raise checks.changed_since(node, value)",
        ),
        (
            "never equal",
            "if leaf.version(node.saved) != leaf.expected_versions(node):\n    raise checks.changed_since(node, 0)",
        ),
        (
            "version of the tuple",
            "for place, expected in enumerate(leaf.expected_versions(node)):\n    if leaf.version(node.saved) != expected:\n        raise checks.changed_since(node, place)",
        ),
    ],
    "free": [
        ("always", "if node.saved:\n    node.saved = None"),
        ("nothing saved", "if not retain_graph:\n    node.saved = None"),
        ("everything", "node.saved = None"),
        ("never", "pass"),
        ("an empty tuple", "if not retain_graph:\n    node.saved = ()"),
        ("upside down", "if node.saved and retain_graph:\n    node.saved = None"),
        ("upside down, everything", "if retain_graph:\n    node.saved = None"),
        ("deleted", "if node.saved and not retain_graph:\n    del node.saved"),
        ("never", "if node.saved and not retain_graph:\n    saved = None"),
        ("everything", "if node.saved or not retain_graph:\n    node.saved = None"),
        ("never", "return None if node.saved and not retain_graph else node.saved"),
        ("an empty tuple", "if node.saved and not retain_graph:\n    node.saved = []"),
        ("an empty tuple", "if node.saved and not retain_graph:\n    node.saved = ()"),
    ],
    "copy_slices": [
        ("the old keeps it", "_, *written = inner(part.copy())\nreturn [whole, *written]"),
        ("no copy", SLICES.replace("part.copy()", "part")),
        ("place for whole", "return inner(part.copy())"),
        ("place for whole", "old, *written = inner(part.copy())\nreturn [old, *written]"),
        ("all gone", "old, *written = inner(part.copy())\nwhole[...] = 0\nreturn [whole, *written]"),
        ("always 0", "old, *written = inner(part.copy())\npart[...] = 0\nreturn [whole, *written]"),
        (
            "nothing for the value",
            "old, *written = inner(part.copy())\npart[...] = old\nreturn [whole, *[None for _ in written]]",
        ),
        ("the old keeps it", SLICES.replace("part[...] = old", "part = old")),
        ("inner of the whole", SLICES.replace("part.copy()", "whole.copy()")),
        ("added", SLICES.replace("part[...] = old", "part[...] += old")),
        ("changed places", SLICES.replace("[whole, *written]", "[*written, whole]")),
        ("place for whole", SLICES.replace("part[...] = old", "part[:] = old")),
        ("a list in the list", SLICES.replace("*written]", "written]")),
        (
            "emptied first",
            "part[...] = 0\nold, *written = inner(part.copy())\npart[...] = old\nreturn [whole, *written]",
        ),
        ("whole alone", SLICES.replace("return [whole, *written]", "return whole")),
        ("no copy, then 0", "old, *written = inner(part)\npart[...] = 0\nreturn [whole, *written]"),
        ("no copy, then 0", "grads = inner(part)\npart[...] = 0\nreturn [whole, *grads[1:]]"),
    ],
    "descend": [
        (
            "a new tensor",
            [
                "    with torch.no_grad():\n -> ",
                "        for w in parameters:\n -> ",
                "            if w.grad is not None:\n ->     for w in [p for p in parameters if p.grad is not None]:\n        if True:\n            if True:\n",
                "w -= lr * w.grad -> w = w - lr * w.grad",
            ],
        ),
        ("a new tensor", ["w -= lr * w.grad -> w = w - lr * w.grad"]),
        ("recorded", ["with torch.no_grad(): -> if True:"]),
        ("not forgotten", ["                w.grad = None -> "]),
        ("zeros", ["w.grad = None -> w.grad.zero_()"]),
        ("zeros", ["w.grad = None -> w.grad = torch.zeros_like(w)"]),
        ("uphill", ["w -= lr * w.grad -> w += lr * w.grad"]),
        (
            "unused",
            [
                "            if w.grad is not None:\n                w -= lr * w.grad\n                w.grad = None ->             w -= lr * w.grad\n            w.grad = None"
            ],
        ),
        ("truth asked", ["if w.grad is not None: -> if w.grad:"]),
        ("a new tensor", ["w -= lr * w.grad -> w = w.detach() - lr * w.grad"]),
        ("no rate", ["w -= lr * w.grad -> w -= w.grad"]),
        (
            "forgotten too soon",
            [
                "                w -= lr * w.grad\n                w.grad = None ->                 w.grad = None\n                w -= lr * w.grad"
            ],
        ),
        ("zero for None", ["w.grad = None -> w.grad = 0"]),
        ("put in its place", ["w -= lr * w.grad -> w.copy_(lr * w.grad)"]),
        (
            "not forgotten",
            [
                "                w -= lr * w.grad\n                w.grad = None ->                 torch.optim.SGD([w], lr=lr).step()"
            ],
        ),
    ],
}
