"""Wrong answers to chapter 1: part -> (the mistake it should be recognised as, the lines of the answer)."""

WRONG = {
    "record": [
        (
            "edges reversed",
            "node.edges = tuple(record.edge(each) for each in reversed(inputs))\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "edges reversed",
            "edges = []\nfor each in inputs:\n    edges.insert(0, record.edge(each))\nnode.edges = tuple(edges)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "inputs as edges",
            "node.edges = tuple(x if isinstance(x, Tensor) and x.requires_grad else None for x in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "every input an edge",
            "node.edges = inputs\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "every input an edge",
            "node.edges = tuple(inputs)\nnode.needs_input_grad = (True,) * len(inputs)\noutput = record.forward(node, values, settings)\nreturn record.result(node, inputs, values, output)",
        ),
        (
            "leaves only",
            "node.edges = tuple(x if isinstance(x, Tensor) and x.is_leaf and x.requires_grad else None for x in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "never recorded",
            "node.edges = tuple(x.grad_fn if isinstance(x, Tensor) else None for x in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "no_grad ignored",
            "def edge(x):\n    if not isinstance(x, Tensor):\n        return None\n    if x.grad_fn is not None:\n        return x.grad_fn\n    return x if x.requires_grad else None\nnode.edges = tuple(edge(x) for x in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "all flags True",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(True for _ in inputs)\noutput = record.forward(node, values, settings)\nif any(edge is not None for edge in node.edges):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "flags reversed",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "None dropped",
            "node.edges = tuple(record.edge(each) for each in inputs if record.edge(each) is not None)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "None dropped",
            "edges = [record.edge(each) for each in inputs]\nnode.edges = tuple(e for e in edges if e is not None)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "None dropped from the edges",
            "edges = [record.edge(each) for each in inputs]\nnode.needs_input_grad = tuple(e is not None for e in edges)\nnode.edges = tuple(e for e in edges if e is not None)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "flags of requires_grad",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(each.requires_grad for each in inputs)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "always recorded",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nreturn record.result(node, inputs, values, output)",
        ),
        (
            "only if all",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif all(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "never recorded",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nreturn record.fresh(output)",
        ),
        (
            "made by Tensor",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nreturn Tensor(output)",
        ),
        (
            "a fresh leaf",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nresult = record.fresh(output)\nresult.requires_grad = any(node.needs_input_grad)\nreturn result",
        ),
        (
            "made by Tensor",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nreturn Tensor(output).requires_grad_(any(node.needs_input_grad))",
        ),
        (
            "the bare output",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nreturn output",
        ),
        (
            "run on tensors",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, inputs, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "run on tensors",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = operation.forward(node, *inputs, **settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "no settings",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, {})\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "no settings",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = operation.forward(node, *values)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "saved on another node",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\nother, _ = record.begin(operation, inputs)\nother.needs_input_grad = node.needs_input_grad\noutput = record.forward(other, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "saved on another node",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nnode.saved = ()\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "run too early",
            "output = record.forward(node, values, settings)\nnode.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "only if all",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nif False in node.needs_input_grad:\n    return record.fresh(output)\nreturn record.result(node, inputs, values, output)",
        ),
        (
            "nothing returned",
            "node.edges = tuple(record.edge(each) for each in inputs)\nnode.needs_input_grad = tuple(edge is not None for edge in node.edges)\noutput = record.forward(node, values, settings)\nrecord.result(node, inputs, values, output)",
        ),
        (
            "truth of an edge",
            "node.edges = tuple(record.edge(x) for x in inputs)\nnode.needs_input_grad = tuple(bool(e) for e in node.edges)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
        (
            "flags despite no_grad",
            "node.edges = tuple(record.edge(x) for x in inputs)\nnode.needs_input_grad = tuple(x.requires_grad if isinstance(x, Tensor) else False for x in inputs)\noutput = record.forward(node, values, settings)\nif any(node.needs_input_grad):\n    return record.result(node, inputs, values, output)\nreturn record.fresh(output)",
        ),
    ],
    "mul": [
        ("no upstream", "return b, a"),
        ("no upstream", "da, db = b, a\nreturn da, db"),
        ("swapped", "return grad_output * a, grad_output * b"),
        ("one path", "return grad_output * b, None"),
        ("added", "return grad_output + b, grad_output + a"),
        ("added", "return b + grad_output, a + grad_output"),
        ("stored", "a.grad = grad_output * b\nb.grad = grad_output * a"),
        ("upstream alone", "return grad_output, grad_output"),
        ("upstream once", "return grad_output * b, a"),
        ("upstream once, for b", "return b, grad_output * a"),
        ("says one gradient for each input", "return grad_output * b"),
        ("both factors", "return grad_output * a * b, grad_output * a * b"),
        ("says one gradient for each input", "return grad_output * (a + b)"),
        ("sign", "return grad_output * b, -grad_output * a"),
    ],
    "pow": [
        ("no upstream", "return n * a ** (n - 1)"),
        ("no upstream", "local = n * a ** (n - 1)\nreturn local,"),
        ("no factor", "return grad_output * a ** (n - 1)"),
        ("exponent kept", "return grad_output * n * a**n"),
        ("always a square", "return grad_output * 2 * a"),
        ("squares only", "return grad_output * n * a"),
        ("no brackets", "return grad_output * n * a**n - 1"),
        ("raised", "return grad_output * n * a ** (n + 1)"),
        ("by the exponent", "return grad_output * a**n * np.log(a)"),
        ("integrated", "return grad_output * a ** (n + 1) / (n + 1)"),
        ("changed places", "return grad_output * a * n ** (n - 1)"),
        ("factor lowered", "return grad_output * (n - 1) * a ** (n - 1)"),
    ],
    "div": [
        ("no upstream", "return 1 / b, -a / b**2"),
        ("upstream once", "return grad_output / b, -a / b**2"),
        ("upstream once, for b", "return 1 / b, -grad_output * a / b**2"),
        ("swapped", "return -grad_output * a / b**2, grad_output / b"),
        ("no minus", "return grad_output / b, grad_output * a / b**2"),
        ("no square", "return grad_output / b, -grad_output * a / b"),
        ("no a", "return grad_output / b, -grad_output / b**2"),
        ("as a product", "return grad_output * b, grad_output * a"),
        ("one over a", "return grad_output / a, -grad_output * a / b**2"),
        ("one over each", "return grad_output / b, grad_output / a"),
        ("one over each", "return grad_output * (1 / b), grad_output * (1 / a)"),
        ("one path", "return grad_output / b, None"),
        ("times b", "return grad_output * b, -grad_output * a / b**2"),
    ],
    "order": [
        (
            "is_leaf of a node",
            "seen, waiting = {root}, [root]\nwhile waiting:\n    n = waiting.pop()\n    if n.is_leaf:\n        continue\n    for e in n.edges:\n        if e is not None and e not in seen:\n            seen.add(e)\n            waiting.append(e)\nreturn sorted(seen, key=lambda n: -n.number)",
        ),
        (
            "recursive",
            "found = [root]\nfor e in root.edges:\n    if e is not None:\n        for n in topological_order(e):\n            if n not in found:\n                found.append(n)\nreturn found",
        ),
        (
            "depth first",
            "found = {}\nwaiting = [root]\nwhile waiting:\n    node = waiting.pop()\n    if node in found: continue\n    found[node] = True\n    waiting.extend(e for e in reversed(node.edges) if e is not None)\nreturn list(found)",
        ),
        (
            "depth first, last edge first",
            "found, stack = {}, [root]\nwhile stack:\n    n = stack.pop()\n    if n in found:\n        continue\n    found[n] = 1\n    for e in n.edges:\n        if e is not None:\n            stack.append(e)\nreturn list(found)",
        ),
        (
            "breadth first",
            "seen = [root]\nids = {id(root)}\nfor n in seen:\n    for e in n.edges:\n        if e is not None and id(e) not in ids:\n            ids.add(id(e))\n            seen.append(e)\nreturn seen",
        ),
        (
            "breadth first",
            "from collections import deque\nseen, q, out = {root}, deque([root]), []\nwhile q:\n    n = q.popleft()\n    out.append(n)\n    for e in n.edges:\n        if e is not None and e not in seen:\n            seen.add(e)\n            q.append(e)\nreturn out",
        ),
        (
            "recursive",
            "seen, out = set(), []\ndef go(n):\n    if n is None or n in seen:\n        return\n    seen.add(n)\n    for e in n.edges:\n        go(e)\n    out.append(n)\ngo(root)\nout.reverse()\nreturn out",
        ),
        (
            "recursive",
            "seen, out = set(), []\ndef go(n):\n    if n in seen:\n        return\n    seen.add(n)\n    for e in n.edges:\n        if e is not None:\n            go(e)\n    out.insert(0, n)\ngo(root)\nreturn out",
        ),
        (
            "depth first, recursive",
            "out = []\nids = set()\ndef go(n):\n    if n is None or id(n) in ids:\n        return\n    ids.add(id(n))\n    out.append(n)\n    for e in n.edges:\n        go(e)\ngo(root)\nreturn out",
        ),
        (
            "leaves first",
            "seen, out = set(), []\ndef go(n):\n    if n is None or n in seen:\n        return\n    seen.add(n)\n    for e in n.edges:\n        go(e)\n    out.append(n)\ngo(root)\nreturn out",
        ),
        (
            "no leaf reached",
            "found, waiting = {root}, [root]\nwhile waiting:\n    for t in waiting.pop().edges:\n        if t is not None and t not in found:\n            found.add(t)\n            waiting.append(t)\nreturn sorted(found, key=lambda node: node.number)",
        ),
        (
            "None followed",
            "found, waiting = {root}, [root]\nwhile waiting:\n    for t in waiting.pop().edges:\n        if t not in found:\n            found.add(t)\n            waiting.append(t)\nreturn sorted(found, key=lambda node: node.number, reverse=True)",
        ),
        (
            "None waiting",
            "found = []\nwaiting = [root]\nwhile waiting:\n    n = waiting.pop(0)\n    if n not in found:\n        found.append(n)\n        waiting += n.edges\nreturn sorted(found, key=lambda n: -n.number)",
        ),
        (
            "told apart by number",
            "found, waiting = {root.number: root}, [root]\nwhile waiting:\n    for t in waiting.pop().edges:\n        if t is not None and t.number not in found:\n            found[t.number] = t\n            waiting.append(t)\nreturn [found[n] for n in sorted(found, reverse=True)]",
        ),
        (
            "found in a list",
            "found = [root]\nfor n in found:\n    for t in n.edges:\n        if t is not None and t not in found:\n            found.append(t)\nreturn sorted(found, key=lambda n: n.number, reverse=True)",
        ),
        (
            "once for each use",
            "out, waiting = [], [root]\nwhile waiting:\n    n = waiting.pop(0)\n    out.append(n)\n    waiting += [t for t in n.edges if t is not None]\nreturn out[:5000]",
        ),
        (
            "no leaf reached",
            "found, waiting = {root}, [root]\nwhile waiting:\n    for t in waiting.pop().edges:\n        if t is not None and t not in found and t.edges:\n            found.add(t)\n            waiting.append(t)\nreturn sorted(found, key=lambda n: -n.number)",
        ),
        (
            "no leaf reached",
            "found, waiting = set(), [root]\nwhile waiting:\n    for t in waiting.pop().edges:\n        if t is not None and t not in found:\n            found.add(t)\n            waiting.append(t)\nreturn sorted(found, key=lambda n: -n.number)",
        ),
        (
            "None waiting",
            "found, waiting = [], [root]\nwhile waiting:\n    node = waiting.pop()\n    if node in found:\n        continue\n    found.append(node)\n    for target in node.edges:\n        waiting.append(target)\nreturn sorted(found, key=lambda node: node.number, reverse=True)",
        ),
        (
            "None waiting",
            "found, waiting = [], [root]\nwhile waiting:\n    node = waiting.pop()\n    if node not in found:\n        found.append(node)\n    waiting.extend(node.edges)\nreturn found",
        ),
    ],
    "walk": [
        (
            "leaves in pieces",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph), strict=True):\n    if share is None:\n        continue\n    if isinstance(target, Tensor):\n        leaf.receive(target, share)\n    else:\n        arrived[target] = arrived[target] + share if target in arrived else share",
        ),
        (
            "target tested",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if target is not None:\n        arrived[target] = arrived.get(target, 0) + share",
        ),
        (
            "target tested",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if target is None:\n        continue\n    if target in arrived:\n        arrived[target] = arrived[target] + share\n    else:\n        arrived[target] = share",
        ),
        (
            "last path wins",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if share is not None:\n        arrived[target] = share",
        ),
        (
            "first path wins",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if share is not None and target not in arrived:\n        arrived[target] = share",
        ),
        (
            "first path wins",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if share is not None:\n        arrived.setdefault(target, share)",
        ),
        (
            "in place",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if share is None:\n        continue\n    if target in arrived:\n        arrived[target] += share\n    else:\n        arrived[target] = share",
        ),
        (
            "not there yet",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if share is not None:\n        arrived[target] = arrived[target] + share",
        ),
        (
            "not there yet",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if target is not None:\n        arrived[target] += share",
        ),
        (
            "retain_graph dropped",
            "for target, share in zip(node.edges, node.pullback(total, False)):\n    if share is not None:\n        arrived[target] = arrived[target] + share if target in arrived else share",
        ),
        (
            "retain_graph dropped",
            "for target, share in zip(node.edges, node.pullback(total)):\n    if share is not None:\n        arrived[target] = arrived[target] + share if target in arrived else share",
        ),
        (
            "total twice",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if share is not None:\n        share = share * total\n        arrived[target] = arrived[target] + share if target in arrived else share",
        ),
        (
            "always kept",
            "for target, share in zip(node.edges, node.pullback(total, True)):\n    if share is not None:\n        arrived[target] = arrived[target] + share if target in arrived else share",
        ),
        (
            "one total for all",
            "for target, share in zip(node.edges, node.pullback(grad_output, retain_graph)):\n    if share is not None:\n        arrived[target] = arrived[target] + share if target in arrived else share",
        ),
        (
            "zero skipped",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if share:\n        arrived[target] = arrived[target] + share if target in arrived else share",
        ),
        (
            "stops at None",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if share is None:\n        break\n    arrived[target] = arrived[target] + share if target in arrived else share",
        ),
        (
            "None added",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    arrived[target] = arrived[target] + share if target in arrived else share",
        ),
        (
            "total sent on",
            "node.pullback(total, retain_graph)\nfor target in node.edges:\n    if target is not None:\n        arrived[target] = arrived[target] + total if target in arrived else total",
        ),
        (
            "total added",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    if share is not None:\n        arrived[target] = share + total",
        ),
        (
            "None added to 0",
            "for target, share in zip(node.edges, node.pullback(total, retain_graph)):\n    arrived[target] = arrived.get(target, 0) + share",
        ),
    ],
    "accumulate": [
        ("overwrites", "leaf.grad = grad"),
        ("keeps the first", "if leaf.grad is None:\n    leaf.grad = grad"),
        ("averages", "leaf.grad = grad if leaf.grad is None else 0.5 * (leaf.grad + grad)"),
        ("in place", "if leaf.grad is None:\n    leaf.grad = grad\nelse:\n    leaf.grad += grad"),
        ("in place", "if leaf.grad is not None:\n    leaf.grad.add_(grad)\nelse:\n    leaf.grad = grad"),
        ("truth asked", "if leaf.grad:\n    leaf.grad = leaf.grad + grad\nelse:\n    leaf.grad = grad"),
        ("truth asked", "leaf.grad = (leaf.grad or 0) + grad"),
        ("no first time", "leaf.grad = leaf.grad + grad"),
        ("no first time", "leaf.grad += grad"),
        ("never set", "if leaf.grad is not None:\n    leaf.grad = leaf.grad + grad"),
        ("twice at first", "if leaf.grad is None:\n    leaf.grad = grad\nleaf.grad = leaf.grad + grad"),
        ("never set", "return grad if leaf.grad is None else leaf.grad + grad"),
        ("never set", "leaf = leaf + grad"),
        (
            "zero dropped",
            "if (grad == 0).all():\n    return\nleaf.grad = grad if leaf.grad is None else leaf.grad + grad",
        ),
        ("multiplied", "leaf.grad = grad if leaf.grad is None else leaf.grad * grad"),
    ],
    "hypot": [
        (
            "multiplied by the length",
            "h = (a * a + b * b) ** 0.5\nctx.save_for_backward(a, b, h)\nreturn h\n---\na, b, h = ctx.saved_tensors\nreturn grad_output * a * h, grad_output * b * h",
        ),
        (
            "power of a power",
            "h = a**2 + b**2**0.5\nctx.save_for_backward(a, b, h)\nreturn h\n---\na, b, h = ctx.saved_tensors\nreturn grad_output * a / h, grad_output * b / h",
        ),
        (
            "one side under the root",
            "h = a**2 + (b**2) ** 0.5\nctx.save_for_backward(a, b, h)\nreturn h\n---\na, b, h = ctx.saved_tensors\nreturn grad_output * a / h, grad_output * b / h",
        ),
        (
            "no upstream",
            "h = (a * a + b * b) ** 0.5\nctx.save_for_backward(a, b, h)\nreturn h\n---\na, b, h = ctx.saved_tensors\nreturn a / h, b / h",
        ),
        (
            "twice the sides",
            "h = (a * a + b * b) ** 0.5\nctx.save_for_backward(a, b)\nreturn h\n---\na, b = ctx.saved_tensors\nreturn grad_output * 2 * a, grad_output * 2 * b",
        ),
        (
            "inner derivative only",
            "h = (a * a + b * b) ** 0.5\nctx.save_for_backward(a, b)\nreturn h\n---\na, b = ctx.saved_tensors\nreturn grad_output * a, grad_output * b",
        ),
        (
            "half of the chain",
            "h = (a**2 + b**2) ** 0.5\nctx.save_for_backward(h)\nreturn h\n---\n(h,) = ctx.saved_tensors\nreturn grad_output / (2 * h), grad_output / (2 * h)",
        ),
        (
            "halved",
            "ctx.save_for_backward(a, b)\nreturn (a**2 + b**2) ** 0.5\n---\na, b = ctx.saved_tensors\nh = (a**2 + b**2) ** 0.5\nreturn grad_output * a / (2 * h), grad_output * b / (2 * h)",
        ),
        (
            "doubled",
            "ctx.save_for_backward(a, b)\nreturn (a**2 + b**2) ** 0.5\n---\na, b = ctx.saved_tensors\nh = (a**2 + b**2) ** 0.5\nreturn grad_output * 2 * a / h, grad_output * 2 * b / h",
        ),
        (
            "inverted",
            "ctx.save_for_backward(a, b)\nreturn (a**2 + b**2) ** 0.5\n---\na, b = ctx.saved_tensors\nh = (a**2 + b**2) ** 0.5\nreturn grad_output * h / a, grad_output * h / b",
        ),
        (
            "swapped",
            "ctx.save_for_backward(a, b)\nreturn (a**2 + b**2) ** 0.5\n---\na, b = ctx.saved_tensors\nh = (a**2 + b**2) ** 0.5\nreturn grad_output * b / h, grad_output * a / h",
        ),
        (
            "no root",
            "ctx.save_for_backward(a, b)\nreturn a**2 + b**2\n---\na, b = ctx.saved_tensors\nreturn grad_output * 2 * a, grad_output * 2 * b",
        ),
        (
            "no root",
            "h = a**2 + b**2\nctx.save_for_backward(a, b, h)\nreturn h\n---\na, b, h = ctx.saved_tensors\nreturn grad_output * a / h, grad_output * b / h",
        ),
        (
            "sides added",
            "h = ((a + b) ** 2) ** 0.5\nctx.save_for_backward(a, b, h)\nreturn h\n---\na, b, h = ctx.saved_tensors\nreturn grad_output * a / h, grad_output * b / h",
        ),
        (
            "sides added",
            "ctx.save_for_backward(a, b)\nreturn (a**2) ** 0.5 + (b**2) ** 0.5\n---\na, b = ctx.saved_tensors\nreturn grad_output, grad_output",
        ),
        (
            "divided by the square",
            "ctx.save_for_backward(a, b)\nreturn (a**2 + b**2) ** 0.5\n---\na, b = ctx.saved_tensors\nreturn grad_output * a / (a**2 + b**2), grad_output * b / (a**2 + b**2)",
        ),
        (
            "upstream once",
            "ctx.save_for_backward(a, b)\nreturn (a**2 + b**2) ** 0.5\n---\na, b = ctx.saved_tensors\nh = (a**2 + b**2) ** 0.5\nreturn grad_output * a / h, b / h",
        ),
    ],
    "repair": [
        (
            "cut",
            [
                "diagonal = (a**2 + b**2) ** 0.5 -> diagonal = torch.tensor(((a**2 + b**2) ** 0.5).item(), requires_grad=True)",
                "    a.grad = b.grad = None\n -> ",
            ],
        ),
        (
            "reset but cut",
            [
                "diagonal = (a**2 + b**2) ** 0.5 -> diagonal = torch.tensor(((a**2 + b**2) ** 0.5).item(), requires_grad=True)"
            ],
        ),
        (
            "reset but cut",
            [
                "diagonal = (a**2 + b**2) ** 0.5 -> diagonal = (a**2 + b**2).detach() ** 0.5\n    diagonal.requires_grad_()"
            ],
        ),
        ("not reset", ["    a.grad = b.grad = None\n -> "]),
        ("no path", ["(a**2 + b**2) ** 0.5 -> torch.tensor((a**2 + b**2).item() ** 0.5)"]),
        ("no path", ["(a**2 + b**2) ** 0.5 -> torch.tensor((a**2 + b**2) ** 0.5)"]),
        ("zero for None", ["a.grad = b.grad = None -> a.grad = b.grad = 0"]),
        ("zero for None", ["a.grad = b.grad = None -> a.grad = 0.0\n    b.grad = 0.0"]),
        ("a alone", ["a.grad = b.grad = None -> a.grad = None"]),
        ("b alone", ["a.grad = b.grad = None -> b.grad = None"]),
        (
            "reset but cut",
            [
                "    a.grad = b.grad = None\n -> ",
                "    diagonal.backward() ->     diagonal.backward()\n    a.grad = b.grad = None",
            ],
        ),
        ("by hand", ["    diagonal.backward()\n ->     a.grad, b.grad = a / diagonal, b / diagonal\n"]),
        ("no root", ["(a**2 + b**2) ** 0.5 -> a**2 + b**2"]),
    ],
}
