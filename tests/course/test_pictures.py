"""Pictures say in words what they show, show what torch computes, and have the same bytes each time."""

import itertools
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch

import minigrad
from minigrad.scalar import Function
from minigrad_course import pictures
from minigrad_course.pictures import board, curves, graphs, jacobians, leaves, plot, svg, trace
from minigrad_course.pictures.shown import MIME

VALUES = {"a": 2, "b": 4, "c": 6, "d": 8, "e": 10}


def formula(a, b, c, d, e):
    return a * b + c * d**2 / e


def test_every_node_has_the_sign_of_its_operation_however_it_is_freed():
    x = minigrad.tensor(2.0, requires_grad=True)
    nodes = [x * x * x * x for _ in range(400)]  # some of them point out of their window of numbers
    assert {trace.symbol(each.grad_fn) for each in nodes} == {"×"}
    assert len({type(each.grad_fn).__mro__[1].__name__ for each in nodes}) == 2  # both kinds are among them


def test_the_gradients_on_the_way_back_are_those_of_torch():
    leaves = {name: torch.tensor(float(value), requires_grad=True) for name, value in VALUES.items()}
    formula(**leaves).backward()
    alt = pictures.graph(formula, backward=True, **VALUES).alt
    found = dict(re.findall(r"([a-e]) = \d+ with gradient (−?\d+(?:\.\d+)?)", alt))
    assert {name: float(text.replace("−", "-")) for name, text in found.items()} == pytest.approx(
        {name: leaf.grad.item() for name, leaf in leaves.items()}
    )


@pytest.mark.parametrize("backward", [False, True])
def test_an_output_holds_the_picture_for_a_view_and_by_itself_and_its_words(backward):
    picture = pictures.graph(formula, backward=backward, **VALUES)
    shown = picture._repr_mimebundle_()
    assert shown["text/plain"] == picture.alt == repr(picture)
    assert shown["image/svg+xml"] == picture.svg
    assert shown[MIME] == {"format": 1, "view": "picture", "alt": picture.alt, "narrow": picture.narrow}
    wide, narrow = (float(ElementTree.fromstring(each).get("width")) for each in (picture.svg, picture.narrow))
    assert narrow < 360 < wide < 850


def test_the_words_are_escaped():
    root = ElementTree.fromstring(pictures.bars(['x < 1 & "y"'], [1]).svg)
    assert root.find("{*}title").text == 'Bars. x < 1 & "y": 1.'
    assert 'x < 1 & "y"' in [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]


def test_drawing_leaves_the_engine_as_it_was():
    before = Function.__dict__["apply"]
    pictures.graph(formula, **VALUES)
    assert Function.__dict__["apply"] is before
    with pytest.raises(ZeroDivisionError):
        pictures.graph(lambda x: x * (1 / 0), x=1)
    assert Function.__dict__["apply"] is before


def shared(x):
    h = x * 3
    return (h + 1) * (h + x) * (h - 1)


def layers(W, x):
    h = (x @ W).relu()
    left, right = h.split(2, dim=1)
    return (left * right).sum()


NETWORK = {"W": [[1, -2, 3, 4], [1, 1, 1, 1]], "x": [[1, 2], [3, 4], [5, 6]]}


@pytest.mark.parametrize("way", ["wide", "tall"])
@pytest.mark.parametrize(("program", "values"), [(formula, VALUES), (shared, {"x": 2}), (layers, NETWORK)])
def test_neither_boxes_nor_labels_overlap_and_nothing_is_cut_off(program, values, way):
    found = trace.traced(program, values)
    made = board.Board(found, {id(arrow): graphs.share_text(arrow.share) for arrow in found.arrows})
    layout = getattr(made, way)
    solid = [tuple(box) for box in layout.boxes]
    for line, (x, y, anchor) in zip(made.lines, layout.labels, strict=True):
        if line.label:
            width = svg.width_of(line.label, board.LABEL)
            solid.append((x - width if anchor == "end" else x, y - 9, width, 9))
    assert len(solid) >= 10
    for (x0, y0, w0, h0), (x1, y1, w1, h1) in itertools.combinations(solid, 2):
        assert x0 + w0 <= x1 or x1 + w1 <= x0 or y0 + h0 <= y1 or y1 + h1 <= y0
    for x, y, width, height in solid:
        assert x >= 0 and y >= 0 and x + width <= layout.width and y + height <= layout.height


