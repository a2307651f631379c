# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Extensions in C++.  Operators written against `paddle/extension.h` can be described, not built."""

from ... import _lazy
from .extension_utils import get_build_directory, load_op_meta_info_and_register_op

_FROM = {
    name: ("paddle.utils.cpp_extension.cpp_extension", name)
    for name in ("BuildExtension", "CppExtension", "CUDAExtension", "CUDA_HOME", "load", "setup")
}
__getattr__ = _lazy.attribute_hook(__name__, ("cpp_extension", "extension_utils"), _FROM)
__dir__ = _lazy.dir_hook(__name__, ("cpp_extension", "extension_utils"), _FROM)
