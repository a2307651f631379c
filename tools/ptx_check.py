# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What ptx_check.sh runs: PTX of the four fused kernels, through ptxas and through the CUDA driver.

Prints for each kernel registers and spills of sm_80 and sm_90, the largest difference from NumPy in float64, its time,
its share of the device's copy rate, and the time of the same function in torch where that is installed with CUDA.
"""

import argparse
import ctypes
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import paddle
from paddle.jit import to_static

EPSILON = 1e-5
BYTES = {"bool": 1, "float16": 2, "bfloat16": 2, "int32": 4, "float32": 4, "int64": 8, "float64": 8}


class Functions:
    """The written-out functions of tests/bench/cases/fused_ops.py for one library of array functions."""

    def __init__(self, lib, largest, keep, scale, shift):
        self.lib, self.largest, self.keep, self.scale, self.shift = lib, largest, keep, scale, shift

    def rmsnorm(self, x):
        return x * (1 / self.lib.sqrt((x * x).mean(-1, **self.keep) + EPSILON)) * self.scale

    def softmax(self, x):
        e = self.lib.exp(x - self.largest(x))
        return e / e.sum(-1, **self.keep)

    def layernorm_gelu(self, x):
        d = x - x.mean(-1, **self.keep)
        y = d * (1 / self.lib.sqrt((d * d).mean(-1, **self.keep) + EPSILON)) * self.scale + self.shift
        return 0.5 * y * (1 + self.lib.erf(y * 0.5**0.5))

    def swiglu(self, x, g):
        return g * (1 / (1 + self.lib.exp(-g))) * x


NAMES = ("rmsnorm", "softmax", "layernorm_gelu", "swiglu")


def group_of(functions, name, arguments, target):
    """The one group that the function is, for a target."""
    vectors = [functions.scale, functions.shift]

    def whole(scale, shift, *rest):
        return getattr(Functions(functions.lib, functions.largest, functions.keep, scale, shift), name)(*rest)

    compiled = to_static(whole, backend="CINN", full_graph=True)
    compiled(*vectors, *arguments)
    (entry,) = [e for entries in compiled.program_cache.by_key.values() for e in entries]
    groups = paddle._core.pir.group_sources(entry.executable, target)
    if len(groups) != 1:
        sys.exit(f"ptx_check: {name} is {len(groups)} groups; one was expected.")
    return groups[0]


def assemble(group, architecture):
    """Registers, bytes of spills of each entry, as ptxas reports them; None without ptxas."""
    ptxas = shutil.which("ptxas")
    if ptxas is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "kernel.ptx")
        source.write_text(group["text"])
        command = [ptxas, "-v", f"-arch={architecture}", "-o", f"{folder}/kernel.cubin", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"ptx_check: ptxas refuses {group['name']} for {architecture}:\n{done.stderr}")
    spills = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", done.stderr)
    registers = re.findall(r"Used (\d+) registers", done.stderr)
    return [(int(r), int(a) + int(b)) for r, (a, b) in zip(registers, spills, strict=True)]


class Driver:
    """The part of the CUDA driver's C interface that launching takes. RuntimeError names the call that failed."""

    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", ctypes.c_uint(0))
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        if count.value == 0:
            raise RuntimeError("the driver finds no device")
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
        name = ctypes.create_string_buffer(128)
        self.call("cuDeviceGetName", name, ctypes.c_int(128), device)
        self.name = name.value.decode()
        major = ctypes.c_int()
        capability_major = 75  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
        self.call("cuDeviceGetAttribute", ctypes.byref(major), ctypes.c_int(capability_major), device)
        if major.value < 8:
            raise RuntimeError(f"{self.name} has compute capability {major.value}.x; 8.0 is needed")
        self.architecture = "sm_90" if major.value >= 9 else "sm_80"
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        result = getattr(self.lib, name)(*arguments)
        if result != 0:
            text = ctypes.c_char_p()
            self.lib.cuGetErrorString(ctypes.c_int(result), ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'unknown error').decode()} ({result})")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 16)))
        return address

    def upload(self, array):
        array = np.ascontiguousarray(array)
        address = self.allocate(array.nbytes)
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))
        return address

    def download(self, address, array):
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), address, ctypes.c_size_t(array.nbytes))
        return array

    def milliseconds(self, work, repeats=20):
        """The median time of work() on the default stream, by events, after three calls."""
        begin, end = ctypes.c_void_p(), ctypes.c_void_p()
        for event in (begin, end):
            self.call("cuEventCreate", ctypes.byref(event), ctypes.c_uint(0))
        times = []
        for i in range(repeats + 3):
            self.call("cuEventRecord", begin, None)
            work()
            self.call("cuEventRecord", end, None)
            self.call("cuEventSynchronize", end)
            elapsed = ctypes.c_float()
            self.call("cuEventElapsedTime", ctypes.byref(elapsed), begin, end)
            if i >= 3:
                times.append(elapsed.value)
        return statistics.median(times)

    def copy_rate(self, size=1 << 28):
        """GB/s of a copy within the device, read and written bytes counted."""
        a, b = self.allocate(size), self.allocate(size)
        ms = self.milliseconds(lambda: self.call("cuMemcpyDtoDAsync_v2", b, a, ctypes.c_size_t(size), None))
        for address in (a, b):
            self.call("cuMemFree_v2", address)
        return 2 * size / ms / 1e6


