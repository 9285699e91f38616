"""Answers that know nothing: what they print comes from the program that runs them, or from what the engine has."""

from __future__ import annotations

import textwrap

from answer_files import cells, part_of
from answers import Attack


def indented(text: str, steps: int = 1) -> str:
    """A text, further in."""
    return textwrap.indent(textwrap.dedent(text).strip("\n"), "    " * steps)


# --- too many passes, hidden afterwards -----------------------------------------------------------

WASTEFUL = {
    "slices": """
        def wasteful(y, x, create_graph=False):
            found = []
            for i in jacobian.entries(y):
                v = jacobian.zeros(y.shape, y)
                v[i] = 1
                results.append(jacobian.vjp(y, x, v, create_graph))
                extra(jacobian.vjp, y, x, v, create_graph)
                found.append(results[-1])
            return found
        """,
    "hessian": """
        def wasteful(y, x, create_graph=False):
            for _ in range(3):
                extra(jacobian.vjp, y, x, None, True)
            results.append(jacobian.vjp(y, x, None, True))
            return jacobian.jacobian(results[-1], x, create_graph)
        """,
}
FRAMES = """
results = []
def frames():
    import sys
    frame = sys._getframe()
    while frame:
        yield frame
        frame = frame.f_back
"""

# each makes a pass more, and wants nobody to know
HIDING = {
    "does not hide it": """
        def extra(pull, *arguments):
            results.append(pull(*arguments))
        """,
    "puts back every list of the program": """
        def extra(pull, *arguments):
            names = [each for frame in frames() for each in (frame.f_globals, frame.f_locals)]
            kept = [(value, value[:]) for each in names for value in each.values()
                    if type(value) is list and value is not results]
            results.append(pull(*arguments))
            for value, before in kept:
                value[:] = before
        """,
    "puts back every number of the program": """
        def extra(pull, *arguments):
            names = [frame.f_globals for frame in frames() if frame.f_code.co_filename == "<program>"]
            kept = [(each, dict(each)) for each in names]
            results.append(pull(*arguments))
            for names, before in kept:
                names.update({k: v for k, v in before.items() if isinstance(v, (int, float, str, tuple))})
        """,
    "puts back what closures hold": """
        def extra(pull, *arguments):
            functions = [value for frame in frames() for value in frame.f_globals.values() if callable(value)]
            cells = [cell for each in functions for cell in getattr(each, "__closure__", None) or ()]
            kept = [(cell, cell.cell_contents) for cell in cells]
            results.append(pull(*arguments))
            for cell, value in kept:
                if not callable(value):
                    cell.cell_contents = value
        """,
    "prints over it": """
        def extra(pull, *arguments):
            results.append(pull(*arguments))
            print("\\r\\x1b[1A\\x1b[2K" + "\\b" * 200, end="")
        """,
    "prints to nothing meanwhile": """
        import contextlib, io
        def extra(pull, *arguments):
            with contextlib.redirect_stdout(io.StringIO()):
                results.append(pull(*arguments))
        """,
    "cuts what was printed": """
        import sys
        def extra(pull, *arguments):
            place = sys.stdout.tell()
            results.append(pull(*arguments))
            sys.stdout.seek(place)
            sys.stdout.truncate()
        """,
    "takes the hooks off meanwhile": """
        def extra(pull, y, x, *arguments):
            leaves = jacobian.as_tuple(x)
            kept = [(each, each._hooks) for each in leaves]
            for each in leaves:
                each._hooks = None
            results.append(pull(y, x, *arguments))
            for each, hooks in kept:
                each._hooks = hooks
        """,
}


def hidden(part: str, hiding: str) -> Attack:
    """More passes than needed, and a way to hide them."""
    pieces = [FRAMES, textwrap.dedent(hiding), f'@part("{part}")', textwrap.dedent(WASTEFUL[part]).strip()]
    return Attack("\n".join(pieces), part)


HIDDEN = {f"{part}: {name}": hidden(part, text) for part in WASTEFUL for name, text in HIDING.items()}

# --- the sum that somebody else has taken ----------------------------------------------------------

