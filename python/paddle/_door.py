# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The door to `past/`: modules of interfaces that PaddlePaddle has left behind and of hardware that this package does
not drive. Each is imported by its public path, `paddle.fluid` or `paddle.static.ipu`; this table alone says where they
lie. The other modules do not import from there, but for those that a test names."""

import os

_PAST = os.path.join(os.path.dirname(__file__), "past")

# public package -> folder of its old modules
_FOLDERS = {
    "paddle": "",
    "paddle.device": "device",
    "paddle.framework": "framework",
    "paddle.inference": "inference",
    "paddle.static": "static",
}


def with_past(package, path):
    """The places where a package's modules are looked for: its own folder, then that of its old modules.

    Args:
        package: Name of the package.
        path: Its `__path__`.
    """
    return [*path, os.path.join(_PAST, _FOLDERS[package])]
