# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators in C++: compiled against the package's headers, called, differentiated, captured, saved."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import paddle
import pytest
from paddle.utils import cpp_extension

SOURCE = Path(__file__).parent / "operators.cc"
X = np.array([[-1.5, 0.5, 2.0], [0.25, -3.0, 1.0]], "float32")


@pytest.fixture(scope="module")
def ops(tmp_path_factory):
    return cpp_extension.load(
        name="extension_test_ops",
        sources=[str(SOURCE)],
        extra_cxx_cflags=["-O0", "-Wall", "-Werror"],
        build_directory=str(tmp_path_factory.mktemp("extension")),
    )


def tensor(a, grad=False):
    return paddle.to_tensor(a, stop_gradient=not grad)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_values_in_every_dispatched_dtype(ops, dtype):
    out = ops.test_square(tensor(X).astype(dtype), 0.5)
    assert out.dtype == getattr(paddle, dtype)
    np.testing.assert_allclose(out.astype("float32").numpy(), X * X + 0.5 * X, rtol=0 if "64" in dtype else 1e-2)


def test_functions_have_lower_case_parameters_and_a_document(ops):
    assert list(inspect.signature(ops.test_square).parameters) == ["x", "alpha"]
    assert "alpha" in ops.test_square.__doc__
    assert "Tensor X, float alpha" in paddle._C_ops.test_square.__doc__
    np.testing.assert_array_equal(ops.test_square(alpha=0.0, x=tensor(X)).numpy(), X * X)
    with pytest.raises(TypeError, match="alpha"):
        ops.test_square(tensor(X))


def test_the_list_of_operators_is_the_framework_s_own(ops):
    assert "relu" in dir(paddle._core.ops) and "test_square" not in dir(paddle._core.ops)


def test_run_custom_op_gives_a_flat_list(ops):
    (out,) = paddle._C_ops._run_custom_op("test_square", tensor(X), 1.0)
    np.testing.assert_allclose(out.numpy(), X * X + X)
    with pytest.raises(TypeError, match="takes 2 arguments"):
        paddle._C_ops._run_custom_op("test_square", tensor(X))
    with pytest.raises(ValueError, match="no loaded extension declares"):
        paddle._C_ops._run_custom_op("test_never_declared", tensor(X))


def test_first_and_second_derivative(ops):
    x = tensor(X, grad=True)
    (g,) = paddle.grad(ops.test_square(x, 0.5).pow(2).sum(), x, create_graph=True)
    y = X * X + 0.5 * X
    np.testing.assert_allclose(g.numpy(), 2 * y * (2 * X + 0.5), rtol=1e-5)
    (second,) = paddle.grad(g.sum(), x)
    np.testing.assert_allclose(second.numpy(), 2 * (2 * X + 0.5) ** 2 + 4 * y, rtol=1e-5)


def test_an_order_without_a_gradient_says_so(ops):
    x = tensor(X, grad=True)
    (g,) = paddle.grad(ops.test_tanh(x).sum(), x, create_graph=True)
    np.testing.assert_allclose(g.numpy(), 1 - np.tanh(X) ** 2, rtol=1e-5, atol=1e-6)
    with pytest.raises(NotImplementedError, match=r"PD_BUILD_DOUBLE_GRAD_OP\(test_tanh\)"):
        paddle.grad(g.sum(), x)


def test_a_list_and_an_optional_input(ops):
    a, b, bias = tensor(X, True), tensor(X[:, :1] * 3, True), tensor(np.float32(2), True)
    out = ops.test_join([a, b], None, 1)
    np.testing.assert_array_equal(out.numpy(), np.concatenate([X, X[:, :1] * 3], 1))
    weights = np.arange(8, dtype="float32").reshape(2, 4)
    (ops.test_join([a, b], bias, 1) * tensor(weights)).sum().backward()
    np.testing.assert_array_equal(a.grad.numpy(), weights[:, :3])
    np.testing.assert_array_equal(b.grad.numpy(), weights[:, 3:])
    assert bias.grad.item() == weights.sum()
    a.clear_grad()
    (ops.test_join([a, b], None, 1) * tensor(weights)).sum().backward()
    np.testing.assert_array_equal(a.grad.numpy(), weights[:, :3])


def test_two_results_without_a_gradient(ops):
    y = tensor(np.zeros_like(X))
    results = ops.test_extremes(tensor(X, grad=True), y)
    assert isinstance(results, list) and [r.stop_gradient for r in results] == [True, True]
    np.testing.assert_array_equal(results[0].numpy(), np.maximum(X, 0))
    np.testing.assert_array_equal(results[1].numpy(), (X < 0).astype("int32"))


def test_a_gradient_reads_an_input_changed_in_place_as_it_is_afterwards(ops):
    x, y = paddle.ones([2]), paddle.full([2], 3.0)
    y.stop_gradient = False
    ops.test_add_read_(x, y).sum().backward()
    assert x.tolist() == [4.0, 4.0] and y.grad.tolist() == [4.0, 4.0]


def test_an_input_changed_in_place_keeps_its_history(ops):
    x, y = tensor(X.copy()), tensor(X)
    out = ops.test_add_(x, y)
    np.testing.assert_array_equal(x.numpy(), 2 * X)
    np.testing.assert_array_equal(out.numpy(), 2 * X)
    leaf, other = tensor(X, True), tensor(X, True)
    z = leaf * 3
    ops.test_add_(z, other)
    (z * z).sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), 2 * (4 * X) * 3, rtol=1e-6)
    np.testing.assert_allclose(other.grad.numpy(), 2 * (4 * X), rtol=1e-6)
    with pytest.raises(ValueError, match="leaf"):
        ops.test_add_(leaf, y)


