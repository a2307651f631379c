# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds extensions at once and loads them into this process; packages.py makes packages of them."""

import os

from ... import _core, _lazy
from . import compiler, operators
from .extension_utils import _import_module_from_library, get_build_directory

CUDA_HOME = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")

_FROM = {
    name: ("paddle.utils.cpp_extension.packages", name)
    for name in ("BuildExtension", "CppExtension", "CUDAExtension", "setup", "_generate_extension_name")
}
__getattr__ = _lazy.attribute_hook(__name__, (), _FROM)


def load(
    name,
    sources,
    extra_cxx_cflags=None,
    extra_cuda_cflags=None,
    extra_ldflags=None,
    extra_include_paths=None,
    extra_library_paths=None,
    build_directory=None,
    verbose=False,
):
    """Compile C++ sources and load their operators.

    What was compiled is kept; the next call with the same sources, headers and flags only loads it.

    Args:
        name: Name of the extension, an identifier.
        sources: Paths of C++ files that include `paddle/extension.h` and declare operators.
        extra_cxx_cflags: Further flags of the compiler.
        extra_cuda_cflags: Flags for GPU sources; not used, as paddle has no CUDA.
        extra_ldflags: Further flags of the linker.
        extra_include_paths: Folders of further headers.
        extra_library_paths: Folders of further libraries.
        build_directory: Where to build; get_build_directory() by default.
        verbose: Print the commands and what the compiler says.

    Returns:
        A module with one function for each operator, and what the sources declare with
        `PYBIND11_MODULE(PADDLE_EXTENSION_NAME, m)`.

    Raises:
        RuntimeError: A source is missing, the compiler fails, or an operator of that name exists.
        ValueError: A declaration does not hold together.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"load: name has value {name!r}; it must be an identifier, as it names a module.")
    sources = [sources] if isinstance(sources, str) else list(sources)
    folder = os.path.join(os.path.abspath(build_directory or get_build_directory(verbose)), name)
    job = compiler.Job(
        sources,
        cxx_flags=list(extra_cxx_cflags or []),
        link_flags=list(extra_ldflags or []),
        include_dirs=list(extra_include_paths or []),
        library_dirs=list(extra_library_paths or []),
        name=name,
    )
    library = os.path.join(folder, name + ".so")
    if compiler.build(job, library, folder, verbose) or not os.path.exists(os.path.join(folder, name + ".py")):
        _write_module(name, library)
    return _import_module_from_library(name, folder, verbose)


def _write_module(name, library):
    """Write `name`.py beside a library."""
    text = operators.module_source(name, os.path.basename(library), _core.load_extension(library, False))
    path = os.path.join(os.path.dirname(library), name + ".py")
    draft = f"{path}.{os.getpid()}"
    with open(draft, "w") as file:
        file.write(text)
    os.replace(draft, path)
    return path
