# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths of PaddlePaddle's modules: programs import a name from the module that defines it there, such as
`paddle.tensor.logic` or `paddle.nn.layer.distance`. Here that module shows the names of its package."""

import importlib
import importlib.abc
import importlib.machinery
import sys

_PATHS = {
    "paddle.tensor": ("paddle.tensor", "attribute logic ops tensor"),
    "paddle.nn.functional": ("paddle.nn.functional", "distance extension input sdpa"),
    "paddle.nn.layer": ("paddle.nn", "distance"),
    "paddle.nn.initializer": (
        "paddle.nn.initializer",
        "assign bilinear dirac initializer kaiming normal orthogonal uniform xavier",
    ),
}
_SHOWS = {f"{package}.{name}": source for package, (source, names) in _PATHS.items() for name in names.split()}
_SHOWS["paddle.base.initializer"] = "paddle.nn.initializer"


def names_of(package):
    """A module `__getattr__` that shows the names of a package.

    Args:
        package: Name of the package.
    """

    def hook(name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(package), name)

    return hook


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes the modules of the table; asked last, so a file of that name goes first."""

    def find_spec(self, fullname, path, target=None):
        return importlib.machinery.ModuleSpec(fullname, self) if fullname in _SHOWS else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__doc__ = f"Shows the names of `{_SHOWS[module.__name__]}`."
        module.__getattr__ = names_of(_SHOWS[module.__name__])


def install():
    """Let `import` find the modules of the table."""
    sys.meta_path.append(_Finder())


def is_path(name):
    """Whether a module of the table has that name."""
    return name in _SHOWS