@pytest.mark.parametrize(("program", "values"), [(formula, VALUES), (shared, {"x": 2})])
def test_beside_a_standing_line_its_own_text_is_not_on_it(program, values):
    found = trace.traced(program, values)
    made = board.Board(found, {id(arrow): graphs.share_text(arrow.share) for arrow in found.arrows})
    for line, path, (x, y, anchor) in zip(made.lines, made.tall.paths, made.tall.labels, strict=True):
        last = re.findall(r"[-\d.]+", path)[-8:]  # where the last curve begins, two points that bend it, and its end
        ends = np.array(last, float).reshape(4, 2)[[0, 3], ::-1]
        points, width = board.sampled([tuple(each) for each in ends]), svg.width_of(line.label, board.LABEL)
        inside = (points > (x - width * (anchor == "end"), y - 9)) & (points < (x + width * (anchor == "start"), y))
        assert line.arrow is None or not inside.all(axis=1).any()


def test_a_leaf_that_is_not_used_is_left_out_and_a_large_one_shows_its_shape_only():
    alt = pictures.graph(lambda x, y: (x * 2).sum(), backward=True, x=[[1.0] * 30] * 4, y=5).alt
    assert "x = numbers of shape [4, 30] with gradient numbers of shape [4, 30]" in alt and "y = " not in alt


# --- graphs of tensors ---------------------------------------------------------------------------

A, V = [[1.0, 2.0], [0.0, 3.0], [4.0, 1.0]], [1.0, 10.0, 100.0]


def product(x):
    return minigrad.tensor(A) @ x


def test_a_vector_result_starts_with_the_upstream_gradient_it_is_given():
    alt = pictures.graph(product, backward=True, upstream=V, result="y", x=[1, 1]).alt
    assert "y: @ of x gives [3, 3, 5], upstream gradient [1, 10, 100]" in alt
    assert "x = [1, 1] with gradient [401, 132]" in alt


REFUSED = [
    (product, {"x": [1, 1]}, "give `upstream`"),
    (product, {"x": [1, 1], "upstream": [1.0]}, "has the shape [1]"),
    (lambda x: x.detach() * 2, {"x": 1}, "The program"),
    (lambda x: 3.0, {"x": 1}, "The program"),
]


