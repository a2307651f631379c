# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions and classes that an extension gives to Python, expectations with kinds, results that kernels fill."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import paddle
import pytest
from paddle.utils import cpp_extension

pytest.importorskip("pybind11", reason="pybind11 compiles the classes that the test binds")
SOURCE = Path(__file__).parent / "members.cc"
X = np.array([[0.5, -1.0], [2.0, 0.0]], "float32")


@pytest.fixture(scope="module")
def extension(tmp_path_factory):
    return cpp_extension.load(
        name="extension_test_members",
        sources=[str(SOURCE)],
        extra_cxx_cflags=["-O0", "-Wall", "-Werror"],
        build_directory=str(tmp_path_factory.mktemp("extension")),
    )


def test_functions_take_and_give_tensors(extension):
    x = paddle.to_tensor(X)
    np.testing.assert_allclose(extension.shifted(x).numpy(), np.exp(X), rtol=1e-6)
    np.testing.assert_allclose(extension.shifted(x, bias=x).numpy(), np.exp(X) + X, rtol=1e-6)
    np.testing.assert_array_equal([t.numpy() for t in extension.all_plus([x, x], 1.5)], [X + 1.5, X + 1.5])
    assert extension.perhaps(True).tolist() == [1.0, 1.0] and extension.perhaps(False) is None
    assert "exp(x) + bias" in extension.shifted.__doc__


def test_what_they_compute_is_differentiated(extension):
    x = paddle.to_tensor(X, stop_gradient=False)
    extension.shifted(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(X), rtol=1e-6)


def test_classes_hold_tensors(extension):
    x = paddle.to_tensor(X)
    power = extension.Power(x)
    np.testing.assert_allclose(power.to(2.0).numpy(), X * X)
    x.fill_(3.0)
    assert power.base.tolist() == [[3.0, 3.0], [3.0, 3.0]]


@pytest.mark.parametrize("args", [(1,), (None,), ([X],), ()])
def test_what_is_no_tensor_is_refused(extension, args):
    with pytest.raises(TypeError, match=r"paddle\.Tensor"):
        extension.shifted(*args)


def test_a_kernel_may_fill_its_results(extension):
    out, half = extension.test_doubled(paddle.to_tensor(X), 3)
    np.testing.assert_array_equal(out.numpy(), 2 * X)
    np.testing.assert_array_equal(half.numpy(), X.ravel() / 2)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda m, x: m.test_doubled(paddle.to_tensor(1.0), 3),
            ValueError,
            r"InvalidArgument\) rank 0 of x\n.*:0 <= 0:0",
        ),
        (
            lambda m, x: m.test_doubled(x, 9),
            IndexError,
            r"\(OutOfRange\) 002\.2%\n  \[Hint: Expected limit < 9, .*:9 >= 9:9",
        ),
        (lambda m, x: m.test_doubled(x, 8), NotImplementedError, r"\(Unimplemented\) later.*received limit:8 > 7:7"),
        (lambda m, x: m.test_doubled(x, -1), TypeError, r"\(InvalidType\) limit is ff"),
        (lambda m, x: m.test_doubled(x, 5), RuntimeError, r"^test_doubled: five of 5\n.*limit != 5 to be true"),
        (lambda m, x: m.test_doubled(x, 6), RuntimeError, r"\(PreconditionNotMet\) six \(at .*members.cc:\d+\)"),
        (lambda m, x: m.refuse(2), ValueError, r"n is 2\n  \[Hint: Expected n == 1, but received n:2 != 1:1\.\]"),
    ],
    ids=["greater", "less", "at most", "at least", "text", "throw", "function"],
)
def test_a_failed_expectation_has_its_kind_and_values(extension, call, error, text):
    with pytest.raises(error, match=f"(?s){text}"):
        call(extension, paddle.to_tensor(X))


SETUP = """
from paddle.utils.cpp_extension import CppExtension, setup
setup(name="installed_members", ext_modules=CppExtension(sources=["members.cc"], extra_compile_args=["-O0"]))
"""
USE = """
import paddle, installed_members as m
x = paddle.to_tensor([2.0])
print(m.perhaps(True).tolist(), m.Power(x).to(3.0).tolist(), m.test_doubled(x, 0)[0].tolist(), m.Power.__module__)
"""


def test_setup_packages_them(tmp_path):
    (tmp_path / "setup.py").write_text(SETUP)
    (tmp_path / "members.cc").write_text(SOURCE.read_text())
    environment = {**os.environ, "PYTHONPATH": str(Path(paddle.__file__).parents[1])}
    command = [sys.executable, "setup.py", "build_ext", "--inplace"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    used = subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert used.stdout == "[1.0, 1.0] [8.0] [4.0] installed_members\n", used.stderr


def test_without_pybind11_the_reason_is_said(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pybind11", None)
    with pytest.raises(RuntimeError, match="pip install pybind11"):
        cpp_extension.load("no_pybind11", [str(SOURCE)], build_directory=str(tmp_path))
