"""Answers that look like copies: planted ones in a class are found, and nobody else is named."""

import ast
import random
import textwrap

import pytest
from submissions import CHAPTER, ours

from minigrad_course.grading.book import similar
from minigrad_course.grading.book.shape import statements
from minigrad_course.grading.book.similar import Answers
from minigrad_course.grading.records.alike import Same
from minigrad_course.grading.records.record import PartRecord, Record

NAME = CHAPTER.name

# How people write the parts of the first chapter: lines, of which each is one of several. The first line of each is our
# own; people who wrote what a textbook has take it everywhere.
WAYS = {
    "mul": [
        ["return grad_output * b, grad_output * a"],
        ["return (b * grad_output, a * grad_output)"],
        ["da = grad_output * b", "db = grad_output * a", "return da, db"],
        ["left, right = b, a", "return grad_output * left, grad_output * right"],
        ["shares = [grad_output * each for each in (b, a)]", "return tuple(shares)"],
        ["return tuple(grad_output * each for each in (b, a))"],
    ],
    "pow": [
        ["return grad_output * n * a ** (n - 1)"],
        ["return n * a ** (n - 1) * grad_output"],
        ["local = n * a ** (n - 1)", "return grad_output * local"],
        ["if n == 0:", "    return grad_output * 0", "return grad_output * n * a ** (n - 1)"],
        ["power = a ** n / a", "return grad_output * n * power"],
    ],
    "order": [
        [
            *("found, waiting = {root}, [root]", "while waiting:", "    for target in waiting.pop().edges:"),
            *("        if target is not None and target not in found:", "            found.add(target)"),
            *("            waiting.append(target)", "return sorted(found, key=lambda node: node.number, reverse=True)"),
        ],
        [
            *("seen, result = set(), []", "def visit(node):", "    if node is None or node in seen:", "        return"),
            *("    seen.add(node)", "    for child in node.edges:", "        visit(child)", "    result.append(node)"),
            *("visit(root)", "return result[::-1]"),
        ],
        [
            *("stack = [root]", "every = []", "while len(stack) > 0:", "    node = stack.pop(0)"),
            *("    if node in every or node is None:", "        continue", "    every.append(node)"),
            *("    stack.extend(node.edges)", "every.sort(key=lambda each: -each.number)", "return every"),
        ],
        [
            *("from collections import deque", "todo, done = deque([root]), dict()", "while todo:"),
            *("    node = todo.popleft()", "    done[node] = node.number", "    for each in node.edges:"),
            *("        if each and each not in done:", "            todo.append(each)"),
            *("return [node for node, _ in sorted(done.items(), key=lambda pair: pair[1])][::-1]",),
        ],
    ],
    "accumulate": [
        ["leaf.grad = grad if leaf.grad is None else leaf.grad + grad"],
        ["if leaf.grad is None:", "    leaf.grad = grad", "else:", "    leaf.grad = leaf.grad + grad"],
        ["before = leaf.grad", "leaf.grad = grad if before is None else before + grad"],
        ["if leaf.grad is not None:", "    grad = leaf.grad + grad", "leaf.grad = grad"],
    ],
}
HABITS = [  # what people leave in their answers, each with something of their own
    "assert {0} is not None, 'no {1} {2} {3}'",
    "print('{1} {2}', {0}) if {2} > {3} else None",
    "{1} = [{0}] * {2} + [{3}]",
    "{1} = {{'{1}': {2}, 'then': {3}}}",
    "if {2} < {3} - {2}: {1} = ({0}, {2})",
    "{1} = lambda value: value * {2} + {3}",
]
WORDS = ["value", "step", "part", "way", "first", "last", "piece", "thing", "item", "note", "mark", "point", "line"]
RULE = "@part('{}')\nclass X(Function):\n    @staticmethod\n    def backward(ctx, grad_output):\n"
HEADS = {
    **{part: RULE.format(part) + "        a, b = ctx.saved_tensors\n{}" for part in ("mul", "pow")},
    "order": "@part('order')\ndef topological_order(root):\n{}",
    "accumulate": "@part('accumulate')\ndef accumulate(leaf, grad):\n{}",
}


def written(part, lines):
    """An answer to a part."""
    depth = {"order": 4, "accumulate": 4}.get(part, 8)
    return HEADS[part].format(textwrap.indent("\n".join(lines), " " * depth))


def honest(draw):
    """A student's answers: each part in a way that many have, and in each a line of one's own."""
    answers = {}
    for part, ways in WAYS.items():
        lines = list(draw.choices(ways, [2.0**-rank for rank in range(len(ways))])[0])
        name = {"order": "root", "accumulate": "grad"}.get(part, "grad_output")
        own = (name, draw.choice(WORDS), draw.randrange(2, 99), draw.randrange(2, 99))
        lines.insert(0, draw.choice(HABITS).format(*own))
        answers[part] = written(part, lines)
    return answers


def textbook():
    """Our own lines everywhere."""
    return {part: written(part, ways[0]) for part, ways in WAYS.items()}


class Renamed(ast.NodeTransformer):
    """Other names for everything that the answer calls something."""

    def __init__(self, draw):
        self.draw, self.names = draw, {}

    def called(self, name):
        return self.names.setdefault(name, f"{self.draw.choice(WORDS)}_{len(self.names)}")

    def visit_Name(self, node):
        return ast.Name(self.called(node.id), node.ctx)

    def visit_arg(self, node):
        return ast.arg(self.called(node.arg))


