# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators in C++, written against `paddle/extension.h`: compiled, loaded and installed."""

from ... import _lazy
from .extension_utils import get_build_directory, load_op_meta_info_and_register_op, parse_op_info

__all__ = ["CppExtension", "CUDAExtension", "load", "setup", "get_build_directory"]

_FROM = {
    name: ("paddle.utils.cpp_extension." + module, name)
    for module, names in {
        "cpp_extension": ("CUDA_HOME", "load"),
        "packages": ("BuildExtension", "CppExtension", "CUDAExtension", "setup"),
    }.items()
    for name in names
}
_MODULES = ("compiler", "cpp_extension", "extension_utils", "operators", "packages")
__getattr__ = _lazy.attribute_hook(__name__, _MODULES, _FROM)
