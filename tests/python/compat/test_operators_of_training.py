# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Older operators by name: simulated quantisation, updates of parameters, and layers in one operator."""

import numpy as np
import paddle
import pytest
from paddle._legacy.operators.slots.call import call as call_by_slots

R = np.random.RandomState(0)
X, Y = (R.standard_normal((3, 4)).astype("float32") for _ in "xy")
IMAGE = R.standard_normal((2, 4, 3, 3)).astype("float32")
NUMBER = lambda v, dtype="float32": np.array([v], dtype)


def call(name, inputs, *outputs, **attrs):
    given = {s: [paddle.to_tensor(a) for a in (v if isinstance(v, list) else [v])] for s, v in inputs.items()}
    found = call_by_slots(name, given, dict.fromkeys(outputs, 1), attrs)
    return [found[slot][0].numpy() for slot in outputs]


def away(v):
    return np.sign(v) * np.floor(np.abs(v) + 0.5)


def test_simulated_quantisation():
    size = np.abs(X).max()
    out, scale = call("fake_quantize_abs_max", {"X": X}, "Out", "OutScale", bit_length=8, round_type=1)
    assert np.allclose(out, away(X / size * 127)) and np.allclose(scale, [size])
    out, _ = call("fake_quantize_dequantize_abs_max", {"X": X}, "Out", "OutScale", bit_length=4, round_type=0)
    assert np.allclose(out, np.round(X / size * 7) * size / 7, atol=1e-6)
    sizes = np.abs(IMAGE).max((0, 2, 3))
    name = "fake_channel_wise_quantize_abs_max"
    out, scale = call(name, {"X": IMAGE}, "Out", "OutScale", bit_length=8, quant_axis=1, round_type=1)
    assert np.allclose(scale, sizes) and np.allclose(out, away(IMAGE / sizes.reshape(1, 4, 1, 1) * 127))
    back = call(
        "fake_channel_wise_dequantize_max_abs", {"X": out, "Scales": sizes}, "Out", quant_bits=[8], quant_axis=1
    )
    assert np.allclose(back[0], IMAGE, atol=sizes.max() / 127)
    moved = {"X": X, "InAccum": NUMBER(2.0), "InState": NUMBER(1.0)}
    slots = ("OutScale", "OutAccum", "OutState")
    scale, total, weight = call("moving_average_abs_max_scale", moved, *slots, moving_rate=0.5)
    assert np.allclose([total[0], weight[0], scale[0]], [1 + size, 1.5, (1 + size) / 1.5])


def test_simulated_quantisation_passes_gradients_on():
    x = paddle.to_tensor(X, stop_gradient=False)
    out = call_by_slots("fake_quantize_dequantize_abs_max", {"X": x}, {"Out": 1}, {"bit_length": 8})["Out"][0]
    (out * paddle.to_tensor(Y)).sum().backward()
    assert np.array_equal(x.grad.numpy(), Y)


def test_quantised_numbers_of_a_scale():
    grid = {"qmin": -128, "qmax": 127, "quant_axis": -1, "is_test": True}
    given = {"X": X, "Scale": NUMBER(0.5), "ZeroPoint": NUMBER(0.0)}
    out = call("quantize_linear", given, "Y", round_type=0, **grid)[0]
    assert np.allclose(out, np.clip(np.round(X / 0.5 * 127), -128, 127))
    assert np.allclose(call("dequantize_linear", {**given, "X": out}, "Y", **grid)[0], out * 0.5 / 127)
    table = np.arange(128, dtype="float32")
    assert call("dequantize_log", {"X": np.array([3, -5], "int8"), "Dict": table}, "Out")[0].tolist() == [3, -123]


@pytest.mark.parametrize(("name", "one"), [("merged_adam", "adam"), ("merged_momentum", "momentum")])
def test_merged_updates_are_those_of_one_parameter(name, one):
    state = {"Moment1": X * 0, "Moment2": X * 0, "Beta1Pow": NUMBER(0.9), "Beta2Pow": NUMBER(0.999)}
    given = {"Param": X, "Grad": Y, "LearningRate": NUMBER(0.1), **(state if "adam" in name else {"Velocity": Y})}
    attrs = {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8} if "adam" in name else {"mu": 0.9, "use_nesterov": True}
    merged = call_by_slots(
        name, {s: [paddle.to_tensor(v) for _ in "ab"] for s, v in given.items()}, {"ParamOut": 2}, attrs
    )
    expected = call(one, given, "ParamOut", **attrs)[0]
    assert all(np.allclose(p.numpy(), expected) for p in merged["ParamOut"])


def test_updates():
    rate = NUMBER(0.1)
    given = {"Param": X, "Grad": Y, "Velocity": X, "LearningRate": rate}
    out = call("lars_momentum", given, "ParamOut", mu=0.9, lars_coeff=0.01, lars_weight_decay=[0.1])[0]
    length, slope = np.linalg.norm(X), np.linalg.norm(Y)
    local = 0.1 * 0.01 * length / (slope + 0.1 * length)
    assert np.allclose(out, X - (0.9 * X + local * (Y + 0.1 * X)), atol=1e-6)
    given = {"Param": X, "Grad": Y, "LearningRate": rate, "Moment": X * X}
    out, moment = call("decayed_adagrad", given, "ParamOut", "MomentOut", decay=0.8, epsilon=1e-6)
    assert np.allclose(moment, 0.8 * X * X + 0.2 * Y * Y) and np.allclose(
        out, X - 0.1 * Y / (np.sqrt(moment) + 1e-6), atol=1e-6
    )
    sums = {f"in_sum_{i}": X * 0 for i in (1, 2, 3)}
    counts = {
        f"in_{n}": NUMBER(v, "int64")
        for n, v in (("num_accumulates", 9), ("old_num_accumulates", 0), ("num_updates", 9))
    }
    slots = ("out_sum_1", "out_sum_3", "out_num_accumulates", "out_old_num_accumulates")
    window = {"average_window": 0.5, "max_average_window": 20, "min_average_window": 10}
    one, three, count, old = call("average_accumulates", {"param": X, **sums, **counts}, *slots, **window)
    assert not one.any() and np.array_equal(three, X) and (count[0], old[0]) == (0, 10)


