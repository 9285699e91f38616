"""Explorers without a kernel hold what torch computes, as data that stays the same, beside a picture and words."""

from __future__ import annotations

import itertools
import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch

import minigrad
from minigrad_course import explorers
from minigrad_course.explorers import deciding, learning, racing, strips
from minigrad_course.notebooks import pages
from minigrad_course.parts import chapter_of
from minigrad_course.pictures import canvas, svg
from minigrad_course.pictures.shown import FORMAT
from minigrad_course.programs.program import attached
from minigrad_course.texts.saving import MIME

A = [[1.0, 2.0], [0.0, 3.0], [4.0, 1.0]]
G = [[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]]
VALUES = {"a": 2, "b": 4, "c": 6, "d": 8, "e": 10}


def product(x):
    return minigrad.tensor(A) @ x


def formula(a, b, c, d, e):
    g = a * b
    h = c * d**2 / e
    return g + h


def diamond(x):
    h = x * 3
    return h * (h + 1)


def swapped(x):
    h = x * 3
    return (h + 1) * h


def whole(x):
    y = product(x)
    return (y**2).sum()


def left(b):
    return minigrad.tensor([[1.0, 2.0], [3.0, 4.0]]) @ b


BEGIN = strips.BEGIN
# how each ends, and the line without which the gradient is right
ENDS = {
    "y += 1, then saved": ("right", ""),
    "saved, then y += 1": ("refused", ""),
    "saved, then y = y + 1": ("right", ""),
    "another part of y": ("refused", ""),
    "y.detach()": ("refused", ""),
    "y.data": ("wrong", "d += 1\n"),
    "y.detach().numpy()": ("wrong", "n += 1\n"),
    "a result": ("wrong", "z.data.zero_()\n"),
    "transposed": ("wrong", "m.data.mul_(2)\n"),
}
PROGRAMS = strips.PROGRAMS | {
    "a result": BEGIN + "z = y.exp()\nz.data.zero_()\nz.sum().backward()",
    "transposed": BEGIN + "m = y.view(3, 1).t()\nz = m ** 2\nm.data.mul_(2)\nz.sum().backward()",
}
POINTS = np.array([[-1.0, 0.0], [-0.5, 1.0], [0.5, 0.0], [1.0, 1.0]])
LABELS = np.array([[0.0], [0.0], [1.0], [1.0]])


