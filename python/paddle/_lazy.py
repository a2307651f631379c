# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Module-level hooks: submodules on first use, and names from operator records."""

import importlib
import importlib.util
import sys
import types

from . import _bind, _paths


def attribute_hook(module, submodules, origins):
    """A module `__getattr__`; it also gives the module a `__dir__` that lists these names.

    Args:
        module: Name of the module.
        submodules: Names that are imported as `module.name`.
        origins: name -> (module, attribute or None for the module itself).
    """

    def hook(name):
        if name.startswith("__"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        namespace = sys.modules[module].__dict__
        if name in origins:
            source, attribute = origins[name]
            value = importlib.import_module(source)
            if attribute is not None:
                value = getattr(value, attribute)
        else:
            value = _bind.find(module, name)
            path = f"{module}.{name}"
            if value is None and _paths.is_path(path):
                value = importlib.import_module(path)
            if value is None and name in submodules:
                if importlib.util.find_spec(path) is not None:
                    value = importlib.import_module(path)
                else:
                    value = _bind.submodule(path)
            if value is None:
                raise AttributeError(
                    f"module '{module}' has no attribute '{name}'; paddle has no operator and no composite of that name"
                )
        namespace[name] = value
        return value

    def listed():
        return sorted({*sys.modules[module].__dict__, *submodules, *origins, *_bind.names(module)})

    sys.modules[module].__dict__["__dir__"] = listed
    return hook


def listing(module):
    """A module `__dir__` that names what the module offers, its `__all__`, and not what it imports for itself.

    Args:
        module: Name of the module.
    """

    def listed():
        namespace = sys.modules[module].__dict__
        return sorted({*namespace["__all__"], *(name for name in namespace if name.startswith("__"))})

    return listed


class CallableDeviceModule(types.ModuleType):
    """`paddle.device` is both a package and a function that makes a `Device`."""

    def __call__(self, *args, **kwargs):
        return self.Device(*args, **kwargs)


class CallableTensorModule(types.ModuleType):
    """`paddle.tensor` is both a package and a function that makes a tensor."""

    def __call__(self, data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
        from .tensor.creation import to_tensor

        made = to_tensor(data, dtype=dtype, place=device, stop_gradient=not requires_grad)
        if not pin_memory:
            return made
        from .framework.devices import pinned

        return pinned(made, device)
