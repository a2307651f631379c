# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names behind the public ones that programs use; the values are noted from PaddlePaddle 3.3.1."""

import numpy as np
import paddle
import pytest
from paddle import reader
from paddle.incubate.nn.memory_efficient_attention import BlockDiagonalCausalMask
from paddle.static.quantization import utils

WEIGHT = np.array([[0.5, -1.0], [0.25, 2.0]], "float32")


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ((2.0, 0, 8), [[31.75, -63.5], [15.875, 127]]),
        (([1.0, 2.0], 1, 8), [[63.5, -63.5], [31.75, 127]]),
        (([1.0, 0.0], 0, 4), [[3.5, -7], [7, 7]]),
        (([1.0, 2.0], 1, 8, True), [[64, -64], [32, 127]]),
    ],
)
def test_quant_tensor(arguments, codes):
    given = WEIGHT.copy()
    found = utils.quant_tensor(given, *arguments)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, codes)
    np.testing.assert_array_equal(given, WEIGHT)


def test_what_codes_stand_for():
    codes = utils.quant_tensor(WEIGHT, [1.0, 2.0], 0)
    np.testing.assert_allclose(utils.dequant_tensor(codes, [1.0, 2.0], 0), WEIGHT)
    with pytest.raises(AssertionError, match="quant_axis"):
        utils.quant_tensor(WEIGHT, [1.0, 2.0], 2)
    np.testing.assert_allclose(utils.l2_loss(WEIGHT, WEIGHT * 0.5), 0.33203125)
    np.testing.assert_allclose(utils.calculate_quant_cos_error(WEIGHT, WEIGHT * 0.5 + 0.1), 0.98884487, rtol=1e-6)
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_array_equal(utils.stable_sigmoid(np.array([-1000.0, 0, 1000])), [0, 0.5, 1])


def test_block_diagonal_causal_mask():
    mask = BlockDiagonalCausalMask.from_seqlens([2, 3]).materialize((1, 1, 5, 5)).numpy()[0, 0]
    i, j = np.mgrid[:5, :5]
    np.testing.assert_array_equal(mask == 0, (i >= j) & ((i < 2) == (j < 2)))


def test_state_without_hooks():
    layer = paddle.nn.Linear(2, 2)
    layer.add_sublayer("s", paddle.nn.BatchNorm1D(2))
    layer.register_buffer("passing", paddle.ones([1]), persistable=False)
    layer.register_state_dict_hook(lambda state: state.clear())
    names = ["weight", "bias", "s.weight", "s.bias", "s._mean", "s._variance"]
    assert list(layer._obtain_parameters_buffers()) == names
    found = layer._obtain_parameters_buffers(include_sublayers=False, structured_name_prefix="p.")
    assert list(found) == ["p.weight", "p.bias"]


def failing():
    yield 1
    raise KeyError("x")


def test_readers_in_processes():
    merged = reader.multiprocess_reader([lambda: iter([1, 2, 3]), lambda: iter([4, 5])])
    assert sorted(merged()) == [1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="KeyError"):
        list(reader.multiprocess_reader([failing])())
    with pytest.raises(ValueError, match="a sample is None"):
        list(reader.multiprocess_reader([lambda: iter([None])])())
    with pytest.raises(AssertionError, match="list or tuple"):
        reader.multiprocess_reader([])


def test_types_have_their_methods_already():
    for name in ("dtype", "math_tensor", "program", "value", "variable"):
        assert getattr(paddle, f"monkey_patch_{name}")() is None
    paddle.monkey_patch_generated_methods_for_tensor()
    paddle.monkey_patch_generated_methods_for_value()
    paddle.distributed.monkey_patch_value_in_dist()
    assert (paddle.ones([2]) + 1).tolist() == [2.0, 2.0]


def test_numpy_takes_force():
    x = paddle.ones([2], dtype="float32")
    x.stop_gradient = False
    assert (x * 2).numpy(force=True).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError):
        x.numpy(True, True)


def test_modules_of_bfloat16_programs():
    from paddle.static.amp.bf16 import amp_lists, amp_utils

    assert amp_lists.AutoMixedPrecisionListsBF16 is paddle.static.amp.bf16.AutoMixedPrecisionListsBF16
    assert amp_utils.convert_float_to_uint16([1.5]).tolist() == [0x3FC0]