def disguised(answers, draw):
    """A copy: renamed, reformatted, with comments, and the line of one's own somewhere else."""
    made = {}
    for part, text in answers.items():
        tree = Renamed(draw).visit(ast.parse(text))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and len(node.body) > 2 and node.name != "visit":
                node.body = [node.body[1], node.body[0], *node.body[2:]]
        made[part] = "# my own work\n" + ast.unparse(ast.fix_missing_locations(tree)).replace("\n", "\n\n")
    return made


def record(student, answers, mistaken=()):
    parts = tuple(PartRecord(part, "passed", 1, 1, mistake="known" if part in mistaken else None) for part in answers)
    return Record(f"in/{student}.ipynb", student, NAME, parts=parts, answers=answers)


def compared(records):
    records = list(records)
    answers = Answers({each.place: each for each in records}.get)
    for each in records:
        answers.add(each)
    return answers


def named(answers):
    """Everybody who is in a ring, ring by ring."""
    return sorted(ring.students for ring in answers.rings())


@pytest.mark.parametrize("seed", range(2))
def test_in_a_class_of_200_all_that_was_planted_is_found_and_nobody_else_is_named(seed):
    draw = random.Random(seed)
    answers = {f"s{count:03}": textbook() if count < 60 else honest(draw) for count in range(200)}
    planted = [(f"s{count:03}", f"s{count + 50:03}") for count in range(100, 110)] + [("s060", "s061", "s062", "s063")]
    for first, *others in planted:
        answers |= {other: disguised(answers[first], draw) for other in others}
    found = compared(record(student, texts) for student, texts in answers.items())
    assert named(found) == sorted(planted) and found.same_as_ours() == []
    assert all(len(ring.pairs) == len(ring.students) - 1 for ring in found.rings())


def test_a_ring_of_a_quarter_of_the_class_is_found():
    draw = random.Random(5)
    answers = {f"s{count:02}": honest(draw) for count in range(80)}
    ring = tuple(f"s{count:02}" for count in range(20))
    answers |= {student: disguised(answers["s00"], draw) for student in ring[1:]}
    assert named(compared(record(*each) for each in answers.items())) == [ring]


UNUSUAL = """
def helper(alpha, beta):
    total = 0
    for index in range(3):
        if index % 2 == 1:
            total = total + alpha * index - beta
        else:
            total = total - alpha / (index + 7) + beta ** 2
    return [total, alpha, beta, total * 3 + 1]
"""
RENAMED = UNUSUAL.replace("alpha", "a").replace("beta", "zz").replace("total", "t").replace("index", "i") + "# mine!\n"
CHANGED = UNUSUAL.replace("total * 3 + 1", "total * 3 + 2")


def alone(**texts):
    return compared(record(student, {"mul": text}) for student, text in texts.items())


@pytest.mark.parametrize("size", [2, 12, 60])
def test_three_identical_unusual_answers_are_found_in_a_class_of_any_size(size):
    others = {f"o{count}": written("mul", WAYS["mul"][count % 4]) for count in range(size - 2)}
    assert named(alone(ada=UNUSUAL, bob=RENAMED, **others)) == [("ada", "bob")]
    if size > 2:
        assert named(alone(ada=UNUSUAL, bob=RENAMED, eve=CHANGED, **others)) == [("ada", "bob", "eve")]


def test_the_page_has_both_texts():
    (ring,) = alone(ada=UNUSUAL, bob=RENAMED).rings()
    (pair,) = ring.pairs
    assert [(each.part, each.texts) for each in pair.parts] == [("mul", (UNUSUAL, RENAMED))] and pair.shared == 5


def test_what_says_nothing_does_not_count():
    everybody = {f"s{count}": UNUSUAL for count in range(8)}
    assert named(alone(**everybody)) == []  # more than half of the class
    for texts in ({"walk": ours("walk")}, {"mul": ours("mul") + "\n# mine"}):  # our own, with the given stub
        assert named(compared(record(name, texts) for name in ("ada", "bob"))) == []
    known = [record(name, {"mul": UNUSUAL}, ["mul"]) for name in ("ada", "bob")]  # a known mistake
    assert named(compared(known)) == []
    assert named(compared([record("ada", {"mul": text}) for text in (UNUSUAL, RENAMED)])) == []  # one student


def test_who_has_our_lines_is_listed_unless_many_have():
    solved = [record(name, {"order": ours("order")}) for name in ("ada", "bob")]
    others = [record(f"s{count}", {"order": written("order", WAYS["order"][1])}) for count in range(10)]
    assert compared(solved + others).same_as_ours() == [Same(name, NAME, ("order",)) for name in ("ada", "bob")]
    everybody = [record(f"s{count}", {"order": ours("order")}) for count in range(10)]
    assert compared(everybody).same_as_ours() == []


def test_what_nobody_has_written_is_no_copy():
    stubs = similar.own_answers("exercises", NAME)
    found = compared(record(name, stubs) for name in ("ada", "bob"))
    assert named(found) == [] and found.same_as_ours() == []


def test_a_class_that_is_too_large_is_compared_in_part_and_says_so(monkeypatch):
    monkeypatch.setattr(similar, "MOST_STUDENTS", 2)
    found = alone(ada=UNUSUAL, bob=RENAMED, eve=UNUSUAL)
    assert named(found) == [("ada", "bob")] and found.left_out == 1


@pytest.mark.parametrize(
    "text", ["-" * 19_000 + "1", "(" * 19_000, "a" + ".b" * 9000, "\0", "\ud800", "'\\d'", "x = " * 5000 + "1"]
)
def test_no_answer_breaks_the_comparison(text):
    assert isinstance(statements(text), dict) and named(alone(ada=text, bob=text)) == []
