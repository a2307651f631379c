# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where extensions are built, and how a built one is loaded and asked what it declares."""

import importlib.util
import os
import sys

from . import operators


def get_build_directory(verbose=False):
    """The folder of compiled extensions: PADDLE_EXTENSION_DIR, else one in the user's cache."""
    default = os.path.join(os.path.expanduser("~"), ".cache", "paddle_extensions")
    folder = os.environ.get("PADDLE_EXTENSION_DIR", default)
    os.makedirs(folder, exist_ok=True)
    if verbose:
        print(f"Extensions are built in {folder}.")
    return folder


def load_op_meta_info_and_register_op(lib_filename):
    """Load a library of operators; the names of its operators.

    Args:
        lib_filename: Path of a library that was compiled against `paddle/extension.h`.

    Returns:
        The names of its operators; `paddle._C_ops._run_custom_op(name, ...)` calls one.

    Raises:
        OSError: The file cannot be loaded, or is no such library.
        ValueError: An operator's declaration does not hold together.
        RuntimeError: An operator of that name exists already.
    """
    return operators.register(lib_filename)


def parse_op_info(op_name):
    """The declared names of an operator's inputs, attributes and outputs."""
    row = operators.declaration(op_name)
    return row["inputs"], row["attributes"], row["outputs"]


def _load_module_from_file(api_file_path, module_name, verbose=False):
    """Import a module from a file, under the name `module_name`."""
    if not os.path.exists(api_file_path):
        raise FileNotFoundError(f"cpp_extension: {api_file_path} does not exist; build the extension first.")
    if verbose:
        print(f"Importing {api_file_path}.")
    spec = importlib.util.spec_from_file_location(module_name, api_file_path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


def _import_module_from_library(module_name, build_directory, verbose=False):
    """Import the module of an extension that load() built in `build_directory`."""
    path = os.path.join(build_directory, module_name + ".py")
    return _load_module_from_file(path, f"_paddle_cpp_extension_{module_name}", verbose)


def _jit_compile(file_path, verbose=False):
    """Run `file_path build`, a set-up file that calls paddle.utils.cpp_extension.setup()."""
    from .compiler import _run

    if not os.path.exists(file_path):
        raise FileNotFoundError(f"cpp_extension: {file_path} does not exist.")
    _run([sys.executable, os.path.abspath(file_path), "build"], verbose)
