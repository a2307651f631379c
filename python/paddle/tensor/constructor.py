# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.Tensor(...)` with more than data: a place, a name and other settings, or a dtype and a shape alone."""

from .. import _core
from .creation import to_tensor


def _bound(names, args, kwargs):
    """The arguments by name.

    Raises:
        TypeError: There are too many, one is given twice or has another name.
    """
    if len(args) > len(names):
        raise TypeError(f"Tensor: takes at most {len(names)} arguments, {len(args)} are given.")
    found = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names or name in found:
            what = "is given twice" if name in found else f"is not one of {', '.join(names)}"
            raise TypeError(f"Tensor: argument {name!r} {what}.")
        found[name] = value
    return found


def _of_meta(dtype, dims, name=None, type=None, persistable=False):
    """A tensor of a shape and a dtype, of zeros.

    Args:
        type: Kind of variable; a dense tensor is the only one that has elements to start from.
    """
    from ..framework.variable_kinds import VarDesc

    if type not in (None, VarDesc.VarType.DENSE_TENSOR):
        raise NotImplementedError(f"Tensor: type has value {type}; only dense tensors can be made of a shape.")
    made = _core.ops.full(list(dims), 0, dtype)
    return _named(made, name, persistable)


def _named(made, name, persistable):
    if name is not None and name != "":
        made.name = name
    made.persistable = bool(persistable)
    return made


def construct(*args, **kwargs):
    """What `Tensor(*args, **kwargs)` makes: `Tensor(value, place, persistable, zero_copy, name, stop_gradient)` of an
    array, `Tensor(value, place, name)` of a tensor, or `Tensor(dtype, dims, name, type, persistable)`. A tensor gives
    its memory and its setting of persistable, whatever keywords of an array's form say."""
    from ..static.scope import DenseTensor

    if "data" in kwargs and "value" not in kwargs:
        kwargs["value"] = kwargs.pop("data")
    if "dims" in kwargs or (args and isinstance(args[0], _core.DType)):
        return _of_meta(**_bound(("dtype", "dims", "name", "type", "persistable"), args, kwargs))
    value = args[0] if args else kwargs.get("value", ())
    if isinstance(value, (_core.Tensor, DenseTensor)):
        known = {k: v for k, v in kwargs.items() if k not in ("persistable", "zero_copy", "stop_gradient")}
        given = _bound(("value", "place", "name"), args, known)
        value = value._get() if isinstance(value, DenseTensor) else value
        made = value.detach().to(given.get("place"))
        return _named(made, given.get("name"), value.persistable)
    names = ("value", "place", "persistable", "zero_copy", "name", "stop_gradient", "dtype")
    given = _bound(names, args, kwargs)
    made = to_tensor(value, given.get("dtype"), given.get("place"), given.get("stop_gradient", True) is not False)
    return _named(made, given.get("name"), given.get("persistable", False))
