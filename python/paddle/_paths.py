# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths of PaddlePaddle's modules: programs import a name from the module that defines it there, such as
`paddle.tensor.logic` or `paddle.nn.layer.distance`. Here that module shows the names of its package."""

import importlib
import importlib.abc
import importlib.machinery
import sys

# package -> (where the names of its modules are, its modules)
_PATHS = {
    "paddle.amp": ("paddle.amp", "amp_lists"),
    "paddle.autograd": ("paddle.autograd", "autograd backward_mode"),
    "paddle.base": ("paddle.nn.initializer", "initializer"),
    "paddle.distributed.auto_parallel.intermediate": ("paddle.distributed", "pipeline_parallel tensor_parallel"),
    "paddle.framework": ("paddle", "dtype framework"),
    "paddle.geometric": ("paddle.geometric", "math"),
    "paddle.hapi": ("paddle.hub", "hub"),
    "paddle.incubate.autograd": ("paddle.incubate.autograd", "functional primapi utils"),
    "paddle.incubate.nn": ("paddle.incubate.nn paddle.incubate", "loss"),
    "paddle.incubate.optimizer": (
        "paddle.incubate.optimizer",
        "gradient_merge lars_momentum lbfgs lookahead modelaverage pipeline recompute",
    ),
    "paddle.incubate.optimizer.functional": ("paddle.incubate.optimizer.functional", "bfgs lbfgs"),
    "paddle.incubate.tensor": ("paddle.incubate.tensor", "math"),
    "paddle.nn.functional": ("paddle.nn.functional", "distance extension input sdpa"),
    "paddle.nn.initializer": (
        "paddle.nn.initializer",
        "assign bilinear dirac initializer kaiming normal orthogonal uniform xavier",
    ),
    "paddle.nn.layer": ("paddle.nn", "distance"),
    "paddle.nn.utils": ("paddle.nn.utils", "spectral_norm_hook transform_parameters weight_norm_hook"),
    "paddle.optimizer": ("paddle.optimizer", "asgd nadam radam rprop"),
    "paddle.reader": ("paddle.reader", "decorator"),
    "paddle.sparse": ("paddle.sparse", "multiary"),
    "paddle.sparse.nn.functional": ("paddle.sparse.nn.functional", "transformer"),
    "paddle.static": ("paddle.base.log_helper", "log_helper"),
    "paddle.static.amp": ("paddle.static.amp", "decorator fp16_lists fp16_utils"),
    "paddle.static.nn": ("paddle.static.nn paddle.static paddle.nn.functional", "common loss metric sequence_lod"),
    "paddle.tensor": ("paddle.tensor", "attribute logic ops tensor"),
    "paddle.text.datasets": (
        "paddle.text.datasets",
        "conll05 imdb imikolov movielens uci_housing wmt14 wmt16",
    ),
    "paddle.utils": ("paddle.utils", "install_check"),
}
_SHOWS = {
    f"{package}.{name}": sources.split() for package, (sources, names) in _PATHS.items() for name in names.split()
}


def names_of(*packages):
    """A module `__getattr__` that shows the names of packages.

    Args:
        packages: Names of the packages; the first that has a name gives it.
    """

    def hook(name):
        if name.startswith("__"):
            raise AttributeError(name)
        for package in packages[:-1]:
            value = getattr(importlib.import_module(package), name, hook)
            if value is not hook:
                return value
        return getattr(importlib.import_module(packages[-1]), name)

    return hook


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes the modules of the table; asked last, so a file of that name goes first."""

    def find_spec(self, fullname, path, target=None):
        return importlib.machinery.ModuleSpec(fullname, self) if fullname in _SHOWS else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__doc__ = f"Shows the names of {' and '.join(_SHOWS[module.__name__])}."
        module.__getattr__ = names_of(*_SHOWS[module.__name__])


def install():
    """Let `import` find the modules of the table."""
    sys.meta_path.append(_Finder())


def is_path(name):
    """Whether a module of the table has that name."""
    return name in _SHOWS


def attach(package):
    """Make the modules of the table that lie in `package` its attributes; it may be a plain module."""
    namespace = sys.modules[package].__dict__
    namespace.setdefault("__path__", [])
    for path in _SHOWS:
        parent, _, name = path.rpartition(".")
        if parent == package:
            namespace[name] = importlib.import_module(path)
