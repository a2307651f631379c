# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Eager calls of composed operators that have no kernel run as compiled ones when FLAGS_cinn_eager is on."""

import numpy as np
import paddle
import pytest

F = paddle.nn.functional


@pytest.fixture
def eager_calls():
    """Eager calls are compiled."""
    paddle.set_flags({"FLAGS_cinn_eager": True})
    yield
    paddle.set_flags({"FLAGS_cinn_eager": False})


def tanh_shrunk(x):
    return x - np.tanh(x)


@pytest.mark.parametrize("shape", [[7], [4, 33], [2, 3, 5]])
def test_a_composed_operator_is_one_launch(at_once, eager_calls, counts, shape):
    x = paddle.randn(shape)
    count = counts()
    y = F.tanhshrink(x)
    assert count.launches == 1
    np.testing.assert_allclose(y.numpy(), tanh_shrunk(x.numpy().astype("float64")), rtol=1e-4, atol=1e-6)


def test_other_extents_use_the_same_kernel(at_once, eager_calls, counts):
    F.tanhshrink(paddle.randn([3, 5]))
    count = counts()
    for rows in range(6, 16):
        x = paddle.randn([rows, 2 * rows + 1])
        np.testing.assert_allclose(F.tanhshrink(x).numpy(), tanh_shrunk(x.numpy()), rtol=1e-4, atol=1e-6)
    assert count.launches == 10
    assert count.compiled + count.from_disk == 0


def test_the_kernel_takes_over_at_one_call_number(eager_calls, counts):
    x = paddle.randn([4, 11])
    count = counts()
    launches = []
    for _ in range(6):
        y = paddle.logaddexp(x, x * 0.5)
        launches.append(count.launches)
        np.testing.assert_allclose(y.numpy(), np.logaddexp(x.numpy(), x.numpy() * 0.5), rtol=1e-5, atol=1e-6)
    assert launches == [0, 0, 0, 1, 2, 3]


def test_without_the_flag_nothing_is_compiled(at_once, counts):
    count = counts()
    F.tanhshrink(paddle.randn([4]))
    assert count.launches == 0


def test_operators_with_kernels_are_left_alone(at_once, eager_calls, counts):
    count = counts()
    paddle.add(paddle.ones([3]), paddle.ones([3]))
    paddle.matmul(paddle.ones([3, 3]), paddle.ones([3, 3]))
    assert count.launches == 0


def test_gradients_are_those_of_the_operator(at_once, eager_calls):
    x = paddle.to_tensor([-2.0, -0.3, 0.4, 3.0], stop_gradient=False)
    F.tanhshrink(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.tanh(x.numpy()) ** 2, rtol=1e-4)


def test_strided_operands_and_no_elements(at_once, eager_calls):
    x = paddle.randn([6, 8])
    np.testing.assert_allclose(F.tanhshrink(x.t()).numpy(), tanh_shrunk(x.numpy().T), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(F.tanhshrink(x[::2]).numpy(), tanh_shrunk(x.numpy()[::2]), rtol=1e-4, atol=1e-6)
    assert F.tanhshrink(paddle.zeros([0, 3])).shape == [0, 3]


def test_mixed_precision_keeps_its_dtypes(at_once, eager_calls):
    with paddle.amp.auto_cast(level="O2", dtype="bfloat16"):
        y = F.tanhshrink(paddle.ones([4, 4], dtype="bfloat16"))
    assert y.dtype == paddle.bfloat16


@pytest.mark.parametrize("threshold", [0.5, 1.5])
def test_attributes_belong_to_the_kernel(at_once, eager_calls, threshold):
    x = np.linspace(-3, 3, 21).astype("float32")
    want = np.where(x > threshold, x - threshold, np.where(x < -threshold, x + threshold, 0))
    np.testing.assert_allclose(F.softshrink(paddle.to_tensor(x), threshold).numpy(), want, rtol=1e-6, atol=1e-7)


def test_a_check_for_nan_names_the_operator_inside(at_once, eager_calls):
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(RuntimeError, match="tanh"):
            F.tanhshrink(paddle.to_tensor([float("nan")]))
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})


def test_the_first_such_call_opens_the_library(run_python):
    program = """
import paddle
opened = lambda: "libpaddle_cinn" in open("/proc/self/maps").read()
paddle.nn.functional.tanhshrink(paddle.ones([3]))
print(opened())
paddle.set_flags({"FLAGS_cinn_eager": True})
paddle.ones([3]) + 1
print(opened())
paddle.nn.functional.tanhshrink(paddle.ones([3]))
print(opened())
"""
    assert run_python(program).split() == ["False", "False", "True"]
