# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs as pictures: what is in a box, regions, times, pages per pass."""

import pathlib
import xml.etree.ElementTree as ElementTree

import paddle
import pytest
from paddle._core import pir

COMPAT = pathlib.Path(__file__).resolve().parents[1] / "compat"
SVG = "{http://www.w3.org/2000/svg}"
TEXT = """
(%0) = "pd_op.data" () {name: "x"} : () -> (tensor<4xfloat32>)
(%1) = "pd_op.exp" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%2) = "pd_op.exp" (%0) {} : (tensor<4xfloat32>) -> (tensor<4xfloat32>)
(%3) = "pd_op.add" (%1, %2) {} : (tensor<4xfloat32>, tensor<4xfloat32>) -> (tensor<4xfloat32>)
() = "builtin.results" (%3) {} : (tensor<4xfloat32>) -> ()
"""


def boxes(path):
    """The first line of each box."""
    root = ElementTree.parse(path).getroot()
    return [t.text for t in root.iter(f"{SVG}text") if t.get("font-weight") == "bold"]


def test_a_box_an_operation_and_a_line_a_value(tmp_path):
    program = pir.Program.parse(TEXT)
    program.visualize(str(tmp_path / "p.svg"))
    assert boxes(tmp_path / "p.svg") == ["data x", "exp", "exp", "add", "results"]
    root = ElementTree.parse(tmp_path / "p.svg").getroot()
    assert len(list(root.iter(f"{SVG}path"))) == 5


def test_boxes_do_not_overlap(tmp_path):
    saved = pir.SavedProgram.load(
        *[str(COMPAT / "programs" / "transformer_block" / f"model.{e}") for e in ("json", "pdiparams")]
    )
    saved.visualize(str(tmp_path / "p.svg"))
    places = []
    for group in ElementTree.parse(tmp_path / "p.svg").getroot().findall(f"{SVG}g"):
        x, y = (float(v) for v in group.get("transform")[len("translate(") : -1].split())
        rectangle = group.find(f"{SVG}rect")
        places.append((x, y, x + float(rectangle.get("width")), y + float(rectangle.get("height"))))
    assert len(places) > 10
    for i, a in enumerate(places):
        for b in places[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_regions_are_drawn_inside_and_fold_in_pages(tmp_path):
    saved = pir.SavedProgram.load(str(COMPAT / "programs_v2" / "cond.pdmodel"), "")
    saved.visualize(str(tmp_path / "p.svg"))
    inner = [g for g in ElementTree.parse(tmp_path / "p.svg").getroot().iter(f"{SVG}g") if g.findall(f"{SVG}g/{SVG}g")]
    assert inner and "yield" in boxes(tmp_path / "p.svg")
    saved.visualize(str(tmp_path / "p.html"))
    page = (tmp_path / "p.html").read_text()
    assert page.count("<details") == 7 and "region 1" in page


def test_times_name_every_operation_that_ran(tmp_path):
    saved = pir.SavedProgram.load(
        *[str(COMPAT / "programs" / "mlp" / f"model.{e}") for e in ("json", "pdiparams")], optimize=False
    )
    times = pir.Times()
    given = [paddle.ones([2 if d < 0 else d for d in shape]) for *_, shape in summary("mlp")["inputs"]]
    with times:
        saved.run(given)
        saved.run(given)
    rows = times.rows()
    assert {calls for _, calls, _, _ in rows} == {2}
    assert "pd_op.relu" in {name for name, *_ in rows} and all(size > 0 for *_, size in rows)
    saved.run(given)
    assert times.rows() == rows
    saved.visualize(str(tmp_path / "p.html"), times)
    page = (tmp_path / "p.html").read_text()
    assert "operators by time" in page and page.count(" ms, ") == len(rows)


def summary(name):
    return pir.model_summary(str(COMPAT / "programs" / name / "model.json"))


def test_names_are_escaped(tmp_path):
    pir.Program.parse(TEXT.replace('"x"', '"<b>&x"')).visualize(str(tmp_path / "p.svg"))
    assert boxes(tmp_path / "p.svg")[0] == "data <b>&x"


def test_a_flag_writes_a_page_per_pass_that_changes_something(tmp_path):
    before = paddle.get_flags("FLAGS_pir_pass_pages")
    paddle.set_flags({"FLAGS_pir_pass_pages": str(tmp_path)})
    try:
        pir.Program.parse(TEXT).apply(["dce", "cse"])
    finally:
        paddle.set_flags(before)
    (page,) = tmp_path.glob("*.html")
    assert page.name.endswith("_cse.html")
    assert "before cse" in page.read_text() and page.read_text().count("<svg") == 2


def test_wrong_paths_raise(tmp_path):
    program = pir.Program.parse(TEXT)
    with pytest.raises(ValueError, match="must end in"):
        program.visualize("p.png")
    with pytest.raises(OSError, match="cannot be written"):
        program.visualize(str(tmp_path / "none" / "p.svg"))


def test_static_programs_and_loaded_layers_draw_themselves(tmp_path):
    program = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(program):
            paddle.tanh(paddle.static.data("x", [None, 3], "float32"))
    finally:
        paddle.disable_static()
    program.visualize(tmp_path / "s.svg")
    assert boxes(tmp_path / "s.svg") == ["data x", "tanh"]
    layer = paddle.jit.load(str(COMPAT / "programs_v2" / "elementwise"))
    layer.visualize(tmp_path / "l.html")
    assert "<svg" in (tmp_path / "l.html").read_text()
