# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Raw operator functions, by schema (`paddle._C_ops.relu(x)`)."""

from . import _core


def _run_custom_op(name, *args):
    """Call an operator of a loaded extension with its inputs and attributes: its results, as a flat list."""
    from .utils.cpp_extension import operators

    return operators.run(name, *args)


_GRADIENTS = ("fused_rms_norm_ext_grad", "matmul_grad", "swiglu_grad")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _GRADIENTS:
        from .framework import gradient_ops

        value = getattr(gradient_ops, name)
    else:
        from .framework import composed_ops

        value = composed_ops.find(name)
    globals()[name] = value
    return value


def __dir__():
    from .framework import composed_ops

    return sorted({*globals(), *dir(_core.ops), *composed_ops.names(), *_GRADIENTS})
