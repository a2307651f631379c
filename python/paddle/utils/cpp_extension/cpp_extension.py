# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of extensions for setuptools, and the functions that build them."""

import os

from .extension_utils import unavailable

try:
    from setuptools import Extension
except AssertionError:
    # A program that imported pip before has lost setuptools' own distutils.
    os.environ["SETUPTOOLS_USE_DISTUTILS"] = "stdlib"
    from setuptools import Extension
from setuptools.command.build_ext import build_ext

CUDA_HOME = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")


class BuildExtension(build_ext):
    """The setuptools command of extensions."""

    @classmethod
    def with_options(cls, **options):
        """A subclass that is built with the given options."""
        return type(cls.__name__, (cls,), {"options": options})


def CppExtension(sources, *args, **kwargs):
    """A setuptools.Extension of C++ sources; its name is `kwargs['name']`, None by default."""
    name = kwargs.pop("name", None) or "unnamed"
    return Extension(name, sources, *args, **{**kwargs, "language": "c++"})


def CUDAExtension(sources, *args, **kwargs):
    """NotImplementedError."""
    raise unavailable("CUDAExtension")


def setup(**attr):
    """NotImplementedError."""
    raise unavailable("cpp_extension.setup")


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
    """NotImplementedError."""
    raise unavailable("cpp_extension.load")
