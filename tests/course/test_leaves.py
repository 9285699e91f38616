"""Honest answers of other kinds pass the checks of chapter 4, and no answer leaves recording off."""

import textwrap

import pytest

import minigrad
from minigrad import leaf
from minigrad.course import cells, parts, program, source, verdicts
from minigrad.course.reference import solutions

CHAPTER = next(each for each in parts.chapters() if each.name == "04_leaves")
TEXTS = source.read("solutions", CHAPTER.name).programs()
SEEDS = (0, 7, 77952569)
SETUP = next(cell.source for cell in source.read("solutions", CHAPTER.name).cells if cell.role == "setup")

HONEST = {
    "both flags": """
        @part("is_leaf")
        def leaf_or_not(t):
            if not t.requires_grad:
                return True
            return not t.grad_fn
        """,
    "methods in place": """
        @part("accumulate_again")
        def accumulate(tensor, grad):
            if tensor.grad is not None:
                tensor.grad.add_(grad)
                return
            tensor.grad = grad.detach().clone()
        """,
    "zeros first": """
        import minigrad
        @part("accumulate_again")
        def accumulate(tensor, grad):
            if tensor.grad is None:
                tensor.grad = minigrad.zeros_like(tensor)
            tensor.grad.copy_(tensor.grad + grad)
        """,
    "a slice of all": """
        @part("accumulate_again")
        def accumulate(tensor, grad):
            if tensor.grad is None:
                tensor.grad = grad * 1
            else:
                tensor.grad[...] = tensor.grad + grad
        """,
    "asked before": """
        @part("retain_grad")
        def retain(t):
            if t.requires_grad == False:
                raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
            elif t.is_leaf or t.retains_grad:
                return None
            else:
                return hooks.keep(t)
        """,
    "a fresh tensor around the memory": """
        from minigrad.tensor import Tensor
        @part("detach")
        def detach(tensor):
            leaf.counter(tensor)
            result = Tensor._of(tensor._memory().view())
            result._counter = tensor._counter
            return result
        """,
    "a generator": """
        import contextlib
        @part("no_grad")
        @contextlib.contextmanager
        def no_grad():
            before, leaf.recording = leaf.recording, False
            try:
                yield
            finally:
                leaf.recording = before
        """,
    "the engine's switch, and a class without a base": """
        import minigrad
        @part("no_grad")
        class NoGrad:
            def __init__(self):
                self.inner = minigrad.set_grad_enabled(minigrad.is_grad_enabled())
            def __enter__(self):
                self.old = minigrad.is_grad_enabled()
                minigrad.set_grad_enabled(False)
                return self
            def __exit__(self, kind, value, traceback):
                minigrad.set_grad_enabled(self.old)
                return False
            def __call__(self, function):
                def inside(*args):
                    with NoGrad():
                        return function(*args)
                return inside
        """,
    "all changed places": """
        @part("check_versions")
        def check(node):
            now = tuple(leaf.version(each) for each in node.saved)
            then = leaf.expected_versions(node)
            if now != then:
                raise checks.changed_since(node, *[i for i in range(len(now)) if now[i] != then[i]])
        """,
    "two questions": """
        @part("free")
        def free(node, retain_graph):
            if retain_graph:
                return
            if len(node.saved) > 0:
                node.saved = None
        """,
    "a new array": """
        import numpy as np
        @part("copy_slices")
        def split(whole, part, inner):
            answers = inner(np.array(part))
            np.copyto(part, answers[0])
            return [whole] + list(answers[1:])
        """,
    "data": """
        @part("descend")
        def descend(torch, parameters, lr):
            for p in parameters:
                if p.grad is None:
                    continue
                p.data -= lr * p.grad
                p.grad = None
        """,
    "detached": """
        @part("descend")
        def descend(torch, parameters, lr):
            for p in [p for p in parameters if p.grad is not None]:
                p.detach().sub_(p.grad, alpha=lr)
                p.grad = None
        """,
    "a copy into the leaf": """
        @part("descend")
        @(lambda function: function)
        def descend(torch, parameters, lr):
            with torch.no_grad():
                for w in parameters:
                    if w.grad is not None:
                        w.copy_(w - lr * w.grad)
                        w.grad = None
        """,
}


def handed_over(code):
    answers, namespace = program.Answers(), {"__name__": "__main__"}
    namespace["part"] = answers.part
    for cell in (cells.without_magics(SETUP), textwrap.dedent(code)):
        assert cells.run_cell(cell, namespace) is None
    return answers


@pytest.mark.parametrize("code", HONEST.values(), ids=HONEST.keys())
def test_honest_answers_of_other_kinds_pass(code):
    answers = handed_over(code)
    (check,) = answers
    for seed in SEEDS:
        verdict = verdicts.judge(CHAPTER, check, TEXTS[check], answers, seed)
        assert verdict.state == "passed", (seed, verdict)
    everything = dict(solutions(CHAPTER.name)) | answers
    assert verdicts.judge(CHAPTER, CHAPTER.together, TEXTS[CHAPTER.together], everything).state == "passed"


def test_after_an_answer_that_leaves_recording_off_it_is_on_again():
    (wrong,) = [each for each in CHAPTER.part("no_grad").mistakes if each.name == "never ends"]
    verdict = verdicts.judge(CHAPTER, "no_grad", TEXTS["no_grad"], {"no_grad": wrong.answer})
    assert verdict.mistake is wrong
    assert leaf.recording
    assert (minigrad.ones(2, requires_grad=True) * 2).requires_grad
