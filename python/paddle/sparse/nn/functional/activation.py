# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Activations of the stored values, and softmax over the stored values of each line."""

from .... import nn, tensor
from ....framework.modes import no_grad
from ....geometric._reduce import reduce_rows
from ... import _layout
from ...tensor import is_sparse
from ...unary import on_values


def relu(x, name=None):
    """max(value, 0) of each stored value; x is a sparse Tensor, and so is the result."""
    return on_values("nn.functional.relu", x, nn.functional.relu)


def relu6(x, name=None):
    """min(max(value, 0), 6) of each stored value; x is a sparse Tensor, and so is the result."""
    return on_values("nn.functional.relu6", x, nn.functional.relu6)


def leaky_relu(x, negative_slope=0.01, name=None):
    """Each stored value, times negative_slope where it is negative.

    Args:
        x: A sparse Tensor.
        negative_slope: Slope below 0.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("nn.functional.leaky_relu", x, lambda values: nn.functional.leaky_relu(values, negative_slope))


def softmax(x, axis=-1, name=None):
    """Softmax along an axis over the stored values only; places that are not stored count as -infinity.

    Args:
        x: A sparse Tensor without dense axes.
        axis: The axis; the last one in CSR form.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.

    Raises:
        ValueError: x has dense axes, or no such axis.
        NotImplementedError: x is in CSR form and axis is not the last.
    """
    if not is_sparse(x):
        raise TypeError(
            "sparse.nn.functional.softmax: x is not a sparse tensor; convert it with to_sparse_coo() or to_sparse_csr()."
        )
    if not -x.ndim <= axis < x.ndim or _layout.sparse_dim(x) != x.ndim:
        raise ValueError(
            f"sparse.nn.functional.softmax: axis is {axis}; x has {_layout.sparse_dim(x)} sparse of {x.ndim} axes; axis "
            f"must be one of them and all must be sparse."
        )
    axis %= x.ndim
    if x.is_sparse_csr() and axis != x.ndim - 1:
        raise NotImplementedError(
            f"sparse.nn.functional.softmax: axis is {axis}; a tensor in CSR form has it along its last axis only. Use "
            f"to_sparse_coo({x.ndim}) first."
        )
    if x.nnz() == 0:
        return x
    others = [a for a in range(x.ndim) if a != axis]
    index = _layout.coords(x)[others]
    line = _layout.unique_index(_layout.flat(index, [x.shape[a] for a in others]))
    count, line = int(line.max()) + 1, tensor.to_tensor(line)
    values = x._values
    with no_grad():
        top = tensor.gather(reduce_rows(values.detach(), line, count, "max"), line)
    scaled = tensor.exp(values - top)
    return x._with_values(scaled / tensor.gather(reduce_rows(scaled, line, count, "sum"), line))
