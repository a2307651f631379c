# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The test device, loaded once per process: `place(0)`, `place(1)`, and tensors there."""

import ctypes
from functools import cache
from pathlib import Path

import paddle

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(paddle.__file__).resolve().parent
# Beside the package in a build folder of its own (tools/sanitize.sh).
BUILD = PACKAGE.parents[1] if PACKAGE.is_relative_to(ROOT / "build") else ROOT / "build"
LIBRARY = BUILD / "tests" / "libpaddle_lagging_device.so"


@cache
def library():
    if not LIBRARY.exists():
        raise FileNotFoundError(f"{LIBRARY}: configure with -DPADDLE_BUILD_TESTS=ON and build")
    loaded = ctypes.CDLL(str(LIBRARY))
    loaded.lagging_launches.restype = ctypes.c_longlong
    loaded.lagging_channels_last.restype = ctypes.c_longlong
    loaded.lagging_allocations.restype = ctypes.c_longlong
    loaded.register_lagging_device()
    return loaded


def place(index=0):
    library()
    return paddle.device._convert_to_place(f"lagging:{index}")


def launches():
    """How many kernels of the device have been launched."""
    return library().lagging_launches()


def there(data, dtype=None, stop_gradient=True, index=0):
    return paddle.to_tensor(data, dtype=dtype, place=place(index), stop_gradient=stop_gradient)
