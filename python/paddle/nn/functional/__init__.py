# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions for networks: operators by their record, and composites of them."""

import importlib as _importlib

from ... import _bind, _paths
from . import (
    activation,
    class_loss,
    common,
    conv,
    flash_attention,
    loss,
    margin,
    moe,
    noise,
    norm,
    padding,
    pooling,
    rearrange,
    sequence_loss,
    softmax_loss,
    vision,
)

__all__ = []
for _module in (
    activation,
    class_loss,
    common,
    conv,
    flash_attention,
    loss,
    margin,
    moe,
    noise,
    norm,
    padding,
    pooling,
    rearrange,
    sequence_loss,
    softmax_loss,
    vision,
):
    for _name in _module.__all__:
        globals()[_name] = getattr(_module, _name)
        __all__.append(_name)
_bind.complete(__name__, globals())
__all__ += [_name for _name in _bind.names(__name__) if _name not in __all__]


def __getattr__(name):
    if _paths.is_path(f"{__name__}.{name}"):
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


for _module in (activation, common, conv, flash_attention, loss, norm, pooling, vision):
    _module.__getattr__ = _paths.names_of(__name__)  # they show what the package binds from operator records