@pytest.mark.parametrize(("program", "values", "sentence"), REFUSED)
def test_what_has_no_way_back_is_a_sentence(program, values, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        pictures.graph(program, backward=True, **values)


def test_the_gradients_of_several_results_are_those_of_torch():
    W, x = [torch.tensor(NETWORK[name], dtype=torch.float32, requires_grad=True) for name in "Wx"]
    layers(W, x).backward()
    alt = pictures.graph(layers, backward=True, **NETWORK).alt.replace("−", "-")
    for name, leaf in (("W", W), ("x", x)):
        rows = ", ".join(f"[{', '.join(f'{value:g}' for value in row)}]" for row in leaf.grad.tolist())
        assert f"{name} = " in alt and f"with gradient [{rows}]" in alt
    assert "split of relu gives [[3, 0], [7, 0], [11, 0]] and" in alt


def test_a_tensor_that_retains_its_gradient_is_told_apart():
    def program(x):
        y = x * 2
        y.retain_grad()
        return (y * y).sum()

    alt = pictures.graph(program, backward=True, x=[1, 3]).alt
    assert "× of x gives [2, 6], gradient [4, 12], which it keeps" in alt
    assert "× of × and × gives [4, 36], upstream gradient [1, 1];" in alt
    assert "kept" not in alt.replace("which it keeps", "")


def test_a_function_of_the_program_and_a_change_in_place_are_drawn():
    class Cube(minigrad.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return grad_output * 3 * x**2

    def program(x):
        y = Cube.apply(x) + 0
        y[0] = 5.0
        return y.sum()

    alt = pictures.graph(program, backward=True, x=[2, 3]).alt
    assert "Cube of x gives [8, 27], upstream gradient [0, 1]" in alt
    assert "x = [2, 3] with gradient [0, 27]" in alt


def test_a_tensor_of_the_program_may_be_a_value():
    fixed = minigrad.tensor([2.0, 3.0])
    alt = pictures.graph(lambda w, x: (w * x).sum(), backward=True, w=fixed, x=[1, 1]).alt
    assert "x = [1, 1] with gradient [2, 3]" in alt and "w = " not in alt
    assert fixed.grad is None


def test_tensors_around_the_program_have_their_names():
    layer, scale = minigrad.nn.Linear(2, 1), minigrad.tensor(2.0, requires_grad=True)
    alt = pictures.graph(lambda x: (layer(x) * scale).log_softmax(0).sum(), x=[1, 3]).alt
    for name in ("layer.weight", "layer.bias", "scale = 2", "x = [1, 3]", "log_softmax of ×"):
        assert name in alt
    assert "leaf" not in alt


# --- Jacobians -----------------------------------------------------------------------------------


def tangled(x):
    """Works on either engine: the result has the shape [2, 3], x the shape [2, 2]."""
    return x.T.reshape(2, 2)[:, [0, 1, 1]] * x[:, :1] + x.sum() ** 2


@pytest.mark.parametrize("engine", [torch, minigrad], ids=["torch", "minigrad"])
def test_the_jacobian_is_that_of_torch(engine):
    point = [[1.0, 2.0], [3.0, 5.0]]
    wanted = torch.autograd.functional.jacobian(tangled, torch.tensor(point)).numpy()
    J, shape = jacobians.jacobian_of(tangled, engine.tensor(point))
    assert shape == (2, 2) and J.shape == (2, 3, 2, 2)
    np.testing.assert_allclose(J, wanted)


def test_weights_may_be_tensors_and_have_to_have_the_shape_of_the_result():
    alt = pictures.jacobian(lambda x: torch.tensor(A) @ x, torch.ones(2), v=torch.tensor(V), names=("out", "w")).alt
    assert "out[2]: [4, 1]" in alt and "w.grad = [401, 132]" in alt
    with pytest.raises(ValueError, match=r"v has the shape \[2\], and the result \[3\]"):
        pictures.jacobian(product, [1, 1], v=[1, 2])


def test_a_large_jacobian_is_drawn_without_numbers():
    picture = pictures.jacobian(lambda x: x * x, [2.0] * 40, v=[1.0] * 40)
    assert "as colours; 2% of its 1,600 entries are not zero" in picture.alt
    assert "x.grad = numbers of shape [40]" in picture.alt


def test_a_picture_without_numbers_says_signs_without_colours():
    values = np.array([[0.0, 2.0], [-8.0, 8.0]])
    picture = pictures.images([values], ["one"], alt="One image.", signed=True)
    (marks,) = [
        each.get("d") for each in ElementTree.fromstring(picture.svg).iter() if each.get("stroke") == "var(--ink)"
    ]
    strokes = re.findall(r"M[\d.,]+([hv])([\d.]+)", marks)
    assert [way for way, _ in strokes] == ["h", "v", "h", "h", "v"]  # plus, minus, plus
    assert [float(length) for _, length in strokes] == pytest.approx([4.3, 4.3, 8.6, 8.6, 8.6], abs=0.1)


def test_slices_name_every_entry_that_is_not_zero_and_the_weighted_sum():
    W = [[1.0, 2.0, 0.0], [3.0, -1.0, 5.0], [1.0, 1.0, 1.0]]
    J = torch.autograd.functional.jacobian(lambda X: X @ torch.tensor(W), torch.ones(2, 3))
    v = torch.tensor([[1.0, 10.0, 100.0], [0.0, 2.0, -1.0]])
    alt = pictures.slices(J, weights=v).alt
    assert "6 slices of shape [2, 3]" in alt
    assert "y[0, 1]: 2 at [0, 0], −1 at [0, 1], 1 at [0, 2]" in alt
    assert "x.grad = [[21, 493, 111], [4, −7, 1]]" in alt
    wanted = torch.einsum("ij,ijkl->kl", v, J)
    assert wanted.tolist() == [[21, 493, 111], [4, -7, 1]]


def test_slices_of_three_axes_follow_the_weights():
    J = np.arange(24.0).reshape(2, 3, 4)
    assert "2 slices of shape [3, 4]" in pictures.slices(J).alt
    assert "6 slices of shape [4]" in pictures.slices(J, weights=np.ones((2, 3))).alt
    assert "6 slices of shape [4]" in pictures.slices(J, outputs=2).alt


# --- tables --------------------------------------------------------------------------------------

LEAVES = """\
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
y.retain_grad()
z = y.sum()
z.backward()
"""


def test_the_table_of_a_program_says_what_torch_says():
    namespace = {"torch": torch}
    exec(LEAVES, namespace)
    from_torch = pictures.leaf_table({name: namespace[name] for name in "xyz"})
    assert pictures.leaf_table(LEAVES).rows == from_torch.rows
    assert from_torch.rows[1] == ("y", "False", "True", "True", "MulBackward0", "tensor([1., 1.])")


def test_the_table_has_a_caption_and_headings_for_columns_and_rows():
    shown = pictures.leaf_table(LEAVES, caption="Leaves & others")._repr_html_()
    root = ElementTree.fromstring(shown)
    assert root.find("table/caption").text == "Leaves & others"
    assert [each.text for each in root.findall("table/thead/tr/th[@scope='col']")] == list(leaves.COLUMNS)
    assert [each.text for each in root.findall("table/tbody/tr/th[@scope='row']")] == ["x", "y", "z"]


STOPPED = {
    "x = torch.ones(3": "Line 1 is not Python: '(' was never closed.",
    "x = torch.ones(3)\nx.backward()": "Line 2 stopped with RuntimeError: element 0 of tensors",
    "raise SystemExit(3)": "Line 1 stopped with SystemExit: 3.",
    "": "Nothing has run yet.",
}


def test_an_error_in_a_program_is_a_sentence():
    told = {program: pictures.leaf_table(program).caption for program in STOPPED}
    assert [said for program, said in told.items() if not said.startswith(STOPPED[program])] == []


# --- plots ---------------------------------------------------------------------------------------


def test_lines_say_where_they_begin_and_end_and_bars_their_numbers():
    assert pictures.bars(["first", "second"], [0.5, 2], "norm").alt == "Bars, norm. first: 0.5; second: 2."
    picture = pictures.memory([2, 4, 8], [16, 64, 256], [8, 16, 32])
    assert "the full Jacobian goes from 16 at 2 to 256 at 8" in picture.alt
    assert "vector-Jacobian product goes from 8 at 2 to 32 at 8" in picture.alt
    assert "loss goes from 3 at 0 to 1 at 2" in pictures.curve([3.0, 2.0, torch.tensor(1.0)]).alt


def boundary(points):
    return points[:, 0] - points[:, 1]


def all_pictures():
    points = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.5], [0.2, 2.0]]
    yield pictures.graph(layers, backward=True, **NETWORK)
    yield pictures.jacobian(product, [1, 1], v=V)
    yield pictures.jacobian(lambda x: x - x.roll(1), [1.0] * 20)
    yield pictures.slices(np.arange(12.0).reshape(2, 2, 3), weights=[1, 10])
    yield pictures.lines({"a": ([1, 10], [2, 200]), "b": ([1, 10], [3, 4])}, "n", "bytes", logx=True, logy=True)
    yield pictures.bars(["first", "second"], [0.5, 2], "norm", log=True)
    yield pictures.regions(boundary, points, [0, 1, 1, 0], alt="Two classes.")
    yield pictures.images([np.eye(3)] * 6, list("abcdef"), alt="Six images.")
    yield pictures.images([np.eye(3), -np.eye(2)], ["one", "two"], alt="Two images.", signed=True)


