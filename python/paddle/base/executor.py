# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.base.executor`: executors and scopes of static programs under their older path."""

from ..static import Executor, Program, Scope, default_main_program, global_scope, scope_guard


def as_numpy(tensor, copy=False):
    """The values of a variable, or of a list of them, as arrays.

    Args:
        tensor: A DenseTensor, a Tensor, or a list.
        copy: Whether the arrays have memory of their own.
    """
    import numpy

    if isinstance(tensor, (list, tuple)):
        return [as_numpy(t, copy) for t in tensor]
    return numpy.array(tensor) if copy else numpy.asarray(tensor)


__all__ = ["Executor", "Program", "Scope", "as_numpy", "default_main_program", "global_scope", "scope_guard"]
