# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.fluid.layers`: functions of tensors and of variables of programs, in the forms of PaddlePaddle 1 and 2.

A result has at least one axis: sums and means over all axes have shape [1].
"""

from ... import _paths, distribution
from ...static import Variable as Variable
from .. import absent
from . import (
    boxes,
    branches,
    elementwise,
    inputs,
    losses,
    pooling,
    recurrent,
    reductions,
    schedules,
    sequences,
    shapes,
    values,
    with_parameters,
)

_MODULES = (
    boxes,
    branches,
    elementwise,
    inputs,
    losses,
    pooling,
    recurrent,
    reductions,
    schedules,
    sequences,
    shapes,
    values,
    with_parameters,
)
_decay_step_counter = schedules._decay_step_counter
Normal = distribution.Normal
for _module in _MODULES:
    globals().update({_name: getattr(_module, _name) for _name in _module.__all__})
globals().pop("one_hot_v2", None)
__all__ = sorted({_name for _module in _MODULES for _name in _module.__all__} - {"one_hot_v2"})

_paths.attach(__name__)


def __getattr__(name):
    raise absent.error(__name__, name)