def test_every_picture_is_an_svg_with_the_same_bytes_each_time():
    for once, again in zip(all_pictures(), all_pictures(), strict=True):
        assert once == again
        assert ElementTree.fromstring(once.svg).find("{*}title").text == once.alt


COLOURED = re.compile(r"var\(--(\w+)\)|rgba\(var\(--(plus|minus)\),.*\)|none")


def test_every_colour_is_one_of_the_page_and_every_text_has_one_that_can_be_read():
    for picture in all_pictures():
        for drawing in filter(None, [picture.svg, picture.narrow]):
            for each in ElementTree.fromstring(drawing).iter():
                for name in ("fill", "stroke"):
                    value = each.get(name)
                    assert value is None or COLOURED.fullmatch(value), value
                if each.tag.endswith("}text"):
                    assert each.get("fill")[6:-1] in ("ink", "soft", "leaf", "flow", "done")
                    assert float(each.get("font-size")) >= 11


def area(path):
    """The area of polygons in the short form that a picture writes: M and L absolute, H and V as well."""
    total = 0.0
    for ring in path.split("z")[:-1]:
        points, x, y = [], 0.0, 0.0
        for way, numbers in re.findall(r"([MLHV])([-\d.,]+)", ring):
            values = [float(each) for each in numbers.split(",")]
            x, y = (values[0], y) if way == "H" else (x, values[0]) if way == "V" else values
            points.append((x, y))
        sides = itertools.pairwise([*points, points[0]])
        total += 0.5 * abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in sides))
    return total