def trained(torch):
    """Two layers that learn to tell left from right."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()
    x, y = torch.tensor(POINTS), torch.tensor(LABELS)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

    def step():
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return model, step


# Of the parts that this training needs: one mistake that changes it, one that stops it, and one that does not matter.
MISTAKES = ("accumulate_again/twice at first", "accumulate_again/no first time", "mul/swapped")


def told_apart(model):
    """Stands for a gradient check that finds nothing."""
    return len(list(model.parameters())) == 4


def after(count):
    """The model of torch after so many steps, and the step that comes then."""
    model, step = trained(torch)
    for _ in range(count):
        step()
    return model, step


def all_views():
    b = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    return {
        "walk": explorers.walk(formula, **VALUES),
        "vectors": explorers.walk(whole, result="L", x=[5, 7]),
        "race": explorers.race({"h * (h + 1)": diamond, "(h + 1) * h": swapped}, x=2),
        "secant": explorers.secant({"x**3": (lambda x: x**3, 1.0), "relu": (lambda x: x.relu(), 0.0)}),
        "sides": explorers.sides(product, [1, 1], [1, 10, 100], [1, 10]),
        "reach": explorers.reach(lambda A, b: A + b, A, A=A, b=[5, 6]),
        "weights": explorers.weights(product, [1, 1], [1, -10, 100], cancel=0),
        "slices": explorers.slices(left, b, G, names=("c", "b")),
        "leaves": explorers.leaves(),
        "memory": explorers.memory(),
        "training": explorers.training(trained, POINTS, LABELS, torch, last=12, every=4, start=8),
        "mistakes": explorers.mistakes(trained, POINTS, LABELS, MISTAKES, told_apart, last=12, every=4),
        "predict": explorers.predict("What is `2 + 3`?", {"5": "Right.", "6": "That is `2 * 3`."}, lambda: 5),
        "guess": explorers.slices(lambda m: m[:, 1:] * m[:, :-1], b, guess=True),
    }


@pytest.fixture(scope="module")
def views():
    return all_views()


def svg_texts(picture):
    return [each.text for each in ElementTree.fromstring(picture).iter() if each.tag.endswith("}text")]


# --- every one -----------------------------------------------------------------------------------


def test_an_output_holds_data_a_picture_and_words(views):
    for name, view in views.items():
        shown = view._repr_mimebundle_(include=None, exclude=None)
        assert set(shown) == {MIME, "image/svg+xml", "text/plain"}, name
        data = shown[MIME]
        assert data["format"] == FORMAT and data["view"] in pages.VIEWS, name
        assert data["alt"] == shown["text/plain"] and len(data["alt"]) > 20, name
        assert json.loads(json.dumps(data, allow_nan=False)) == data, name
        assert len(json.dumps(shown)) < 80_000, name


def test_still_pictures_are_transparent_and_have_text_as_text_in_colours_of_the_page(views):
    for name, view in views.items():
        picture = view.still()
        root = ElementTree.fromstring(picture)
        assert root.find("{*}title").text == view.words(), name
        assert svg_texts(picture)
        body = re.sub("<style>.*?</style>", "", picture)
        assert not re.search(r'(fill|stroke)="(#|white|black)', body), name
        width, height = (float(root.get(each)) for each in ("width", "height"))
        assert root.get("viewBox") == f"0 0 {svg.short(width)} {svg.short(height)}"
        for each in root.iter("{http://www.w3.org/2000/svg}rect"):
            assert float(each.get("x")) > -1 and float(each.get("x")) + float(each.get("width")) < width + 1, name


def colours_of(theme):
    """The colours of the page, as the views have them."""
    look = (pages.STATIC / "look.js").read_text(encoding="utf-8")
    block = re.search(rf"{theme} = \{{(.*?)\}}", look, re.DOTALL).group(1)
    return dict(re.findall(r'(\w+): "([^"]+)"', block))


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def rgb(text):
    parts = re.findall("..", text[1:]) if text.startswith("#") else text.split(",")
    return np.array([int(part, 16 if text.startswith("#") else 10) / 255 for part in parts])


def contrast(text, face):
    dark, light = sorted((luminance(text), luminance(face)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("theme", "grounds"), [("LIGHT", ["#ffffff"]), ("DARK", ["#000000", "#111111", "#14181e"])])
def test_every_text_has_the_contrast_of_level_aa(theme, grounds):
    colours = colours_of(theme)
    assert set(colours) == {*svg.COLOURS, "deep"}
    signs = [rgb(colours[name]) for name in ("plus", "minus")]
    faces = [rgb(each) for each in [*grounds, colours["panel"]]]
    tints = [0.42 * sign + 0.58 * rgb(ground) for sign in signs for ground in grounds]
    pairs = [(name, face) for name in ("ink", "soft", "leaf", "flow", "done") for face in faces]
    pairs += [("ink", face) for face in tints]
    for name, face in pairs:
        assert contrast(rgb(colours[name]), face) >= 4.5, (name, face)


@pytest.mark.parametrize("ground", ["#ffffff", "#000000"])
def test_where_no_theme_is_known_every_text_can_be_read_on_white_and_on_black(ground):
    for name in ("ink", "soft", "leaf", "flow", "done"):
        assert contrast(rgb(svg.COLOURS[name]), rgb(ground)) >= 4.5, name
    for name in ("plus", "minus"):
        face = 0.42 * svg.DEEP * rgb(svg.COLOURS[name]) + (1 - 0.42 * svg.DEEP) * rgb(ground)
        assert contrast(rgb(svg.COLOURS["ink"]), face) >= 4.2, name


# --- walk ----------------------------------------------------------------------------------------


def test_the_walk_ends_with_the_gradients_of_torch():
    leaves = {name: torch.tensor(float(value), requires_grad=True) for name, value in VALUES.items()}
    formula(**leaves).backward()
    data = explorers.walk(formula, **VALUES).data()
    told = " ".join(step["say"] for step in data["steps"])
    last = {number: got for step in data["steps"] for number, got in step.get("gradients", {}).items()}
    for number, box in enumerate(data["boxes"]):
        if box["kind"] == "leaf":
            grad = canvas.number(leaves[box["name"]].grad.item())
            assert last[str(number)] == [grad] and f"{box['name']} keeps {grad} in .grad." in told


def test_a_node_waits_for_all_of_its_users():
    steps = [step["say"] for step in explorers.walk(diamond, x=2).data()["steps"]]
    assert steps[0] == "h = x × 3 = 2 × 3 = 6."
    assert steps[3] == "Now backward. It begins at the end: f gets the upstream gradient 1."
    assert "So far h has 7, and waits for its other users." in steps[4]
    assert "All users of h have sent their shares: together 13." in steps[5]
    assert steps[6] == "At h the upstream gradient is 13: it sends 39 to x. Leaf x keeps 39 in .grad."


# --- race ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("program", "lost"), [(diamond, 21), (swapped, 39)])
def test_the_race_ends_as_the_engine_does_in_that_order(program, lost):
    (spelling,) = explorers.race({"it": program}, x=2).data()["spellings"]
    ends = []
    for order in (racing.depth_first, None):
        x = minigrad.tensor(2.0, requires_grad=True)
        with minigrad.parts.replace("scalar.topological_order", order or minigrad.scalar.topological_order):
            program(x).backward()
        ends.append(f"x.grad = {canvas.number(x.grad.item())}")
    assert [lane["ends"] for lane in spelling["lanes"]] == ends == [f"x.grad = {lost}", "x.grad = 39"]
    assert [lane["right"] for lane in spelling["lanes"]] == [lost == 39, True]


# --- weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize("v", [[1.0, 10.0, 100.0], [0.0, -2.0, 1.0], [0.5, 0.0, 0.0]])
def test_the_weighted_sum_is_what_torch_gives(v):
    x = torch.ones(2, requires_grad=True)
    (torch.tensor(A) @ x).backward(torch.tensor(v))
    explorer = explorers.weights(product, [1, 1], v)
    assert explorer.total.tolist() == x.grad.tolist()
    assert np.array_equal(np.array(explorer.data()["J"]), A) and explorer.data()["v"] == v
    assert explorer.words().endswith(f" = {canvas.numbers(x.grad)}")


def test_a_goal_is_a_list_of_conditions():
    data = explorers.weights(product, [1, 1], [1, 10, 100], pick=2, cancel=1).data()
    pick, cancel = data["goals"]
    assert pick["ask"] == "Find a v that picks out the third row."
    third = [{"of": "total", "index": at, "is": float(entry)} for at, entry in enumerate(data["J"][2])]
    assert pick["conditions"] == third
    assert cancel["ask"] == "Find a v whose second entry is not 0, while the second entry of x.grad is 0."
    assert cancel["conditions"] == [{"of": "v", "index": 1, "is": None}, {"of": "total", "index": 1, "is": 0}]


# --- slices --------------------------------------------------------------------------------------


def test_slices_add_up_to_the_gradient_of_torch(views):
    b = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    (torch.tensor([[1.0, 2.0], [3.0, 4.0]]) @ b).backward(torch.tensor(G))
    explorer = views["slices"]
    assert explorer.total.tolist() == b.grad.tolist()
    data = explorer.data()
    total = sum(each["weight"] * np.array(each["entries"]) for each in data["slices"])
    assert total.tolist() == b.grad.tolist()
    assert [each["name"] for each in data["slices"]][:2] == ["c[0, 0]", "c[0, 1]"]


def test_a_slice_to_be_filled_in_does_not_stand_in_the_picture(views):
    texts = svg_texts(views["guess"].still())
    assert set(texts) - {"?"} == {"y[0, 0]", "y[0, 1]", "y[1, 0]", "y[1, 1]"}
    assert "rgba(var(--plus),calc(0.4" not in views["guess"].still()


# --- secant, sides ---


def test_the_secant_meets_the_tangent_of_torch_but_not_at_a_kink(views):
    curves = views["secant"].data()["curves"]
    for curve, program, at in zip(curves, (lambda x: x**3, torch.relu), (1.0, 0.0), strict=True):
        x = torch.tensor(at, requires_grad=True)
        program(x).backward()
        assert curve["slope"] == canvas.number(x.grad.item())
    assert [curve["meets"] for curve in curves] == [True, False]
    assert [frame["slope"] for frame in curves[0]["frames"]] == ["4", "3.25", "3.062", "3.01", "3"]
    assert {frame["slope"] for frame in curves[1]["frames"]} == {"0.5"}


def test_both_sides_are_those_of_torch(views):
    view = views["sides"]
    x, w, v = torch.ones(2), torch.tensor([1.0, 10.0]), torch.tensor([1.0, 10.0, 100.0])
    back = torch.autograd.functional.vjp(lambda x: torch.tensor(A) @ x, x, v)[1]
    forth = torch.autograd.functional.jvp(lambda x: torch.tensor(A) @ x, x, w)[1]
    assert (view.v @ view.J).tolist() == back.tolist() and (view.J @ view.w).tolist() == forth.tolist()


# --- reach ---


def test_what_comes_back_to_an_entry_is_what_torch_gives():
    a, b = [[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    view = explorers.reach(lambda a, b: a @ b, G, result="c", a=a, b=b)
    leaves = [torch.tensor(each, requires_grad=True) for each in (a, b)]
    (leaves[0] @ leaves[1]).backward(torch.tensor(G))
    data = view.data()
    for which, each in enumerate(leaves):
        got = [0.0] * each.numel()
        for grid, entry, out, slope in data["links"]:
            if grid == which:
                got[entry] += data["v"][out] * slope
        assert got == each.grad.reshape(-1).tolist()
    row_and_column = [(grid, entry) for grid, entry, out, _ in data["links"] if out == 1]
    assert row_and_column == [(0, 0), (0, 1), (1, 1), (1, 4)]


# --- memory ---


def test_what_nobody_holds_any_more_has_no_lock():
    (run,) = explorers.memory({"it": BEGIN + "z = (y ** 2).detach() + (y ** 3)\nz.sum().backward()"}).runs
    locks = [lock["say"] for strip in run.frames[-2]["strips"] for lock in strip["locks"]]
    assert locks == ["PowBackward0 saved y at version 0."]


def problem_of(program, engine):
    """What a program leaves behind, and the first sentence of its error."""
    namespace = {"torch": engine}
    try:
        exec(program, namespace)
    except RuntimeError as error:
        return namespace, f"RuntimeError: {str(error).split('. ')[0]}."
    return namespace, None


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_ends_as_it_does_on_torch(name):
    program, (kind, culprit) = PROGRAMS[name], ENDS[name]
    (run,) = explorers.memory({name: program}).runs
    namespace, problem = problem_of(program, torch)
    assert (run.end["kind"], run.problem) == (kind, problem)
    if not problem:
        assert run.grads["x"].tolist() == namespace["x"].grad.tolist()
        honest, _ = problem_of(program.replace(culprit, ""), torch)
        assert run.right["x"].tolist() == honest["x"].grad.tolist()
    assert (kind == "wrong") == bool(culprit)


@pytest.mark.parametrize("name", PROGRAMS)
def test_after_each_line_names_numbers_and_versions_are_those_of_torch(name):
    program = PROGRAMS[name]
    (run,) = explorers.memory({name: program}).runs
    namespace = {"torch": torch}
    for line, frame in zip(program.splitlines()[:-1], run.frames[1:-1], strict=True):
        exec(line, namespace)
        tensors = {key: each for key, each in namespace.items() if isinstance(each, torch.Tensor)}
        arrays = {key: each for key, each in namespace.items() if isinstance(each, np.ndarray)}
        seen, memories = {}, {}
        for strip in frame["strips"]:
            for each in strip["names"]:
                start, end = each["at"]
                assert 0 <= start < end <= len(strip["cells"])
                seen[each["name"]] = strip["cells"][start:end]
                memories[each["name"]] = strip["number"]
            for count in strip["counts"]:
                assert [tensors[each]._version for each in count["names"]] == [count["version"]] * len(count["names"])
            assert strip["uncounted"] == [each for each in arrays if memories.get(each) == strip["number"]]
        values = {key: each.detach().numpy() for key, each in tensors.items()} | arrays
        assert seen == {key: [canvas.number(one) for one in each.reshape(-1)] for key, each in values.items()}
        for one, other in itertools.combinations(values, 2):
            assert (memories[one] == memories[other]) == np.may_share_memory(values[one], values[other])


def test_padlocks_say_who_was_caught_and_who_slipped_past():
    states = {}
    for run in explorers.memory(PROGRAMS).runs:
        states[run.name] = [lock["state"] for strip in run.frames[-2]["strips"] for lock in strip["locks"]]
    kinds = {"right": ["kept"], "refused": ["caught"], "wrong": ["slipped"]}
    assert states == {name: kinds[kind] for name, (kind, _) in ENDS.items()}


# --- leaves ---

ROWS = explorers.leaves().rows


def test_each_row_of_the_tree_prints_what_torch_prints():
    on_torch = {path: deciding.run(row.program.removesuffix("\nprint(t.grad)"), torch) for path, row in ROWS.items()}
    assert on_torch == ROWS


def test_every_answer_leads_on_and_every_kind_of_end_is_there():
    assert {row.kind for row in ROWS.values()} == set(deciding.OUTCOMES)
    width, height = explorers.leaves().data()["size"]
    found, waiting = [], [((), explorers.leaves().data()["tree"])]
    while waiting:
        path, node = waiting.pop()
        x, y = node["at"]
        assert 0 < x < width and 0 < y < height
        waiting += [((*path, each["say"]), each["then"]) for each in node.get("answers", [])]
        if "program" in node:
            found.append((path, node["kind"], tuple(node["printed"])))
    assert sorted(found) == sorted((path, row.kind, row.printed) for path, row in ROWS.items())


# --- training ---


def test_losses_and_norms_are_those_of_torch(views):
    view = views["training"]
    model, step = after(12)
    assert view.ours.losses[12] == pytest.approx(step(), abs=1e-12) and len(view.ours.losses) == 13
    assert view.ours.norms[12] == pytest.approx([model[n].weight.grad.norm().item() for n in (0, 2)], abs=1e-12)
    (values,) = view.difference.curves.values()
    assert values == [ours - theirs for ours, theirs in zip(view.ours.losses, view.theirs, strict=True)]
    assert max(map(abs, values)) < 1e-12 and view.words().endswith("differ by less than 10⁻⁹.")


def test_the_shades_are_what_the_network_of_torch_says_of_the_plane(views):
    view = views["training"]
    model, _ = after(12)
    chances = torch.sigmoid(model(torch.tensor(view.ground.plane))).detach().reshape(-1)
    frame = view.data()["frames"][-1]
    assert frame["shades"] == "".join(str(int(each * 8)) for each in chances)
    wrong = ((model(torch.tensor(POINTS)) > 0) != torch.tensor(LABELS).bool()).sum().item()
    loss = canvas.number(float(f"{view.ours.losses[12]:.3g}"))
    assert frame["say"] == f"After 12 steps the loss is {loss}, and {wrong} of 4 points lie on the wrong side."


# --- mistakes ---


def test_a_training_with_a_mistake_is_that_of_the_part_replaced(views):
    view = views["mistakes"]
    spoilt = {each.name: each for each in view.spoilt}
    part = chapter_of("accumulate_again").part("accumulate_again")
    (wrong,) = [each for each in part.mistakes if each.name == "twice at first"]
    with attached(minigrad, [part.place], {part.name: wrong.answer}):
        _, step = trained(minigrad)
        losses = [step() for _ in range(13)]
    assert spoilt["accumulate_again: twice at first"].run.losses == losses != view.right.losses
    _, step = trained(minigrad)
    assert view.right.losses == [step() for _ in range(13)]
    assert spoilt["mul: swapped"].run.losses == view.right.losses


def test_a_mistake_that_stops_a_training_is_a_sentence_and_its_curve_ends(views):
    choices = views["mistakes"].data()["measured"]["choices"]
    (stopped,) = [each for each in choices if each["name"].endswith("no first time")]
    assert all(each.startswith("At step 0 it stopped with TypeError: ") for each in stopped["say"])
    assert len(stopped["frames"]) == 1 and stopped["plot"]["curves"][1]["dots"] == [None] * 4
    assert stopped["plot"]["curves"][1]["path"] == ""  # not a curve of no points: browsers complain of one
    (found,) = [each for each in choices if each["name"].startswith("mul")]
    assert found["explanation"].endswith("The gradient check notices nothing.")


def runs_away(torch):
    model, step = trained(torch)
    return model, lambda: step() * float("nan")


def unknown(name):
    return lambda: explorers.mistakes(trained, POINTS, LABELS, [name], told_apart)


REFUSED = {
    "13 rows": lambda: explorers.weights(lambda x: x * 2, [1.0] * 13, [1.0] * 13),
    "v has the shape": lambda: explorers.weights(product, [1, 1], [1, 10]),
    "w has the shape": lambda: explorers.sides(product, [1, 1], [1, 10, 100], [1, 10, 100]),
    "x the shape [7, 7]: the explorer shows at most 36": lambda: explorers.slices(lambda x: x.sum(), [[1.0] * 7] * 7),
    "wrong, line 2: NameError: name 'w' is not defined": lambda: explorers.memory({"wrong": "x = 2\ny = w\ny"}),
    "At step 0 the loss is nan": lambda: explorers.training(runs_away, POINTS, LABELS, torch),
    "No mistake is called 'walk/nothing'": unknown("walk/nothing"),
    "No mistake is called 'nothing/first path wins'": unknown("nothing/first path wins"),
    "No mistake is called 'walk'": unknown("walk"),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_cannot_be_shown_is_a_sentence(sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        REFUSED[sentence]()


def test_small_numbers_are_written_with_powers_of_ten():
    written = {0: "0", 1e-3: "10⁻³", -2.5e-16: "−2.5·10⁻¹⁶", 4e-16: "4·10⁻¹⁶", -1e-3: "−10⁻³"}
    assert {value: learning.raised(value) for value in written} == written


# --- on pages ------------------------------------------------------------------------------------


def test_one_plain_script_holds_every_module_and_imports_nothing():
    script = pages.script()
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)
    for name in ("look", "kit", "mount", "board", "site", *pages.VIEWS):
        assert script.count(f"modules.{name} = ") == 1


def test_a_notebook_becomes_a_page_with_data_and_picture_that_break_out_of_nothing(views):
    block = pages.block({"alt": "</script><script>alert(1)</script>"}, "<svg/>")
    assert block.count("<script") == 1 and block.count("</script>") == 1
    shown = views["weights"]._repr_mimebundle_()
    notebook = {"cells": [{"outputs": [{"output_type": "display_data", "data": shown}]}, {"cell_type": "markdown"}]}
    (output,) = json.loads(pages.for_a_page(json.dumps(notebook)))["cells"][0]["outputs"]
    assert set(output["data"]) == {"text/html"}
    assert "mg-page" in output["data"]["text/html"] and shown["image/svg+xml"] in output["data"]["text/html"]


def test_on_a_page_answers_wait_and_questions_have_no_code():
    cells = [{"metadata": {"minigrad": {"asks": "a"}}}, {"metadata": {"minigrad": {"answers": "a"}, "tags": ["mine"]}}]
    asks, answers = (each["metadata"] for each in json.loads(pages.for_a_page(json.dumps({"cells": cells})))["cells"])
    assert asks["tags"] == ["remove-input"]
    assert answers["tags"] == ["mine", "hide-output"] and answers["mystnb"]["code_prompt_show"] == "Reveal"
