# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The skeleton of a device plugin, loaded once per process: `place(0)`, `place(1)`, and tensors there."""

import ctypes
from functools import cache
from pathlib import Path

import paddle

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(paddle.__file__).resolve().parent
# Beside the package in a build folder of its own (tools/sanitize.sh).
BUILD = PACKAGE.parents[1] if PACKAGE.is_relative_to(ROOT / "build") else ROOT / "build"
LIBRARY = BUILD / "tests" / "libpaddle_skeleton.so"
CHECKS = BUILD / "tests" / "libpaddle_device_checks.so"


@cache
def library():
    """The plugin itself: its runtime, as extensions use it."""
    if not LIBRARY.exists():
        raise FileNotFoundError(f"{LIBRARY}: configure with -DPADDLE_BUILD_TESTS=ON and build")
    paddle.device.load_plugin(LIBRARY)
    paddle.set_flags({"FLAGS_poison_device_memory": True})
    return ctypes.CDLL(str(LIBRARY))


@cache
def checks():
    """What is checked in C++ (checks.cc)."""
    library()
    loaded = ctypes.CDLL(str(CHECKS))
    loaded.use_skeleton(str(LIBRARY).encode())
    return loaded


def place(index=0):
    library()
    return paddle.device._convert_to_place(f"skeleton:{index}")


def statistics():
    """What the host counted of the plugin: kernels, allocations, blocks, block_bytes, streams, events."""
    library()
    return paddle._core.plugin_statistics("skeleton:0")


def launches():
    """How many kernels of the device have been launched."""
    return statistics()["kernels"]


@cache
def _streams():
    return paddle.device.Stream("skeleton:0"), paddle.device.current_stream("skeleton:0")


def use_stream(further):
    """Make the device's first stream, or a further one, the current one of this thread."""
    _streams()  # made while the first stream is the current one
    other, first = _streams()
    paddle.device.set_stream(other if further else first)


def there(data, dtype=None, stop_gradient=True, index=0):
    return paddle.to_tensor(data, dtype=dtype, place=place(index), stop_gradient=stop_gradient)
