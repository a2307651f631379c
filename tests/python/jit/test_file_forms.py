# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions whose operators PaddlePaddle's files do not have, or not for these arguments: what files hold instead."""

import json

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn import functional as F

ONE_SHAPE = {"1.where", "1.atan2", "1.allclose", "1.sigmoid_cross_entropy_with_logits"}


def floats(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype("float32")


def whole(*shape):
    return np.random.default_rng(len(shape)).integers(0, 30, shape)


def operations_of(block):
    for op in block["ops"]:
        yield op
        for region in op.get("regions", ()):
            for inner in region["blocks"]:
                yield from operations_of(inner)


class Call(nn.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def check(function, arrays, folder, specs=None):
    """Saves the function and runs it from its file; the operations of the file."""
    layer = Call(function)
    layer.eval()
    prefix = str(folder / "m")
    specs = specs or [paddle.static.InputSpec(a.shape, str(a.dtype), f"x{i}") for i, a in enumerate(arrays)]
    paddle.jit.save(layer, prefix, input_spec=specs)
    wanted = function(*map(paddle.to_tensor, arrays))
    got = paddle.jit.load(prefix)(*map(paddle.to_tensor, arrays))
    np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=2e-5, atol=1e-6)
    assert got.dtype == wanted.dtype
    program = json.loads((folder / "m.json").read_text())
    return list(operations_of(program["program"]["regions"][0]["blocks"][0]))


CALLS = {
    "gcd": (paddle.gcd, [whole(3, 4) - 15, whole(4)]),
    "lcm": (paddle.lcm, [whole(3, 4) - 15, whole(4)]),
    "matrix_exp": (paddle.linalg.matrix_exp, [floats(2, 4, 4) * 6]),
    "pinv": (paddle.linalg.pinv, [floats(5, 3)]),
    "pinv hermitian": (lambda x: paddle.linalg.pinv(x @ x.t(), hermitian=True), [floats(3, 3)]),
    "householder_product": (paddle.linalg.householder_product, [floats(4, 3), floats(3)]),
    "logistic_loss": (F.sigmoid_focal_loss, [floats(3, 4), (floats(3, 4) > 0).astype("float32")]),
    "put_along_axis_reduce": (
        lambda x, i, v: paddle.put_along_axis(x, i, v, -1, "mul"),
        [floats(3, 4), whole(3, 2) % 4, floats(3, 2)],
    ),
    "view_shape": (lambda x: paddle.view(x, [4, 3]), [floats(3, 4)]),
    "view_dtype complex": (lambda x: paddle.view(x, "complex64"), [floats(3, 4)]),
    "view_dtype real": (lambda x: paddle.view(paddle.complex(x, x + 1), "float32"), [floats(3, 4)]),
    "as_strided": (lambda x: paddle.as_strided(x, [2, 3, 2], [4, 1, 3], 8), [floats(5, 4)]),
    "as_strided vector": (lambda x: paddle.as_strided(x, [4], [5]), [floats(4, 4)]),
    "border_pad": (lambda x: F.pad(x, [2, 1], mode="reflect", data_format="NCL"), [floats(2, 3, 5)]),
    "tensor_unfold": (lambda x: paddle.unfold(x, 1, 3, 2), [floats(2, 9, 3)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_operators_that_files_do_not_have_become_others(name, tmp_path):
    names = {op["#"] for op in check(*CALLS[name], tmp_path)}
    assert f"1.{name.split()[0]}" not in names


class Median(nn.Layer):
    """Of a value with a gradient: captured as what it is composed of."""

    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([1], default_initializer=nn.initializer.Constant(1.0))

    def forward(self, x):
        y = x * self.weight
        low, at = paddle.median(y, 1, mode="min")
        return [paddle.median(y), paddle.median(y, 1), paddle.nanmedian(y, 1, keepdim=True), low, at]


NAN = float("nan")


@pytest.mark.filterwarnings("ignore:.*NaN.*:RuntimeWarning")  # of NumPy
@pytest.mark.parametrize(
    "rows, places",
    [
        ([[3.0, 1, 2, 5], [4, 7, 1, 0]], [2, 2]),
        ([[3.0, NAN, 2, 7, 1], [1, 2, 3, 4, 5]], [1, 2]),
        ([[NAN, NAN, NAN], [1, NAN, 2]], [0, 1]),
        ([[5.0]], [0]),
    ],
    ids=["even", "NaN", "NaN alone", "one"],
)
def test_medians_with_gradients_are_sorted_rows(rows, places, tmp_path):
    paddle.jit.save(Median(), str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, None], "float32")])
    assert "median_positions" not in (tmp_path / "m.json").read_text()
    x = np.array(rows, "float32")
    everything, each, of_numbers, low, at = (
        t.numpy() for t in paddle.jit.load(str(tmp_path / "m"))(paddle.to_tensor(x))
    )
    np.testing.assert_array_equal(everything, np.median(x))
    np.testing.assert_array_equal(each, np.median(x, 1))
    np.testing.assert_array_equal(of_numbers, np.nanmedian(x, 1, keepdims=True))
    np.testing.assert_array_equal(at, places)
    np.testing.assert_array_equal(low, x[np.arange(len(x)), places])


@pytest.mark.parametrize(
    "function, shapes",
    [(lambda x: paddle.unfold(x, 0, 3, 2), [(9, 2)]), (paddle.linalg.matrix_exp, [(4, 4)])],
    ids=["unfold", "matrix_exp"],
)
def test_open_extents_are_those_of_the_running_program(function, shapes, tmp_path):
    spec = [paddle.static.InputSpec([None, None], "float32", "x")]
    names = {op["#"] for op in check(function, [floats(*shape) for shape in shapes], tmp_path, spec)}
    assert not names & {"1.tensor_unfold", "1.matrix_exp"}


def test_attributes_that_have_one_meaning_here(tmp_path):
    def attribute(function, arrays, operator, name):
        operations = check(function, arrays, tmp_path)
        (found,) = [op for op in operations if op["#"] == operator]
        return next(a["AT"]["D"] for a in found["A"] if a["N"] == name)

    assert attribute(F.mish, [floats(3, 4)], "1.mish", "lambda") == 20
    shape = attribute(paddle.expand_as, [floats(1, 4), floats(3, 4)], "1.expand_as", "target_shape")
    assert [d["D"] for d in shape] == [3, 4]


def test_pads_may_be_a_tensor(tmp_path):
    operations = check(
        lambda x, pads: F.pad(x, pads, data_format="NCHW"),
        [floats(2, 3, 4, 5), np.array([1, 0, 2, 1], "int32")],
        tmp_path,
    )
    rank = len(next(op for op in operations if op["#"] == "1.pad3d")["O"][0]["TT"]["D"][1])
    assert rank == 5


@pytest.mark.parametrize(
    "size", [lambda y: paddle.shape(y)[2:], lambda y: [paddle.shape(y)[2].astype("int64"), 7]], ids=["tensor", "list"]
)
def test_sizes_of_interpolations_are_int32(size, tmp_path):
    specs = [paddle.static.InputSpec([None, 3, None, None], "float32", name) for name in "xy"]
    operations = check(
        lambda x, y: F.interpolate(x, size(y), mode="bilinear"),
        [floats(2, 3, 4, 5), floats(2, 3, 6, 7)],
        tmp_path,
        specs,
    )
    types = {o["%"]: o["TT"]["D"] for op in operations if isinstance(op["O"], list) for o in op["O"]}
    (interpolation,) = [op for op in operations if op["#"] == "1.bilinear_interp"]
    for operand in (types[i["%"]] for i in interpolation["I"][1:] if i["%"]):
        parts = [operand] if isinstance(operand[0], dict) and "D" not in operand[0] else [t["D"] for t in operand]
        assert {part[0]["#"] for part in parts} == {"0.t_i32"}


def test_a_loop_serves_every_batch(tmp_path):
    spec = [paddle.static.InputSpec([None, 4], "int64", name) for name in "xy"]
    assert "1.while" in {op["#"] for op in check(paddle.gcd, [whole(3, 4), whole(3, 4) + 1], tmp_path, spec)}


BROADCAST = {
    "where with a number": (lambda x: paddle.where(x > 0, x, 0.0), [floats(3, 4)]),
    "where with a row": (lambda x, y: paddle.where(x > 0, x, y), [floats(3, 4), floats(4)]),
    "atan2": (paddle.atan2, [floats(3, 4), floats(4)]),
    "allclose": (paddle.allclose, [floats(3, 4), floats(4)]),
    "pos_weight": (
        lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w),
        [floats(3, 4), (floats(3, 4) > 0).astype("float32"), abs(floats(4))],
    ),
}