def test_the_scale_of_the_loss_moves():
    steps = {"incr_every_n_steps": 2, "decr_every_n_nan_or_inf": 1, "incr_ratio": 2.0, "decr_ratio": 0.5}
    for bad, expected in ((False, [16.0, 0, 0]), (True, [4.0, 0, 0])):
        given = {"X": X, "FoundInfinite": np.array([bad]), "PrevLossScaling": NUMBER(8.0)}
        given.update(InGoodSteps=NUMBER(1, "int32"), InBadSteps=NUMBER(0, "int32"))
        out, *found = call("update_loss_scaling", given, "Out", "LossScaling", "OutGoodSteps", "OutBadSteps", **steps)
        assert [float(v[0]) for v in found] == expected and np.array_equal(out, X * (not bad))
    out, bad = call("check_finite_and_unscale", {"X": X, "Scale": NUMBER(4.0)}, "Out", "FoundInfinite")
    assert np.allclose(out, X / 4) and not bad[0]


def test_operators_that_do_the_work_of_several():
    relu = lambda v: np.maximum(v, 0)
    compound = {"X": X, "Y": Y}
    for functors, expected in (
        (["elementwise_add", "relu"], X + relu(Y)),
        (["relu", "elementwise_add"], relu(X + Y)),
        (["elementwise_mul", "scale"], X * Y * 0.5),
    ):
        out = call("fused_elemwise_activation", compound, "Out", functor_list=functors, scale=0.5, axis=-1)[0]
        assert np.allclose(out, expected)
    assert np.allclose(call("fused_elementwise_sub", compound, "Out")[0], X - Y)
    weight = Y.T
    product = (X @ weight) ** 2 - X**2 @ weight**2
    assert np.allclose(
        call("fusion_squared_mat_sub", {"X": X, "Y": weight}, "Out", scalar=0.5)[0], product / 2, atol=1e-5
    )
    assert np.allclose(call("partial_sum", {"X": [X, Y]}, "Out", start_index=1, length=2)[0], (X + Y)[:, 1:3])
    assert np.allclose(
        call("partial_concat", {"X": [X, Y]}, "Out", start_index=-1)[0], np.stack([X[:, -1], Y[:, -1]], 1)
    )
    counts = np.abs(X)
    shows = np.log(counts[:, :1] + 1)
    expected = np.concatenate([shows, np.log(counts[:, 1:2] + 1) - shows, counts[:, 2:]], 1)
    assert np.allclose(call("cvm", {"X": counts, "CVM": counts[:, :2]}, "Y")[0], expected)
    assert np.allclose(call("l1_norm", {"X": X}, "Out")[0], np.abs(X).sum())


def test_layers_in_one_operator():
    around = [np.square(IMAGE)[:, max(0, i - 1) : i + 2].sum(1) for i in range(4)]
    between = 2 + 0.1 * np.stack(around, 1)
    out, found = call("lrn", {"X": IMAGE}, "Out", "MidOut", n=3, k=2.0, alpha=0.1, beta=0.75)
    assert np.allclose(found, between) and np.allclose(out, IMAGE * between**-0.75)
    with pytest.raises(ValueError, match="odd"):
        call("lrn", {"X": IMAGE}, "Out", n=4)
    series, weight = IMAGE[0], np.array([[1.0, 2, 3], [4, 5, 6]], "float32")
    expected = series * weight[0] + np.pad(series[:, 1:], ((0, 0), (0, 1), (0, 0))) * weight[1]
    assert np.allclose(call("row_conv", {"X": series, "Filter": weight}, "Out")[0], expected)
    shares = np.exp(X) / np.exp(X).sum(1, keepdims=True)
    label = np.array([[1], [3], [0]])
    picked = -np.log(np.take_along_axis(shares, label, 1))
    assert np.allclose(
        call("cross_entropy", {"X": shares, "Label": label}, "Y", ignore_index=3)[0], picked * [[1], [0], [1]]
    )
    before, weight = X[:, :2], R.standard_normal((2, 6)).astype("float32")
    given = R.standard_normal((3, 6)).astype("float32")
    gates = 1 / (1 + np.exp(-(given[:, :4] + before @ weight.ravel()[:8].reshape(2, 4))))
    new = np.tanh(given[:, 4:] + (gates[:, 2:] * before) @ weight.ravel()[8:].reshape(2, 2))
    unit = call(
        "gru_unit", {"Input": given, "HiddenPrev": before, "Weight": weight}, "Hidden", activation=2, gate_activation=1
    )
    assert np.allclose(unit[0], (1 - gates[:, :2]) * before + gates[:, :2] * new, atol=1e-6)
