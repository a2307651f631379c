# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Eager calls of composed operators that have no kernel run as compiled ones when FLAGS_cinn_eager is on."""

import numpy as np
import paddle
import pytest


@pytest.fixture
def eager_calls():
    """Eager calls are compiled."""
    paddle.set_flags({"FLAGS_cinn_eager": True})
    yield
    paddle.set_flags({"FLAGS_cinn_eager": False})


def variance(a):
    return a.astype("float64").var(-1, ddof=1)


@pytest.mark.parametrize("shape", [[7], [4, 33], [2, 3, 5]])
def test_a_composed_operator_is_one_launch(at_once, eager_calls, counts, shape):
    x = paddle.randn(shape)
    count = counts()
    y = paddle.var(x, -1)
    assert count.launches == 1
    np.testing.assert_allclose(y.numpy(), variance(x.numpy()), rtol=1e-5)


def test_other_extents_use_the_same_kernel(at_once, eager_calls, counts):
    paddle.var(paddle.randn([3, 70]), -1)
    count = counts()
    for rows in range(4, 14):
        x = paddle.randn([rows, 67 + 2 * rows])
        np.testing.assert_allclose(paddle.var(x, -1).numpy(), variance(x.numpy()), rtol=1e-5)
    assert count.launches == 10
    assert count.compiled + count.from_disk == 0


def test_the_kernel_takes_over_at_one_call_number(eager_calls, counts):
    x = paddle.rand([4, 11])
    count = counts()
    launches = []
    for _ in range(6):
        y = paddle.nn.functional.log_loss(x, x, 1e-3)
        launches.append(count.launches)
        a = x.numpy().astype("float64")
        want = -a * np.log(a + 1e-3) - (1 - a) * np.log(1 - a + 1e-3)
        np.testing.assert_allclose(y.numpy(), want, rtol=1e-4, atol=1e-6)
    assert launches == [0, 0, 0, 1, 2, 3]


def test_without_the_flag_nothing_is_compiled(at_once, counts):
    count = counts()
    paddle.var(paddle.randn([4]))
    assert count.launches == 0


def test_operators_with_kernels_are_left_alone(at_once, eager_calls, counts):
    count = counts()
    paddle.add(paddle.ones([3]), paddle.ones([3]))
    paddle.matmul(paddle.ones([3, 3]), paddle.ones([3, 3]))
    assert count.launches == 0


def test_a_product_among_the_operators_is_not_compiled(at_once, eager_calls, counts):
    a = paddle.randn([2, 3, 4])
    count = counts()
    y = paddle.bmm(a, a.transpose([0, 2, 1]))
    assert count.launches == 0
    np.testing.assert_allclose(y.numpy(), a.numpy() @ a.numpy().transpose(0, 2, 1), rtol=1e-4, atol=1e-5)


def test_gradients_are_those_of_the_operator(at_once, eager_calls):
    a = np.array([0.1, 0.4, 0.7])
    x = paddle.to_tensor(a, dtype="float32", stop_gradient=False)
    paddle.logit(x, 1e-6).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1 / (a * (1 - a)), rtol=1e-5)


def test_strided_operands_and_no_elements(at_once, eager_calls, counts):
    x = paddle.randn([6, 8])
    count = counts()
    np.testing.assert_allclose(paddle.var(x.t(), -1).numpy(), variance(x.numpy().T), rtol=1e-5)
    np.testing.assert_allclose(paddle.var(x[::2], -1).numpy(), variance(x.numpy()[::2]), rtol=1e-5)
    assert count.launches == 2
    assert paddle.logit(paddle.zeros([0, 3])).shape == [0, 3]
    assert count.launches == 2


@pytest.mark.parametrize("mixed", [False, True])
def test_half_precision_has_the_dtype_of_an_uncompiled_call(at_once, eager_calls, counts, mixed):
    x = paddle.full([4, 4], 0.25, dtype="bfloat16")
    with paddle.amp.auto_cast(enable=mixed, level="O2", dtype="bfloat16"):
        count = counts()
        y = paddle.logit(x, 1e-3)
        assert count.launches == 1
        paddle.set_flags({"FLAGS_cinn_eager": False})
        assert y.dtype == paddle.logit(x, 1e-3).dtype
    np.testing.assert_allclose(y.astype("float32").numpy(), np.full([4, 4], np.log(1 / 3)), rtol=1e-2)


@pytest.mark.parametrize("eps", [0.1, 0.3])
def test_attributes_belong_to_the_kernel(at_once, eager_calls, eps):
    a = np.linspace(0, 1, 21)
    kept = np.clip(a, eps, 1 - eps)
    got = paddle.logit(paddle.to_tensor(a, dtype="float32"), eps)
    np.testing.assert_allclose(got.numpy(), np.log(kept / (1 - kept)), rtol=1e-5, atol=1e-6)


def test_a_check_for_nan_sees_every_operator_of_the_call(at_once, eager_calls, counts):
    count = counts()
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(RuntimeError, match="nan|NaN"):
            paddle.var(paddle.to_tensor([float("nan"), 1.0]))
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})
    assert count.launches == 0


def test_the_first_such_call_opens_the_library(run_python):
    program = """
import paddle
opened = lambda: "libpaddle_cinn" in open("/proc/self/maps").read()
x = paddle.full([3], 0.25)
paddle.var(x)
print(opened())
paddle.set_flags({"FLAGS_cinn_eager": True})
x + 1
print(opened())
paddle.var(x)
print(opened())
"""
    assert run_python(program).split() == ["False", "False", "True"]
