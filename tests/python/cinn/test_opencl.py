# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels as OpenCL C, run by the first OpenCL device that pyopencl finds (pip install "pyopencl[pocl]")."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

from tests.python.cinn.fused import FUSED, rms_norm, sources

BYTES = {"bool": 1, "uint8": 1, "float16": 2, "bfloat16": 2, "int32": 4, "float32": 4, "int64": 8, "float64": 8}


class Device:
    """Runs groups: memory, launches and results."""

    def __init__(self, cl):
        self.cl = cl
        self.context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
        self.queue = cl.CommandQueue(self.context)

    def memory_of(self, array):
        return self.cl.Buffer(self.context, self.cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(array))

    def run(self, group, inputs):
        """The bytes of each result of the group, by its number."""
        sizes = {f"n{i}": int(n) for i, n in enumerate(group["sizes"])} | {"min": min, "max": max}
        number = lambda text: eval(text, dict(sizes))
        most = max(number(e["blocks"]) for e in group["entries"])
        memory = {}
        for i, b in enumerate(group["buffers"]):
            count = number(b["elements"]) * (most if b["space"] == "scratch" else 1)
            if b["space"] == "input":
                memory[i] = self.memory_of(inputs[b["argument"]])
            elif b["space"] != "shared":
                memory[i] = self.cl.Buffer(self.context, 0, max(count * BYTES[b["dtype"]], 16))
        failed = self.memory_of(np.zeros(1, np.int32))
        program = self.cl.Program(self.context, group["text"]).build()
        for entry in group["entries"]:
            arguments = []
            for kind, i in entry["arguments"]:
                if kind == "buffer":
                    arguments.append(memory[i])
                elif kind == "size":
                    arguments.append(np.int64(sizes[f"n{i}"]))
                elif kind == "failed":
                    arguments.append(failed)
                else:
                    b = group["buffers"][i]
                    arguments.append(self.cl.LocalMemory(number(b["elements"]) * BYTES[b["dtype"]]))
            if blocks := number(entry["blocks"]):
                kernel = getattr(program, entry["name"])
                kernel(self.queue, (blocks * entry["threads"],), (entry["threads"],), *arguments)
        results = {}
        for i, b in enumerate(group["buffers"]):
            if b["space"] == "output":
                host = np.empty(number(b["elements"]) * BYTES[b["dtype"]], np.uint8)
                self.cl.enqueue_copy(self.queue, host, memory[i])
                results[group["results"][b["argument"]]] = host
        self.queue.finish()
        return results


@pytest.fixture(scope="module")
def device():
    cl = pytest.importorskip("pyopencl", reason="pyopencl is not installed")
    try:
        return Device(cl)
    except cl.Error as e:
        pytest.skip(f"there is no OpenCL device: {e}")


def as_array(x):
    return (x.view("int16") if x.dtype == paddle.bfloat16 else x).numpy()


def same_as_eager(device, function, *arguments, tolerance=2e-5):
    expected = function(*arguments)
    expected = [expected] if isinstance(expected, paddle.Tensor) else list(expected)
    (group,) = sources(function, "opencl-c", *arguments)
    found = device.run(group, [as_array(a) for a in arguments])
    assert sorted(found) == list(range(len(expected)))
    for k, e in enumerate(expected):
        got = paddle.to_tensor(found[k].view(as_array(e).dtype).reshape(e.shape))
        if e.dtype == paddle.bfloat16:
            got = got.view("bfloat16")
        got, e = (x.astype("float64").numpy() for x in (got, e))
        np.testing.assert_allclose(got, e, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", [[3, 1024], [2, 1003], [5, 64], [5, 33]])
@pytest.mark.parametrize("function", FUSED)
def test_the_four_fused_kernels(device, function, shape):
    same_as_eager(device, function, paddle.randn(shape), paddle.rand(shape[-1:]))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("function", FUSED)
def test_16_bit_floats_in_memory(device, function, dtype):
    x, scale = paddle.randn([3, 512]).astype(dtype), paddle.rand([512]).astype(dtype)
    same_as_eager(device, function, x, scale, tolerance=2e-2)


def test_columns_in_two_stages(device):
    same_as_eager(device, lambda x: paddle.exp(x).sum(0), paddle.randn([40, 24]), tolerance=1e-4)


def test_rows_columns_and_all_of_the_same_values(device):
    def three(x):
        d = x - x.mean(-1, keepdim=True)
        return d, (d * d).sum(0), (d * d).sum()

    same_as_eager(device, three, paddle.randn([40, 96]), tolerance=1e-4)


def test_few_long_rows_in_pieces(device):
    same_as_eager(device, lambda x: (x * x).sum(-1), paddle.rand([2, 40000]), tolerance=1e-4)


@pytest.mark.parametrize("shape", [[8, 256], [7, 33], [3, 1000]])
def test_dropout_of_a_state_drops_the_same(device, shape):
    function = lambda x, bias: F.dropout(x + bias, 0.3) + x
    x, bias = paddle.randn(shape), paddle.randn(shape[-1:])
    (group,) = sources(function, "opencl-c", x, bias)
    group["sizes"] = [{"seed0": 5, "offset0": 0}.get(n, n) for n in group["sizes"]]
    paddle.seed(5)
    expected = function(x, bias).numpy()
    got = device.run(group, [x.numpy(), bias.numpy()])[0].view("float32").reshape(shape)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


def test_text_without_64_bit_floats_needs_no_extension():
    (group,) = sources(rms_norm, "opencl-c", paddle.rand([4, 64]), paddle.rand([64]))
    assert "double" not in group["text"] and "EXTENSION" not in group["text"]
