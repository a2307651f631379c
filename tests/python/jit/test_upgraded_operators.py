# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operations of files that a record reads by a rule (OpDef::upgrade): files of one of them, against what it stands for."""

import numpy as np
import pytest
from paddle import _core

from tests.python.jit.one_operator import Constant, run

RECORDS = {name: _core.describe_op(name)["saved_form"] for name in dir(_core.ops) if not name.startswith("_")}
READ = {(op, version) for form in RECORDS.values() if form for op, version, _ in form["reads"]}

X = np.random.default_rng(0).standard_normal((4, 3)).astype("float32")
AT = np.array([[0, 2, 1]], "int64")
ROW = np.array([[5.0, 6.0, 7.0]], "float32")
BOUNDS = [Constant([1]), Constant([3]), Constant([1])]
TENSOR_BOUNDS = [np.array([n], "int64") for n in (1, 3, 1)]
PART = {"axes": [0], "decrease_axes": [], "none_axes": []}
NUMBERS = {**PART, "shape": [1], "values": [2.5]}
STATISTICS = [np.array(row, "float32") for row in ([1, 2, 3], [4, 5, 6], [1, 1, 2], [0, 1, 0])]
NORM = {"is_test": True, "momentum": 0.9, "epsilon": 1e-5, "data_format": "NCHW"}
NORM |= {"use_global_stats": False, "trainable_statistics": False}
CHANNELS = X[:, :, None]


def with_rows(value):
    x = X.copy()
    x[1:3] = value
    return x


def with_product():
    x = X.copy()
    x[AT[0], np.arange(3)] *= ROW[0]
    return x


def normalised():
    mean, variance, scale, bias = STATISTICS
    return ((X - mean) / np.sqrt(variance + 1e-5) * scale + bias)[:, :, None]


def with_diagonal():
    x = X[:3].copy()
    np.fill_diagonal(x, ROW[0])
    return x


# (operation, the last version of files that have it): operands, attributes, value.
FORMS = {
    ("set_value", 4): ([X, *BOUNDS], NUMBERS, lambda: with_rows(2.5)),
    ("set_value_with_tensor", 4): ([X, ROW, *BOUNDS], PART, lambda: with_rows(ROW)),
    ("put_along_axis", 4): (
        [X, AT, ROW],
        {"axis": 0, "reduce": "mul", "include_self": True},
        with_product,
    ),
    ("shape", 4): ([X], {}, lambda: np.array([4, 3], "int32")),
    ("legacy_reshape", 4): ([X, Constant([3, 4])], {}, lambda: X.reshape(3, 4)),
    ("reverse", 4): ([X, Constant([1])], {}, lambda: X[:, ::-1]),
    ("sync_batch_norm", 4): ([CHANNELS, *STATISTICS], NORM, normalised),
    ("fill_diagonal_tensor", 4): ([X[:3], ROW], {"offset": 0, "dim1": 0, "dim2": 1}, with_diagonal),
    ("repeat_interleave", 2): ([X], {"repeats": 2, "axis": 0}, lambda: X.repeat(2, 0)),
    ("repeat_interleave_with_tensor_index", 2): (
        [X, np.array([0, 2, 1, 1], "int64")],
        {"axis": 0},
        lambda: X.repeat([0, 2, 1, 1], 0),
    ),
}


def test_every_operation_that_a_record_reads_is_here():
    assert set(FORMS) == READ


def check(got, wanted):
    assert got.dtype == wanted.dtype
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form[0])
def test_what_the_operation_stands_for(form, tmp_path):
    operands, attributes, wanted = FORMS[form]
    value = wanted()
    out = (str(value.dtype), value.ndim)
    check(run(tmp_path, form[0], operands, out, form[1], **attributes), value)


@pytest.mark.parametrize("form", [f for f in FORMS if f[0] != "shape"], ids=lambda form: form[0])
def test_the_name_of_what_writes_in_place(form, tmp_path):
    operands, attributes, wanted = FORMS[form]
    value = wanted()
    out = (str(value.dtype), value.ndim)
    check(run(tmp_path, form[0] + "_", operands, out, form[1], **attributes), value)


def test_bounds_that_only_the_run_knows(tmp_path):
    operands = [X, ROW, *TENSOR_BOUNDS]
    check(run(tmp_path, "set_value_with_tensor", operands, ("float32", 2), **PART), with_rows(ROW))


def test_axes_that_no_constant_names_are_refused(tmp_path):
    with pytest.raises(NotImplementedError, match="pd_op.reverse: its axes are no constant"):
        run(tmp_path, "reverse", [X, np.array([1], "int64")], ("float32", 2))


def test_what_records_say_of_their_form():
    assert RECORDS["rms_norm"] is None  # files hold what it is composed of
    assert RECORDS["exponential"]["name"] == "exponential_"
    assert RECORDS["repeat_interleave"]["since_version"] == 3
    assert RECORDS["add"] == {"name": "add", "since_version": 1, "rule": False, "reads": []}