@pytest.mark.parametrize("side", [1, -1])
def test_the_regions_of_a_circle_are_a_circle_and_the_rest(side):
    xs = np.linspace(-2, 2, 81)
    scores = side * (1 - np.hypot(*np.meshgrid(xs, xs)))
    positive, border = curves.divided(scores, [(50 * x + 100, 50 * y + 100) for y in xs for x in xs])
    circle = np.pi * 50**2
    assert area(positive) == pytest.approx(circle if side > 0 else 200**2 - circle, rel=0.005)
    ends = np.array([[float(each) for each in pair.split(",")] for pair in re.findall(r"[ML]([\d.,]+)", border)])
    assert np.abs(np.hypot(*(ends - 100).T) - 50).max() < 0.2 and len(ends) > 200


TICKS = {
    (0, 10, 0): "0 2 4 6 8 10",
    (0.56, 0.7, 0): "0.575 0.6 0.625 0.65 0.675 0.7",
    (-0.001, 0.001, 0): "−0.001 −0.0005 0 0.0005 0.001",
    (np.log10(40), 6.6, 10): "100 1,000 10,000 10⁵ 10⁶",
    (-7.4, -2, 10): "10⁻⁷ 10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³ 10⁻²",
    (4, 10, 2): "16 32 64 128 256 512 1,024",
}


def test_ticks_are_round_numbers():
    assert {ends: " ".join(text for _, text in plot.ticks(*ends)) for ends in TICKS} == TICKS


def test_a_loss_that_is_not_finite_interrupts_its_line():
    picture = pictures.curve([1.0, float("inf"), 2.0, 3.0, float("nan")])
    (line,) = [each for each in ElementTree.fromstring(picture.svg).iter() if each.get("stroke-linejoin")]
    assert re.sub(r"[\d.,]+", "", line.get("d")) == "MML"
    with pytest.raises(ValueError, match="No number of loss is finite"):
        pictures.curve([float("nan")])
