# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Binds the Python spellings of the operator records to modules and to Tensor.

A record says `paddle.nn.functional.relu(x)`; the function appears in that module at its first
use.  A name that a module defines itself wins.
"""

import sys
import types

_table = {}
_core = None


def load(core):
    """Read the table of spellings and attach those of Tensor."""
    global _core
    _core = core
    for row in core.spellings():
        module, _, name = row[0].rpartition(".")
        _table.setdefault(module, {})[name] = row[0]
    for name in _table.get("paddle.Tensor", ()):
        if name not in core.Tensor.__dict__:
            set_method(name, core.function("paddle.Tensor." + name))


def set_method(name, fn):
    """Make `fn` the method `name` of Tensor."""
    if not hasattr(type(fn), "__get__"):
        fn = _as_method(fn)
    setattr(_core.Tensor, name, fn)


def _as_method(fn):
    def method(self, *args, **kwargs):
        return fn(self, *args, **kwargs)

    return method


def names(module):
    """The names that operator records give to `module`."""
    return _table.get(module, {})


def find(module, name):
    """The function that a record spells `module.name`, or None."""
    path = _table.get(module, {}).get(name)
    return None if path is None else _core.function(path)


def submodule(path):
    """A module that exists only through spellings (or None), entered in sys.modules."""
    prefix = path + "."
    if path not in _table and not any(key.startswith(prefix) for key in _table):
        return None
    module = types.ModuleType(path, "Functions of operator records.")
    module.__path__ = []
    sys.modules[path] = module
    module.__dict__.update({n: _core.function(p) for n, p in _table.get(path, {}).items()})
    return module


def complete(module, namespace):
    """Bind every name that records give to `module`: it then needs no `__getattr__`, whose mere
    presence makes each look-up in a module two to three times slower."""
    for name, path in _table.get(module, {}).items():
        if name not in namespace:
            namespace[name] = _core.function(path)
