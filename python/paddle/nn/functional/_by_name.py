# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Activations that a program names in an argument `act` or `activation`."""

from ... import _legacy
from .. import functional as _functional


def activated(value, name, **attributes):
    """The value after the activation of this name; itself for None.

    A name is a function of `paddle.nn.functional` or, as in programs of PaddlePaddle 1 and 2 (`hard_swish`,
    `hard_sigmoid`, `brelu`), an operator of `paddle._legacy_C_ops`. Attributes are those of the operator.

    Raises:
        ValueError: There is no such activation.
    """
    if name is None:
        return value
    function = None if attributes else getattr(_functional, name, None)
    if function is not None:
        return function(value)
    operator = getattr(_legacy.positional_operators, name, None)
    if operator is None:
        raise ValueError(f"activation: there is no activation {name!r}; use a name such as 'relu'.")
    return operator(value, *(part for pair in attributes.items() for part in pair))
