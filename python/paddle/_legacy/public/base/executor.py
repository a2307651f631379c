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


def _fetch_var(name, scope=None, return_numpy=True):
    """What a scope holds under a name.

    Args:
        name: The name.
        scope: The Scope; None: the global one.
        return_numpy: Whether as an array, rather than as a DenseTensor.

    Raises:
        AssertionError: There is nothing of that name.
    """
    if not isinstance(name, str):
        raise AssertionError(f"_fetch_var: name has type {type(name).__name__}; it must be a str.")
    found = (scope or global_scope()).find_var(name)
    if found is None:
        raise AssertionError(f"_fetch_var: the scope has no {name!r}; pass the scope of the run, of a persistable one.")
    return as_numpy(found.get_tensor()) if return_numpy else found.get_tensor()


__all__ = ["Executor", "Program", "Scope", "as_numpy", "default_main_program", "global_scope", "scope_guard"]
