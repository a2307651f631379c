# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The operators of `paddle._C_ops` that are no record of the registry: gradients and compositions."""

from . import composed, gradient_ops


def find(name):
    """The function of an operator's name.

    Raises:
        AttributeError: There is no operator of that name.
    """
    found = gradient_ops.find(name) if name.endswith(("_grad", "_grad_")) else None
    return composed.find(name) if found is None else found


def names():
    """Names of the operators that are found here."""
    return {*composed.names(), *gradient_ops.names()}
