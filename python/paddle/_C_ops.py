# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Raw operator functions, by schema (`paddle._C_ops.relu(x)`)."""

from . import _core, _legacy


def _run_custom_op(name, *args):
    """Call an operator of a loaded extension with its inputs and attributes: its results, as a flat list."""
    from .utils.cpp_extension import operators

    return operators.run(name, *args)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    globals()[name] = value = _legacy.raw_operators.find(name)
    return value


def __dir__():
    return sorted({*globals(), *dir(_core.ops), *_legacy.raw_operators.names()})