@pytest.mark.parametrize("name", BROADCAST)
def test_operands_have_one_shape_in_files(name, tmp_path):
    operations = check(*BROADCAST[name], tmp_path)
    shapes = {o["%"]: o["TT"]["D"][1] for op in operations if isinstance(op["O"], list) for o in op["O"]}
    for op in operations:
        if op["#"] in ONE_SHAPE:
            assert len({tuple(shapes[i["%"]]) for i in op["I"] if shapes.get(i["%"]) != [1]}) == 1


def attributes(operations, name):
    (op,) = [op for op in operations if op["#"] == name]
    return {a["N"]: a["AT"].get("D") for a in op["A"]}


def test_attributes_are_written_out(tmp_path):
    unstacked = check(lambda x: paddle.unstack(x, 1)[2], [floats(3, 4)], tmp_path)
    assert attributes(unstacked, "1.unstack")["num"] == 4
    spread = check(lambda x: paddle.std(x, 1, unbiased=False), [floats(3, 4)], tmp_path)
    assert attributes(spread, "1.std")["correction"] == 0.0
    volume = check(
        lambda x: F.interpolate(x, [3, 5, 6], mode="nearest", data_format="NCDHW"), [floats(1, 2, 3, 4, 4)], tmp_path
    )
    assert attributes(volume, "1.nearest_interp")["data_format"] == "NCHW"
    taken = check(lambda x, i: paddle.take_along_axis(x, i, -1), [floats(3, 4), whole(3, 2) % 4], tmp_path)
    assert attributes(taken, "1.take_along_axis")["axis"] == 1