PROGRAM_FRAME = """
import sys, gc, types
def program():
    frame = sys._getframe()
    while frame.f_code.co_filename != "<program>":
        frame = frame.f_back
    return frame
"""

FOUND_SUMS = {
    "x.grad by its name": "return program().f_globals['x'].grad",
    "any .grad by the collector": """
        gc.unfreeze()
        held = [each.grad for each in gc.get_objects() if isinstance(each, Tensor) and each._grad is not None]
        return next((each for each in held if each.shape == shape), jacobian.zeros(shape, J))
        """,
    "any tensor of the program": """
        found = [each for each in program().f_globals.values() if isinstance(each, Tensor) and each.shape == shape]
        return found[-1]
        """,
    "what the program prints later": """
        class Later:
            def __str__(self):
                return str(program().f_globals["x"].grad)
            __repr__ = __str__
        return Later()
        """,
    "a tensor that changes when x.grad is there": """
        result = jacobian.zeros(shape, J)
        leaf = next(each for each in list(program().f_globals.values())[::-1]
                    if isinstance(each, Tensor) and each.requires_grad and each.shape == shape)
        leaf.register_hook(lambda grad: result.copy_(grad))
        return result
        """,
    "backward of the program's own function": """
        names = program().f_globals
        functions = [types.FunctionType(code, names) for code in program().f_code.co_consts
                     if isinstance(code, types.CodeType) and code.co_name == "<lambda>"]
        for function in functions:
            for x in list(names.values()):
                if isinstance(x, Tensor) and x.requires_grad and x.shape == shape:
                    y = function(x)
                    if y.shape == v.shape and (jacobian.jacobian(y, x) == J).all():
                        return jacobian.vjp(y, x, v)
        """,
    "the plain sum": "return J.reshape(v.numel(), -1).sum(0).reshape(shape)",
}


def found_sum(body: str) -> Attack:
    """An answer to `weighted_sum` that adds nothing up."""
    text = f'{PROGRAM_FRAME}\n@part("weighted_sum")\ndef weighted_sum(J, v):\n'
    return Attack(text + indented("shape = J.shape[len(v.shape):]\n" + textwrap.dedent(body)) + "\n", "weighted_sum")


FOUND = {f"weighted_sum: {name}": found_sum(body) for name, body in FOUND_SUMS.items()}

# --- the tools of what runs them ------------------------------------------------------------------

DOORS = {
    "imported": "from minigrad import parts\n",
    "under torch's name": "import torch\nparts = torch.parts\n",
    "by its code": (
        "import minigrad, sys, types\nparts = sys.modules['minigrad.parts'] = types.ModuleType('minigrad.parts')\n"
        "exec(minigrad.__loader__.get_code('minigrad.parts'), vars(parts))\n"
    ),
    "of the runner": "from minigrad_course.programs.program import parts\n",
    "by the code of the runner": (
        "import minigrad\nnamespace = {}\n"
        "exec(minigrad.__loader__.get_code('minigrad_course.programs.program'), namespace)\n"
        "parts = namespace['parts']\n"
    ),
    "of the job": "import sys\nparts = sys.modules['minigrad_job'].parts\n",
}
SWITCH = """
{found}
import contextlib
@part("no_grad")
class Off(leaf.Block):
    def __enter__(self):
        self.inner = parts.replace("leaf.recording", False)
    def __exit__(self, *error):
        self.inner.undo()
"""
DOOR = {f"no_grad: the door, {name}": Attack(SWITCH.format(found=text), "no_grad") for name, text in DOORS.items()}

# --- what is left in the engine -------------------------------------------------------------------

COPY = "a copy of the rule of products"  # which asks nobody
LENT = {name: Attack(text, part_of(text)) for name, text in cells("lent.py").items()}  # where it is lent to everybody
UNASKED = {COPY: LENT.pop(COPY)}
HELPERS = {name: Attack(text, part_of(text)) for name, text in cells("helpers.py").items()}
FAMILIES = {"hidden passes": HIDDEN, "found sums": FOUND, "lent": LENT, "helpers": HELPERS, "door": DOOR}
