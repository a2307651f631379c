# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages along the edges of a graph, and their reduction at the nodes that receive them."""

from .. import _core, _paths, tensor
from ..framework.symint import is_open
from ..tensor._args import check_tensor
from ._reduce import REDUCTIONS, check_index, reduce_rows

_MESSAGES = {"add": tensor.add, "sub": tensor.subtract, "mul": tensor.multiply, "div": tensor.divide}


def _edges(function, x, src_index, dst_index, dst_limit=None):
    """Both ends of the edges as vectors that index rows of x."""
    if x.ndim == 0:
        raise ValueError(f"{function}: x is 0-D; it must hold one row for each node.")
    src = check_index(function, "src_index", src_index, x.shape[0])
    dst = check_index(function, "dst_index", dst_index, dst_limit)
    if src.shape[0] != dst.shape[0]:
        raise ValueError(
            f"{function}: src_index has {src.shape[0]} elements and dst_index {dst.shape[0]}; "
            f"each edge needs one of both."
        )
    return src, dst


def _message(function, x, y, message_op):
    """x op y, where axes behind the first are broadcast."""
    if message_op not in _MESSAGES:
        raise ValueError(f"{function}: message_op has value {message_op!r}; it must be one of {list(_MESSAGES)}.")
    rank = max(x.ndim, y.ndim)
    x, y = (t.reshape([t.shape[0]] + [1] * (rank - t.ndim) + list(t.shape[1:])) for t in (x, y))
    return _MESSAGES[message_op](x, y)


def _receive(function, message, dst, reduce_op, out_size, x):
    if reduce_op not in REDUCTIONS:
        raise ValueError(f"{function}: reduce_op has value {reduce_op!r}; it must be one of {list(REDUCTIONS)}.")
    if isinstance(out_size, (list, tuple)):
        out_size = out_size[0]
    if isinstance(out_size, _core.Tensor) and _core.is_capturing():
        size = out_size.reshape([]).astype("int64")
        count = tensor.where(size > 0, size, tensor.shape(x)[0].astype("int64"))
    elif is_open(out_size):
        count = out_size
    else:
        count = 0 if out_size is None else int(out_size)
        count = count if count > 0 else x.shape[0]
    return reduce_rows(message, check_index(function, "dst_index", dst, count), count, reduce_op)


def send_u_recv(x, src_index, dst_index, reduce_op="sum", out_size=None, name=None):
    """Row i of the result reduces the rows of x that edges bring to node i.

    Args:
        x: Features of the nodes, of shape [N, ...].
        src_index: Node where each edge starts, int32 or int64 of shape [E].
        dst_index: Node where each edge ends, of shape [E].
        reduce_op: "sum", "mean", "max" or "min".
        out_size: Rows of the result (an int or a Tensor); N if None or not positive.
        name: Unused.

    Returns:
        A Tensor of shape [out_size, ...]; rows without edges are 0.

    Raises:
        ValueError: reduce_op is unknown, or the index vectors differ in length.
        IndexError: An index is out of range.

    Example:
        >>> import paddle
        >>> x = paddle.to_tensor([[0.0, 2.0], [1.0, 4.0]])
        >>> paddle.geometric.send_u_recv(x, paddle.to_tensor([0, 1]), paddle.to_tensor([1, 1])).tolist()
        [[0.0, 0.0], [1.0, 6.0]]
    """
    check_tensor("send_u_recv", x=x, src_index=src_index, dst_index=dst_index)
    src, dst = _edges("send_u_recv", x, src_index, dst_index)
    return _receive("send_u_recv", tensor.gather(x, src), dst, reduce_op, out_size, x)


def send_ue_recv(x, y, src_index, dst_index, message_op="add", reduce_op="sum", out_size=None, name=None):
    """As `send_u_recv`, where the message of an edge joins the row of x with the row of y of that edge.

    Args:
        x: Features of the nodes, of shape [N, ...].
        y: Features of the edges, of shape [E, ...]; axes behind the first are broadcast with those of x.
        src_index: Node where each edge starts, int32 or int64 of shape [E].
        dst_index: Node where each edge ends, of shape [E].
        message_op: "add", "sub", "mul" or "div".
        reduce_op: "sum", "mean", "max" or "min".
        out_size: Rows of the result (an int or a Tensor); N if None or not positive.
        name: Unused.

    Returns:
        A Tensor of shape [out_size, ...]; rows without edges are 0.

    Raises:
        ValueError: An op is unknown, or there is not one row of y and one element of each index per edge.
        IndexError: An index is out of range.
    """
    check_tensor("send_ue_recv", x=x, y=y, src_index=src_index, dst_index=dst_index)
    src, dst = _edges("send_ue_recv", x, src_index, dst_index)
    if y.ndim == 0 or y.shape[0] != src.shape[0]:
        raise ValueError(
            f"send_ue_recv: y has shape {list(y.shape)} and there are {src.shape[0]} edges; y needs one row per edge."
        )
    message = _message("send_ue_recv", tensor.gather(x, src), y, message_op)
    return _receive("send_ue_recv", message, dst, reduce_op, out_size, x)


def send_uv(x, y, src_index, dst_index, message_op="add", name=None):
    """For each edge, the row of x where it starts joined with the row of y where it ends.

    Args:
        x: Features of the nodes that send, of shape [N, ...].
        y: Features of the nodes that receive, of shape [M, ...].
        src_index: Row of x for each edge, int32 or int64 of shape [E].
        dst_index: Row of y for each edge, of shape [E].
        message_op: "add", "sub", "mul" or "div".
        name: Unused.

    Returns:
        A Tensor of shape [E, ...].

    Raises:
        ValueError: message_op is unknown, or the index vectors differ in length.
        IndexError: An index is out of range.
    """
    check_tensor("send_uv", x=x, y=y, src_index=src_index, dst_index=dst_index)
    if y.ndim == 0:
        raise ValueError("send_uv: y is 0-D; it must hold one row for each node.")
    src, dst = _edges("send_uv", x, src_index, dst_index, y.shape[0])
    return _message("send_uv", tensor.gather(x, src), tensor.gather(y, dst), message_op)


_paths.attach(__name__)
