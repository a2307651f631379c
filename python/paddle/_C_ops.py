# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Raw operator functions, by schema (`paddle._C_ops.relu(x)`)."""

from . import _core


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    value = getattr(_core.ops, name)
    globals()[name] = value
    return value
