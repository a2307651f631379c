# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Extensions as installable packages, built by setuptools."""

import os
import re

from . import compiler
from .cpp_extension import _write_module

try:
    from setuptools import Extension
except AssertionError:
    # A program that imported pip before has lost setuptools' own distutils.
    os.environ["SETUPTOOLS_USE_DISTUTILS"] = "stdlib"
    from setuptools import Extension
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "paddle.utils.cpp_extension: packages of extensions are built by setuptools, which is not installed; "
        "install it (pip install setuptools), or use load(), which does without.",
        name="setuptools",
    ) from None
from setuptools.command.build_ext import build_ext


def _generate_extension_name(sources):
    stems = [re.sub(r"\W", "_", os.path.splitext(os.path.basename(s))[0]) for s in sources]
    if not stems:
        raise ValueError("cpp_extension: there are no sources; give at least one C++ file.")
    return "_".join(stems)


def CppExtension(sources, *args, **kwargs):
    """Describe an extension for setup().

    Args:
        sources: Paths of C++ files.
        args, kwargs: Those of `setuptools.Extension` after `name` and `sources`; `extra_compile_args` may be
            a dict with the key "cxx".

    Returns:
        A setuptools.Extension.
    """
    sources = [os.fspath(s) for s in sources]
    name = kwargs.pop("name", None) or _generate_extension_name(sources)
    flags = kwargs.pop("extra_compile_args", None) or []
    flags = flags if isinstance(flags, dict) else {"cxx": list(flags)}
    made = Extension(name, sources, *args, **{**kwargs, "language": "c++"})
    made.extra_compile_args = list(flags.get("cxx", []))
    return made


def CUDAExtension(sources, *args, **kwargs):
    """Describe an extension that may have GPU sources.

    Paddle has no CUDA: building an extension with `.cu` sources raises RuntimeError, one with C++ sources
    alone is built as a CppExtension.
    """
    return CppExtension(sources, *args, **kwargs)


class BuildExtension(build_ext):
    """The setuptools command that compiles extensions: `<name>_pd_.so`, and `<name>.py` that loads it."""

    @classmethod
    def with_options(cls, **options):
        """A subclass that is built with the given options."""
        return type(cls.__name__, (cls,), {"options": options})

    def get_ext_filename(self, fullname):
        """The file of the extension's library."""
        return os.path.join(*fullname.split(".")) + "_pd_.so"

    def build_extension(self, ext):
        """Compile one extension and write its module."""
        flags = [f"-D{key}" if value is None else f"-D{key}={value}" for key, value in ext.define_macros]
        job = compiler.Job(
            ext.sources,
            cxx_flags=flags + list(ext.extra_compile_args or []),
            link_flags=list(ext.extra_link_args or []),
            include_dirs=list(ext.include_dirs or []),
            library_dirs=list(ext.library_dirs or []),
            libraries=list(ext.libraries or []),
            name=ext.name.split(".")[-1],
        )
        library = self.get_ext_fullpath(ext.name)
        objects = os.path.join(os.path.abspath(self.build_temp), ext.name)
        compiler.build(job, library, objects, verbose=bool(self.verbose))
        _write_module(ext.name.split(".")[-1], library)

    def get_outputs(self):
        """The libraries and their modules."""
        modules = [os.path.join(os.path.dirname(self.get_ext_fullpath(e.name)), _module_of(e)) for e in self.extensions]
        return super().get_outputs() + modules

    def copy_extensions_to_source(self):
        """Put the libraries and their modules beside the sources, for `build_ext --inplace`."""
        super().copy_extensions_to_source()
        build_py = self.get_finalized_command("build_py")
        for ext in self.extensions:
            built = os.path.dirname(os.path.join(self.build_lib, self.get_ext_filename(ext.name)))
            folder = build_py.get_package_dir(".".join(ext.name.split(".")[:-1]))
            self.copy_file(os.path.join(built, _module_of(ext)), os.path.join(folder, _module_of(ext)))


def _module_of(ext):
    return ext.name.split(".")[-1] + ".py"


def setup(**attr):
    """Build and install an extension as a package: `setuptools.setup` for one CppExtension.

    Args:
        attr: Those of `setuptools.setup`. `name` is the module to import; `ext_modules` is one
            CppExtension or CUDAExtension, or a list of one.

    Raises:
        ValueError: `name` is missing, or `ext_modules` is not one extension.
    """
    import setuptools

    name = attr.get("name")
    if not isinstance(name, str) or not name:
        raise ValueError("setup: name is missing; give the name of the module to import, setup(name='my_ops', ...).")
    extensions = attr.get("ext_modules")
    extensions = list(extensions) if isinstance(extensions, (list, tuple)) else [extensions]
    if len(extensions) != 1 or not isinstance(extensions[0], Extension):
        raise ValueError("setup: ext_modules must be one CppExtension or CUDAExtension, or a list of one.")
    extensions[0].name = name
    commands = dict(attr.get("cmdclass") or {})
    commands.setdefault("build_ext", BuildExtension)
    setuptools.setup(**{**attr, "ext_modules": extensions, "cmdclass": commands, "zip_safe": False})
