# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Raw operator functions, by schema (`paddle._C_ops.relu(x)`)."""

from . import _core


def _run_custom_op(name, *args):
    """Call an operator of a loaded extension with its inputs and attributes: its results, as a flat list."""
    from .utils.cpp_extension import operators

    return operators.run(name, *args)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    value = None
    if name.endswith(("_grad", "_grad_")):
        from .framework import gradient_ops

        value = gradient_ops.find(name)
    if value is None:
        from .framework import composed_ops

        value = composed_ops.find(name)
    globals()[name] = value
    return value


def __dir__():
    from .framework import composed_ops, gradient_ops

    return sorted({*globals(), *dir(_core.ops), *composed_ops.names(), *gradient_ops.names()})
