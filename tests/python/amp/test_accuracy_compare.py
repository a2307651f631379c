# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Spreadsheets of two logs of numbers; the columns and texts are noted from PaddlePaddle 3.3.1."""

import re
import zipfile
from xml.etree import ElementTree

import paddle
import pytest
from paddle.amp import debugging

NAN, INF = float("nan"), float("inf")


def line(op, dtype, values, zeros=0, bad="", tensor=""):
    mark = "[ERROR] " if bad else ""
    numbers = ", ".join(f"{name}={v:e}" for name, v in zip(("max", "min", "mean"), values, strict=True))
    what = f"[device=cpu, op={op}, tensor={tensor}, dtype={dtype}]"
    return f"[PRECISION] {mark}in {what}, numel=4, {bad}num_zero={zeros}, {numbers}\n"


def rows_of(path, sheet=1):
    """The cells of a sheet: {row: {column: text}}."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(path) as archive:
        tree = ElementTree.fromstring(archive.read(f"xl/worksheets/sheet{sheet}.xml"))
        names = re.findall('sheet name="([^"]*)"', archive.read("xl/workbook.xml").decode())
    rows = []
    for row in tree.iter(f"{space}row"):
        rows.append({re.sub(r"\d", "", cell.get("r")): "".join(cell.itertext()) for cell in row})
    return names, rows


@pytest.fixture
def folders(tmp_path):
    wide = (
        line("relu", "fp32", (2, 0, 1), 2) + line("matmul", "fp32", (2, 1, 1.5)) + line("matmul", "fp32", (3, 1, 1.5))
    )
    wide += (
        line("log", "fp32", (3, 1, 2))
        + line("named", "fp32", (4, 1, 2), tensor="w0")
        + line("first", "fp32", (1, 1, 1))
    )
    narrow = line("relu", "fp16", (2, 0, 1), 2) + line("matmul", "fp16", (8, 4, 6)) + line("matmul", "fp16", (12, 4, 6))
    narrow += line("log", "fp16", (INF, 1, INF), bad="num_nan=1, num_inf=2, ")
    narrow += line("named", "fp16", (0, 0, 0), 4, tensor="w0") + "noise\n" + line("second", "fp32", (0, 0, 0), 4)
    for name, text in (("wide", wide), ("narrow", narrow)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "worker_cpu").write_text(text)
    return tmp_path


def test_a_row_for_each_result(folders):
    path = folders / "out.xlsx"
    debugging.compare_accuracy(str(folders / "wide"), str(folders / "narrow"), str(path), loss_scale=4)
    names, rows = rows_of(path)
    assert names == ["worker_cpu"] and rows[0] == {"E": "fp32", "J": "fp16 (scale=4)", "Q": "fp16 / fp32"}
    values = ["max_value", "min_value", "mean_value"]
    columns = ["dtype", *values, "num_zero"]
    assert list(rows[1].values()) == [
        *("op_type", "tensor_name", "numel", "infinite"), *columns, *columns, "num_inf", "num_nan", *values
    ]  # fmt: skip
    zeros, whole = "         0", ["1.000000"] * 3
    assert list(rows[2].values()) == [
        *("relu", "#0", "4", "0"),
        *("fp32", "2.000000", "0.000000E+00", "1.000000", "         2"),
        *("fp16", "2.000000", "0.000000E+00", "1.000000", "         2"),
        *("--", "--", *whole),
    ]
    assert [row["B"] for row in rows[3:5]] == ["#0", "#1"] and rows[4]["Q"] == "4.000000"
    assert list(rows[5].values())[9:] == ["fp16", "inf", "1.000000", "inf", zeros, "2", "1", "inf", "1.000000", "inf"]
    assert rows[5]["D"] == "1" and (rows[6]["B"], rows[6]["Q"]) == ("w0#0", "0.000000")
    assert rows[7]["A"] == "second" and "B" not in rows[7] and rows[7]["E"] == "--" and rows[7]["J"] == "fp32"
    assert rows[8]["A"] == "first" and rows[8]["J"] == "--"


def test_what_the_checker_wrote_is_compared(tmp_path):
    for name, dtype in (("a", "float32"), ("b", "float16")):
        debugging.TensorCheckerConfig.current_step_id = 0
        x = paddle.ones([4]).astype(dtype)
        mode = debugging.DebugMode.CHECK_ALL
        debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True, mode, output_dir=str(tmp_path / name)))
        paddle.exp(x)
        paddle.sqrt(x)
        debugging.disable_tensor_checker()
    debugging.compare_accuracy(str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "c.xlsx"))
    _, rows = rows_of(tmp_path / "c.xlsx")
    assert [(row["A"], row["E"], row["J"]) for row in rows[2:]] == [("exp", "fp32", "fp16"), ("sqrt", "fp32", "fp16")]


def test_refusals(folders):
    with pytest.raises(AssertionError, match="dump_all_tensors"):
        debugging.compare_accuracy("a", "b", "c", dump_all_tensors=True)
    with pytest.raises(FileNotFoundError):
        debugging.compare_accuracy(str(folders / "nothing"), str(folders / "narrow"), "c")
    (folders / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="worker_"):
        debugging.compare_accuracy(str(folders / "empty"), str(folders / "narrow"), "c")
