# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the parts of `paddle.utils.cpp_extension` share: where extensions are built, and what cannot be built."""

import os


def unavailable(op):
    """The error of every function that would compile or load an operator written against `paddle/extension.h`."""
    return NotImplementedError(
        f"{op}: operators written against PaddlePaddle's C++ headers are not available; "
        f"write the operator with paddle.autograd.PyLayer, or in C++ as docs/adding/operator.md says."
    )


def get_build_directory(verbose=False):
    """The folder of compiled extensions: PADDLE_EXTENSION_DIR, else one in the user's cache."""
    default = os.path.join(os.path.expanduser("~"), ".cache", "paddle_extensions")
    folder = os.environ.get("PADDLE_EXTENSION_DIR", default)
    os.makedirs(folder, exist_ok=True)
    return folder


def load_op_meta_info_and_register_op(lib_filename):
    """NotImplementedError: a library of such operators has another binary interface."""
    raise unavailable("load_op_meta_info_and_register_op")


def _jit_compile(file_path, verbose=False):
    raise unavailable("cpp_extension")


def _import_module_from_library(module_name, build_directory, verbose=False):
    raise unavailable("cpp_extension")
