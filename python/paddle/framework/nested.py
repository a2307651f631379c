# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays within nested objects of files, converted by programs that load them their own way."""

import collections


def _transformed_from_lodtensor(obj):
    """Whether an object of a file stands for a tensor: an array."""
    import numpy

    return isinstance(obj, numpy.ndarray)


def _to_LodTensor(ndarray):
    """The DenseTensor of an array."""
    from ..static.scope import DenseTensor

    made = DenseTensor()
    made.set(ndarray, None)
    return made


def _parse_every_object(obj, condition_func, convert_func):
    """An object with the elements that meet a condition converted; dicts and lists are changed in place.

    Args:
        obj: A leaf, or tuples, lists and dicts of such.
        condition_func: Whether a part is to be converted,
        convert_func: and what it becomes.

    Raises:
        NotImplementedError: A container is of a class of its own.
    """
    if condition_func(obj):
        return convert_func(obj)
    kinds = (tuple, list, dict, collections.OrderedDict)
    if not isinstance(obj, kinds):
        return obj
    if type(obj) not in kinds:
        raise NotImplementedError(f"_parse_every_object: the container is a {type(obj)}; use a tuple, list or dict.")
    if isinstance(obj, tuple):
        return tuple(_parse_every_object(part, condition_func, convert_func) for part in obj)
    for key in obj if isinstance(obj, dict) else range(len(obj)):
        obj[key] = _parse_every_object(obj[key], condition_func, convert_func)
    return obj
