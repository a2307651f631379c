# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Submodules of other packages that PaddlePaddle's import loads as well. Programs say `import importlib` and then
`importlib.metadata`, or `import PIL` and then `PIL.Image`; here the submodule is loaded when it is first asked for."""

import functools
import importlib
import importlib.abc
import importlib.machinery
import sys

_SUBMODULES = {
    "PIL": ("Image", "ImageColor", "ImageEnhance", "ImageFilter", "ImageOps", "ImageStat"),
    "concurrent": ("futures",),
    "email": ("encoders", "errors", "header", "message", "parser", "utils"),
    "http": ("client", "cookiejar", "server"),
    "importlib": ("metadata", "resources"),
    "logging": ("handlers",),
    "urllib": ("error", "request", "response"),
}


def _attach(module):
    """Give a package the hook that loads its submodules."""
    package = module.__name__

    def hook(name):
        if name in _SUBMODULES[package]:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    module.__dict__.setdefault("__getattr__", hook)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the packages of the table as usual, and attaches the hook once they have run."""

    def find_spec(self, fullname, path, target=None):
        if fullname not in _SUBMODULES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = functools.partial(self._run, spec.loader.exec_module)
        return spec

    @staticmethod
    def _run(run, module):
        run(module)
        _attach(module)


def install():
    """Attach the hook to the packages of the table, now or when they are imported."""
    for package in _SUBMODULES:
        if package in sys.modules:
            _attach(sys.modules[package])
    sys.meta_path.insert(0, _Finder())