class Launch:
    """A group with memory on the device, and its entries ready to launch."""

    def __init__(self, driver, group, inputs):
        self.driver, self.group, self.kept, self.memory = driver, group, [], {}
        sizes = {f"n{i}": int(n) for i, n in enumerate(group["sizes"])}
        self.number = lambda text: eval(text, {**sizes, "min": min, "max": max})
        most = max(self.number(e["blocks"]) for e in group["entries"])
        for i, b in enumerate(group["buffers"]):
            count = self.number(b["elements"]) * (most if b["space"] == "scratch" else 1)
            if b["space"] == "input":
                self.memory[i] = driver.upload(inputs[b["argument"]])
            elif b["space"] != "shared":
                self.memory[i] = driver.allocate(count * BYTES[b["dtype"]])
        self.failed = driver.upload(np.zeros(1, np.int32))
        module = ctypes.c_void_p()
        driver.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(group["text"].encode()))
        self.entries = [self.prepared(module, entry, sizes) for entry in group["entries"]]

    def prepared(self, module, entry, sizes):
        function = ctypes.c_void_p()
        self.driver.call("cuModuleGetFunction", ctypes.byref(function), module, ctypes.c_char_p(entry["name"].encode()))
        values = []
        for kind, i in entry["arguments"]:
            if kind == "buffer":
                values.append(self.memory[i])
            elif kind == "size":
                values.append(ctypes.c_int64(sizes[f"n{i}"]))
            elif kind == "failed":
                values.append(self.failed)
            else:
                sys.exit(f"ptx_check: an entry takes an argument of kind {kind}, which PTX has none of.")
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        self.kept.append(values)
        blocks, shared = self.number(entry["blocks"]), self.number(entry["shared_bytes"])
        if shared > 48 << 10:
            dynamic_shared = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.driver.call("cuFuncSetAttribute", function, ctypes.c_int(dynamic_shared), ctypes.c_int(shared))
        grid = [ctypes.c_uint(v) for v in (blocks, 1, 1, entry["threads"], 1, 1, shared)]
        return [function, *grid, None, pointers, None]

    def run(self):
        for entry in self.entries:
            self.driver.call("cuLaunchKernel", *entry)

    def result(self, shape):
        self.driver.call("cuCtxSynchronize")
        if self.driver.download(self.failed, np.zeros(1, np.int32))[0]:
            sys.exit(f"ptx_check: {self.group['name']} reports that a check failed.")
        (output,) = [i for i, b in enumerate(self.group["buffers"]) if b["space"] == "output"]
        return self.driver.download(self.memory[output], np.empty(shape, np.float32))


def time_of_torch(name, scale, shift, arguments):
    """Milliseconds of the function under torch.compile, or None without torch or its CUDA."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    scale, shift, *arguments = (torch.from_numpy(a).cuda() for a in (scale, shift, *arguments))
    keep = {"keepdim": True}
    functions = Functions(torch, lambda x: x.amax(-1, keepdim=True), keep, scale, shift)
    compiled = torch.compile(getattr(functions, name))
    times = []
    for i in range(25):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        compiled(*arguments)
        end.record()
        torch.cuda.synchronize()
        if i >= 5:
            times.append(begin.elapsed_time(end))
    return statistics.median(times)


class NumPy:
    """NumPy with erf."""

    sqrt, exp = staticmethod(np.sqrt), staticmethod(np.exp)

    @staticmethod
    def erf(x):
        return paddle.erf(paddle.to_tensor(x)).numpy()  # in float64


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2048)
    parser.add_argument("--columns", type=int, default=4096)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    shape = [options.rows, options.columns]
    scale, shift = (rng.standard_normal(options.columns, dtype=np.float32) for _ in range(2))
    arrays = [rng.standard_normal(shape, dtype=np.float32) for _ in range(2)]
    keep = {"keepdim": True}
    tensors = [paddle.to_tensor(a) for a in arrays]
    functions = Functions(
        paddle, lambda x: x.max(-1, keepdim=True), keep, paddle.to_tensor(scale), paddle.to_tensor(shift)
    )
    count = {name: 2 if name == "swiglu" else 1 for name in NAMES}
    for architecture in ("sm_80", "sm_90"):
        for name in NAMES:
            group = group_of(functions, name, tensors[: count[name]], f"ptx-{architecture}")
            report = assemble(group, architecture)
            if report is None:
                print(f"{name:15} {architecture}: ptxas is not on PATH")
            for registers, spilled in report or []:
                print(f"{name:15} {architecture}: {registers} registers, {spilled} bytes of spills")
    try:
        driver = Driver()
    except (OSError, RuntimeError) as error:
        print(f"ptx_check: there is no GPU at hand ({error}); nothing was launched.")
        return 2
    copy = driver.copy_rate()
    print(f"\n{driver.name}, {driver.architecture}; a copy moves {copy:.0f} GB/s")
    exact = Functions(
        NumPy,
        lambda x: x.max(-1, keepdims=True),
        {"keepdims": True},
        scale.astype(np.float64),
        shift.astype(np.float64),
    )
    wrong = 0
    for name in NAMES:
        given = arrays[: count[name]]
        group = group_of(functions, name, tensors[: count[name]], f"ptx-{driver.architecture}")
        # An input of the program is called after its position.
        positions = [int(re.search(r"(\d+)$", text).group(1)) for text in group["inputs"]]
        launch = Launch(driver, group, [[scale, shift, *given][p] for p in positions])
        launch.run()
        away = np.abs(launch.result(shape) - getattr(exact, name)(*(a.astype(np.float64) for a in given))).max()
        ms = driver.milliseconds(launch.run)
        rate = (count[name] + 1) * arrays[0].nbytes / ms / 1e6
        torch_ms = time_of_torch(name, scale, shift, given)
        torch_text = "" if torch_ms is None else f", torch.compile {torch_ms:.4f} ms"
        text = f"{name:15} {ms:.4f} ms, {rate:.0f} GB/s, {100 * rate / copy:.0f} % of the copy{torch_text}"
        print(f"{text}, at most {away:.1e} off")
        wrong += not away < 1e-4
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
