# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files in the safetensors format: bytes, round trips, damaged files."""

import io
import json
import struct

import numpy as np
import paddle
import pytest


def written(header, payload):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + payload


def read(data, **options):
    return paddle.load(io.BytesIO(data), safetensors=True, **options)


def test_bytes_are_header_and_elements_with_the_widest_first(tmp_path):
    path = str(tmp_path / "two.safetensors")
    paddle.save({"a": paddle.to_tensor([1.0, 2.0]), "b": paddle.to_tensor([3])}, path, safetensors=True)
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    assert length % 8 == 0
    assert json.loads(data[8 : 8 + length]) == {
        "b": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]},
    }
    assert data[8 + length :] == struct.pack("<q2f", 3, 1.0, 2.0)


@pytest.mark.parametrize(
    "dtype", "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 float8_e4m3fn".split()
)
def test_every_dtype_and_shape_comes_back(dtype):
    tensors = {f"t{n}": paddle.ones(shape).astype(dtype) for n, shape in enumerate(([], [0, 3], [2, 3]))}
    file = io.BytesIO()
    paddle.save(tensors, file, safetensors=True)
    for name, tensor in read(file.getvalue()).items():
        assert tensor.dtype == tensors[name].dtype and tensor.shape == tensors[name].shape
        np.testing.assert_array_equal(tensor.numpy(), tensors[name].numpy())


def test_arrays_are_returned_when_asked_for():
    data = written(
        {"__metadata__": {"format": "pd"}, "w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}},
        struct.pack("<2f", 1.0, 2.0),
    )
    assert isinstance(read(data, return_numpy=True)["w"], np.ndarray)
    assert read(data)["w"].tolist() == [1.0, 2.0]


def test_other_objects_are_written_as_without_the_option():
    file = io.BytesIO()
    paddle.save({"epoch": 3}, file, safetensors=True)
    assert paddle.load(io.BytesIO(file.getvalue())) == {"epoch": 3}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 8,
        b"\xff" * 40,
        written([], b""),
        written({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"\0" * 4),
        written({"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}, b"\0" * 8),
        written({"w": {"dtype": "F32", "shape": [-2], "data_offsets": [0, -8]}}, b"\0" * 8),
        written({"w": {"dtype": "F33", "shape": [2], "data_offsets": [0, 8]}}, b"\0" * 8),
        written({"w": {"dtype": "F32", "shape": ["x"], "data_offsets": [0, 8]}}, b"\0" * 8),
        written({"w": 3}, b""),
    ],
)
def test_damaged_files_are_refused(data):
    with pytest.raises(ValueError, match="load: "):
        read(data)


def test_buffers_become_tensors():
    from paddle.base import core

    data = np.arange(4, dtype="float32").tobytes()
    assert core.frombuffer(data, paddle.float32, offset=4).tolist() == [1.0, 2.0, 3.0]
    assert core.frombuffer(struct.pack("<H", 0x3FC0), paddle.bfloat16).astype("float32").tolist() == [1.5]