def test_tolerances_are_double(tmp_path):
    operations = check(paddle.isclose, [floats(4), floats(4)], tmp_path)
    assert [a["AT"]["D"] for op in operations if op["#"] == "1.full" for a in op["A"] if a["N"] == "dtype"] == [
        "float64",
        "float64",
    ]


def test_no_constant_is_nan(tmp_path):
    operations = check(lambda x: paddle.where(x > 0, x, float("nan")), [floats(3, 4)], tmp_path)
    values = [a["AT"] for op in operations if op["#"] == "1.full" for a in op["A"] if a["N"] == "value"]
    assert all(value.get("VD") != "NaN" for value in values)


def test_losses_of_sequences_have_four_axes(tmp_path):
    log_p, label = floats(2, 3, 5), whole(2, 5) % 3
    operations = check(lambda x, y: F.nll_loss(x, y, reduction="none"), [log_p, label], tmp_path)
    assert "1.nll_loss" in {op["#"] for op in operations}


def test_a_result_that_the_record_lacks(tmp_path):
    operations = check(lambda x: paddle.linalg.eigvalsh(x + x.t()), [floats(3, 3)], tmp_path)
    (op,) = [op for op in operations if op["#"] == "1.eigvalsh"]
    assert len(op["O"]) == 2


def test_places_that_are_numbers_have_an_axis_in_files(tmp_path):
    def written(x, k):
        y = x * 1
        y[k] = 2.0
        y[:, k + 1] = x[:, 0]
        return y

    operations = check(written, [floats(3, 4), np.array(1)], tmp_path)
    shapes = {o["%"]: o["TT"] for op in operations if isinstance(op["O"], list) for o in op["O"]}
    puts = [op for op in operations if op["#"] == "1.index_put"]
    for op in puts:
        assert any(part["D"][1] for part in shapes[op["I"][1]["%"]]["D"])
    assert puts


def test_an_integer_tensor_beside_an_index_array_selects_first(tmp_path):
    x, k = np.arange(60.0, dtype="float32").reshape(4, 5, 3), np.array([1, 2])
    function = lambda x, k: x[k[0], :, k]
    check(function, [x, k], tmp_path)
    assert function(paddle.to_tensor(x), paddle.to_tensor(k)).shape == [5, 2]


def test_lists_to_broadcast_are_of_one_dtype(tmp_path):
    specs = [paddle.static.InputSpec([None, 4], "float32", "x"), paddle.static.InputSpec([None, 2], "int64", "i")]
    function = lambda x, i: paddle.take_along_axis(x, i, 1)
    operations = check(function, [floats(3, 4), whole(3, 2) % 4], tmp_path, specs)
    dtypes = {r["%"]: r["TT"]["D"][0] for op in operations if op["#"] != "p" for r in op["O"]}
    lists = [op for op in operations if op["#"] == "0.combine"]
    assert all(len({dtypes[i["%"]]["#"] for i in op["I"]}) == 1 for op in lists)


def rounds(x):
    turns = paddle.zeros([1], "int64")
    while turns < 3:
        squared = x * x
        shifted = squared + 1
        x = shifted / 2
        turns = turns + 1
    return x


def test_loops_carry_what_is_read_alone(tmp_path):
    operations = check(rounds, [floats(3)], tmp_path)
    (loop,) = [op for op in operations if op["#"] == "1.while"]
    assert len(loop["I"]) == 3 and len(loop["O"]) == 2  # the condition, x and turns


class TwiceRecurrent(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(4, 3)

    def forward(self, x):
        return self.layer(x)[0] + self.layer(x * 2)[0]


def test_lists_of_weights_hold_parameters_alone_or_copies(tmp_path):
    """PaddlePaddle frees a list whose first value is temporary, and with it what else it holds."""
    paddle.jit.save(TwiceRecurrent(), str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([2, 5, 4], "float32")])
    program = json.loads((tmp_path / "m.json").read_text())
    operations = list(operations_of(program["program"]["regions"][0]["blocks"][0]))
    parameters = {op["O"]["%"] for op in operations if op["#"] == "p"}
    lists = [{i["%"] for i in op["I"]} for op in operations if op["#"] == "0.combine"]
    assert any(held <= parameters for held in lists)
    assert all(held <= parameters or not held & parameters for held in lists)
