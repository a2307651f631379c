# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Composites on tensors, and the Tensor methods made from them."""

import importlib
import sys
import types

from .. import _bind, _core, _paths
from ..framework.devices import pinned
from . import (
    along_axis,
    arrange,
    borrowed_methods,
    creation,
    cumulative,
    decomposition,
    inplace,
    linalg,
    manipulation,
    math,
    memory_methods,
    methods,
    random,
    ranges,
    search,
    special,
    stat,
)
from .along_axis import *
from .arrange import *
from .creation import *
from .cumulative import *
from .decomposition import *
from .linalg import *
from .manipulation import *
from .math import *
from .random import *
from .ranges import *
from .search import *
from .special import *
from .stat import *

__all__ = []
_ROOMS = (
    along_axis,
    arrange,
    creation,
    cumulative,
    decomposition,
    linalg,
    manipulation,
    math,
    random,
    ranges,
    search,
    special,
    stat,
)
for _module in _ROOMS:
    __all__ += _module.__all__

for _name, _fn in inplace.forms(globals()).items():
    globals()[_name] = _fn
    __all__.append(_name)

methods.install(globals())
memory_methods.install()
borrowed_methods.install()


_ARRAYS = (
    "array_length",
    "array_read",
    "array_write",
    "create_array",
    "create_tensor",
    "fill_constant",
    "tensor_array_to_tensor",
)


_BORROWED = {
    "create_global_var": "paddle.static",
    "istft": "paddle.signal",
    "matrix_exp": "paddle.linalg",
    "stft": "paddle.signal",
}


def _elsewhere(name):
    """What PaddlePaddle shows here too: a few names of other packages, and methods of Tensor that write in place."""
    if name in _BORROWED:
        return getattr(importlib.import_module(_BORROWED[name]), name)
    if name.endswith("_") or name == "fill_diagonal_tensor":
        return getattr(_core.Tensor, name, None)
    return None


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _ARRAYS or name == "array":
        array = importlib.import_module(f"{__name__}.array")
        globals()[name] = array if name == "array" else getattr(array, name)
        return globals()[name]
    if name == "top_p_sampling":
        from .sampling import top_p_sampling

        globals()[name] = top_p_sampling
        return top_p_sampling
    if _paths.is_path(f"{__name__}.{name}"):
        return importlib.import_module(f"{__name__}.{name}")
    value = _bind.find("paddle", name) or _bind.find("paddle.tensor", name)
    if value is None:
        value = getattr(sys.modules["paddle"], name, None)
    if value is None:
        value = _elsewhere(name)
    if value is None:
        raise AttributeError(f"module 'paddle.tensor' has no attribute '{name}'")
    globals()[name] = value
    return value


for _module in (creation, linalg, manipulation, math, random, search, stat):
    _module.__getattr__ = __getattr__  # they show what the package binds from operator records


class _CallableModule(types.ModuleType):
    """`paddle.tensor` is both a package and a function that makes a tensor."""

    def __call__(self, data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
        made = creation.to_tensor(data, dtype=dtype, place=device, stop_gradient=not requires_grad)
        return pinned(made, device) if pin_memory else made


sys.modules[__name__].__class__ = _CallableModule
