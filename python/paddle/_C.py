# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts about the C++ build, by the names that PyTorch extensions ask for."""

_GLIBCXX_USE_CXX11_ABI = True
_PYBIND11_COMPILER_TYPE, _PYBIND11_STDLIB, _PYBIND11_BUILD_ABI = "_gcc", "_libstdcpp", "_cxxabi1016"


def _get_custom_class_python_wrapper(namespace, name):
    """A class that an extension registered.

    Raises:
        RuntimeError: There is none of that name.
    """
    raise RuntimeError(f"_get_custom_class_python_wrapper: class '{namespace}::{name}' not found; no extension has it.")
