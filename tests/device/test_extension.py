# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Extensions with kernels for the second device: forward, gradients, streams, and what is refused."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import paddle
import pytest
from paddle.utils.cpp_extension import operators

from tests.device.skeleton import LIBRARY, ROOT, place, there, use_stream

SOURCE = Path(__file__).parent / "cube.c"
HEADERS = [Path(paddle.__file__).parent / "include", ROOT / "backends/skeleton", ROOT / "backends/include"]
FLAGS = ["-shared", "-fPIC", *(f"-I{folder}" for folder in HEADERS)]
RUNTIME = [str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}"]
A = np.array([[1.0, -2.0], [3.0, 0.5]], "float32")


def build(folder, device="skeleton", suffix=""):
    out = folder / f"cube{suffix}.so"
    names = [f'-DDEVICE="{device}"', f'-DSUFFIX="{suffix}"']
    compiler = [os.environ.get("CC", "cc"), *FLAGS, "-Wall", "-Werror"]
    subprocess.run([*compiler, *names, str(SOURCE), *RUNTIME, "-o", str(out)], check=True)
    return out


@pytest.fixture(scope="module")
def extension(tmp_path_factory):
    place()  # loads the device
    assert operators.register(build(tmp_path_factory.mktemp("extension"))) == ["test_cube", "test_misplaced"]


@pytest.fixture
def no_fallback():
    paddle.set_flags({"FLAGS_forbid_fallback": True})
    yield
    paddle.set_flags({"FLAGS_forbid_fallback": False})


def test_its_kernel_runs_there(extension, no_fallback):
    x = there(A)
    out = operators.call("test_cube", x)
    assert out.place == place()
    np.testing.assert_array_equal((out + x).numpy(), A**3 + A)
    np.testing.assert_array_equal(operators.call("test_cube", paddle.to_tensor(A)).numpy(), A**3)


def test_its_gradient_runs_there(extension, no_fallback):
    x = there(A, stop_gradient=False)
    (operators.call("test_cube", x) * x).backward(there(np.ones_like(A)))
    assert x.grad.place == place()
    np.testing.assert_allclose(x.grad.numpy(), 4 * A**3, rtol=1e-6)


def test_it_is_called_on_the_current_stream(extension, no_fallback):
    x = there(A)
    paddle.device.synchronize("skeleton:0")
    use_stream(True)
    try:
        np.testing.assert_array_equal(operators.call("test_cube", x).numpy(), A**3)
    finally:
        use_stream(False)


def test_it_is_captured(extension, no_fallback):
    program = paddle.jit.to_static(lambda x: operators.call("test_cube", x) + x, full_graph=True)
    for _ in range(4):
        np.testing.assert_array_equal(program(there(A)).numpy(), A**3 + A)


def test_a_result_elsewhere_is_refused(extension):
    with pytest.raises(ValueError, match=r"returned a tensor on Place\(cpu\) as result 0; the call is on Place\(skel"):
        operators.call("test_misplaced", there([1.0]))


def test_a_kernel_for_the_host_is_no_kernel_for_a_device(tmp_path):
    with pytest.raises(ValueError, match='kernel is declared for the device type "cpu"; use the name of a device'):
        operators.register(build(tmp_path, device="cpu", suffix="_cpu"))


def test_a_device_without_a_kernel_takes_that_of_the_host(tmp_path):
    operators.register(build(tmp_path, device="absent", suffix="_absent"))
    out = operators.call("test_cube_absent", there(A))
    assert out.place == place()
    np.testing.assert_array_equal(out.numpy(), A**3)


def test_a_library_may_be_loaded_before_its_device(tmp_path):
    """In a process of its own: a device type is registered once."""
    path = build(tmp_path)
    program = f"""
import paddle, numpy
from paddle.utils.cpp_extension import operators
operators.register({str(path)!r})
paddle.device.load_plugin({str(LIBRARY)!r})
paddle.set_flags({{"FLAGS_forbid_fallback": True}})
x = paddle.to_tensor([1.0, 2.0], place="skeleton:0")
assert operators.call("test_cube", x).tolist() == [1.0, 8.0]
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


CPP = """
#include "paddle/extension.h"
#include "skeleton.h"

std::vector<paddle::Tensor> on_host(const paddle::Tensor& x) { return {x + x}; }

std::vector<paddle::Tensor> on_device(const paddle::Tensor& x) {
  PD_CHECK(x.is_custom_device());
  auto out = paddle::empty(x.shape(), x.dtype(), x.place());
  struct Work {
    const float* x;
    float* out;
    int64_t n;
  };
  const auto bytes = [&](const paddle::Tensor& t) {
    return reinterpret_cast<float*>(
        skeleton_bytes(static_cast<PdMemory>(t.memory()), t.memory_offset(), 4 * t.numel()));
  };
  const Work work{bytes(x), bytes(out), x.numel()};
  skeleton_issue(
      static_cast<PdStream>(x.stream()),
      [](void* argument) {
        auto* w = static_cast<Work*>(argument);
        for (int64_t i = 0; i < w->n; ++i) w->out[i] = w->x[i] * 2 + 1000;
      },
      &work, sizeof work);
  return {out};
}

PD_BUILD_OP(test_doubled_there)
    .Inputs({"X"})
    .Outputs({"Out"})
    .SetKernelFn(PD_KERNEL(on_host))
    .SetDeviceKernelFn("skeleton", PD_KERNEL(on_device));
"""


def test_kernels_in_cpp(tmp_path, no_fallback):
    source, out = tmp_path / "doubled.cc", tmp_path / "doubled.so"
    source.write_text(CPP)
    compiler = [os.environ.get("CXX", "c++"), "-std=c++17", *FLAGS]
    subprocess.run([*compiler, str(source), *RUNTIME, "-o", str(out)], check=True)
    operators.register(out)
    np.testing.assert_array_equal(operators.call("test_doubled_there", there(A)).numpy(), A * 2 + 1000)
    np.testing.assert_array_equal(operators.call("test_doubled_there", paddle.to_tensor(A)).numpy(), A * 2)
