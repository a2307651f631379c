# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing by index as functions, for programs: what is written is a new variable."""

from ..tensor.creation import assign


def _getitem_static(x, indices):
    """`x[indices]`."""
    return x[indices]


def _setitem_static(x, indices, values):
    """A variable that is `x` with `values` at `indices`.

    Args:
        x: A variable; it keeps its values.
        indices: As in `x[indices]`.
        values: A number, an array or a variable that broadcasts to `x[indices]`.
    """
    made = assign(x)
    made[indices] = values
    return made


_setitem_impl_ = _setitem_static
