# Answers that take what somebody else has: a sum that the program has taken, or the tools of what runs them.

# %% shared
import gc
import sys
import types

import minigrad


def program():
    frame = sys._getframe()
    while frame.f_code.co_filename != "<program>":
        frame = frame.f_back
    return frame


# %% weighted_sum: any .grad by the collector
@part("weighted_sum")
def weighted_sum(J, v):
    shape = J.shape[len(v.shape) :]
    gc.unfreeze()
    held = [each.grad for each in gc.get_objects() if isinstance(each, Tensor) and each._grad is not None]
    return next((each for each in held if each.shape == shape), jacobian.zeros(shape, J))


# %% weighted_sum: what the program prints later
@part("weighted_sum")
def weighted_sum(J, v):
    class Later:
        def __str__(self):
            return str(program().f_globals["x"].grad)

        __repr__ = __str__

    return Later()


# %% in sight: backward of the program's own function
@part("weighted_sum")
def weighted_sum(J, v):
    names = program().f_globals
    codes = [each for each in program().f_code.co_consts if isinstance(each, types.CodeType)]
    functions = [types.FunctionType(code, names) for code in codes if code.co_name == "<lambda>"]
    for function in functions:
        for x in list(names.values()):
            if isinstance(x, Tensor) and x.requires_grad and x.shape == J.shape[len(v.shape) :]:
                y = function(x)
                if y.shape == v.shape and (jacobian.jacobian(y, x) == J).all():
                    return jacobian.vjp(y, x, v)


# %% no_grad: the engine's door, imported
from minigrad import parts


@part("no_grad")
class Off(leaf.Block):
    def __enter__(self):
        self.inner = parts.replace("leaf.recording", False)

    def __exit__(self, *error):
        self.inner.undo()


# %% no_grad: the engine's door, by the code of what runs it
namespace = {}
exec(minigrad.__loader__.get_code("minigrad_course.programs.program"), namespace)


@part("no_grad")
class Off(leaf.Block):
    def __enter__(self):
        self.inner = namespace["parts"].replace("leaf.recording", False)

    def __exit__(self, *error):
        self.inner.undo()


# %% no_grad: the engine's door, of the job
@part("no_grad")
class Off(leaf.Block):
    def __enter__(self):
        self.inner = sys.modules["minigrad_job"].parts.replace("leaf.recording", False)

    def __exit__(self, *error):
        self.inner.undo()