def test_sizes_of_the_kernel_and_lists_of_results(ops):
    np.testing.assert_array_equal(ops.test_positives(tensor(X)).numpy(), X[X > 0])
    first, second = ops.test_halves(tensor(np.arange(5, dtype="int64")))
    np.testing.assert_array_equal(first.numpy(), [0, 1])
    np.testing.assert_array_equal(second.numpy(), [2, 3, 4])


def test_attributes_of_every_type(ops):
    out = ops.test_attributes(
        tensor(np.zeros(1, "float64")),
        True,
        2,
        0.5,
        0.25,
        2**40,
        "four",
        [1, 2],
        [2**40],
        [0.5],
        ["ten", "", "x"],
    )
    assert out.item() == 1 + 2 + 0.5 + 0.25 + 2**40 + 4 + 3 + 2**40 + 0.5 + 10 + 1


def test_memory_of_the_operator_is_owned_by_the_tensor(ops):
    out = ops.test_from_memory(tensor(np.zeros(3, "float32")))
    np.testing.assert_array_equal((out + 1).numpy(), [2, 3, 4])


def test_strided_and_empty_inputs(ops):
    np.testing.assert_allclose(ops.test_square(tensor(X).t(), 0.0).numpy(), X.T * X.T)
    assert ops.test_square(tensor(np.zeros((0, 3), "float32")), 0.0).shape == [0, 3]


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda m: m.test_square(tensor(X), -1.0), OSError, r"test_square: alpha must not be negative, got -1 \["),
        (lambda m: m.test_square(tensor([1, 2]), 1.0), OSError, "square_forward: not implemented for dtype int64"),
        (lambda m: m.test_square("x", 1.0), TypeError, "X"),
        (lambda m: m.test_wrong_shape(tensor(X)), ValueError, r"shape \[4, 3\].*rules say shape \[2, 3\]"),
        (lambda m: m.test_bad_call(tensor(X)), ValueError, "test_bad_call: matmul: x has shape"),
        (lambda m: m.test_misread(tensor(X)), TypeError, r"test_misread: data<int64>\(\) of a tensor with dtype float"),
    ],
    ids=["check", "dtype", "type", "shape", "call", "pointer"],
)
def test_errors_name_the_operator_and_the_reason(ops, call, error, text):
    with pytest.raises(error, match=text):
        call(ops)


def test_captured_equals_eager_with_a_dynamic_batch(ops):
    class Net(paddle.nn.Layer):
        def forward(self, x, y):
            joined = ops.test_join([ops.test_square(x, 0.5), y], None, 0)
            return ops.test_tanh(joined) * joined.shape[0]

    net = Net()
    spec = [paddle.static.InputSpec([None, 3], "float32")] * 2
    captured = paddle.jit.to_static(net, full_graph=True, input_spec=spec)
    for rows in (1, 2):
        x, y = tensor(X[:rows], True), tensor(X, True)
        eager_x, eager_y = tensor(X[:rows], True), tensor(X, True)
        out, eager = captured(x, y), Net()(eager_x, eager_y)
        np.testing.assert_array_equal(out.numpy(), eager.numpy())
        out.sum().backward()
        eager.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), eager_x.grad.numpy())
        np.testing.assert_array_equal(y.grad.numpy(), eager_y.grad.numpy())


def test_sizes_of_the_kernel_in_a_captured_function(ops):
    captured = paddle.jit.to_static(lambda x: ops.test_positives(x) * 2, full_graph=True)
    np.testing.assert_array_equal(captured(tensor(X)).numpy(), 2 * X[X > 0])


def test_segments_run_it_too(ops):
    @paddle.jit.to_static(full_graph=False)
    def f(x):
        y = ops.test_square(x, 0.5)
        return y * 2 if float(y.sum()) > 0 else y

    np.testing.assert_allclose(f(tensor(X)).numpy(), 2 * (X * X + 0.5 * X), rtol=1e-6)


def test_a_second_load_compiles_nothing(ops):
    folder = Path(ops.__file__).parent
    before = (folder / "extension_test_ops.so").stat().st_mtime_ns
    again = cpp_extension.load(
        name="extension_test_ops",
        sources=[str(SOURCE)],
        extra_cxx_cflags=["-O0", "-Wall", "-Werror"],
        build_directory=str(folder.parent),
    )
    assert (folder / "extension_test_ops.so").stat().st_mtime_ns == before
    np.testing.assert_array_equal(again.test_square(tensor(X), 0.0).numpy(), X * X)


def run_python(code, *args):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(paddle.__file__).parents[1])])}
    return subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, env=environment)


def test_a_saved_program_asks_for_its_extension(ops, tmp_path):
    net = paddle.nn.Sequential(paddle.nn.Linear(3, 3))
    net.forward = lambda x: ops.test_square(x, 0.5)
    path = str(tmp_path / "net")
    paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, 3], "float32")])
    np.testing.assert_allclose(paddle.jit.load(path)(tensor(X)).numpy(), X * X + 0.5 * X, rtol=1e-6)
    without = run_python("import sys, paddle; paddle.jit.load(sys.argv[1])", path)
    assert without.returncode != 0 and "test_square" in without.stderr and "extension" in without.stderr
    library = str(Path(ops.__file__).with_suffix(".so"))
    code = (
        "import sys, paddle\n"
        "print(paddle.utils.cpp_extension.load_op_meta_info_and_register_op(sys.argv[2])[0])\n"
        "print(paddle.jit.load(sys.argv[1])(paddle.to_tensor([[2.0, 0.0, 0.0]])).numpy()[0, 0])\n"
    )
    loaded = run_python(code, path, library)
    assert loaded.stdout.split() == ["test_square", "5.0"], loaded.stderr
