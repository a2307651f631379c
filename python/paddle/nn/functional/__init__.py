# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions for networks: operators by their record, and composites of them."""

from ... import _bind
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
    vision,
):
    for _name in _module.__all__:
        globals()[_name] = getattr(_module, _name)
        __all__.append(_name)
_bind.apply(__name__, globals())
_bind.complete(__name__, globals())
