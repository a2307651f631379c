# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels as PTX: CUDA's assembler accepts them and needs no memory for registers. None is run here."""

import re
import shutil
import subprocess

import paddle
import pytest
from paddle.static import InputSpec

from tests.python.cinn.fused import FUSED, layer_norm_gelu, rms_norm, softmax, sources

ARCHITECTURES = ["sm_80", "sm_90"]


@pytest.fixture(scope="module")
def assembled(tmp_path_factory):
    """A function that assembles a group: (registers, bytes of spills, static shared bytes) of each entry."""
    ptxas = shutil.which("ptxas")
    if ptxas is None:
        pytest.skip("ptxas of CUDA is not on PATH")
    folder = tmp_path_factory.mktemp("ptx")

    def assemble(group, architecture):
        path = folder / "kernel.ptx"
        path.write_text(group["text"])
        command = [ptxas, "-v", f"-arch={architecture}", "-o", str(folder / "kernel.cubin"), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + group["text"]
        found = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", done.stderr)
        registers = re.findall(r"Used (\d+) registers", done.stderr)
        shared = [
            int(*re.findall(r"(\d+) bytes smem", line) or [0]) for line in done.stderr.splitlines() if "Used" in line
        ]
        assert len(found) == len(registers) == len(group["entries"])
        return [(int(r), int(a) + int(b), s) for r, (a, b), s in zip(registers, found, shared, strict=True)]

    return assemble


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("function", FUSED)
def test_the_four_fused_kernels_are_accepted_without_spills(assembled, function, dtype, architecture):
    x, scale = paddle.rand([8, 4096]).astype(dtype), paddle.rand([4096]).astype(dtype)
    (group,) = sources(function, f"ptx-{architecture}", x, scale)
    for registers, spilled, shared in assembled(group, architecture):
        assert spilled == 0
        # Eight blocks of 256 threads fit the 65536 registers of a multiprocessor with 32 each, four with 64.
        assert registers <= 64
        assert shared <= 1024


def test_rows_are_read_and_written_16_bytes_at_a_time():
    (group,) = sources(rms_norm, "ptx-sm_80", paddle.rand([8, 4096]), paddle.rand([4096]))
    assert group["multiple"] == 4
    assert "ld.global.nc.v4.f32" in group["text"] and "st.global.v4.f32" in group["text"]
    (group,) = sources(rms_norm, "ptx-sm_80", paddle.rand([8, 4097]), paddle.rand([4097]))
    assert group["multiple"] == 1
    assert ".v4." not in group["text"]


def test_functions_are_polynomials_and_not_calls(assembled):
    for function in FUSED:
        (group,) = sources(function, "ptx-sm_90", paddle.rand([4, 1000]), paddle.rand([1000]))
        assert not re.search(r"\bcall\b|\.approx", group["text"])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_reductions_in_two_stages_are_accepted(assembled, architecture):
    def columns(x):
        d = paddle.exp(x)
        return d.sum(0), (x * d).sum(), d.max(-1)

    for group in sources(columns, f"ptx-{architecture}", paddle.rand([300, 96])):
        assert len(group["entries"]) >= 1
        assert all(spilled == 0 for _, spilled, _ in assembled(group, architecture))


def test_integers_and_64_bit_floats_are_accepted(assembled):
    def mixed(x, i):
        return (x * x).sum(-1), (i * 3 // 2).max(-1), x.astype("int64") + i

    x, i = paddle.rand([6, 700], dtype="float64"), paddle.randint(-9, 9, [6, 700])
    for group in sources(mixed, "ptx-sm_80", x, i):
        assembled(group, "sm_80")


def test_extents_that_are_symbols_stay_arguments(assembled):
    spec = [InputSpec([None, None]), InputSpec([None])]
    (group,) = sources(softmax, "ptx-sm_90", paddle.rand([4, 100]), paddle.rand([100]), input_spec=spec)
    assert any(not size.isdigit() for size in group["sizes"])
    assembled(group, "sm_90")
    (entry,) = group["entries"]
    assert ("size", 0) in entry["arguments"] and "n" in entry["blocks"]


def test_what_a_row_keeps_lies_in_shared_memory_that_the_launch_gives():
    (group,) = sources(layer_norm_gelu, "ptx-sm_80", paddle.rand([8, 4096]), paddle.rand([4096]))
    kept = [b for b in group["buffers"] if b["space"] == "shared" and "n" in b["elements"]]
    sizes = {f"n{i}": int(n) for i, n in enumerate(group["sizes"])}
    wanted = sum(eval(b["elements"], sizes) * 4 for b in kept)
    assert eval(group["entries"][0]["shared_bytes"], sizes) == wanted


def test_an_unknown_target_is_an_error():
    with pytest.raises(ValueError, match="target is ptx-sm_10; it must be"):
        sources(softmax, "ptx-sm_10", paddle.rand([4, 8]), paddle.rand([8]))
