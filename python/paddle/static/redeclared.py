# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of one name that are declared again with another shape or dtype: each is an input of its own, and an array
that is fed by that name goes to all of them that it fits."""

import numpy as np


def _present(program, name):
    """The names in the recording; a copy of a program may have lost some."""
    return [own for own in program._inputs_of.get(name, ()) if own in program._recording.input_names]


def declared_before(program, name, extents, dtype):
    """The input of that name, shape and dtype; None where the program has none."""
    for own in _present(program, name):
        known = program._variable(own)
        if known.dtype == dtype and known._declared == extents:
            return known
    return None


def declare(program, name, extents, dtype):
    """A new input; behind the first one of a name they have names of their own in the recording."""
    names = program._inputs_of.setdefault(name, [])
    own = f"{name}@{len(names)}" if names else name
    made = program._recording.data(own, extents, dtype, True)
    made.name, made._declared = name, extents
    names.append(own)
    program._named[own] = made
    return made


def _fits(variable, value):
    given = [int(n) for n in (value.shape() if callable(getattr(value, "shape", None)) else np.shape(value))]
    declared = variable._declared
    same_shape = len(given) == len(declared) and all(d in (-1, g) for d, g in zip(declared, given, strict=True))
    dtype = getattr(value, "dtype", None)
    return same_shape and (dtype is None or str(dtype).rpartition(".")[2] == variable.dtype.name)


def feed_by_input(program, feed):
    """The arrays by the names of the recording; what fits none of several inputs goes to the last declared one."""
    made = dict(feed)
    for name in program._inputs_of:
        names = _present(program, name)
        if name in feed and names not in ([], [name]):
            value = made.pop(name)
            fitting = [own for own in names if _fits(program._variable(own), value)] or names[-1:]
            made.update(dict.fromkeys(fitting, value))
    return made
