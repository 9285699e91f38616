"""Pictures say in words what they show, show what torch computes, and have the same bytes each time."""

import base64
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
import torch

from minigrad import scalar
from minigrad.course import pictures
from minigrad.scalar import Function

VALUES = {"a": 2, "b": 4, "c": 6, "d": 8, "e": 10}


def formula(a, b, c, d, e):
    return a * b + c * d**2 / e


def test_the_way_forward_names_every_leaf_and_every_operation_with_its_value():
    alt = pictures.graph(formula, **VALUES).alt
    for said in (
        "a = 2",
        "e = 10",
        "× of a and b gives 8",
        "**2 of d gives 64",
        "÷ of × and e gives 38.4",
        "gives 46.4",
    ):
        assert said in alt
    assert "gradient" not in alt


def test_the_gradients_on_the_way_back_are_those_of_torch():
    leaves = {name: torch.tensor(float(value), requires_grad=True) for name, value in VALUES.items()}
    formula(**leaves).backward()
    alt = pictures.graph(formula, backward=True, **VALUES).alt
    found = dict(re.findall(r"([a-e]) = \d+ with gradient (−?\d+(?:\.\d+)?)", alt))
    assert {name: float(text.replace("−", "-")) for name, text in found.items()} == pytest.approx(
        {name: leaf.grad.item() for name, leaf in leaves.items()}
    )


def test_a_node_with_two_users_shows_the_sum_of_their_shares():
    alt = pictures.graph(lambda x: (x * 3 + 1) * (x * 3), backward=True, x=2).alt
    assert "x = 2 with gradient 39" in alt


def test_a_leaf_that_is_not_used_is_left_out():
    alt = pictures.graph(lambda x, y: x * x, backward=True, x=3, y=5).alt
    assert "x = 3 with gradient 6" in alt
    assert "y = " not in alt


@pytest.mark.parametrize("backward", [False, True])
def test_the_picture_is_an_svg_with_alternative_text(backward):
    picture = pictures.graph(formula, backward=backward, **VALUES)
    shown = picture._repr_html_()
    alt, data = re.fullmatch(r'<img alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)">', shown).groups()
    assert alt == picture.alt == repr(picture)
    root = ElementTree.fromstring(base64.b64decode(data))
    assert root.tag.endswith("svg")
    assert b"<dc:date>" not in picture.svg and b"matplotlib" not in picture.svg.lower().split(b"<defs>")[0][-300:]


def test_the_words_are_escaped():
    shown = pictures.Picture(b"", 'x < 1 & "y"')._repr_html_()
    assert 'alt="x &lt; 1 &amp; &quot;y&quot;"' in shown


def test_the_bytes_are_the_same_in_another_process():
    program = (
        "import hashlib; from minigrad.course.pictures import graph;"
        "p = graph(lambda x, y: (x * y + y) * (x * y), backward=True, x=2, y=3);"
        "print(hashlib.sha256(p.svg + p.alt.encode()).hexdigest())"
    )
    done = [
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert done[0] == done[1] and len(done[0]) > 60


def test_drawing_leaves_the_engine_as_it_was():
    before = Function.__dict__["apply"]
    pictures.graph(formula, **VALUES)
    assert Function.__dict__["apply"] is before
    with pytest.raises(ZeroDivisionError):
        pictures.graph(lambda x: x * (1 / 0), x=1)
    assert Function.__dict__["apply"] is before


def test_boxes_do_not_overlap():
    """Every box is 0.86 inches wide and rows are an inch apart, so two of them never share a place."""
    with pictures.traced() as made:
        x = pictures.tensor(2.0, requires_grad=True)
        h = x * 3
        root = ((h + 1) * (h + x) * (h - 1)).grad_fn
    assert len(made) == 6
    spots = {node: pictures.Spot("", 0.0, leaf=False) for node in [*made, x]}
    drawing = pictures.nx.MultiDiGraph()
    drawing.add_nodes_from(scalar.topological_order(root))
    drawing.add_edges_from((user, target, {"share": share}) for user, target, share in pictures.shares(root, spots))
    places = list(pictures.grid(pictures.layers(drawing, root)).values())
    for index, (x0, y0) in enumerate(places):
        for x1, y1 in places[index + 1 :]:
            assert abs(x0 - x1) >= 0.9 or abs(y0 - y1) >= 0.9
