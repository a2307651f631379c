# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sums and concatenations of column ranges, batched linear maps, and shuffled rows."""

from ... import _core
from ...framework.param_attr import ParamAttr
from ...framework.parameter import create_parameter
from ...nn.functional._by_name import activated

ops = _core.ops


def _ranges(op, input, start_index, length):
    """The columns [start_index, start_index + length) of every matrix; a length of -1 reaches to the end."""
    if not isinstance(input, (list, tuple)):
        input = [input]
    parts = []
    for x in input:
        if not isinstance(x, _core.Tensor):
            raise TypeError(f"{op}: input has a {type(x).__name__}; it must be a list of Tensors.")
        if x.ndim != 2:
            raise ValueError(f"{op}: input has a Tensor of shape {list(x.shape)}; it must have 2 axes.")
        width = int(x.shape[1])
        start = start_index + width if start_index < 0 else start_index
        end = width if length < 0 else start + length
        if not 0 <= start < width or end > width:
            raise ValueError(
                f"{op}: start_index has value {start_index} and length {length}; input has {width} columns."
            )
        parts.append(ops.slice(x, [1], [start], [end]))
    return parts


def partial_concat(input, start_index=0, length=-1):
    """Column ranges of matrices, side by side.

    Args:
        input: List of matrices with as many rows.
        start_index: First column; a negative one counts from the end.
        length: Number of columns; -1: all that follow.

    Raises:
        TypeError: `input` holds something else than Tensors.
        ValueError: A Tensor is no matrix, or has not so many columns.
    """
    return ops.concat(_ranges("partial_concat", input, start_index, length), 1)


def partial_sum(input, start_index=0, length=-1):
    """The sum of column ranges of matrices; see `partial_concat`."""
    first, *rest = _ranges("partial_sum", input, start_index, length)
    for part in rest:
        first = first + part
    return ops.assign(first) if not rest else first


def shuffle_batch(x, seed=None):
    """The rows along all axes but the last, in random order.

    Args:
        x: Tensor of at least one axis.
        seed: Integer that gives the order; None: the global generator does.
    """
    rows = ops.reshape(x, [-1, x.shape[-1]])
    if rows.shape[0] == -1:  # known when the program runs
        order = ops.argsort(ops.uniform_inplace(ops.cast(rows[:, 0], _core.float32), 0.0, 1.0, int(seed or 0)), -1)[1]
    elif seed is None:
        from ...tensor.random import randperm

        order = randperm(rows.shape[0], "int64")
    else:
        import numpy

        order = _core.to_tensor(numpy.random.RandomState(int(seed)).permutation(int(rows.shape[0])))
    return ops.reshape(ops.gather(rows, order, 0), x.shape)


def batch_fc(input, param_size, param_attr, bias_size, bias_attr, act=None):
    """One linear map for each entry of the first axis: out[i] = input[i] @ w[i] + b[i].

    Args:
        input: Shape [slots, rows, features].
        param_size: Shape of the weights, [slots, features, outputs].
        param_attr: ParamAttr of the weights.
        bias_size: Shape of the bias, [slots, outputs].
        bias_attr: ParamAttr of the bias.
        act: Name of a function of `paddle.nn.functional`, or None.

    Raises:
        ValueError: The sizes do not fit.
    """
    slots, features, outputs = [int(n) for n in param_size]
    if input.ndim != 3 or [input.shape[0], input.shape[2]] != [slots, features] or list(bias_size) != [slots, outputs]:
        raise ValueError(
            f"batch_fc: input has shape {list(input.shape)}, param_size is {list(param_size)} and bias_size "
            f"{list(bias_size)}; they must be [slots, rows, features], [slots, features, outputs] and [slots, outputs]."
        )
    weight = create_parameter(list(param_size), input.dtype, attr=ParamAttr._to_attr(param_attr))
    bias = create_parameter(list(bias_size), input.dtype, attr=ParamAttr._to_attr(bias_attr), is_bias=True)
    out = ops.matmul(input, weight) + ops.unsqueeze(bias, [1])
    return activated(out, act)
