# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Marks on functions that to_static reads."""

from .api import not_to_static
from .spec import MARKED_AXES as DYNAMIC_DIMS_ATTR_NAME
from .spec import is_tensor

__all__ = ["capture_control_flow", "dynamic_dims", "force_dynamic", "not_to_static", "unified"]


def unified(fn=None, *, for_sot=True, for_ast=True):
    """Say that a function is the same in a captured program and outside: it is called as it is.

    Args:
        fn: The function; None makes a decorator.
        for_sot, for_ast: Of which form of capture it is said.
    """
    if fn is None:
        return lambda function: unified(function, for_sot=for_sot, for_ast=for_ast)
    return not_to_static(fn) if for_ast else fn


def force_dynamic(fn):
    """Names a function, or a Layer class, whose calls end a segment of a function that runs in segments. A segment ends
    by itself where a value is needed, so the mark changes no value.

    Args:
        fn: The function or Layer class.

    Returns:
        `fn`.

    Raises:
        TypeError: It is neither.
    """
    from ..nn import Layer
    from .sot.utils import paddle_api_config

    if not callable(fn):
        raise TypeError(f"force_dynamic: fn has type {type(fn).__name__}; it must be a function or a Layer class.")
    if isinstance(fn, type) and issubclass(fn, Layer):
        paddle_api_config.add_break_graph_layer_class(fn)
    else:
        paddle_api_config.add_break_graph_function(fn)
    return fn


def capture_control_flow(fn=None):
    """Names a function whose branches on tensors are to be captured also where its caller runs in segments. There
    Python runs it on every call, so the mark changes no value; with `full_graph=True` they always are.

    Args:
        fn: The function; None makes a decorator.
    """
    return capture_control_flow if fn is None else fn


def dynamic_dims(tensor, dims):
    """Says that some extents of a tensor change from call to call: `to_static(full_graph=True)` captures a program for
    any extent there, as an InputSpec with None does.

    Args:
        tensor: A Tensor that is passed to captured functions.
        dims: An axis, or a list or tuple of axes.

    Raises:
        TypeError: `tensor` is no Tensor, or `dims` no axes.
        ValueError: The tensor has no such axis.

    Example:
        >>> import paddle
        >>> rows = paddle.ones([3, 2])
        >>> paddle.jit.marker.dynamic_dims(rows, 0)
        >>> total = paddle.jit.to_static(lambda x: x.sum() * x.shape[0], full_graph=True)
        >>> float(total(rows)), float(total(paddle.ones([5, 2]))), total.get_traced_count()
        (18.0, 50.0, 1)
    """
    if not is_tensor(tensor):
        raise TypeError(f"dynamic_dims: tensor has type {type(tensor).__name__}; it must be a Tensor.")
    axes = (dims,) if isinstance(dims, int) else dims
    if not isinstance(axes, (list, tuple)) or not all(type(axis) is int for axis in axes):
        raise TypeError(f"dynamic_dims: dims has value {dims!r}; it must be an int, or a list or tuple of ints.")
    rank = len(tensor.shape)
    for axis in axes:
        if not -rank <= axis < rank:
            raise ValueError(f"dynamic_dims: dims has {axis}; the tensor has {rank} axes.")
    setattr(tensor, DYNAMIC_DIMS_ATTR_NAME, tuple(axes))
